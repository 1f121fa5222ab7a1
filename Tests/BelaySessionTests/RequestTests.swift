import BelaySession
import Foundation
import TestSupport
import Testing

@Suite("Requests")
struct RequestTests {
    private func base() throws -> SessionURL { try SessionURL("https://example.com/api/v1").asBase }

    @Test("a URL is relative to the session's base, whose path is a folder")
    func relative() throws {
        #expect(
            try Request.get("users/1").prepared(relativeTo: base()).url.text == "https://example.com/api/v1/users/1")
        #expect(try Request.get("/users").prepared(relativeTo: base()).url.text == "https://example.com/users")
        #expect(try Request.get("https://other.test/x").prepared(relativeTo: base()).url.text == "https://other.test/x")
        #expect(throws: RequestError.self) { try Request.get("users/1").prepared() }
    }

    @Test("query parameters come after the URL's own, before the fragment")
    func query() throws {
        let url = { (text: String) in try Request.get(text, parameters: ["b": "2 3"]).prepared().url.text }
        #expect(try url("https://example.com/x") == "https://example.com/x?b=2%203")
        #expect(try url("https://example.com/x?a=1") == "https://example.com/x?a=1&b=2%203")
        #expect(try url("https://example.com/x?a=1#part") == "https://example.com/x?a=1&b=2%203")
        #expect(try url("https://example.com?") == "https://example.com/?b=2%203")
        #expect(try Request.get("https://example.com/x").prepared().url.text == "https://example.com/x")
    }

    @Test("parameters go into the query of GET, HEAD and DELETE", arguments: [HTTPMethod.get, .head, .delete])
    func parametersInQuery(method: HTTPMethod) throws {
        let prepared = try Request(method, "https://example.com/", parameters: ["a": [1]]).prepared()
        #expect(prepared.url.query == "a%5B%5D=1")
        #expect(prepared.body == nil)
        #expect(prepared.headerLines.isEmpty)
    }

    @Test("parameters become the form of every other method", arguments: [HTTPMethod.post, .put, .patch, "PURGE"])
    func parametersInForm(method: HTTPMethod) throws {
        let style = ParameterStyle(arrays: .repeatedName)
        let prepared = try Request(method, "https://example.com/", parameters: ["a": [1]], style: style).prepared()
        #expect(prepared.url.query == nil)
        #expect(prepared.body == Array("a=1".utf8))
        #expect(prepared.headerLines.map { "\($0): \($1)" } == ["Content-Type: application/x-www-form-urlencoded"])
    }

    @Test("a form without parameters is an empty body, and no body is none")
    func emptyBodies() throws {
        #expect(try Request.post("https://example.com/", parameters: [:]).prepared().body == [])
        #expect(try Request.post("https://example.com/").prepared().body == nil)
    }

    @Test("a Content-Type of the caller's wins, whatever its case")
    func contentType() throws {
        let body = try RequestBody.json(["a": 1] as JSONValue)
        let given = Request.post("https://example.com/", body: body, headers: ["content-type": "application/x"])
        #expect(try given.prepared().headerLines.map { "\($0): \($1)" } == ["content-type: application/x"])
        let ours = try Request.post("https://example.com/", body: body).prepared()
        #expect(ours.headerLines.map { "\($0): \($1)" } == ["Content-Type: application/json"])
        let silent = Request.post("https://example.com/", body: .bytes([1], contentType: nil))
        #expect(try silent.prepared().headerLines.isEmpty)
    }

    @Test("headers keep their order and may repeat")
    func headerOrder() throws {
        let request = Request.get("https://example.com/", headers: ["B": "1", "A": "2", "b": "3"])
        #expect(try request.prepared().headerLines.map { "\($0): \($1)" } == ["B: 1", "A: 2", "b: 3"])
    }

    @Test("what a literal smuggles in is refused before anything is sent")
    func injection() {
        for headers: HTTPHeaders in [["X": "a\r\nY: b"], ["X\r\nY": "b"], ["": "b"]] {
            #expect(throws: RequestError.self) { try Request.get("https://example.com/", headers: headers).prepared() }
        }
        let body = RequestBody.bytes([], contentType: "a\r\nY: b")
        #expect(throws: RequestError.header(.value(name: "Content-Type", byte: 0x0D, offset: 1))) {
            try Request.post("https://example.com/", body: body).prepared()
        }
        for method: HTTPMethod in ["", "GET /x HTTP/1.1\r\nX: ", "GE T"] {
            #expect(throws: RequestError.method(method.rawValue)) {
                try Request(method, "https://example.com/").prepared()
            }
        }
        #expect(throws: RequestError.self) { try Request.get("https://example.com/\r\nX: y").prepared() }
    }

    @Test("the body's framing is the session's", arguments: ["Content-Length", "transfer-encoding"])
    func framing(name: String) {
        #expect(throws: RequestError.framingHeader(name)) {
            try Request.post("https://example.com/", headers: [name: "1"]).prepared()
        }
    }

    @Test(
        "cache policies are what RFC 9111 has for them",
        arguments: [
            (CachePolicy.useProtocolCachePolicy, []), (.reloadIgnoringLocalCacheData, []),
            (.reloadIgnoringLocalAndRemoteCacheData, ["Cache-Control: no-cache", "Pragma: no-cache"]),
            (.reloadRevalidatingCacheData, ["Cache-Control: max-age=0"]),
            (.returnCacheDataElseLoad, ["Cache-Control: max-stale"]),
            (.returnCacheDataDontLoad, ["Cache-Control: only-if-cached, max-stale"]),
        ])
    func cachePolicy(policy: CachePolicy, lines: [String]) throws {
        var request = Request.get("https://example.com/")
        request.cachePolicy = policy
        #expect(try request.prepared().headerLines.map { "\($0): \($1)" } == lines)
        request.headers = ["cache-control": "no-store"]
        #expect(try request.prepared().headerLines.map { "\($0): \($1)" } == ["cache-control: no-store"])
    }

    @Test("a request's limits hold over its session's, one by one")
    func timeouts() {
        var session = SessionTimeouts()
        session.connect = .seconds(1)
        session.idle = .seconds(2)
        let merged = RequestTimeouts(idle: .seconds(5), total: .seconds(6)).applied(to: session)
        #expect(merged.connect == .seconds(1))
        #expect(merged.idle == .seconds(5))
        #expect(merged.total == .seconds(6))
    }

    @Test("descriptions and dumps have no secret of URL, header or body")
    func description() throws {
        let request = try Request.post(
            "https://ada:hunter2@example.com/x?access_token=hunter2&page=3#id_token=hunter2&state=7",
            body: .json(["password": "hunter2"]),
            headers: ["Authorization": "Bearer hunter2"])
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("page=3") && text.contains("state=7"))
        }
    }

    @Test(
        "a secret in a fragment is redacted wherever the fragment has parameters",
        arguments: [
            "https://a.test/#access_token=hunter2", "/x#/route?page=1&token=hunter2", "?q=1#apiKey=hunter2",
            "#sig=hunter2",
        ])
    func fragment(url: String) {
        #expect(!Request.get(url).description.contains("hunter2"))
        #expect(Request.get(url).description.contains("=<redacted>"))
    }
}

