import BelayCertificates
import BelayTransportSecurity
import BelayTrust
import Testing

/// What is enforced is never looser than it would be without the part that is malformed, nor than what that part was meant to be.
@Suite("enforcement: configurations that are spoiled at random")
struct SpoiledConfigurationTests {
    private static let urls = [
        "http://a.test/", "https://a.test/", "https://b.a.test/", "http://b.a.test/", "https://c.b.a.test/",
        "http://localhost/", "https://192.0.2.1/", "http://192.0.2.9/", "https://other.test/", "https://www.apple.com/",
    ]
    private static let systems = ["ios9", "ios16", "ios17", "ios26.4"]

    private func read(_ root: PlistNode) -> TransportSecurityConfiguration {
        TransportSecurityConfiguration(
            PlistDocument(format: .xml, root: root), file: "Info.plist", contents: .dictionary)
    }

    @Test("nothing malformed ever relaxes anything", arguments: 0..<8)
    func spoiled(seed: UInt64) throws {
        var maker = SpoiledConfiguration(seed: seed)
        let urls = try Self.urls.map { text throws in try TransportSecurityURL(text) }
        let systems = try Self.systems.map { text throws in try SystemRange(text).oldest }
        var refusing = 0
        for _ in 0..<60 {
            let made = maker.make()
            let spoiled = read(made.spoiled)
            if spoiled.isMalformed { refusing += 1 }
            for other in [read(made.without), read(made.meant)] {
                for url in urls {
                    let (context, system) = (maker.pick(TransportSecurityContext.allCases), maker.pick(systems))
                    let enforced = spoiled.decision(for: url, in: context, on: system, as: .enforcement)
                    let wanted = other.decision(for: url, in: context, on: system, as: .simulation)
                    #expect(
                        enforced.isAsStrict(as: wanted),
                        "\(made.what): \(url.scheme)://\(url.host) \(context) \(system)\n\(made.spoiled)")
                }
            }
        }
        // Most of what spoils makes malformed; the rest means the same (pins in another case).
        #expect(refusing > 40)
    }

    @Test("what is looser is told from what is not")
    func measure() throws {
        let strict = try TransportSecurityConfiguration.default.decide("https://a.test/")
        let eased = try configuration(exception("a.test", insecure)).decide("https://a.test/")
        #expect(strict.isAsStrict(as: strict) && strict.isAsStrict(as: eased) && !eased.isAsStrict(as: strict))
        let pinned = try configuration(
            "<dict><key>NSPinnedDomains</key><dict><key>a.test</key><dict><key>NSPinnedLeafIdentities</key><array>"
                + "<dict><key>SPKI-SHA256-BASE64</key><string>\(pinA)</string></dict></array></dict></dict></dict>"
        ).decide("https://a.test/")
        #expect(pinned.isAsStrict(as: strict) && !strict.isAsStrict(as: pinned))
    }
}

extension TransportSecurityDecision {
    /// Whether whatever this lets through the other one does as well.
    fileprivate func isAsStrict(as other: TransportSecurityDecision) -> Bool {
        guard isAllowed else { return true }
        guard other.isAllowed else { return false }
        func rank(_ version: TLSVersion?) -> Int { version.map { Int($0.rawValue) } ?? -1 }
        func rank(_ suites: Suites) -> Int { [.any, .atsCompatibility, .ats].firstIndex(of: suites) ?? -1 }
        func holds(_ mine: Set<SPKIPin>?, _ theirs: Set<SPKIPin>?) -> Bool {
            guard let theirs else { return true }
            return mine?.isSubset(of: theirs) ?? false
        }
        let flags: [(Bool, Bool)] = [
            (requiresHTTPS, other.requiresHTTPS),
            (demands.requiresForwardSecrecy, other.demands.requiresForwardSecrecy),
            (demands.limitsKeySizes, other.demands.limitsKeySizes), (demands.limitsHashes, other.demands.limitsHashes),
            (requiresCertificateTransparency, other.requiresCertificateTransparency),
            (systemRequiresCertificateTransparency, other.systemRequiresCertificateTransparency),
            (!isTrustRelaxed, !other.isTrustRelaxed), (niapPackage != nil, other.niapPackage != nil),
        ]
        return flags.allSatisfy { $0 || !$1 } && rank(demands.minimumVersion) >= rank(other.demands.minimumVersion)
            && rank(demands.suites) >= rank(other.demands.suites) && holds(pins?.leaf, other.pins?.leaf)
            && holds(pins?.authority, other.pins?.authority)
    }
}

