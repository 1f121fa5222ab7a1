import BelayTransportSecurity
import BelayTrust
import Testing

/// Configurations that people have asked about in public, in their own words reduced to what matters.
@Suite("configurations that people have stumbled over")
struct ReportedConfigurationTests {
    @Test("a key with a scheme never matches: the host is judged by the defaults")
    func schemeInKey() throws {
        let read = try configuration(exception("https://api.lab.test", insecure))
        let decision = try read.decide("http://api.lab.test/")
        #expect(decision.errorCode == -1_022 && decision.matched == nil && read.rules == ["ats.domain-key"])
    }

    @Test("a wildcard never matches; NSIncludesSubdomains is what is meant")
    func wildcardKey() throws {
        let read = try configuration(exception("*.lab.test", insecure))
        #expect(try !read.decide("http://a.lab.test/").isAllowed && !read.decide("http://lab.test/").isAllowed)
        #expect(read.findings.first?.expected?.contains("NSIncludesSubdomains") == true)
    }

    @Test("a key with a dot at its end matches the host that is written with one, and no other")
    func dotInKey() throws {
        let read = try configuration(exception("lab.test.", insecure))
        #expect(try !read.decide("http://lab.test/").isAllowed)
        #expect(try read.decide("http://lab.test./").isAllowed)
    }

    @Test("listing a domain switches App Transport Security on for it while it is off for all others")
    func listedDomain() throws {
        let read = try configuration(
            """
            <dict><key>NSAllowsArbitraryLoads</key><true/>
            <key>NSExceptionDomains</key><dict><key>example.test</key><dict/></dict></dict>
            """)
        #expect(try read.decide("http://example.test/").errorCode == -1_022)
        #expect(try read.decide("http://other.test/").isAllowed)
    }

    @Test("old spellings are recognised, and said to be old")
    func oldSpelling() throws {
        let read = try configuration(
            exception("lab.test", "<key>NSThirdPartyExceptionAllowsInsecureHTTPLoads</key><true/>"))
        #expect(read.rules == ["ats.legacy-key"])
        #expect(read.findings.first?.expected == "NSExceptionAllowsInsecureHTTPLoads")
        #expect(try read.decide("http://lab.test/", "ios12").isAllowed)
    }

    @Test("an exception for a name is none for the address behind it, nor the other way round")
    func nameAndAddress() throws {
        let name = try configuration(exception("nas.test", insecure))
        #expect(try !name.decide("http://10.0.0.5/").isAllowed)
        let address = try configuration(exception("10.0.0.5", insecure))
        #expect(try !address.decide("http://nas.test/").isAllowed && address.decide("http://10.0.0.5/").isAllowed)
    }

    @Test("the key for Certificate Transparency has no effect on the systems of today")
    func obsolete() throws {
        for value in [yes, no] {
            let read = try configuration(
                exception("lab.test", "<key>NSRequiresCertificateTransparency</key>\(value)"))
            #expect(read.rules == ["ats.obsolete-key"])
            #expect(try !read.decide("https://lab.test/").requiresCertificateTransparency)
        }
    }

    @Test("an app's own pins refuse a good server, and the answer names them")
    func ownPins() throws {
        let read = try configuration(
            "<dict><key>NSPinnedDomains</key><dict><key>lab.test</key><dict><key>NSPinnedCAIdentities</key><array/></dict></dict></dict>"
        )
        let decision = try read.decide("https://lab.test/")
        #expect(!decision.isAllowed && decision.decidedBy == [["NSPinnedDomains", "lab.test"]])
        #expect(decision.why.contains("NSPinnedDomains pins the host to nothing"))
    }
}
