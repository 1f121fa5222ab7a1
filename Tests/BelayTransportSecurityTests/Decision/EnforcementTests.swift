import BelayCertificates
import BelayTransportSecurity
import BelayTrust
import Testing

@Suite("enforcement")
struct EnforcementTests {
    @Test("a configuration with an error allows nothing, and says which; without errors it is as in simulation")
    func malformed() throws {
        let text = "<dict><key>NSAllowsArbitraryLoads</key><true/>\n<key>NSColour</key><true/></dict>"
        let read = try configuration(text)
        #expect(try read.decide("http://a.test/").isAllowed)
        for url in [
            "http://a.test/", "https://a.test/", "http://localhost/", "https://www.apple.com/", "ftp://a.test/",
        ] {
            let decision = try read.decide(url, as: .enforcement)
            #expect(!decision.isAllowed && decision.requirements() == nil && !decision.isTrustRelaxed)
            let refusals = decision.refusals(for: try TransportSecurityURL(url), file: "Info.plist")
            #expect(refusals.prefix(2).map(\.rule.identifier) == ["ats.unknown-key", "ats.malformed"])
        }
        let good = try configuration("<dict><key>NSAllowsArbitraryLoads</key><true/></dict>")
        #expect(try good.decide("http://a.test/", as: .enforcement) == good.decide("http://a.test/"))
    }

    @Test("a decision has what a connection needs")
    func requirements() throws {
        let plain = try #require(
            try TransportSecurityConfiguration.default.decide("https://a.test/", as: .enforcement).requirements())
        #expect(plain.connection == .transportSecurity && plain.requiresSHA256 && !plain.mayTrustBeRelaxed)
        #expect(plain.minimumRSABits == 2_048 && plain.minimumECBits == 256 && plain.pins == nil)
        // ChaCha20 is among them, DHE and CBC with SHA-2 are not.
        #expect(plain.cipherSuites?.count == 13)
        #expect(plain.cipherSuites?.allSatisfy { $0.hasForwardSecrecy && !$0.name.contains("_DHE_") } == true)

        let old = try configuration(
            exception(
                "a.test",
                "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string><key>NSExceptionRequiresForwardSecrecy</key><false/>"
            ))
        let eased = try #require(try old.decide("https://a.test/", as: .enforcement).requirements())
        #expect(eased.connection == ConnectionRequirements(minimumVersion: .tls10, requiresForwardSecrecy: false))
        #expect(eased.cipherSuites?.count == 17 && eased.minimumRSABits == nil && eased.requiresSHA256)
        #expect(
            try old.decide("https://a.test/", "ios17").requirements(on: SystemVersion(.iOS, 17))?.cipherSuites?.count
                == 23)

        let arbitrary = try configuration("<dict><key>NSAllowsArbitraryLoads</key><true/></dict>")
        let open = try #require(try arbitrary.decide("https://a.test/").requirements())
        #expect(open.cipherSuites == nil && open.mayTrustBeRelaxed && open.connection.minimumVersion == .tls12)
        #expect(
            try arbitrary.decide("https://a.test/").requirements(systemDefault: .tls10)?.connection.minimumVersion
                == .tls10)

        let package = try configuration(
            """
            <dict><key>NSAllowsArbitraryLoads</key><true/>
            <key>NSRequiresNIAPTLSPackageVersion</key><string>FCP_v2.1</string></dict>
            """)
        let tight = try #require(try package.decide("https://a.test/").requirements())
        #expect(tight.connection == .transportSecurity && tight.niapPackage == .functionalPackage21)
        #expect(tight.cipherSuites?.allSatisfy { $0.name.contains("GCM") } == true && tight.cipherSuites?.count == 6)
    }

    @Test("a refusal names what was asked for and what would do")
    func refusals() throws {
        let plain = TransportSecurityConfiguration.default
        let url = try TransportSecurityURL("http://[2001:db8::1]/")
        let finding = try #require(
            plain.decision(for: url, as: .enforcement).refusals(for: url, file: "Info.plist").first)
        #expect(finding.rule.identifier == "ats.cleartext" && finding.expected == "https://[2001:db8::1]")
        let pins = try configuration(
            "<dict><key>NSPinnedDomains</key><dict><key>a.test</key><dict><key>NSPinnedLeafIdentities</key><array/></dict></dict></dict>"
        )
        let secure = try TransportSecurityURL("https://a.test/")
        #expect(
            pins.decision(for: secure, as: .simulation).refusals(for: secure, file: "f").map(\.rule.identifier) == [
                "ats.pinned-to-nothing"
            ])
        #expect(plain.decision(for: secure, as: .enforcement).refusals(for: secure, file: "f").isEmpty)
    }

    @Test("random dictionaries: nothing traps, and nothing malformed relaxes anything", arguments: 0..<16)
    func random(seed: UInt64) throws {
        var random = RandomConfiguration(seed: seed)
        let urls = try [
            "http://a.test/", "https://a.test/", "http://b.a.test/", "http://localhost/", "http://192.0.2.1/",
            "https://[2001:db8::1]/",
            "http://www.apple.com/", "ws://x.y.z.a.test./",
        ].map { text throws in try TransportSecurityURL(text) }
        let systems = try ["ios9", "ios12", "ios16", "ios17", "ios18.4", "ios26.4", "macos15"].map { text throws in
            try SystemRange(text).oldest
        }
        var malformed = 0
        for _ in 0..<400 {
            let document = PlistDocument(format: random.pick([.xml, .binary, .oldStyle]), root: random.root())
            let read = TransportSecurityConfiguration(document, file: "f", contents: .dictionary)
            #expect(read.isMalformed == read.findings.contains { $0.severity == .error })
            if read.isMalformed { malformed += 1 }
            for url in urls {
                let system = random.pick(systems)
                let context = random.pick(TransportSecurityContext.allCases)
                let simulated = read.decision(for: url, in: context, on: system, as: .simulation)
                let enforced = read.decision(for: url, in: context, on: system, as: .enforcement)
                #expect(!simulated.why.isEmpty)
                if read.isMalformed {
                    #expect(!enforced.isAllowed && !enforced.isTrustRelaxed && enforced.requirements(on: system) == nil)
                } else {
                    #expect(enforced == simulated)
                }
            }
        }
        #expect(malformed > 40 && malformed < 400)
    }
}

