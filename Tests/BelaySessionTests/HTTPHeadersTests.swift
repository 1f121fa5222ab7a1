import BelaySession
import Testing

@Suite("HTTP headers")
struct HTTPHeadersTests {
    @Test("names are found whatever their case, and keep the case they were written in")
    func caseInsensitiveNames() {
        let headers: HTTPHeaders = ["Content-TYPE": "text/plain"]
        #expect(headers["content-type"] == "text/plain")
        #expect(headers.contains("CONTENT-TYPE"))
        #expect(headers.fields.map(\.name) == ["Content-TYPE"])
    }

    @Test("several fields of a name stay apart and in order, and are joined by a comma where one value is wanted")
    func multimap() throws {
        var headers = HTTPHeaders()
        try headers.add("Accept", "text/html")
        try headers.add("Set-Cookie", "a=1")
        try headers.add("accept", "text/plain")
        #expect(headers["Accept"] == "text/html, text/plain")
        #expect(headers.values(of: "ACCEPT") == ["text/html", "text/plain"])
        #expect(headers.fields.map(\.name) == ["Accept", "Set-Cookie", "accept"])
    }

    @Test("setting replaces every field of the name in the place of the first")
    func setting() throws {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4"]
        try headers.set("a", "9")
        #expect(headers.fields.map(\.description) == ["a: 9", "B: 2", "C: 4"])
        headers["b"] = nil
        #expect(headers.fields.map(\.description) == ["a: 9", "C: 4"])
        headers["D"] = " x\t"
        #expect(headers["d"] == "x")
    }

    @Test(
        "what would end its line or the string is refused, and the value is not repeated",
        arguments: ["a\rb", "a\nb", "a\r\nX-Injected: 1", "a\0b", "a\u{1B}[2J", "\u{7F}"])
    func controlCharacters(value: String) {
        var headers: HTTPHeaders = ["Keep": "1"]
        #expect(throws: HTTPHeaderError.self) { try headers.add("X", value) }
        #expect(throws: HTTPHeaderError.self) { try headers.set("Keep", value) }
        #expect(headers.fields.map(\.description) == ["Keep: 1"])
        do throws(HTTPHeaderError) { try headers.set("X", value) } catch {
            #expect(!"\(error)".contains("Injected"))
        }
    }

    @Test("the refusal says which byte it is")
    func refusalText() {
        let error = #expect(throws: HTTPHeaderError.self) { try HTTPHeaders([("X", "ab\r\n")]) }
        #expect(error == .value(name: "X", byte: 0x0D, offset: 2))
        #expect("\(HTTPHeaderError.value(name: "X", byte: 0x0D, offset: 2))".contains("a carriage return at byte 2"))
    }

    @Test("names are RFC 9110's tokens", arguments: ["", " ", "A B", "A:", ":path", "Ä", "A\r", "(", "A\"", "@x"])
    func badNames(name: String) {
        var headers = HTTPHeaders()
        #expect(throws: HTTPHeaderError.name(name)) { try headers.add(name, "1") }
    }

    @Test("tabs, text beyond ASCII, empty values and every token character are fine")
    func goodFields() throws {
        var headers = HTTPHeaders()
        try headers.add("!#$%&'*+-.^_`|~09azAZ", "a\tb é 🌍")
        try headers.add("Empty", "")
        #expect(headers["empty"] == "")
    }

