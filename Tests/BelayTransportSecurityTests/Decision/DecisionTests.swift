import BelayTransportSecurity
import BelayTrust
import Testing

@Suite("decisions")
struct DecisionTests {
    private static let keys = [
        "NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent", "NSAllowsLocalNetworking",
    ]

    @Test("an entry counts alone: no key outside it, no exemption, no context, even where it is empty")
    func entryFirst() throws {
        let globals = (["NSAllowsArbitraryLoads"] + Self.keys).map { "<key>\($0)</key><true/>" }.joined()
        let read = try configuration(
            "<dict>\(globals)<key>NSExceptionDomains</key><dict><key>a.test</key><dict/><key>printer</key><dict/><key>127.0.0.1</key><dict/></dict></dict>"
        )
        for context in TransportSecurityContext.allCases {
            for host in ["a.test", "printer", "127.0.0.1"] {
                let decision = try read.decide("http://\(host)/", in: context)
                #expect(decision.errorCode == -1_022 && decision.matched == host)
                #expect(try decision.demands == .strict)
            }
        }
        #expect(try read.decide("http://127.0.0.1/", "ios16").matched == nil)
    }

    @Test(
        "each of the newer keys makes NSAllowsArbitraryLoads ignored, whatever its value; on iOS 9 none does",
        arguments: keys, [yes, no])
    func overruled(key: String, value: String) throws {
        let read = try configuration("<dict><key>NSAllowsArbitraryLoads</key><true/><key>\(key)</key>\(value)</dict>")
        let decision = try read.decide("http://a.test/")
        #expect(decision.errorCode == -1_022 && decision.decidedBy == [[key]] && decision.why.contains(key))
        #expect(try read.decide("http://a.test/", "ios9").isAllowed)
        #expect(try read.decide("http://a.test/", "macos10.11").isAllowed)
        #expect(try !read.decide("http://a.test/", "macos10.12").isAllowed)
        // Not there is something else than false.
        let text = try configuration(
            "<dict><key>NSAllowsArbitraryLoads</key><true/><key>\(key)</key><string>NO</string></dict>")
        #expect(try text.decide("http://a.test/").isAllowed)
    }

    @Test("media and web content are opened by their own keys, each alone, from iOS 10 on")
    func contexts() throws {
        for (key, open) in [
            ("NSAllowsArbitraryLoadsForMedia", TransportSecurityContext.media),
            ("NSAllowsArbitraryLoadsInWebContent", .web),
        ] {
            let read = try configuration("<dict><key>\(key)</key><true/></dict>")
            for context in TransportSecurityContext.allCases {
                #expect(try read.decide("http://a.test/", in: context).isAllowed == (context == open))
            }
            #expect(try !read.decide("http://a.test/", "ios9", in: open).isAllowed)
            #expect(try read.decide("http://a.test/", in: open).decidedBy == [[key]])
        }
    }

    @Test(
        "what is local without a device: names without a dot, names under .local, loopback and link-local addresses",
        arguments: [
            ("localhost", true), ("intranet", true), ("printer.local", true), ("printer.local.", true),
            ("PRINTER.LOCAL", true),
            ("a.b.local", true), ("127.0.0.1", true), ("127.255.255.254", true), ("[::1]", true), ("[fe80::1]", true),
            ("[fe80::1%25eth0]", true), ("[febf::1]", true), ("169.254.1.1", true),
            ("[fe00::1]", false), ("[fec0::1]", false), ("203.0.113.1", false), ("[2001:db8::1]", false),
            ("192.168.1.1", false),
            ("10.0.0.1", false), ("[fd00::1]", false), ("100.64.0.1", false), ("local.test", false),
            ("a.localhost", false),
            ("localhost.", false), ("128.0.0.1", false), ("0.0.0.0", false), ("[::ffff:127.0.0.1]", false),
            ("[::]", false),
        ])
    func local(host: String, isLocal: Bool) throws {
        let plain = try configuration("<dict/>")
        #expect(try plain.decide("http://\(host)/", "ios17").isAllowed == isLocal)
        #expect(try plain.decide("http://\(host)/", "ios18.4").isAllowed == isLocal)
        // Every address is exempt from iOS 10 to 16; nothing at all is on iOS 9.
        let isAddress = try TransportSecurityURL("http://\(host)/").address != nil
        for system in ["ios10", "ios16.7", "macos10.12", "macos13.6"] {
            #expect(try plain.decide("http://\(host)/", system).isAllowed == (isLocal || isAddress))
        }
        #expect(try !plain.decide("http://\(host)/", "ios9").isAllowed)
        // NO takes the exemption away, and YES adds nothing.
        let denied = try configuration("<dict><key>NSAllowsLocalNetworking</key><false/></dict>")
        #expect(try !denied.decide("http://\(host)/").isAllowed)
        let allowed = try configuration("<dict><key>NSAllowsLocalNetworking</key><true/></dict>")
        #expect(try allowed.decide("http://\(host)/").isAllowed == isLocal)
    }

