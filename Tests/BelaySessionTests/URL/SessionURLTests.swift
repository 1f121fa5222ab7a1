import BelayCertificates
import BelaySession
import BelayTLS
import BelayTrust
import Testing

@Suite("URLs of a session")
struct SessionURLTests {
    @Test("a URL is taken apart")
    func parts() throws {
        let url = try SessionURL("HTTPS://API.Example.COM:8443/v1/users;x=1?page=2&q=a/b#top")
        #expect(url.scheme == .https)
        #expect(url.hostLiteral == "API.Example.COM")
        #expect(url.host == .dns("api.example.com"))
        #expect(url.port == 8443)
        #expect(url.path == "/v1/users;x=1")
        #expect(url.query == "page=2&q=a/b")
        #expect(url.fragment == "top")
        #expect(url.text == "https://api.example.com:8443/v1/users;x=1?page=2&q=a/b")
        #expect(url.absoluteText == url.text + "#top")
        #expect(url.pathAndQuery == "/v1/users;x=1?page=2&q=a/b")
        #expect(url.endpoint.host == "api.example.com")
        #expect(url.endpoint.hostLiteral == "API.Example.COM")
        #expect(url.endpoint.port == 8443)
    }

    @Test(
        "what is left out of a URL gets its value from the scheme",
        arguments: [
            ("https://h.test", "https://h.test/", 443), ("http://h.test", "http://h.test/", 80),
            ("https://h.test:/p", "https://h.test/p", 443), ("https://h.test:443/p", "https://h.test/p", 443),
            ("http://h.test:80?q", "http://h.test/?q", 80), ("http://h.test:443/", "http://h.test:443/", 443),
            ("https://h.test:0443/", "https://h.test/", 443), ("https://h.test#f", "https://h.test/", 443),
        ])
    func defaults(text: String, expected: String, port: UInt16) throws {
        let url = try SessionURL(text)
        #expect(url.text == expected)
        #expect(url.port == port)
    }

    // RFC 3986, section 3.2.2; the A-label is GNU libidn's of bücher.
    @Test(
        "hosts in any spelling become one",
        arguments: [
            ("https://Bücher.test/", "https://xn--bcher-kva.test/", ServerName.dns("xn--bcher-kva.test")),
            ("https://xn--bcher-kva.TEST/", "https://xn--bcher-kva.test/", .dns("xn--bcher-kva.test")),
            ("https://h.test./p", "https://h.test./p", .dns("h.test")),
            ("https://192.0.2.7/", "https://192.0.2.7/", try address("192.0.2.7")),
            ("https://[2001:DB8:0:0::7]:8443/", "https://[2001:db8::7]:8443/", try address("2001:db8::7")),
            ("https://[::ffff:192.0.2.7]/", "https://[::ffff:192.0.2.7]/", try address("::ffff:192.0.2.7")),
        ])
    func hosts(text: String, expected: String, host: ServerName) throws {
        let url = try SessionURL(text)
        #expect(url.text == expected)
        #expect(url.host == host)
    }

    @Test("the literal of an address has no brackets")
    func addressLiteral() throws {
        #expect(try SessionURL("https://[0:0::1]/").hostLiteral == "0:0::1")
    }

