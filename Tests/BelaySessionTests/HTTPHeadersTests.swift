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
            "Client-Secret",
            "X-Session-Id",
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
