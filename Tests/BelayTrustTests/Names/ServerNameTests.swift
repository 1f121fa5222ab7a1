import BelayCertificates
import BelayTrust
import Foundation
import Testing

@Suite("Names of servers")
struct ServerNameTests {
    @Test(
        "a name is brought into its normal form",
        arguments: [
            ("www.example.com", "www.example.com"), ("WWW.Example.COM", "www.example.com"),
            ("www.example.com.", "www.example.com"), ("bücher.test", "xn--bcher-kva.test"),
            ("BÜCHER.test", "xn--bcher-kva.test"), ("xn--bcher-kva.test", "xn--bcher-kva.test"),
            ("XN--BCHER-KVA.test", "xn--bcher-kva.test"),
            // Non-transitional processing keeps the sharp s (UTS 46); Punycode by RFC 3492.
            ("faß.test", "xn--fa-hia.test"), ("例え.test", "xn--r8jz45g.test"), ("例え。test", "xn--r8jz45g.test"),
            ("_service.example.com", "_service.example.com"), ("localhost", "localhost"), ("a-b.test", "a-b.test"),
            ("1.example", "1.example"), ("0xfg.test.0xfg", "0xfg.test.0xfg"),
        ])
    func normalises(host: String, normal: String) throws {
        #expect(try ServerName(host) == .dns(normal))
    }

    @Test(
        "an address is recognised in every spelling of RFC 4291 and printed as RFC 5952 wants it",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("2001:db8::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
            ("2001:0DB8:0000:0000:0000:0000:0000:0001", "2001:db8::1"), ("::", "::"), ("[::1]", "::1"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1"), ("FD00:0:0:0:0:0:0:1", "fd00::1"),
            ("::FFFF:C000:0201", "::ffff:192.0.2.1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            // A zone says how to get there, not whom to expect (RFC 6874).
            ("fe80::1%eth0", "fe80::1"), ("[fe80::1%25eth0]", "fe80::1"), ("FE80::1%2", "fe80::1"),
            ("febf::1%en0.1", "febf::1"),
        ])
    func recognisesAddresses(host: String, canonical: String) throws {
        let name = try ServerName(host)
        #expect(name.description == canonical)
        #expect(name.serverNameIndication == nil)
        guard case .ip = name else {
            Issue.record("\(host) is not taken for an address")
            return
        }
    }

    @Test(
        "what is no host is refused, with the reason",
        arguments: [
            ("", ServerNameError.Reason.empty), ("a..b", .emptyLabel), (".a", .emptyLabel), ("..", .emptyLabel),
            (".", .emptyLabel), ("a b", .invalidCharacter("a b")), ("*.test", .invalidCharacter("*")),
            ("-a.test", .invalidCharacter("-a")), ("a-.test", .invalidCharacter("a-")), ("a:443", .hasPort),
            ("example.com/path", .invalidCharacter("com/path")),
            ("user@example.com", .invalidCharacter("user@example")),
            ("256.1.1.1", .notAnAddress), ("1.2.3", .notAnAddress), ("127.1", .notAnAddress), ("1", .notAnAddress),
            ("01.2.3.4", .notAnAddress), ("1.2.3.4.", .notAnAddress), ("1.2.3.4.5", .notAnAddress),
            ("0x7f000001", .notAnAddress), ("0x7F.0.0.0x1", .notAnAddress), ("a.0x", .notAnAddress),
            ("[192.0.2.1]", .notAnAddress), ("[::1", .notAnAddress), ("::1%eth0", .notAnAddress),
            ("2001:db8::1%eth0", .notAnAddress), ("fe80::1%", .notAnAddress), ("fe80::1%a b", .notAnAddress),
            ("[fe80::1%eth0", .notAnAddress), ("[fe80::1]%eth0", .notAnAddress),
            ("192.0.2.1%eth0", .invalidCharacter("1%eth0")),
            ("[::1]:443", .hasPort), ("192.0.2.1:443", .hasPort), ("a.test:x", .notAnAddress),
            ("https://a.test", .hasScheme), ("https://a.test:443/x", .hasScheme), ("a:b:443", .notAnAddress),
            ("１２７.0.0.1", .notAnAddress),
            // What C would read as the text before the NUL.
            ("192.0.2.1␀.evil.test", .invalidCharacter("192.0.2.1␀.evil.test")),
            ("bücher.test␀.evil.test", .invalidCharacter("bücher.test␀.evil.test")),
            ("::1␀", .invalidCharacter("::1␀")), ("www.test␀", .invalidCharacter("www.test␀")),
        ])
    func refuses(text: String, reason: ServerNameError.Reason) {
        let host = text.withNUL
        #expect(throws: ServerNameError.self) { try ServerName(host) }
        do throws(ServerNameError) {
            _ = try ServerName(host)
        } catch {
            #expect("\(error.reason)".replacingOccurrences(of: "\\0", with: "␀") == "\(reason)")
            #expect(error.description.contains("www.example.com"))
            #expect(!error.description.utf8.contains(0))
        }
    }

    @Test("labels of 63 octets and names of 253 are the longest (RFC 1035, section 2.3.4)")
    func lengths() throws {
        let label = String(repeating: "a", count: 63)
        _ = try ServerName("\(label).test")
        #expect(throws: ServerNameError.self) { try ServerName("\(label)a.test") }
        // 3 × 64 + 61 = 253
        let longest = "\(label).\(label).\(label).\(String(repeating: "b", count: 61))"
        _ = try ServerName(longest)
        _ = try ServerName(longest + ".")
        #expect(throws: ServerNameError.self) { try ServerName(longest + "b") }
    }

    @Test("an address with a NUL is no address", arguments: ["192.0.2.1␀", "192.0.2.1␀x", "::1␀", "[::1␀]"])
    func addressWithNUL(written: String) {
        let text = written.withNUL
        #expect(IPAddress(text) == nil)
        #expect(GeneralName(host: text) == .dns(text))
    }
}

extension String {
    /// The same with a NUL for each of its pictures: test reports show their arguments, and should not hold one.
    var withNUL: String { replacingOccurrences(of: "␀", with: "\0") }
}
