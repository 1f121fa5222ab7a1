import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTransportSecurity
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

/// A server at the edge of what an Info.plist demands.
struct LimitCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// What the entry of the host says.
    var entry = ""
    var system = SystemVersion.newest
    var rules: RuleSet = .apple
    /// The rule that refuses; nil for a server just inside, and for one with which no handshake comes about.
    let rule: String?
    let isAccepted: Bool
    let setup: @Sendable (inout RawTLSServer.Setup) throws -> Void

    private init(
        _ name: String, entry: String = "", system: SystemVersion = .newest, rules: RuleSet = .apple,
        rule: String? = nil, isAccepted: Bool, _ setup: @escaping @Sendable (inout RawTLSServer.Setup) throws -> Void
    ) {
        testDescription = name
        self.entry = entry
        self.system = system
        self.rules = rules
        self.rule = rule
        self.isAccepted = isAccepted
        self.setup = setup
    }

    private static func suites(_ list: String, _ key: PrivateKey.Specification = .p256)
        -> @Sendable (inout RawTLSServer.Setup) throws -> Void
    {
        { setup in
            setup.identity = try issued(key)
            setup.versions = .tls12 ... .tls12
            setup.cipherSuites = .openSSL(list: list)
        }
    }

    private static func signed(_ hash: SignatureAlgorithm.Hash) -> @Sendable (inout RawTLSServer.Setup) throws -> Void {
        { setup in setup.identity = try issued(.p256) { $0.signatureAlgorithm = .ecdsa(hash) } }
    }

    private static func issued(
        _ key: PrivateKey.Specification, _ change: (inout CertificateTemplate) -> Void = { _ in }
    ) throws -> Identity {
        var template = CertificateTemplate.server(names: [RawTLSServer.host])
        change(&template)
        return try SharedWorld.get().authorities.publicIntermediate.issueIdentity(template, key: .generate(key))
    }

    /// Below an authority of its own.
    private static func below(
        _ key: PrivateKey.Specification, _ hash: SignatureAlgorithm.Hash = .sha256
    ) -> @Sendable (inout RawTLSServer.Setup) throws -> Void {
        { setup in
            var template = CertificateTemplate.authority(named: "Between")
            template.signatureAlgorithm = .ecdsa(hash)
            let between = try SharedWorld.get().authorities.publicRoot.issueAuthority(
                template, key: .generate(key))
            setup.identity = try between.issueIdentity(.server(names: [RawTLSServer.host]), key: .generate(.p256))
        }
    }

    private static func belowRSA(bits: Int) -> @Sendable (inout RawTLSServer.Setup) throws -> Void {
        { setup in
            let between = try SharedWorld.get().authorities.publicRoot.issueAuthority(
                .authority(named: "Between"), key: .generate(.rsa(bits: bits)))
            setup.identity = try between.issueIdentity(.server(names: [RawTLSServer.host]), key: .generate(.p256))
        }
    }

    fileprivate static let http = "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"
    private static let package =
        "<key>NSExceptionRequiresNIAPTLSPackageVersion</key><string>FCP_v2.1</string>"

    static let versions: [LimitCase] = [
        LimitCase("TLS 1.2", isAccepted: true) { $0.versions = .tls12 ... .tls12 },
        LimitCase("TLS 1.1", isAccepted: false) { $0.versions = .tls11 ... .tls11 },
    ]

    static let suiteCases: [LimitCase] = [
        LimitCase("ECDHE and CBC with SHA-1", isAccepted: true, suites("ECDHE-ECDSA-AES256-SHA")),
        LimitCase("ECDHE and CBC with SHA-384", isAccepted: false, suites("ECDHE-ECDSA-AES256-SHA384")),
        LimitCase(
            "ECDHE and CBC with SHA-384, on an old system", system: SystemVersion(.iOS, 17), isAccepted: true,
            suites("ECDHE-ECDSA-AES256-SHA384")),
        LimitCase("ECDHE and CCM", isAccepted: false, suites("ECDHE-ECDSA-AES128-CCM")),
        LimitCase(
            "DHE, which is ephemeral and not on the list", isAccepted: false,
            suites("DHE-RSA-AES128-GCM-SHA256", .rsa(bits: 2_048))),
    ]

    static let strengths: [LimitCase] = [
        LimitCase("an RSA key of 2048 bits", rules: .standard, isAccepted: true) {
            $0.identity = try issued(.rsa(bits: 2_048))
        },
        LimitCase("an RSA key of 2047 bits", rules: .standard, rule: "ats.key-size", isAccepted: false) {
            $0.identity = try issued(.rsa(bits: 2_047))
        },
        LimitCase(
            "an authority with an RSA key of 2047 bits", rules: .standard, rule: "ats.key-size", isAccepted: false,
            belowRSA(bits: 2_047)),
        LimitCase(
            "an authority with an RSA key of 2048 bits", rules: .standard, isAccepted: true, belowRSA(bits: 2_048)),
        LimitCase("a key on P-256", isAccepted: true) { $0.identity = try issued(.p256) },
        // A handshake comes about with no server of such a key: the curve is not offered.
        LimitCase("a key on P-224", rules: .standard, isAccepted: false) {
            $0.identity = try issued(.ellipticCurve("secp224r1"))
        },
        LimitCase("an authority on P-256", rules: .standard, isAccepted: true, below(.p256)),
        LimitCase(
            "an authority on P-224", rules: .standard, rule: "ats.key-size", isAccepted: false,
            below(.ellipticCurve("secp224r1"))),
        LimitCase(
            "an authority on P-224 where forward secrecy, and with it sizes, is not required",
            entry: "<key>NSExceptionRequiresForwardSecrecy</key><false/>", rules: .standard, isAccepted: true,
            below(.ellipticCurve("secp224r1"))),
        LimitCase("signed with SHA-256", isAccepted: true, signed(.sha256)),
        LimitCase(
            "signed with SHA-224", rules: .standard, rule: "ats.signature-hash", isAccepted: false, signed(.sha224)),
        LimitCase("signed with SHA-1", rule: "ats.signature-hash", isAccepted: false, signed(.sha1)),
        LimitCase(
            "signed with SHA-224 where http is allowed", entry: http, rules: .standard, isAccepted: true,
            signed(.sha224)),
        LimitCase(
            "signed with SHA-1 where http is allowed: trust refuses it all the same", entry: http,
            rule: "signature.weak-hash", isAccepted: false, signed(.sha1)),
        LimitCase("an authority signed with SHA-224", rules: .standard, isAccepted: true, below(.p256, .sha224)),
    ]

    static let packages: [LimitCase] = [
        LimitCase(
            "package: ECDHE and AES-GCM", entry: package, isAccepted: true, suites("ECDHE-ECDSA-AES128-GCM-SHA256")),
        LimitCase("package: TLS 1.3 with AES", entry: package, isAccepted: true) { $0.versions = .tls13 ... .tls13 },
        LimitCase("package: ChaCha20", entry: package, isAccepted: false, suites("ECDHE-ECDSA-CHACHA20-POLY1305")),
        LimitCase("ChaCha20 without it", isAccepted: true, suites("ECDHE-ECDSA-CHACHA20-POLY1305")),
        LimitCase("package: CBC", entry: package, isAccepted: false, suites("ECDHE-ECDSA-AES128-SHA")),
        LimitCase(
            "package, on a system that does not know it: CBC", entry: package, system: SystemVersion(.iOS, 18, 4),
            isAccepted: true, suites("ECDHE-ECDSA-AES128-SHA")),
        LimitCase(
            "package: RSA key exchange with its exception",
            entry: package + "<key>NSExceptionRequiresForwardSecrecy</key><false/>", isAccepted: false,
            suites("AES128-GCM-SHA256", .rsa(bits: 2_048))),
        LimitCase(
            "package: no extended master secret", entry: package, rule: "ats.extended-master-secret", isAccepted: false
        ) {
            $0.versions = .tls12 ... .tls12
            $0.agreesToExtendedMasterSecret = false
        },
        LimitCase("no extended master secret without it", isAccepted: true) {
            $0.versions = .tls12 ... .tls12
            $0.agreesToExtendedMasterSecret = false
        },
        LimitCase(
            "package: TLS 1.1 with its exception",
            entry: package + "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string>", isAccepted: false
        ) {
            $0.versions = .tls11 ... .tls11
        },
        LimitCase(
            "package: an authority signed with SHA-256", entry: package, rules: .standard, isAccepted: true,
            below(.p256)),
        LimitCase(
            "package: an authority signed with SHA-224", entry: package, rules: .standard, rule: "ats.signature-hash",
            isAccepted: false, below(.p256, .sha224)),
    ]
}

