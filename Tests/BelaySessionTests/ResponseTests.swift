import BelaySession
import Foundation
import TestSupport
import Testing

/// A response with this body, by default with the status 200.
private func response(
    _ body: some Sequence<UInt8>, type: String? = "application/json", status statusCode: Int = 200
) -> Response {
    Response(
        url: "https://example.com/x", statusCode: statusCode, headers: type.map { ["Content-Type": $0] } ?? [:],
        body: Array(body))
}

@Suite("Text of responses")
struct ResponseTextTests {
    @Test(
        "bytes that Python encodes are read in the declared charset",
        arguments: [
            ("utf-8", "é 日本 👍"), ("UTF-8", "\u{FEFF}é"), ("utf-16", "é 日本 👍"), ("utf-16le", "é 👍"),
            ("utf-16be", "é 👍"), ("iso-8859-1", "éÿ\u{80}\u{9F}"), ("Latin1", "Å"), ("us-ascii", "plain ~"),
            ("windows-1252", "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸé"), ("cp1252", "€"),
        ])
    func charsets(name: String, text: String) throws {
        let script = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read().decode('utf-8').encode(sys.argv[1]))"
        let bytes = try Tool.succeed("python3", ["-c", script, name], input: Array(text.utf8)).output
        let expected = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
        #expect(try response(bytes, type: "text/plain; charset=\(name)").text() == expected)
        #expect(try response(bytes, type: "text/plain;x=\"a;b\" ; CharSet=\"\(name)\"").text() == expected)
    }

    @Test("without a declared charset the byte order mark decides, and UTF-8 where there is none")
    func undeclared() throws {
        #expect(try response([0xC3, 0xA9], type: "text/plain").text() == "é")
        #expect(try response([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], type: nil).text() == "é")
        #expect(try response([0xFF, 0xFE, 0xE9, 0x00], type: nil).text() == "é")
        #expect(try response([0xFE, 0xFF, 0x00, 0xE9], type: nil).text() == "é")
        #expect(try response([], type: "text/plain").text() == "")
    }

    @Test("the declared charset wins over the mark, and UTF-16 without a mark is big-endian")
    func declared() throws {
        #expect(try response([0xFF, 0xFE], type: "text/plain; charset=iso-8859-1").text() == "ÿþ")
        #expect(try response([0x00, 0xE9], type: "text/plain; charset=utf-16").text() == "é")
        #expect(try response([0xFF, 0xFE, 0xE9, 0x00], type: "text/plain; charset=utf-16le").text() == "é")
    }

    @Test(
        "bytes that are none of the charset are an error that keeps the body",
        arguments: [
            ("text/plain", [0xC3]), ("text/plain; charset=utf-8", [0xFF]), ("text/plain; charset=us-ascii", [0x80]),
            ("text/plain; charset=utf-16", [0x00]), ("text/plain; charset=utf-16be", [0xD8, 0x00]),
            ("text/plain; charset=klingon", [0x41]),
        ] as [(String, [UInt8])])
    func undecodable(type: String, bytes: [UInt8]) {
        let rejection = #expect(throws: ResponseRejection.self) { try response(bytes, type: type).text() }
        #expect(rejection?.response.body == bytes)
        guard case .undecodable = rejection?.reason else {
            Issue.record("\(String(describing: rejection?.reason))")
            return
        }
    }
}

@Suite("Media types")
struct MediaTypeTests {
    @Test("types are read without regard to case, with quoted parameters")
    func reading() throws {
        let type = try #require(MediaType("Text/HTML ; a=1; B=\"x;\\\"y\"; a=2; broken; =3"))
        #expect(type.essence == "text/html")
        #expect(type.parameters == ["a": "1", "b": "x;\"y"])
    }

    @Test(
        "what is none is none", arguments: ["", "text", "text/", "/html", "a/b/c", "te xt/html", "text/html, x/y", ";"])
    func notMediaTypes(text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test("patterns are types, wildcards and structured suffixes")
    func patterns() throws {
        let type = try #require(MediaType("application/problem+json; charset=utf-8"))
        for pattern in [
            "application/problem+JSON", "application/*", "*/*", "application/*+json", "application/problem+json; q=1",
        ] {
            #expect(type.matches(pattern), "\(pattern)")
        }
        for pattern in [
            "application/json", "text/*", "application/*+xml", "problem+json", "", "text/*+json", "application/problem",
        ] {
            #expect(!type.matches(pattern), "\(pattern)")
        }
        #expect(try !#require(MediaType("nonstandard/json")).matches("application/json"))
    }
}

@Suite("JSON of responses")
struct ResponseJSONTests {
    struct User: Decodable, Equatable {
        struct Pet: Decodable, Equatable { var name: String }
        var name: String
        var pets: [Pet]?
    }