/// Makes dictionaries out of keys and values that count, keys that nearly do, and anything else.
struct RandomConfiguration {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    private mutating func next() -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 33)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next() % elements.count] }

    private static let top = [
        "NSAllowsArbitraryLoads", "NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent",
        "NSAllowsLocalNetworking", "NSRequiresNIAPTLSPackageVersion", "NSExceptionDomains", "NSPinnedDomains",
    ]
    private static let entry = [
        "NSIncludesSubdomains", "NSExceptionAllowsInsecureHTTPLoads", "NSExceptionMinimumTLSVersion",
        "NSExceptionRequiresForwardSecrecy", "NSThirdPartyExceptionAllowsInsecureHTTPLoads",
        "NSRequiresCertificateTransparency",
        "NSExceptionRequiresNIAPTLSPackageVersion",
    ]
    private static let hosts = [
        "a.test", "b.a.test", "test", "localhost", "192.0.2.1", "192.0.2.0/24", "2001:db8::/32", "apple.com", "local",
    ]

    mutating func root() -> PlistNode { dictionary(Self.top, depth: 0) }

    private mutating func dictionary(_ keys: [String], depth: Int) -> PlistNode {
        var members: [PlistMember] = []
        var used: Set<String> = []
        for _ in 0..<(next() % 5) {
            var key = pick(keys)
            // Most are right, so that whole dictionaries can be.
            if next() % 24 == 0 { key = pick([String(key.dropLast()), key.uppercased(), "*", "", "a b", key + "/"]) }
            if next() % 16 != 0, !used.insert(key).inserted { continue }
            members.append(PlistMember(key: key, node: value(for: key, depth: depth)))
        }
        return PlistNode(.dictionary(members))
    }

    private mutating func value(for key: String, depth: Int) -> PlistNode {
        if next() % 24 == 0 || depth > 3 { return anything() }
        switch key {
        case "NSExceptionDomains": return dictionary(Self.hosts, depth: depth + 1)
        case "NSPinnedDomains":
            let identity = PlistNode(
                .dictionary([PlistMember(key: "SPKI-SHA256-BASE64", node: PlistNode(.string(pinA)))]))
            let list = PlistMember(key: "NSPinnedCAIdentities", node: PlistNode(.array([identity])))
            return PlistNode(.dictionary([PlistMember(key: pick(Self.hosts), node: PlistNode(.dictionary([list])))]))
        case "NSExceptionMinimumTLSVersion":
            return PlistNode(.string(pick(["TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"])))
        case "NSRequiresNIAPTLSPackageVersion", "NSExceptionRequiresNIAPTLSPackageVersion":
            return PlistNode(.string(pick(["none", "FCP_v2.1", "recommended"])))
        case _ where Self.hosts.contains(key): return dictionary(Self.entry, depth: depth + 1)
        default: return PlistNode(.boolean(next() % 2 == 0))
        }
    }

    private mutating func anything() -> PlistNode {
        PlistNode(
            pick([
                .string("YES"), .string("TLSv1.9"), .integer(1), .integer(0), .real(1), .array([]), .data([1]),
                .date("x"),
                .dictionary([]), .uid(1), .boolean(true),
            ]))
    }
}
