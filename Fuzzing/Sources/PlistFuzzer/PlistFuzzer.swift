import BelayTransportSecurity
import BelayTrust
import FuzzingSupport

/// Property lists in every form: whatever is read has places within the file and can be decided by; whatever is none has an error
/// with words.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPlist(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    // An input is small; a budget to match finds what a large one would.
    var limits = PlistLimits()
    limits.values = 20_000
    do throws(PlistError) {
        let document = try PlistReader(limits: limits).read(input)
        checkPlaces(document.root, 0..<input.count)
        for contents in [TransportSecurityConfiguration.Contents.automatic, .infoPlist, .dictionary] {
            let configuration = TransportSecurityConfiguration(document, file: "input", contents: contents)
            demand(
                configuration.isMalformed || !configuration.findings.contains { $0.severity == .error },
                "an error that does not count")
            use(configuration.findings.map(\.description))
            guard let url = try? TransportSecurityURL("http://a.b.example.com/") else { return 0 }
            use(configuration.answer(for: url, on: .newest).why)
            let enforced = configuration.decision(for: url, as: .enforcement)
            demand(!(configuration.isMalformed && enforced.isAllowed), "malformed, and allowed")
        }
    } catch {
        demand(!error.description.isEmpty, "an error without words")
    }
    return 0
}

/// A value lies within the one that it is in, and its first byte is where its place says.
private func checkPlaces(_ node: PlistNode, _ outer: Range<Int>) {
    var inner = outer
    if let range = node.range {
        demand(range.lowerBound >= outer.lowerBound && range.upperBound <= outer.upperBound, "a value outside its own")
        demand(node.position.offset == range.lowerBound, "a place that is not the value's")
        inner = range
    }
    demand(node.position.line ?? 1 >= 1 && node.position.column ?? 1 >= 1, "a line or column before the first")
    switch node.value {
    case .dictionary(let members):
        for member in members {
            if let range = member.keyRange {
                demand(range.lowerBound >= inner.lowerBound && range.upperBound <= inner.upperBound, "a key outside")
            }
            checkPlaces(member.node, inner)
        }
    case .array(let elements):
        for element in elements { checkPlaces(element, inner) }
    default: break
    }
}