@Suite("Servers just inside and just outside what an Info.plist demands")
struct TransportSecurityLimitsTests {
    private func configuration(_ entry: String) throws -> TransportSecurityConfiguration {
        let exception =
            entry.isEmpty
            ? "" : "<key>NSExceptionDomains</key><dict><key>\(RawTLSServer.host)</key><dict>\(entry)</dict></dict>"
        let text =
            "<plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key><dict>\(exception)</dict></dict></plist>"
        return TransportSecurityConfiguration(try PlistReader().read(Array(text.utf8)), file: "Info.plist")
    }

    @Test(
        "a server just inside is answered by, and one just outside gets not a byte",
        arguments: LimitCase.versions + LimitCase.suiteCases + LimitCase.strengths + LimitCase.packages)
    func limits(_ limit: LimitCase) async throws {
        let server = try RawTLSServer { try limit.setup(&$0) }
        let session = try Session(
            infoPlist: try configuration(limit.entry), system: limit.system, configuration: .tests(server),
            hostPolicies: HostPolicies(default: .use(try .tests { $0.trust.rules = limit.rules })))
        let error = await session.refusal(.get("https://\(RawTLSServer.host)/"))
        #expect((error == nil) == limit.isAccepted, "\(String(describing: error))")
        if let rule = limit.rule { #expect(error?.rules.contains(rule) == true, "\(String(describing: error))") }
        if !limit.isAccepted { #expect(server.bytes == 0) }
        await server.stop()
    }

    @Test("keys are compared with hosts as they are written, as in simulation")
    func literalHosts() throws {
        let text =
            "<plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>"
            + ["2001:db8::1", "a.test.", "xn--bcher-kva.test"].map { "<key>\($0)</key><dict>\(LimitCase.http)</dict>" }
            .joined()
            + "</dict></dict></dict></plist>"
        let enforcement = TransportSecurityEnforcement(
            configuration: TransportSecurityConfiguration(try PlistReader().read(Array(text.utf8)), file: "Info.plist"))
        for (host, isAllowed) in [
            ("[2001:db8::1]", true), ("[2001:DB8::1]", true), ("[2001:db8:0::1]", false), ("a.test.", true),
            ("A.test.", true),
            ("a.test", false), ("b\u{FC}cher.test", true), ("B\u{DC}CHER.test", true),
            ("xn--bcher-kva.test:8080", true),
        ] {
            let url = try SessionURL("http://\(host)/")
            let demands = try? enforcement.demands(for: url)
            #expect((demands != nil) == isAllowed, "\(host)")
            if isAllowed {
                #expect(enforcement.cleartextNotice(for: url).message.contains("the entry"), "\(host)")
            }
        }
    }

    @Test("over a range of systems the strictest one's demands hold")
    func range() throws {
        let legacy =
            "<key>NSThirdPartyExceptionMinimumTLSVersion</key><string>TLSv1.0</string>"
            + "<key>NSTemporaryExceptionAllowsInsecureHTTPLoads</key><true/>"
        func demands(_ systems: String, _ url: String = "https://\(RawTLSServer.host)/") throws
            -> TransportSecurityRequirements
        {
            try TransportSecurityEnforcement(configuration: configuration(legacy), systems: SystemRange(systems))
                .demands(for: SessionURL(url))
        }
        // Old spellings count before iOS 18.4 only.
        #expect(try demands("ios16").connection.minimumVersion == .tls10)
        #expect(try demands("ios16").mayTrustBeRelaxed)
        #expect(try demands("ios16+").connection.minimumVersion == .tls12)
        #expect(try !demands("ios16+").mayTrustBeRelaxed)
        #expect(try demands("ios16+").requiresSHA256)
        #expect(try demands("ios18.4+").cipherSuites == demands("ios16+").cipherSuites)
        _ = try demands("ios16", "http://\(RawTLSServer.host)/")
        #expect(throws: SessionError.Reason.self) { try demands("ios16+", "http://\(RawTLSServer.host)/") }
        #expect(throws: SessionError.Reason.self) { try demands("ios9-18", "http://\(RawTLSServer.host)/") }
    }
}
