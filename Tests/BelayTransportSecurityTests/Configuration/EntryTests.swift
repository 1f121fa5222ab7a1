import BelayTransportSecurity
import BelayTrust
import Testing

@Suite("the keys of an exception")
struct EntryTests {
    @Test(
        "a Boolean that is no number leaves the default; a number is true where it equals 1",
        arguments: [
            ("<true/>", true, true), ("<false/>", false, false), ("<integer>1</integer>", true, true),
            ("<integer>2</integer>", false, false), ("<integer>0</integer>", false, false),
            ("<string>YES</string>", false, true), ("<string>NO</string>", false, true), ("<array/>", false, true),
        ])
    func booleans(value: String, withDefaultNo: Bool, withDefaultYes: Bool) throws {
        let http = try configuration(exception("a.test", "<key>NSExceptionAllowsInsecureHTTPLoads</key>\(value)"))
        #expect(try http.decide("http://a.test/").isAllowed == withDefaultNo)
        let below = try configuration(exception("a.test", "<key>NSIncludesSubdomains</key>\(value)\(insecure)"))
        #expect(try below.decide("http://b.a.test/").isAllowed == withDefaultNo)
        let secrecy = try configuration(exception("a.test", "<key>NSExceptionRequiresForwardSecrecy</key>\(value)"))
        #expect(try secrecy.decide("https://a.test/").demands.requiresForwardSecrecy == withDefaultYes)
    }

    @Test(
        "a version that is not spelt exactly is not applied",
        arguments: [
            ("TLSv1.0", TLSVersion.tls10), ("TLSv1.1", .tls11), ("TLSv1.2", .tls12), ("TLSv1.3", .tls13),
        ])
    func versions(text: String, version: TLSVersion) throws {
        let read = try configuration(
            exception("a.test", "<key>NSExceptionMinimumTLSVersion</key><string>\(text)</string>"))
        #expect(try read.decide("https://a.test/").demands.minimumVersion == version)
        #expect(read.findings.isEmpty)
    }

    @Test(
        "anything else is an error, and TLS 1.2 stays",
        arguments: [
            "<string>TLSV1.1</string>", "<string>TLSv1.00</string>", "<string>TLSv1.4</string>", "<string>1.0</string>",
            "<string>TLS1.2</string>", "<string></string>", "<string>SSLv3</string>", "<string> TLSv1.0</string>",
            "<string>tlsv1.0</string>", "<string>DTLSv1.0</string>", "<string>DTLSv1.2</string>", "<real>1.0</real>",
            "<string>TLSv1.</string>", "<true/>", "<string>TLSv1.0 </string>",
        ])
    func badVersions(value: String) throws {
        let read = try configuration(exception("a.test", "<key>NSExceptionMinimumTLSVersion</key>\(value)"))
        #expect(try read.decide("https://a.test/").demands.minimumVersion == .tls12)
        #expect(read.rules == [value.hasPrefix("<string>") ? "ats.minimum-tls-version" : "ats.wrong-type"])
    }

    @Test("an entry that is no dictionary is dropped, and shadows nothing; other exceptions and the global keys stay")
    func noDictionary() throws {
        let read = try configuration(
            """
            <dict><key>NSAllowsArbitraryLoads</key><true/><key>NSExceptionDomains</key><dict>
            <key>b.a.test</key><true/><key>a.test</key><dict>\(subdomains)</dict></dict></dict>
            """)
        #expect(try read.decide("http://b.a.test/").matched == "a.test")
        #expect(read.rules == ["ats.wrong-type"])
        let list = try configuration(
            "<dict><key>NSAllowsArbitraryLoads</key><true/><key>NSExceptionDomains</key><array/></dict>")
        #expect(try list.decide("http://a.test/").isAllowed && list.rules == ["ats.wrong-type"])
    }