    @Test(
        "what authenticates is redacted in descriptions and dumps",
        arguments: [
            "Authorization", "proxy-authorization", "Cookie", "SET-COOKIE", "X-Auth-Token", "X-API-Key",
            "Client-Secret", "X-Session-Id", "DPoP", "DPoP-Nonce", "Authentication", "Authentication-Info",
            "Proxy-Authentication-Info", "X-Client-Cert", "X-SSL-Client-Cert", "X-Forwarded-Client-Cert", "Client-Cert",
            "Client-Cert-Chain", "X-Amzn-Mtls-Clientcert", "X-Amz-Security-Token", "X-Amz-Signature",
            "X-Amz-Credential", "X-Goog-Signature", "X-Goog-Credential", "X-Goog-Iam-Authorization-Token",
            "X-Goog-IAP-JWT-Assertion", "Cookie2", "Set-Cookie2", "X-CSRF-Token", "X-CSRFToken", "X-XSRF-TOKEN", "csrf",
            "X-Api-Key", "Api-Key", "Apikey", "X-RapidAPI-Key", "Ocp-Apim-Subscription-Key", "X-Functions-Key",
            "X-Vault-Token", "Private-Token", "Job-Token", "X-Shopify-Hmac-Sha256", "X-Hub-Signature-256",
            "Stripe-Signature", "Signature-Input", "X-Amz-Server-Side-Encryption-Customer-Key",
            "X-Amz-Server-Side-Encryption-Customer-Key-MD5", "X-MS-Client-Principal", "X-Auth-User", "X-Auth",
            "X-Serverless-Authorization", "X-Access-Token", "X-Session", "X-Pass", "X-OTP", "Cf-Access-Jwt-Assertion",
            "X-Original-Authorization", "X-Bearer",
        ])
    func redaction(name: String) {
        let headers: HTTPHeaders = [name: "hunter2", "Accept": "text/html"]
        var dumped = ""
        dump(headers, to: &dumped)
        for text in ["\(headers)", String(reflecting: headers), "\(headers.fields)", dumped] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("text/html"))
        }
        #expect(headers[name] == "hunter2")
    }

    @Test(
        "what does not authenticate is shown",
        arguments: [
            "Accept", "WWW-Authenticate", "Proxy-Authenticate", "Content-Type", "Author", "Keywords", "ETag", "Host",
            "Location", "X-Request-Id", "Strict-Transport-Security", "Authority", "Compass", "Status-Code-Text",
        ])
    func shown(name: String) {
        let headers: HTTPHeaders = [name: "value"]
        #expect(headers.description == "\(name): value")
    }

    @Test(
        "secrets in URLs are redacted in whatever field they stand",
        arguments: [
            ("Location", "https://ada:hunter2@example.com/x", "https://<redacted>@example.com/x"),
            ("Location", "//ada:hunter2@example.com/x", "//<redacted>@example.com/x"),
            ("Location", "/x?a=1&X-Amz-Signature=hunter2&page=2", "/x?a=1&X-Amz-Signature=<redacted>&page=2"),
            ("location", "/x?sig=hunter2,hunter2;hunter2", "/x?sig=<redacted>"),
            ("Content-Location", "/x#access_token=hunter2", "/x#access_token=<redacted>"),
            ("Referer", "https://a.test/?SAMLResponse=hunter2", "https://a.test/?SAMLResponse=<redacted>"),
            ("Refresh", "5; url=https://a.test/?token=hunter2", "5; url=https://a.test/?token=<redacted>"),
            (
                "Link", "<https://a.test/?page=2&access_token=hunter2>; rel=\"next\", </?page=9&sig=hunter2>; rel=last",
                "<https://a.test/?page=2&access_token=<redacted>>; rel=\"next\", </?page=9&sig=<redacted>>; rel=last"
            ),
            ("Destination", "https://ada:hunter2@dav.test/b", "https://<redacted>@dav.test/b"),
            ("X-Original-URL", "/in?ticket=hunter2", "/in?ticket=<redacted>"),
            ("User-Agent", "Mozilla/5.0 (X11; Linux) a/b?", "Mozilla/5.0 (X11; Linux) a/b?"),
            ("Accept", "text/html, */*;q=0.8", "text/html, */*;q=0.8"),
        ])
    func urls(name: String, value: String, expected: String) {
        let headers: HTTPHeaders = [name: value]
        #expect(headers.description == "\(name): \(expected)")
        var request = Request.get("https://example.com/")
        request.headers = headers
        #expect(!request.curlDescription().contains("hunter2"))
    }

    @Test("equality passes over the case of names only")
    func equality() {
        let headers: HTTPHeaders = ["A": "x"]
        #expect(headers == ["a": "x"])
        #expect(headers != ["a": "X"])
        #expect(Set([headers, ["a": "x"]]).count == 1)
    }
}

@Suite("HTTP methods")
struct HTTPMethodTests {
    @Test("safety and idempotence are RFC 9110's", arguments: ["GET", "HEAD", "OPTIONS", "TRACE"])
    func safe(name: String) {
        #expect(HTTPMethod(name).isSafe)
        #expect(HTTPMethod(name).isIdempotent)
    }

    @Test("PUT and DELETE may be repeated, POST and PATCH and unknown ones may not")
    func idempotence() {
        #expect(HTTPMethod.put.isIdempotent && HTTPMethod.delete.isIdempotent)
        #expect(!HTTPMethod.put.isSafe && !HTTPMethod.delete.isSafe)
        for method: HTTPMethod in [.post, .patch, .connect, "PURGE", "get"] { #expect(!method.isIdempotent) }
    }
}