@Suite("Request bodies")
struct RequestBodyTests {
    @Test("JSON is what Python reads")
    func json() throws {
        let value: JSONValue = [
            "text": "a\"\\/\u{1}é👍", "list": [1, -2.5, true, nil, [], [:]], "big": 9_007_199_254_740_993,
        ]
        let body = try RequestBody.json(value)
        #expect(body.contentType == "application/json")
        let script = "import json,sys; v = json.load(sys.stdin.buffer); print(ascii(v['text']), v['list'], v['big'])"
        let output = try Tool.succeed("python3", ["-c", script], input: body.bytes ?? []).text
        #expect(output == "'a\"\\\\/\\x01\\xe9\\U0001f44d' [1, -2.5, True, None, [], {}] 9007199254740993\n")
    }

    @Test("what JSON cannot have is named by its place", arguments: [Double.nan, .infinity])
    func notJSON(number: Double) {
        struct Inner: Encodable { var rate: Double }
        struct Outer: Encodable { var items: [Inner] }
        let error = #expect(throws: BodyError.self) {
            try RequestBody.json(Outer(items: [Inner(rate: 1), Inner(rate: number)]))
        }
        #expect(error?.format == .json)
        #expect(error?.path == "items[1].rate")
        #expect(throws: BodyError.self) { try RequestBody.json(["a": [.number(number)]] as JSONValue) }
    }

    @Test(
        "property lists are what Python reads, in both forms",
        arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
    func propertyList(format: PropertyListDecoder.PropertyListFormat) throws {
        struct Item: Encodable {
            var name = "Ada <&>"
            var data = Data([0, 255])
            var count = 3
        }
        let body = try RequestBody.propertyList([Item()], format: format)
        #expect(body.contentType == "application/x-plist")
        #expect(body.bytes?.starts(with: Array("bplist00".utf8)) == (format == .binary))
        let script =
            "import plistlib,sys; i = plistlib.load(sys.stdin.buffer)[0]; print(i['name'], i['data'], i['count'])"
        let output = try Tool.succeed("python3", ["-c", script], input: body.bytes ?? []).text
        #expect(output == "Ada <&> b'\\x00\\xff' 3\n")
    }

    @Test("text is UTF-8 and says so; bytes are as they are; no body is not an empty one")
    func others() {
        #expect(RequestBody.text("é").bytes == [0xC3, 0xA9])
        #expect(RequestBody.text("é").contentType == "text/plain; charset=utf-8")
        #expect(RequestBody.bytes([0, 1]).bytes == [0, 1])
        #expect(RequestBody.none.bytes == nil)
        #expect(RequestBody.none != .bytes([], contentType: nil))
    }
}