    @Test("an address that is known to be on the device's own network is local; a name with dots is not")
    func ownNetwork() throws {
        let plain = try configuration("<dict/>")
        for host in ["192.168.1.1", "203.0.113.1", "[fd00::1]"] {
            #expect(try plain.decide("http://\(host)/", in: .localNetworking).isAllowed)
            #expect(try !plain.decide("http://\(host)/", "ios9", in: .localNetworking).isAllowed)
        }
        #expect(try !plain.decide("http://a.test/", in: .localNetworking).isAllowed)
        #expect(try plain.decide("http://192.168.1.1/").why.contains("route"))
    }

    @Test("addresses can be exceptions from iOS 17 and macOS 14 on")
    func addresses() throws {
        let read = try configuration(
            exception("203.0.113.1", "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string>"))
        for (system, matches) in [
            ("ios9", false), ("ios16", false), ("ios17", true), ("macos13", false), ("macos14", true),
        ] {
            let decision = try read.decide("https://203.0.113.1/", system)
            #expect((decision.matched != nil) == matches, "\(system)")
        }
        // Names never are for addresses, and addresses never for names.
        let name = try configuration(exception("1", subdomains + insecure))
        #expect(try name.decide("http://203.0.113.1/").matched == nil)
        let below = try configuration(exception("203.0.113.1", subdomains + insecure))
        #expect(try below.decide("http://a.203.0.113.1.test/").matched == nil)
        #expect(try below.decide("http://7.203.0.113.1/").matched == "203.0.113.1")
    }

