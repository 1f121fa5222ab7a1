import BelayCertificates
import BelayTrust
import FuzzingChains
import FuzzingSupport

/// Hosts, patterns, and names in certificates: the input is a name that is presented, a NUL NUL, and a host.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzName(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    let end = input.indices.first { input[$0] == 0 && $0 + 1 < input.count && input[$0 + 1] == 0 } ?? input.endIndex
    let presented = Array(input[..<end])
    let text = String(decoding: input.dropFirst(end + 2), as: UTF8.self)
    checkPattern(text)
    checkPattern(String(decoding: presented, as: UTF8.self))
    guard let host = checkHost(text) else { return 0 }
    checkMatch(presented, host)
    return 0
}

private func checkHost(_ text: String) -> ServerName? {
    do throws(ServerNameError) {
        let name = try ServerName(text)
        demand((try? ServerName(name.description)) == name, "the normal form of \(text) is another name")
        if let indication = name.serverNameIndication {
            demand(!indication.isEmpty && indication.utf8.count <= 253, "a name of \(indication.utf8.count) octets")
            demand(indication.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an indication that is not ASCII")
            demand(!indication.hasSuffix("."), "an indication with a dot at the end")
            demand((try? ServerName(text + ".")) == name || text.hasSuffix("."), "a dot at the end makes another name")
        }
        return name
    } catch {
        use(error.description)
        return nil
    }
}

private func checkPattern(_ text: String) {
    do throws(HostPatternError) {
        let pattern = try HostPattern(text)
        demand((try? HostPattern(pattern.description)) == pattern, "the normal form of \(text) is another pattern")
        use(pattern.findings())
        switch pattern.kind {
        case .exact(let name): demand(matches(pattern, name), "\(text) does not match itself")
        case .oneLabel(let parent):
            demand(!matches(pattern, parent), "one label and none")
            demand(!matches(pattern, "a.b." + parent), "one label and two")
        case .anyDepth(let parent): demand(matches(pattern, parent), "any depth, and none")
        case .address(let address): demand(matches(pattern, address.description), "an address is not itself")
        case .block(let base, _): demand(matches(pattern, base.description), "a block without its first address")
        }
    } catch {
        use(error.description)
    }
}

/// False for a text that is no host, for example because it became too long.
private func matches(_ pattern: HostPattern, _ text: String) -> Bool {
    guard let host = try? ServerName(text) else { return false }
    return pattern.matches(host)
}

/// A leaf whose only name is the one presented is trusted for the host exactly when RFC 9525 says so.
private func checkMatch(_ presented: [UInt8], _ host: ServerName) {
    let names = DERWriter.sequence(DERWriter.element(.contextPrimitive(2), presented))
    var trust = FuzzingChains.shared.pair(leaf: FuzzingChains.element(17, critical: false, names))
    trust.policies = [.tlsServer(name: host)]
    let verdict = trust.evaluate()
    verdict.demandConsistency()
    guard case .dns(let name) = host else {
        demand(!verdict.isTrusted, "a DNS name stands for an address")
        return
    }
    demand(verdict.isTrusted == stands(presented, for: name), "'\(presented)' for \(name): \(verdict.findings)")
}

/// The comparison of RFC 9525, section 6.3, once more and in another way: label by label.
private func stands(_ presented: [UInt8], for host: String) -> Bool {
    let lower = presented.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let theirs = lower.split(separator: 0x2E, omittingEmptySubsequences: false).map(Array.init)
    let ours = Array(host.utf8).split(separator: 0x2E, omittingEmptySubsequences: false).map(Array.init)
    guard theirs.count == ours.count else { return false }
    if theirs.first == [0x2A] { return theirs.count > 2 && Array(theirs.dropFirst()) == Array(ours.dropFirst()) }
    return theirs == ours
}