    @Test("old spellings count up to iOS 18.3 and macOS 15.3; the key of today wins; the documented one of two wins")
    func legacy() throws {
        func key(_ prefix: String, _ value: String) -> String { "<key>\(prefix)AllowsInsecureHTTPLoads</key>\(value)" }
        for prefix in ["NSThirdPartyException", "NSTemporaryException"] {
            let read = try configuration(exception("a.test", key(prefix, yes)))
            #expect(read.rules == ["ats.legacy-key"] && !read.isMalformed)
            for system in ["ios9", "ios18.3", "macos10.11", "macos15.3"] {
                #expect(try read.decide("http://a.test/", system).isAllowed, "\(system)")
            }
            for system in ["ios18.4", "ios26", "macos15.4"] {
                #expect(try !read.decide("http://a.test/", system).isAllowed, "\(system)")
            }
        }
        let current = try configuration(
            exception("a.test", key("NSException", no) + key("NSThirdPartyException", yes)))
        #expect(try !current.decide("http://a.test/", "ios12").isAllowed)
        // Its default counts as well where its value is none.
        let garbage = try configuration(
            exception("a.test", key("NSException", "<string>YES</string>") + key("NSThirdPartyException", yes)))
        #expect(try !garbage.decide("http://a.test/", "ios12").isAllowed)
        for (first, second) in [
            ("NSThirdPartyException", "NSTemporaryException"), ("NSTemporaryException", "NSThirdPartyException"),
        ] {
            let both = try configuration(
                exception(
                    "a.test",
                    key(first, first == "NSThirdPartyException" ? yes : no)
                        + key(second, second == "NSThirdPartyException" ? yes : no)))
            #expect(try both.decide("http://a.test/", "ios12").isAllowed)
        }
        let rest = try configuration(
            exception(
                "a.test",
                "<key>NSThirdPartyExceptionMinimumTLSVersion</key><string>TLSv1.0</string><key>NSTemporaryExceptionRequiresForwardSecrecy</key><false/>"
            ))
        #expect(try rest.decide("https://a.test/", "ios18.3").demands.minimumVersion == .tls10)
        #expect(try !rest.decide("https://a.test/", "ios18.3").demands.requiresForwardSecrecy)
        #expect(
            try rest.decide("https://a.test/", "ios18.4").demands
                == configuration("<dict/>").decide("https://a.test/").demands)
    }

    @Test("an entry of old spellings alone is a strict entry where they are not read")
    func legacyAlone() throws {
        let read = try configuration(
            exception("localhost", "<key>NSTemporaryExceptionAllowsInsecureHTTPLoads</key><true/>"))
        let decision = try read.decide("http://localhost:8081/")
        #expect(decision.errorCode == -1_022 && decision.matched == "localhost")
        #expect(decision.why.contains("NSTemporaryExceptionAllowsInsecureHTTPLoads"))
    }

    @Test("the key for Certificate Transparency counts up to iOS 18.3, and is obsolete")
    func transparency() throws {
        let read = try configuration(exception("a.test", "<key>NSRequiresCertificateTransparency</key><true/>"))
        #expect(read.rules == ["ats.obsolete-key"] && !read.isMalformed)
        #expect(try read.decide("https://a.test/", "ios18.3").requiresCertificateTransparency)
        #expect(try !read.decide("https://a.test/", "ios18.4").requiresCertificateTransparency)
        for (system, demands) in [("ios12", false), ("ios12.1", true), ("macos10.14", false), ("macos10.14.1", true)] {
            #expect(try read.decide("https://a.test/", system).systemRequiresCertificateTransparency == demands)
        }
    }

    @Test("NIAP's packages count from 26.4 on; that of the entry wins; none is none")
    func packages() throws {
        let global = try configuration(
            "<dict><key>NSRequiresNIAPTLSPackageVersion</key><string>FCP_v2.1</string></dict>")
        #expect(try global.decide("https://a.test/", "ios26.4").niapPackage == .functionalPackage21)
        #expect(try global.decide("https://a.test/", "macos26.4").niapPackage == .functionalPackage21)
        #expect(try global.decide("https://a.test/", "ios26.3").niapPackage == nil)
        let entry = try configuration(
            """
            <dict><key>NSRequiresNIAPTLSPackageVersion</key><string>FCP_v2.1</string><key>NSExceptionDomains</key><dict>
            <key>a.test</key><dict><key>NSExceptionRequiresNIAPTLSPackageVersion</key><string>none</string></dict>
            <key>b.test</key><dict><key>NSExceptionRequiresNIAPTLSPackageVersion</key><string>recommended</string></dict>
            <key>c.test</key><dict/></dict></dict>
            """)
        #expect(try entry.decide("https://a.test/").niapPackage == nil)
        #expect(try entry.decide("https://b.test/").niapPackage == .recommended)
        #expect(try entry.decide("https://c.test/").niapPackage == .functionalPackage21)
        for (value, rule) in [("<string>FCP_v9</string>", "ats.niap-package"), ("<true/>", "ats.wrong-type")] {
            let bad = try configuration("<dict><key>NSRequiresNIAPTLSPackageVersion</key>\(value)</dict>")
            #expect(bad.rules == [rule] && bad.niapPackage == nil)
        }
    }
}