    @Test("the nearest ancestor that includes subdomains counts, whole; those that do not are passed over")
    func ancestors() throws {
        let read = try configuration(
            """
            <dict><key>NSExceptionDomains</key><dict>
            <key>test</key><dict>\(subdomains)\(insecure)</dict>
            <key>a.test</key><dict>\(subdomains)<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string></dict>
            <key>b.a.test</key><dict>\(insecure)</dict></dict></dict>
            """)
        for (host, key) in [
            ("x.test", "test"), ("a.test", "a.test"), ("b.a.test", "b.a.test"), ("c.b.a.test", "a.test"),
            ("A.Test", "a.test"), ("test", "test"), ("atest", nil), ("a.test.", nil),
        ] as [(String, String?)] {
            #expect(try read.decide("http://\(host)/").matched == key, "\(host)")
        }
        let decision = try read.decide("http://c.b.a.test/")
        #expect(decision.demands.minimumVersion == .tls13 && decision.requiresHTTPS)
        #expect(
            decision.decidedBy == [
                ["NSExceptionDomains", "a.test"], ["NSExceptionDomains", "a.test", "NSIncludesSubdomains"],
                ["NSExceptionDomains", "a.test", "NSExceptionMinimumTLSVersion"],
            ])
        #expect(decision.why.contains("one level"))
        #expect(try read.decide("http://x.test/").why.contains("one level") == false)
    }

    @Test("a dot at the end belongs to the name, in keys and in hosts")
    func trailingDot() throws {
        let read = try configuration(exception("a.test.", subdomains + insecure))
        #expect(try read.decide("http://a.test./").matched == "a.test.")
        #expect(try read.decide("http://b.a.test./").matched == "a.test.")
        #expect(try read.decide("http://a.test/").matched == nil)
    }

    @Test(
        "what an entry makes of TLS",
        arguments: [
            ("", TLSVersion.tls12, true, TransportSecurityDecision.Suites.ats, 2_048, "SHA-256", false),
            (insecure, .tls12, true, .ats, nil, nil, true),
            (
                "<key>NSExceptionRequiresForwardSecrecy</key><false/>", .tls12, false, .atsCompatibility, nil,
                "SHA-256", false
            ),
            ("<key>NSExceptionRequiresForwardSecrecy</key><false/>" + insecure, .tls12, false, .any, nil, nil, true),
        ] as [(String, TLSVersion, Bool, TransportSecurityDecision.Suites, Int?, String?, Bool)])
    func demands(
        settings: String, version: TLSVersion, secrecy: Bool, suites: TransportSecurityDecision.Suites, bits: Int?,
        hash: String?, isRelaxed: Bool
    ) throws {
        let decision = try configuration(exception("a.test", settings)).decide("https://a.test/")
        #expect(decision.isAllowed && decision.demands.minimumVersion == version)
        #expect(decision.demands.requiresForwardSecrecy == secrecy && decision.demands.suites == suites)
        #expect(decision.demands.minimumRSABits == bits && decision.demands.minimumECBits == bits.map { _ in 256 })
        #expect(decision.demands.minimumHash == hash && decision.isTrustRelaxed == isRelaxed)
    }

    @Test("where HTTPS is not required and no entry counts, nothing is added to TLS")
    func noOptions() throws {
        let read = try configuration("<dict><key>NSAllowsArbitraryLoads</key><true/></dict>")
        let decision = try read.decide("https://a.test/")
        #expect(decision.demands.minimumVersion == nil && decision.demands.suites == .any && decision.isTrustRelaxed)
        #expect(decision.demands.minimumHash == nil && !decision.demands.requiresForwardSecrecy)
    }

    @Test("every app has entries for hosts of Apple's; an entry of the same key replaces one, a dropped one does not")
    func builtIn() throws {
        let plain = try configuration("<dict/>")
        for (host, key, version) in [
            ("apple.com", "apple.com", TLSVersion.tls12), ("www.apple.com", "apple.com", .tls12),
            ("x.ls.apple.com", "ls.apple.com", .tls10), ("gs.apple.com", "gs.apple.com", .tls10),
            ("geo.apple.com", "geo.apple.com", .tls10), ("is.autonavi.com", "is.autonavi.com", .tls10),
            ("a.apple-mapkit.com", "apple-mapkit.com", .tls10), ("setup.icloud.com", "setup.icloud.com", .tls12),
        ] {
            let decision = try plain.decide("http://\(host)/")
            #expect(decision.matched == key && decision.demands.minimumVersion == version && decision.isAllowed)
            #expect(decision.decidedBy.isEmpty && decision.demands.suites == .any)
        }
        #expect(try plain.decide("http://icloud.com/").matched == nil)
        let own = try configuration(exception("apple.com"))
        #expect(try own.decide("http://apple.com/").errorCode == -1_022)
        #expect(try own.decide("http://www.apple.com/").matched == nil)
        #expect(try own.decide("http://gs.apple.com/").isAllowed)
        let dropped = try configuration(
            "<dict><key>NSExceptionDomains</key><dict><key>apple.com</key><true/></dict></dict>")
        #expect(try dropped.decide("http://apple.com/").isAllowed)
    }

    @Test("WebSockets are HTTP; other schemes are none of its business")
    func schemes() throws {
        let plain = try configuration("<dict/>")
        #expect(try plain.decide("ws://a.test/").errorCode == -1_022)
        #expect(try plain.decide("wss://a.test/").isAllowed)
        for url in ["ftp://a.test/", "data:,x", "file:///etc/hosts"] {
            let decision = try plain.decide(url)
            #expect(decision.isAllowed && decision.errorCode == nil && decision.requiresHTTPS)
        }
    }

    @Test("an app that was linked before iOS 9 has none of it")
    func linkedBefore() throws {
        let read = try configuration(exception("a.test"))
        let answer = read.answer(for: try TransportSecurityURL("http://a.test/"), on: try SystemRange("sdk<ios9"))
        #expect(answer.isAllowed == true)
        #expect(answer.parts.allSatisfy { $0.decision.matched == nil && $0.decision.isTrustRelaxed })
    }

    @Test("a name that resolvers read as an address is local in simulation only")
    func historicAddresses() throws {
        let plain = try configuration("<dict/>")
        for host in ["2130706433", "0x7f000001", "017700000001"] {
            #expect(try plain.decide("http://\(host)/").isAllowed)
            #expect(try !plain.decide("http://\(host)/", as: .enforcement).isAllowed)
        }
        #expect(try plain.decide("http://a1/", as: .enforcement).isAllowed)
    }

    @Test(
        "a percent-encoded host is the one that it stands for; what stands for none is no URL (RFC 3986, section 3.2.2)"
    )
    func percentEncodedHosts() throws {
        for (written, host) in [
            ("a%2Etest", "a.test"), ("%61.test", "a.test"), ("%6C%6fcalhost", "localhost"), ("%41.TEST", "a.test"),
            ("b%C3%BCcher.test", "xn--bcher-kva.test"), ("127%2e0.0.1", "127.0.0.1"), ("u%40b:p@a%2Etest:80", "a.test"),
        ] {
            #expect(try TransportSecurityURL("http://\(written)/").host == host, "\(written)")
        }
        #expect(try TransportSecurityURL("http://127%2e0.0.1/").address != nil)
        for broken in [
            "a%2", "a%", "a%zz.test", "a.test%00.evil.test", "a.test%2f.evil.test", "a.test%40evil.test", "a%20b.test",
            "a.test%3A80", "%FF.test", "a%25.test", "%5B::1%5D", "a%5C.test", "a%0A.test", "a%23.test",
        ] {
            #expect(throws: TransportSecurityURLError.self, "\(broken)") {
                try TransportSecurityURL("http://\(broken)/")
            }
        }
        // A name is not local because its dots are encoded.
        #expect(try !TransportSecurityConfiguration.default.decide("http://evil%2Etest/").isAllowed)
        #expect(try configuration(exception("a.test", insecure)).decide("http://a%2etest/").isAllowed)
    }
}

extension TransportSecurityDecision.TLSDemands {
    /// Everything that App Transport Security demands.
    static var strict: Self {
        get throws { try TransportSecurityConfiguration.default.decide("https://a.test/").demands }
    }
}
