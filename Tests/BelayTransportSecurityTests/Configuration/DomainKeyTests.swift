import BelayTransportSecurity
import BelayTrust
import Testing

@Suite("keys of NSExceptionDomains")
struct DomainKeyTests {
    @Test(
        "a key that no host can match is an error",
        arguments: [
            "", "https://a.test", "a.test/path", "a.test:8080", "localhost:8081", "192.0.2.1:80", "*.a.test", "A.test",
            "a.test ",
            " a.test", "$(HOST)", "${HOST}", "bücher.test", "[::1]", "2001:DB8::1", "2001:db8:0::1", "a..test",
            "-a.test",
            "192.0.2.0/33", "192.0.2.0/x", "192.168.100.10/24", "2001:DB8::/32", "192.168/16", "10.0.0.0/08",
            "user@a.test",
            "fe80::1%eth0", "a_b/", "1.2.3", "127.1",
        ])
    func errors(key: String) throws {
        let read = try configuration(exception(key))
        #expect(read.rules == ["ats.domain-key"], "\(read.findings)")
        #expect(read.isMalformed)
    }

    @Test(
        "keys that are right are not reported",
        arguments: [
            "a.test", "localhost", "xn--bcher-kva.test", "a_b.test", "192.0.2.1", "2001:db8::1", "192.0.2.0/24",
            "2001:db8::/32",
            "::/0", "0.0.0.0/0", "local", "::1",
        ])
    func right(key: String) throws {
        #expect(try configuration(exception(key)).findings.isEmpty)
    }

    @Test("what may be meant is a warning: a dot at the end, bits behind a prefix")
    func warnings() throws {
        let dot = try configuration(exception("a.test."))
        #expect(dot.rules == ["ats.domain-key"] && dot.findings[0].severity == .warning && !dot.isMalformed)
        let bits = try configuration(exception("192.0.2.1/24"))
        #expect(bits.rules == ["ats.address-block"] && bits.findings[0].expected == "192.0.2.0/24" && !bits.isMalformed)
    }

    @Test("one block of addresses in two spellings is an error, and the first one counts")
    func sameBlock() throws {
        let read = try configuration(
            """
            <dict><key>NSExceptionDomains</key><dict><key>10.0.0.0/8</key><dict/>
            <key>10.1.0.0/8</key><dict>\(insecure)</dict></dict></dict>
            """)
        #expect(read.rules == ["ats.address-block", "ats.duplicate-key"])
        #expect(try read.decide("http://10.2.3.4/").matched == "10.0.0.0/8")
    }

    @Test(
        "blocks are read as Apple's systems read them",
        arguments: [
            // Short forms of IPv4 are filled up with zeros.
            ("192.168/16", "192.168.200.1", true), ("192.168/16", "192.169.0.1", false), ("10/8", "10.255.0.1", true),
            // IPv6 without :: gets one.
            ("2001:db8/32", "[2001:db8:1::1]", true), ("2001:db8:/32", "[2001:db8:1::1]", true),
            // The buffer takes 13 characters of IPv4 and 37 of IPv6.
            ("192.168.100.0/24", "192.168.100.9", true), ("192.168.100.10/24", "192.168.100.10", false),
            ("2001:0db8:0000:0000:0000:0000:0000:0000/32", "[2001:db8::1]", false),
            ("2001:0db8:0000:0000:0000:0000:0000::/32", "[2001:db8::1]", true),
            // The prefix is octal behind a zero.
            ("10.16.0.0/024", "10.16.15.1", true), ("10.16.0.0/024", "10.16.16.1", false),
            ("10.0.0.0/0x8", "10.0.0.1", false),
            // Bits behind the prefix are masked.
            ("10.1.2.3/8", "10.9.9.9", true), ("2001:db8::1/32", "[2001:db8:ffff::]", true),
            // Out of range, with a zone, and with a scheme.
            ("10.0.0.0/33", "10.0.0.1", false), ("::/129", "[2001:db8::1]", false), ("fe80::%1/10", "[fe80::1]", false),
            ("http://10.0.0.1", "10.0.0.1", false), ("10.0.0.0/-1", "10.0.0.1", false),
            ("10.0.0.0//8", "10.0.0.1", false),
            ("10.0.0.0/", "10.0.0.1", false), ("/8", "10.0.0.1", false), ("10.0.0.0.0/8", "10.0.0.1", false),
        ])
    func blocks(key: String, host: String, matches: Bool) throws {
        let decision = try configuration(exception(key, insecure)).decide("http://\(host)/", "ios17")
        #expect(decision.matched == (matches ? key : nil))
    }

    @Test("the longest prefix counts, and before it the address itself, as text")
    func longest() throws {
        let keys = [
            "0.0.0.0/0", "198.51.100.0/24", "198.51.100.0/27", "198.51.100.1", "::/0", "2001:db8::/32", "2001:db8::1",
        ]
        let entries = keys.map { "<key>\($0)</key><dict/>" }.joined()
        let read = try configuration("<dict><key>NSExceptionDomains</key><dict>\(entries)</dict></dict>")
        for (host, key) in [
            ("198.51.100.1", "198.51.100.1"), ("198.51.100.2", "198.51.100.0/27"),
            ("198.51.100.200", "198.51.100.0/24"),
            ("203.0.113.1", "0.0.0.0/0"), ("127.0.0.1", "0.0.0.0/0"), ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:DB8::1]", "2001:db8::1"), ("[2001:db8:0::1]", "2001:db8::/32"), ("[fe80::1]", "::/0"),
            ("[::ffff:198.51.100.1]", "::/0"),
        ] {
            #expect(try read.decide("http://\(host)/", "ios17").matched == key, "\(host)")
        }
    }
}
