import BelayCertificates
import BelayTrust
import Testing

@Suite("Host patterns")
struct HostPatternTests {
    @Test(
        "a pattern is for the hosts that its table says",
        arguments: [
            ("host.test", "host.test", true), ("host.test", "a.host.test", false), ("HOST.test.", "host.test", true),
            ("*.host.test", "host.test", false), ("*.host.test", "a.host.test", true),
            ("*.host.test", "a.b.host.test", false), ("**.host.test", "host.test", true),
            ("**.host.test", "a.host.test", true), ("**.host.test", "a.b.host.test", true),
            ("**.host.test", "badhost.test", false), ("*.foo.test", "bar.foo.test.evil.test", false),
            ("bücher.test", "xn--bcher-kva.test", true), ("*.xn--bcher-kva.test", "a.bücher.test", true),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("[2001:db8::7]", "2001:DB8::7", true),
            ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
            ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.128/25", "192.0.2.128", true),
            ("0.0.0.0/0", "203.0.113.1", true), ("0.0.0.0/0", "::1", false), ("192.0.2.7/32", "192.0.2.7", true),
            ("192.0.2.7/32", "192.0.2.6", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
            ("2001:db8::/33", "2001:db8:8000::1", false), ("192.0.2.0/24", "host.test", false),
            ("**.host.test", "192.0.2.1", false), ("192.0.2.7/24", "192.0.2.200", true),
        ])
    func matches(pattern: String, host: String, isMatch: Bool) throws {
        #expect(try HostPattern(pattern).matches(ServerName(host)) == isMatch)
    }

    @Test("a block is kept with the bits behind its prefix zero, so that equal blocks are equal")
    func blockIsNormal() throws {
        #expect(try HostPattern("192.0.2.77/24") == HostPattern("192.0.2.0/24"))
        #expect(try HostPattern("192.0.2.77/25").description == "192.0.2.0/25")
        #expect(try HostPattern("2001:db8::ffff/112").description == "2001:db8::/112")
    }

    @Test(
        "a URL is told apart from other mistakes",
        arguments: [
            "https://www.host.test/v1/", "www.host.test/v1", "//host.test", "http:/host.test", "host.test/",
        ])
    func refusesURL(text: String) {
        do throws(HostPatternError) {
            _ = try HostPattern(text)
            Issue.record("\(text) was taken for a pattern")
        } catch {
            #expect(error.reason == .url)
            #expect(error.description.contains("URL"))
        }
    }

    @Test(
        "what is no pattern is refused",
        arguments: [
            "", "*", "**", "*.", "**.", "*host.test", "a.*.test", "*.*.test", "host.test:443", "192.0.2.0/33",
            "192.0.2.0/+8", "192.0.2.0/-1", "192.0.2.0/", "2001:db8::/129", "192.0.2/24", "*.192.0.2.1", "a b",
            "host␀.test", "192.0.2.0/8/8",
        ])
    func refuses(text: String) {
        #expect(throws: HostPatternError.self) { try HostPattern(text.withNUL) }
    }

    @Test("a pattern over a shared hosting suffix is refused for pins, an exact host under it is not")
    func publicSuffixes() throws {
        for text in ["*.s3.amazonaws.com", "**.azurewebsites.net", "*.co.uk", "**.com", "*.github.io"] {
            #expect(try HostPattern(text).findings().map(\.rule.identifier) == ["pin.public-suffix"], "\(text)")
        }
        for text in ["myid.azurewebsites.net", "*.example.com", "**.example.co.uk", "192.0.2.0/24"] {
            #expect(try HostPattern(text).findings().isEmpty, "\(text)")
        }
    }
}