    @Test("a value is decoded, and an error names its place")
    func decoding() throws {
        let good = response(#"{"name":"Ada","pets":[{"name":"Rex"}]}"#.utf8)
        #expect(try good.json(as: User.self) == User(name: "Ada", pets: [User.Pet(name: "Rex")]))
        for (text, path) in [
            (#"{"name":"Ada","pets":[{"name":"Rex"},{"name":3}]}"#, "pets[1].name"),
            (#"{"name":"Ada","pets":[{}]}"#, "pets[0]"),
            ("{invalid}", ""), (#"{"name""#, ""),
        ] {
            let rejection = #expect(throws: ResponseRejection.self) { try response(text.utf8).json(as: User.self) }
            guard case .undecodable(path, _) = rejection?.reason else {
                Issue.record("\(text): \(String(describing: rejection?.reason))")
                continue
            }
            #expect(rejection?.response.body == Array(text.utf8))
        }
    }

    @Test("any JSON is read, fragments too")
    func anyValue() throws {
        let text = #"{"a":[1,-2.5,1e3,true,false,null,"x\u00e9",[],{}],"1":{"2":"digits"}}"#
        #expect(
            try response(text.utf8).jsonValue() == [
                "a": [1, -2.5, 1000, true, false, nil, "xé", [], [:]], "1": ["2": "digits"],
            ])
        #expect(try response("3".utf8).jsonValue() == 3)
        #expect(try response("null".utf8).jsonValue() == JSONValue.null)
        #expect(try response("9223372036854775807".utf8).jsonValue() == .integer(.max))
        #expect(throws: ResponseRejection.self) { try response("[1,]x".utf8).jsonValue() }
        #expect(throws: ResponseRejection.self) { try response(Array(repeating: 0x5B, count: 100_000)).jsonValue() }
    }

    @Test("what is no JSON is refused, with the byte where it stops being some")
    func notJSON() throws {
        for text in [
            "[1,]", "[,1]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "[1 2]", "01", "-", "1.", ".5", "1e", "+1", "0x1",
            "NaN", "1e999",
            "tru", "\"", "\"a\nb\"", #""\x""#, #""\u12""#, #""\ud800""#, #""\udc00\ud800""#, #""\ud800\u0041""#, "'a'",
            "[1]]",
            "/**/1", "{\"a\"}", "\u{0}", "[\"a", "nul", "--1", "\u{A0}1",
        ] {
            #expect(throws: ResponseRejection.self, "\(text)") { try response(text.utf8).jsonValue() }
        }
        #expect(throws: ResponseRejection.self) { try response([0x22, 0xFF, 0x22]).jsonValue() }
        let rejection = #expect(throws: ResponseRejection.self) { try response("[1, x]".utf8).jsonValue() }
        #expect(rejection.map { "\($0)" }?.contains("at byte 4") == true)
    }

    /// All numbers as `Double`: Foundation reads `2.5e18` as a whole number, which says no more.
    private func numeric(_ value: JSONValue) -> JSONValue {
        switch value {
        case .integer(let number): .number(Double(number))
        case .array(let elements): .array(elements.map(numeric))
        case .object(let members): .object(members.mapValues(numeric))
        default: value
        }
    }

    @Test("Python's JSON is read as Python has it")
    func python() throws {
        let script = #"""
            import json, random, sys
            random.seed(7)
            def value(depth):
                kind = random.randrange(8 if depth else 5)
                if kind == 0: return random.choice([None, True, False])
                if kind == 1: return random.randrange(-10**17, 10**17)
                if kind == 2: return random.uniform(-1e6, 1e6) * 10 ** random.randrange(-200, 200)
                if kind < 5: return ''.join(chr(random.choice([random.randrange(128), random.randrange(0xD800), 0x1F44D])) for _ in range(random.randrange(12)))
                if kind == 5: return {str(random.random()): value(depth - 1) for _ in range(random.randrange(5))}
                return [value(depth - 1) for _ in range(random.randrange(5))]
            v = [value(6) for _ in range(300)]
            for ascii in (True, False): print(json.dumps(v, ensure_ascii=ascii, indent=ascii or None))
            """#
        let output = try Tool.succeed("python3", ["-c", script]).output
        let compact = try #require(output.dropLast().lastIndex(of: 0x0A))
        let escaped = try #require(try response(output[...compact]).jsonValue())
        let plain = try #require(try response(output[(compact + 1)...]).jsonValue())
        #expect(escaped == plain)
        // Foundation's reader is the second opinion.
        let foundation = try JSONDecoder().decode(JSONValue.self, from: Data(output[(compact + 1)...]))
        #expect(numeric(plain) == numeric(foundation))
        let back = "import json,sys; a, b = sys.stdin.read().split('\\0'); assert json.loads(a) == json.loads(b)"
        let written = try RequestBody.json(plain).bytes ?? []
        try Tool.succeed("python3", ["-c", back], input: Array(output[(compact + 1)...]) + [0] + written)
    }

    @Test("deep nesting is read, and too deep is an error")
    func depth() throws {
        let nested = { (depth: Int) in [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth) }
        #expect(try response(nested(512)).jsonValue() != nil)
        #expect(throws: ResponseRejection.self) { try response(nested(513)).jsonValue() }
        // A reader that asks one kind after the other at each depth would need minutes for these.
        let many = [0x5B] + Array([[UInt8]](repeating: nested(500), count: 200).joined(separator: [0x2C])) + [0x5D]
        guard case .array(let read)? = try response(many).jsonValue() else {
            Issue.record("it is no array")
            return
        }
        #expect(read.count == 200)
    }

    @Test("JSON is read in the declared charset, and behind a byte order mark")
    func charsets() throws {
        let latin = response([0x22, 0xE9, 0x22], type: "application/json; charset=iso-8859-1")
        #expect(try latin.json(as: String.self) == "é")
        let utf16 = response([0x22, 0, 0xE9, 0, 0x22, 0], type: "application/json; charset=utf-16le")
        #expect(try utf16.json(as: String.self) == "é")
        let marked = response([0xEF, 0xBB, 0xBF, 0x22, 0xC3, 0xA9, 0x22], type: "application/json; charset=utf-8")
        #expect(try marked.json(as: String.self) == "é")
    }

    @Test("nulls are removed from objects at every depth, in nested arrays too")
    func removingNulls() throws {
        let nested = try response(#"{"a":[{"b":null}]}"#.utf8).jsonValue(removingNulls: true)
        #expect(nested == ["a": [[:]]])
        let deep = try response(#"{"n":null,"k":"v","a":[[{"n":null,"x":[null,1]}]],"o":{"n":null}}"#.utf8)
            .jsonValue(removingNulls: true)
        #expect(deep == ["k": "v", "a": [[["x": [nil, 1]]]], "o": [:]])
        let body = response(#"[{"a":null,"b":1}]"#.utf8)
        #expect(try body.json(as: [[String: Int]].self, removingNulls: true) == [["b": 1]])
        #expect(throws: ResponseRejection.self) { try body.json(as: [[String: Int]].self) }
    }

    @Test(
        "no content is fine where nothing is an answer",
        arguments: [(200, ""), (200, " "), (204, ""), (205, ""), (201, "\r\n"), (204, "{}")])
    func noContent(statusCode: Int, body: String) throws {
        for type in ["application/json", "text/html", nil] {
            let empty = response(body.utf8, type: type, status: statusCode)
            #expect(!empty.hasContent)
            #expect(try empty.json(as: User?.self) == nil)
            #expect(try empty.json(as: User??.self) == .some(nil) || empty.json(as: User??.self) == nil)
            #expect(try empty.json(as: JSONValue.self) == .null)
            #expect(try empty.jsonValue() == nil)
            #expect(try empty.propertyList(as: User?.self) == nil)
            _ = try empty.json(as: NoContent.self)
            try ResponseAcceptance.json.check(empty)
        }
    }

    @Test("no content is an error where a value is needed, and says what to do")
    func neededContent() {
        let rejection = #expect(throws: ResponseRejection.self) {
            try response("".utf8, status: 204).json(as: User.self)
        }
        #expect(rejection.map { "\($0)" }?.contains("Ask for an optional") == true)
    }

    @Test("an optional has its value where there is content, and content that does not matter is not read")
    func content() throws {
        #expect(try response(#"{"name":"Ada"}"#.utf8).json(as: User?.self) == User(name: "Ada"))
        #expect(try response("null".utf8).json(as: User?.self) == nil)
        #expect(throws: ResponseRejection.self) { try response("{}".utf8).json(as: User?.self) }
        _ = try response("OK".utf8).json(as: NoContent.self)
    }

    @Test("property lists that Python writes are read, in both forms", arguments: ["FMT_XML", "FMT_BINARY"])
    func propertyList(format: String) throws {
        let script = """
            import plistlib, sys
            sys.stdout.buffer.write(plistlib.dumps({'name': 'Ada', 'pets': [{'name': 'Réx'}]}, fmt=plistlib.\(format)))
            """
        let bytes = try Tool.succeed("python3", ["-c", script]).output
        let expected = User(name: "Ada", pets: [User.Pet(name: "Réx")])
        #expect(try response(bytes, type: "application/x-plist").propertyList(as: User.self) == expected)
        #expect(throws: ResponseRejection.self) { try response(bytes.dropLast(20)).propertyList(as: User.self) }
        #expect(throws: ResponseRejection.self) { try response(bytes).propertyList(as: [String].self) }
    }
}

@Suite("Acceptance of responses")
struct ResponseAcceptanceTests {
    @Test(
        "2xx is fine unless something else is said",
        arguments: [(199, false), (200, true), (299, true), (300, false), (404, false)])
    func statusCodes(code: Int, isFine: Bool) {
        let result = Result { try ResponseAcceptance.standard.check(response("x".utf8, type: nil, status: code)) }
        #expect(((try? result.get()) != nil) == isFine)
    }

    @Test("JSON served as HTML is refused, and the error has the body, what was accepted and what the body says")
    func jsonAsHTML() throws {
        let served = response(#"{"message":"hello"}"#.utf8, type: "text/html; charset=utf-8")
        let rejection = try #require(
            #expect(throws: ResponseRejection.self) { try ResponseAcceptance.json.check(served) })
        guard case .unacceptableContentType("text/html; charset=utf-8", let accepted) = rejection.reason else {
            Issue.record("\(rejection.reason)")
            return
        }
        for type in ["application/json", "text/json", "text/javascript"] { #expect(accepted.contains(type)) }
        #expect(rejection.response.body == Array(#"{"message":"hello"}"#.utf8))
        #expect(rejection.parsed == ["message": "hello"])
        #expect(rejection.description.contains("text/html"))
        #expect(rejection.description.contains("application/json"))
    }

    @Test(
        "JSON is accepted under its names",
        arguments: [
            ("application/json", true), ("APPLICATION/JSON; charset=utf-8", true), ("text/json", true),
            ("text/javascript", true), ("application/problem+json", true), ("nonstandard/json", false),
            ("text/plain", false), ("application/x-plist", false), ("", false), ("json", false),
        ])
    func jsonTypes(type: String, isFine: Bool) {
        let result = Result { try ResponseAcceptance.json.check(response("{}".utf8, type: type)) }
        #expect(((try? result.get()) != nil) == isFine)
    }

    @Test("content without a type is refused unless any type is fine")
    func missingType() throws {
        let untyped = response("{}".utf8, type: nil)
        let rejection = #expect(throws: ResponseRejection.self) { try ResponseAcceptance.json.check(untyped) }
        guard case .unacceptableContentType(nil, _) = rejection?.reason else {
            Issue.record("\(String(describing: rejection?.reason))")
            return
        }
        try ResponseAcceptance.standard.check(untyped)
        try ResponseAcceptance(contentTypes: ["*/*"]).check(untyped)
        #expect(throws: ResponseRejection.self) { try ResponseAcceptance(contentTypes: ["text/*"]).check(untyped) }
    }

    @Test("of several types the last counts, as in browsers")
    func severalTypes() throws {
        var headers: HTTPHeaders = ["Content-Type": "text/html"]
        try headers.add("content-type", "application/json")
        let served = Response(url: "https://example.com/", statusCode: 200, headers: headers, body: Array("{}".utf8))
        try ResponseAcceptance.json.check(served)
    }

    @Test("the status is looked at first, and what the server says about it is kept")
    func statusFirst() throws {
        struct Problem: Decodable, Equatable { var title: String }
        let served = response(#"{"title":"Out of stock"}"#.utf8, type: "text/html", status: 422)
        let rejection = try #require(
            #expect(throws: ResponseRejection.self) { try ResponseAcceptance.json.check(served) })
        #expect(rejection.reason == .unacceptableStatus(found: 422, accepted: [200..<300]))
        #expect(rejection.errorBody(as: Problem.self) == Problem(title: "Out of stock"))
        #expect(rejection.errorBody(as: [Int].self) == nil)
        #expect(rejection.description.contains("422"))
        #expect(rejection.description.contains("200 to 299"))
        let opaque = ResponseRejection(response: response("<html>".utf8, status: 500), reason: rejection.reason)
        #expect(opaque.parsed == nil)
    }

    @Test("an error names no secret of the URL")
    func redaction() {
        let served = Response(url: "https://example.com/x?token=hunter2", statusCode: 500)
        let rejection = #expect(throws: ResponseRejection.self) { try ResponseAcceptance.standard.check(served) }
        #expect(rejection.map { "\($0)" }?.contains("hunter2") == false)
    }

    @Test("property lists have their own list")
    func propertyLists() throws {
        try ResponseAcceptance.propertyList.check(response("x".utf8, type: "application/x-plist"))
        #expect(throws: ResponseRejection.self) { try ResponseAcceptance.propertyList.check(response("{}".utf8)) }
    }
}
