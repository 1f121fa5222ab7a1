import BelayTransportSecurity
import BelayTrust
import FuzzingSupport

/// Decisions: the input chooses the members of a dictionary and their values, so that nearly all of it means something, then a URL.
/// Nothing that is malformed relaxes anything that is enforced; what malformed is, is said here a second time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTransportSecurity(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    if let read = try? TransportSecurityCase(json: input) { use(read.answer().answer.why) }
    if let url = try? TransportSecurityURL(String(decoding: input, as: UTF8.self)) {
        use(TransportSecurityConfiguration.default.answer(for: url, on: .newest).changes)
    }
    if let range = try? SystemRange(String(decoding: input.prefix(32), as: UTF8.self)),
        let url = try? TransportSecurityURL("http://192.0.2.1/")
    {
        use(TransportSecurityConfiguration.default.answer(for: url, on: range).changes)
    }
    var maker = Maker(rest: input[...])
    let url = maker.url()
    let context = maker.pick(TransportSecurityContext.allCases)
    let system = maker.pick([SystemVersion(.iOS, 9), SystemVersion(.iOS, 12), SystemVersion(.macOS, 14), .newest])
    let document = PlistDocument(format: maker.pick(PlistFormat.allCases), root: maker.dictionary(.configuration))
    let configuration = TransportSecurityConfiguration(document, file: "input", contents: .dictionary)
    let simulated = configuration.decision(for: url, in: context, on: system, as: .simulation)
    let enforced = configuration.decision(for: url, in: context, on: system, as: .enforcement)
    use(simulated.why)
    demand(
        configuration.isMalformed == configuration.findings.contains { $0.severity == .error }
            || configuration.findings.count == TransportSecurityConfiguration.mostFindings,
        "an error that does not count")
    if maker.isMalformed { demand(configuration.isMalformed, "malformed, and taken for good") }
    if configuration.isMalformed {
        demand(!enforced.isAllowed && !enforced.isTrustRelaxed, "malformed, and allowed")
        demand(enforced.requirements(on: system) == nil, "malformed, with requirements")
    } else {
        demand(
            enforced.isAllowed == simulated.isAllowed || url.host.allSatisfy { !$0.isLetter || $0 == "x" }, "two faces")
        demand(enforced.isAllowed == (enforced.requirements(on: system) != nil), "requirements of what is refused")
    }
    return 0
}

/// Makes dictionaries of the input, and knows by itself whether it has made a mistake.
private struct Maker {
    var rest: ArraySlice<UInt8>
    private(set) var isMalformed = false

    init(rest: ArraySlice<UInt8>) { self.rest = rest }

    enum Level { case configuration, exceptions, exception, pinned, pin, identity }

    private mutating func next() -> Int { rest.popFirst().map(Int.init) ?? 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next() % elements.count] }

    mutating func url() -> TransportSecurityURL {
        let host = pick([
            "a.test", "b.a.test", "c.b.a.test.", "localhost", "192.0.2.1", "[2001:db8::1]", "www.apple.com",
            "printer.local", "2130706433",
        ])
        guard let url = try? TransportSecurityURL(pick(["http", "https", "ws", "ftp"]) + "://" + host) else {
            fatalError("a URL of ours")
        }
        return url
    }

    mutating func dictionary(_ level: Level) -> PlistNode {
        var members: [PlistMember] = []
        var names: Set<String> = []
        for _ in 0..<(next() % 6) {
            let (key, isKnown) = key(level)
            if !isKnown || !names.insert(key).inserted { isMalformed = true }
            members.append(PlistMember(key: key, node: value(key, level)))
        }
        if level == .pin, !names.contains("NSPinnedLeafIdentities"), !names.contains("NSPinnedCAIdentities") {
            isMalformed = true
        }
        if level == .identity, names.isEmpty { isMalformed = true }
        return PlistNode(.dictionary(members))
    }

    private mutating func key(_ level: Level) -> (String, Bool) {
        if next() % 16 == 15 {
            let text = String(decoding: rest.prefix(8), as: UTF8.self)
            rest = rest.dropFirst(8)
            // A slash makes it an odd key everywhere.
            return ("/" + text, false)
        }
        let keys =
            switch level {
            case .configuration:
                [
                    "NSAllowsArbitraryLoads", "NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent",
                    "NSAllowsLocalNetworking", "NSRequiresNIAPTLSPackageVersion", "NSExceptionDomains",
                    "NSPinnedDomains",
                ]
            case .exceptions, .pinned:
                ["a.test", "b.a.test", "test", "localhost", "192.0.2.1", "192.0.2.0/24", "::/0", "apple.com"]
            case .exception:
                [
                    "NSIncludesSubdomains", "NSExceptionAllowsInsecureHTTPLoads", "NSExceptionMinimumTLSVersion",
                    "NSExceptionRequiresForwardSecrecy", "NSThirdPartyExceptionAllowsInsecureHTTPLoads",
                    "NSTemporaryExceptionMinimumTLSVersion", "NSExceptionRequiresNIAPTLSPackageVersion",
                ]
            case .pin: ["NSIncludesSubdomains", "NSPinnedLeafIdentities", "NSPinnedCAIdentities"]
            case .identity: ["SPKI-SHA256-BASE64"]
            }
        return (pick(keys), true)
    }

    private mutating func value(_ key: String, _ level: Level) -> PlistNode {
        if next() % 12 == 11 {
            isMalformed = true
            // Of no type that any key takes.
            return PlistNode(pick([.integer(1), .integer(0), .real(1), .date("x"), .data([]), .uid(1)]))
        }
        if key.hasSuffix("Version") {
            if key.contains("NIAP") { return PlistNode(.string(pick(["none", "FCP_v2.1", "recommended"]))) }
            return PlistNode(.string(pick(["TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"])))
        }
        switch (key, level) {
        case ("NSExceptionDomains", .configuration): return dictionary(.exceptions)
        case ("NSPinnedDomains", .configuration): return dictionary(.pinned)
        case (_, .exceptions): return dictionary(.exception)
        case (_, .pinned): return dictionary(.pin)
        case ("NSPinnedLeafIdentities", .pin), ("NSPinnedCAIdentities", .pin):
            let identities = (0..<(next() % 3)).map { _ in dictionary(.identity) }
            if identities.isEmpty { isMalformed = true }
            return PlistNode(.array(identities))
        case (_, .identity): return PlistNode(.string("i9HalScvf6T/skE3/A7QOq5n5cTYs8UHNOEFCnkguSI="))
        default: return PlistNode(.boolean(next() % 2 == 1))
        }
    }
}