/// Configurations that mean what they say, and the same with something spoiled in them.
private struct SpoiledConfiguration {
    struct Made {
        /// What was done.
        let what: String
        let spoiled: PlistNode
        /// Without what was spoiled.
        let without: PlistNode
        /// Before it was spoiled.
        let meant: PlistNode
    }

    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    private mutating func next(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 33) % limit
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(elements.count)] }

    /// One in so many.
    private mutating func one(in count: Int) -> Bool { next(count) == 0 }

    mutating func make() -> Made {
        let meant = root()
        // Every member anywhere, by its way from the root.
        var paths: [[Int]] = []
        Self.collect(meant, [], into: &paths)
        let path = pick(paths)
        var what = ""
        var spoiled = meant
        Self.change(&spoiled, path[...]) { members, index in what = spoil(&members, index, depth: path.count) }
        var without = meant
        Self.change(&without, path[...]) { members, index in members.remove(at: index) }
        return Made(what: what, spoiled: spoiled, without: without, meant: meant)
    }

    // MARK: What is right

    private mutating func root() -> PlistNode {
        var members: [PlistMember] = []
        for key in [
            "NSAllowsArbitraryLoads", "NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent",
            "NSAllowsLocalNetworking",
        ] where one(in: key == "NSAllowsArbitraryLoads" ? 2 : 5) {
            members.append(PlistMember(key: key, node: flag()))
        }
        if one(in: 4) {
            members.append(text("NSRequiresNIAPTLSPackageVersion", pick(["none", "FCP_v2.1", "recommended"])))
        }
        members.append(PlistMember(key: "NSExceptionDomains", node: domains { $0.entry() }))
        if one(in: 2) { members.append(PlistMember(key: "NSPinnedDomains", node: domains { $0.pinned() })) }
        return PlistNode(.dictionary(members))
    }

    private mutating func domains(_ value: (inout Self) -> PlistNode) -> PlistNode {
        var members: [PlistMember] = []
        for host in ["a.test", "b.a.test", "localhost", "192.0.2.1"] where one(in: 2) {
            members.append(PlistMember(key: host, node: value(&self)))
        }
        if members.isEmpty { members.append(PlistMember(key: "a.test", node: value(&self))) }
        return PlistNode(.dictionary(members))
    }

    private mutating func entry() -> PlistNode {
        var members: [PlistMember] = []
        for key in ["NSIncludesSubdomains", "NSExceptionAllowsInsecureHTTPLoads", "NSExceptionRequiresForwardSecrecy"]
        where one(in: 2) { members.append(PlistMember(key: key, node: flag())) }
        if one(in: 2) {
            members.append(text("NSExceptionMinimumTLSVersion", pick(["TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"])))
        }
        if one(in: 4) {
            members.append(text("NSExceptionRequiresNIAPTLSPackageVersion", pick(["none", "recommended"])))
        }
        return PlistNode(.dictionary(members))
    }

    private mutating func pinned() -> PlistNode {
        var members: [PlistMember] = []
        if one(in: 2) { members.append(PlistMember(key: "NSIncludesSubdomains", node: PlistNode(.boolean(true)))) }
        for key in ["NSPinnedLeafIdentities", "NSPinnedCAIdentities"] where members.isEmpty || one(in: 2) {
            let identities = (one(in: 2) ? [pinA] : [pinA, pinB]).map { pin in
                PlistNode(.dictionary([text("SPKI-SHA256-BASE64", pin)]))
            }
            members.append(PlistMember(key: key, node: PlistNode(.array(identities))))
        }
        if members.count == 1, members[0].key == "NSIncludesSubdomains" {
            let identity = PlistNode(.dictionary([text("SPKI-SHA256-BASE64", pinA)]))
            members.append(PlistMember(key: "NSPinnedLeafIdentities", node: PlistNode(.array([identity]))))
        }
        return PlistNode(.dictionary(members))
    }

    private mutating func flag() -> PlistNode { PlistNode(.boolean(one(in: 2))) }

    private func text(_ key: String, _ value: String) -> PlistMember {
        PlistMember(key: key, node: PlistNode(.string(value)))
    }

    // MARK: What spoils it

    private mutating func spoil(_ members: inout [PlistMember], _ index: Int, depth: Int) -> String {
        let member = members[index]
        switch next(4) {
        case 0:
            let value = wrong(member.node)
            members[index] = PlistMember(key: member.key, node: value)
            return "\(member.key) is \(value.value)"
        case 1:
            // One of two of a name, whichever counts.
            members.insert(PlistMember(key: member.key, node: wrong(member.node)), at: index + next(2))
            return "\(member.key) stands twice"
        case 2 where member.key.hasPrefix("NS") && depth < 3:
            // Into a dictionary that it does not belong to.
            members.remove(at: index)
            members.append(PlistMember(key: "NSColour", node: PlistNode(.dictionary([member]))))
            return "\(member.key) is misplaced"
        default:
            let key = misspelt(member.key)
            members[index] = PlistMember(key: key, node: member.node)
            return "\(member.key) is '\(key)'"
        }
    }

    private mutating func wrong(_ node: PlistNode) -> PlistNode {
        switch node.value {
        case .boolean(let flag):
            return PlistNode(
                pick([.string(flag ? "YES" : "NO"), .integer(flag ? 1 : 0), .real(1), .array([]), .data([1])]))
        case .string(let text):
            return PlistNode(
                pick([
                    .string(text + " "), .string(text.uppercased() + "x"), .string(""), .boolean(true), .array([node]),
                ]))
        default: return PlistNode(pick([.array([]), .string("x"), .boolean(true), .date("2026-01-01T00:00:00Z")]))
        }
    }

    /// Bits behind the prefix of a block are not among it: they are warned of, and the block is the one that every reader makes of it.
    private mutating func misspelt(_ key: String) -> String {
        pick([
            String(key.dropLast()) + "\u{E9}", key + " ", " " + key, "*." + key, "https://" + key, key + ":443",
            key + "/x",
            key + "$(X)", key.uppercased() + ".", key.hasPrefix("NS") ? key.lowercased() : key + "/33", key + "\u{0}",
        ])
    }

    // MARK: Ways

    private static func collect(_ node: PlistNode, _ path: [Int], into paths: inout [[Int]]) {
        switch node.value {
        case .dictionary(let members):
            for (index, member) in members.enumerated() {
                paths.append(path + [index])
                collect(member.node, path + [index], into: &paths)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() { collect(element, path + [index], into: &paths) }
        default: break
        }
    }

    private static func change(
        _ node: inout PlistNode, _ path: ArraySlice<Int>, _ body: (inout [PlistMember], Int) -> Void
    ) {
        guard let index = path.first else { return }
        switch node.value {
        case .dictionary(var members):
            if path.count == 1 {
                body(&members, index)
            } else {
                var inner = members[index].node
                change(&inner, path.dropFirst(), body)
                members[index] = PlistMember(key: members[index].key, node: inner)
            }
            node = PlistNode(.dictionary(members))
        case .array(var elements):
            change(&elements[index], path.dropFirst(), body)
            node = PlistNode(.array(elements))
        default: break
        }
    }
}