    @Test(
        "what may not stand in a URL is percent-encoded as UTF-8, and nothing else is",
        arguments: [
            ("https://h.test/a b", "https://h.test/a%20b"),
            ("https://h.test/ä?ö=ü#ß", "https://h.test/%C3%A4?%C3%B6=%C3%BC#%C3%9F"),
            ("https://h.test/%C3%a4/%2F", "https://h.test/%C3%a4/%2F"),
            ("https://h.test/100%", "https://h.test/100%25"), ("https://h.test/%zz%4", "https://h.test/%25zz%254"),
            (#"https://h.test/"<>\^`{|}"#, "https://h.test/%22%3C%3E%5C%5E%60%7B%7C%7D"),
            ("https://h.test/?a[]=1", "https://h.test/?a%5B%5D=1"),
            ("https://h.test/?a=b?c/d", "https://h.test/?a=b?c/d"),
            ("https://h.test/!$&'()*+,;=:@-._~", "https://h.test/!$&'()*+,;=:@-._~"),
            ("https://h.test/p#a#b", "https://h.test/p#a%23b"),
        ])
    func encoding(text: String, expected: String) throws {
        #expect(try SessionURL(text).absoluteText == expected)
    }

    @Test(
        "dot segments are resolved",
        arguments: [
            ("https://h.test/a/../b/./c", "/b/c"), ("https://h.test/..", "/"), ("https://h.test/../x", "/x"),
            ("https://h.test//x", "//x"), ("https://h.test/a/..?x/../y", "/"),
        ])
    func dots(text: String, path: String) throws {
        #expect(try SessionURL(text).path == path)
    }

    @Test("hosts in two spellings are one origin; another scheme or port is another")
    func origins() throws {
        let origin = try SessionURL("https://bücher.test").origin
        #expect(try SessionURL("HTTPS://XN--BCHER-KVA.test:443/other").origin == origin)
        #expect(try SessionURL("https://bücher.test:8443").origin != origin)
        #expect(try SessionURL("http://bücher.test").origin != origin)
        #expect(try SessionURL("http://bücher.test:443").origin != origin)
        #expect(try SessionURL("https://a.bücher.test").origin != origin)
        #expect("\(origin)" == "https://xn--bcher-kva.test")
        #expect(try "\(SessionURL("http://[::1]:8080/x").origin)" == "http://[::1]:8080")
    }

    // RFC 6874: the zone stands behind "%25" in a URL.
    @Test("a link-local address keeps its zone, and another zone is another origin")
    func zones() throws {
        let url = try SessionURL("https://[FE80::1%25eth0]:8443/p")
        #expect(url.text == "https://[fe80::1%25eth0]:8443/p")
        #expect(url.host == (try address("fe80::1")))
        #expect(url.endpoint.host == "fe80::1%eth0")
        #expect("\(url.origin)" == "https://[fe80::1%25eth0]:8443")
        #expect(try url.resolving("/q").text == "https://[fe80::1%25eth0]:8443/q")
        #expect(try SessionURL(url.text).origin == url.origin)
        #expect(try SessionURL("https://[fe80::1%25eth1]:8443/p").origin != url.origin)
        #expect(try SessionURL("https://[fe80::1]:8443/p").origin != url.origin)
        for text in ["https://[2001:db8::1%25eth0]/", "https://[fe80::1%]/", "https://[fe80::1%25a/b]/"] {
            #expect(throws: SessionURLError.self) { try SessionURL(text) }
        }
    }

    @Test("a description tells that there is a query, and not what is in it")
    func description() throws {
        let url = try SessionURL("https://h.test/p?token=sesame#open")
        #expect("\(url)" == "https://h.test/p?…")
    }

    // MARK: Refusals

    @Test(
        "what could lead to another server, or is no URL, is refused",
        arguments: [
            ("", SessionURLError.Reason.empty), ("users/1", .noScheme), ("//h.test/", .noScheme), ("/p", .noScheme),
            (" https://h.test/", .noScheme), ("https:/h.test/", .noAuthority), ("https:h.test", .noAuthority),
            (#"https:\\h.test/"#, .noAuthority), ("ftp://h.test/", .scheme("ftp")), ("file:///etc", .scheme("file")),
            ("javascript:alert(1)", .scheme("javascript")), ("https://", .noHost), ("https:///p", .noHost),
            ("https://:443/", .noHost), ("https://h.test:0/", .port("0")), ("https://h.test:65536/", .port("65536")),
            ("https://h.test:+80/", .port("")), ("https://h.test:8a/", .port("")),
            ("https://h.test/a\r\nX: y", .controlCharacter(offset: 16)),
            ("https://h.test/\u{0}", .controlCharacter(offset: 15)),
            ("https://h.test\t/", .controlCharacter(offset: 14)),
            ("https://h.test/\u{7F}", .controlCharacter(offset: 15)),
        ])
    func refusals(text: String, reason: SessionURLError.Reason) {
        #expect(throws: SessionURLError.self) { try SessionURL(text) }
        #expect(failure(text) == reason)
    }

    @Test(
        "hosts that programs read differently are refused",
        arguments: [
            "https://0x7f.1/", "https://127.1/", "https://2130706433/", "https://017700000001/",
            "https://h.test%2eevil.test/", #"https://evil.test\.h.test/"#, "https://[::1/", "https://[h.test]/",
            "https://[::1]x/", "https://h..test/", "https://a b.test/", "https://::1/", "https://h.test:80:90/",
        ])
    func hostRefusals(text: String) {
        guard case .host = failure(text) else {
            Issue.record("'\(text)' was refused for \(String(describing: failure(text))), or not at all")
            return
        }
    }

    @Test(
        "a name or password before the host is refused, and never repeated",
        arguments: [
            "https://user:sesame@h.test/", "https://sesame@h.test/", "https://user:sesame@h.test:99999/",
            "https://@h.test/",
            #"https://good.test\@sesame.test/"#, "ftp://user:sesame@h.test/", "https://user:ses/ame@h.test",
            "https://user:sesame#@h.test/", "https://user:sesame?x@h.test/", "sesame:sesame@h.test",
        ])
    func userInformation(text: String) throws {
        let error = try #require(throws: SessionURLError.self) { try SessionURL(text) }
        for shown in ["\(error)", String(reflecting: error), dumped(error)] {
            #expect(!shown.contains("sesame") && !shown.contains("user:"), "shown: \(shown)")
        }
    }

    @Test("an error does not repeat a query, and tells what is wanted")
    func errorText() throws {
        let error = try #require(throws: SessionURLError.self) { try SessionURL("h.test/p?token=sesame") }
        #expect("\(error)".contains("'h.test/p'") && "\(error)".contains("https://host/path"))
        #expect(!dumped(error).contains("sesame"))
    }

    @Test("a URL that is too long is refused")
    func length() throws {
        let longest = "https://h.test/" + String(repeating: "a", count: SessionURL.maximumLength - 15)
        #expect(try SessionURL(longest).path.utf8.count == SessionURL.maximumLength - 14)
        #expect(failure(longest + "a") == .tooLong(SessionURL.maximumLength + 1))
    }

    @Test("random texts are refused or read, and what was read reads as itself")
    func noise() {
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "https:", "http:", "//", "/", "\\", "@", ":", "?", "#", "[", "]", "%", "%2e", "..", ".", "h", "é", "1",
            "::",
            "0x", "\u{0}", "\n", " ", "xn--", "-", "999999", "\u{FF0E}", "\u{2028}",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...8, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let candidate = Bool.random(using: &generator) ? text : "https://h.test" + text
            guard let url = try? SessionURL(candidate) else { continue }
            guard let again = try? SessionURL(url.absoluteText) else {
                Issue.record("'\(candidate)' became '\(url.absoluteText)', which cannot be read")
                continue
            }
            #expect(again.text == url.text && again.origin == url.origin, "from '\(candidate)'")
        }
    }

    private func failure(_ text: String) -> SessionURLError.Reason? {
        do throws(SessionURLError) { _ = try SessionURL(text) } catch { return error.reason }
        return nil
    }

    private func dumped(_ error: SessionURLError) -> String {
        var text = ""
        dump(error, to: &text)
        return text
    }
}

private func address(_ text: String) throws -> ServerName { .ip(try #require(IPAddress(text))) }
