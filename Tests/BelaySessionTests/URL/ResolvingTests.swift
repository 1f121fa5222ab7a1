import BelaySession
import Testing

@Suite("References against a base URL")
struct ResolvingTests {
    // RFC 3986, sections 5.4.1 and 5.4.2, with an https base and a host that can be one. The two that differ: a path is
    // never empty in an http URL (section 6.2.3).
    @Test(
        "the RFC's examples",
        arguments: [
            ("g", "https://a/b/c/g"), ("./g", "https://a/b/c/g"), ("g/", "https://a/b/c/g/"), ("/g", "https://a/g"),
            ("//g", "https://g/"), ("?y", "https://a/b/c/d;p?y"), ("g?y", "https://a/b/c/g?y"),
            ("#s", "https://a/b/c/d;p?q#s"), ("g#s", "https://a/b/c/g#s"), ("g?y#s", "https://a/b/c/g?y#s"),
            (";x", "https://a/b/c/;x"), ("g;x", "https://a/b/c/g;x"), ("g;x?y#s", "https://a/b/c/g;x?y#s"),
            ("", "https://a/b/c/d;p?q"), (".", "https://a/b/c/"), ("./", "https://a/b/c/"), ("..", "https://a/b/"),
            ("../", "https://a/b/"), ("../g", "https://a/b/g"), ("../..", "https://a/"), ("../../", "https://a/"),
            ("../../g", "https://a/g"), ("../../../g", "https://a/g"), ("../../../../g", "https://a/g"),
            ("/./g", "https://a/g"), ("/../g", "https://a/g"), ("g.", "https://a/b/c/g."), (".g", "https://a/b/c/.g"),
            ("g..", "https://a/b/c/g.."), ("..g", "https://a/b/c/..g"), ("./../g", "https://a/b/g"),
            ("./g/.", "https://a/b/c/g/"), ("g/./h", "https://a/b/c/g/h"), ("g/../h", "https://a/b/c/h"),
            ("g;x=1/./y", "https://a/b/c/g;x=1/y"), ("g;x=1/../y", "https://a/b/c/y"),
            ("g?y/./x", "https://a/b/c/g?y/./x"), ("g?y/../x", "https://a/b/c/g?y/../x"),
            ("g#s/./x", "https://a/b/c/g#s/./x"), ("g#s/../x", "https://a/b/c/g#s/../x"),
        ])
    func examples(reference: String, expected: String) throws {
        let base = try SessionURL("https://a/b/c/d;p?q#fragment")
        #expect(try base.resolving(reference).absoluteText == expected)
    }

    // RFC 3986, section 5.4.2: a strict reader does not take "http:g" for a relative reference.
    @Test("a reference with a scheme is a whole URL")
    func schemes() throws {
        let base = try SessionURL("https://a.test/b/c")
        #expect(try base.resolving("http://other.test/x").text == "http://other.test/x")
        for reference in ["https:g", "g:h", "user:1", "javascript:x"] {
            #expect(throws: SessionURLError.self) { try base.resolving(reference) }
        }
        #expect(try base.resolving("./user:1").path == "/b/user:1")
        #expect(try base.resolving("/user:1").path == "/user:1")
    }

    @Test("a reference that names a server is read as strictly as a URL")
    func authorities() throws {
        let base = try SessionURL("https://a.test/b")
        #expect(try base.resolving("//Bücher.test:8443/x").text == "https://xn--bcher-kva.test:8443/x")
        for reference in ["//user:sesame@b.test/", "//", "///x", "//0x7f.1/", "/x\r\ny", #"//b.test\@a.test"#] {
            let error = try #require(throws: SessionURLError.self) { try base.resolving(reference) }
            #expect(!"\(error)".contains("sesame"))
        }
    }

    // Browsers would go to evil.test.
    @Test("backslashes are characters of the path, and lead to no other server")
    func backslashes() throws {
        let url = try SessionURL("https://a.test/b/").resolving(#"\\evil.test\x"#)
        #expect(url.text == "https://a.test/b/%5C%5Cevil.test%5Cx")
    }

    @Test("host, port and their spelling stay")
    func inherits() throws {
        let url = try SessionURL("https://H.test.:8443/a").resolving("b ü?c=d e")
        #expect(url.text == "https://h.test.:8443/b%20%C3%BC?c=d%20e")
        #expect(url.hostLiteral == "H.test.")
        let address = try SessionURL("https://[0::1]/a").resolving("b")
        #expect(address.text == "https://[::1]/b" && address.hostLiteral == "0::1")
    }

    // AFNetworking, AFHTTPSessionManager.h: the examples of its documentation on base URLs.
    @Test(
        "a base gets a slash at its end, as AFNetworking gives it one",
        arguments: [
            ("foo", "https://example.com/v1/foo"), ("foo?bar=baz", "https://example.com/v1/foo?bar=baz"),
            ("/foo", "https://example.com/foo"), ("foo/", "https://example.com/v1/foo/"),
            ("/foo/", "https://example.com/foo/"), ("https://example2.test/", "https://example2.test/"),
        ])
    func bases(reference: String, expected: String) throws {
        #expect(try SessionURL("https://example.com/v1/").asBase.resolving(reference).text == expected)
        #expect(try SessionURL("https://example.com/v1").asBase.resolving(reference).text == expected)
    }

    @Test("a query is appended to the one that is there, percent-encoded")
    func queries() throws {
        let items: [(name: String, value: String?)] = [("a b", "1&2=3"), ("ü", nil), ("plus+", "/?")]
        let encoded = "a%20b=1%262%3D3&%C3%BC&plus%2B=%2F%3F"
        #expect(try SessionURL("https://h.test/p").appending(query: items).query == encoded)
        #expect(try SessionURL("https://h.test/p?").appending(query: items).query == encoded)
        #expect(try SessionURL("https://h.test/p?x=1").appending(query: items).query == "x=1&" + encoded)
        #expect(
            try SessionURL("https://h.test/p?x&#f").appending(query: items).absoluteText
                == "https://h.test/p?x&\(encoded)#f")
        #expect(try SessionURL("https://h.test/p").appending(query: []).query == nil)
        let url = try SessionURL("https://h.test/p#f").appending(encodedQuery: "a=%20b#c d")
        #expect(url.absoluteText == "https://h.test/p?a=%20b%23c%20d#f")
    }
}
