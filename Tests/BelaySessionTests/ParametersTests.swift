import BelaySession
import Foundation
import TestSupport
import Testing

@Suite("Parameters of queries and forms")
struct ParametersTests {
    @Test("RFC 3986's reserved characters are encoded, but for ? and / as its section 3.4 allows")
    func reserved() {
        let parameters: Parameters = ["key": .string(" :#[]@!$&'()*+,;=/?")]
        #expect(parameters.encoded() == "key=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?")
    }

    @Test("a percent sign is data")
    func percent() {
        #expect((["key": "%20"] as Parameters).encoded() == "key=%2520")
    }

    @Test("unreserved characters stay")
    func unreserved() {
        let text = "ABCXYZabcxyz0189-._~"
        #expect((["k": .string(text)] as Parameters).encoded() == "k=\(text)")
    }

    @Test("what URLs cannot hold is encoded byte by byte in UTF-8")
    func unicode() {
        #expect((["é": "日本"] as Parameters).encoded() == "%C3%A9=%E6%97%A5%E6%9C%AC")
        #expect((["k": "\"<>\\^`{|}\u{0}"] as Parameters).encoded() == "k=%22%3C%3E%5C%5E%60%7B%7C%7D%00")
    }

    @Test("names are in order, at each depth")
    func order() {
        let parameters: Parameters = ["b": ["d": 1, "c": 2], "a": 3, "B": 4]
        #expect(parameters.encoded() == "B=4&a=3&b%5Bc%5D=2&b%5Bd%5D=1")
    }

    @Test("arrays and dictionaries nest in brackets")
    func nesting() {
        #expect((["a": [1, 2]] as Parameters).encoded() == "a%5B%5D=1&a%5B%5D=2")
        #expect((["a": ["b": ["c": "d"]]] as Parameters).encoded() == "a%5Bb%5D%5Bc%5D=d")
        #expect((["a": [["b": 1], ["b": 2]]] as Parameters).encoded() == "a%5B%5D%5Bb%5D=1&a%5B%5D%5Bb%5D=2")
        #expect((["a": ["b": [1, [2]]]] as Parameters).encoded() == "a%5Bb%5D%5B%5D=1&a%5Bb%5D%5B%5D%5B%5D=2")
    }

    @Test("a set repeats its name with sorted values")
    func sets() {
        let parameters: Parameters = ["a": .set(["z", "b", 1])]
        #expect(parameters.encoded() == "a=1&a=b&a=z")
    }

    @Test("empty collections leave nothing behind")
    func empty() {
        #expect((["a": [], "b": [:], "c": .set([])] as Parameters).encoded() == "")
        #expect(Parameters().encoded() == "")
        #expect((["a": ""] as Parameters).encoded() == "a=")
    }

    @Test("arrays have three styles")
    func arrayStyles() {
        let parameters: Parameters = ["a": [1, ["b": 2]]]
        #expect(parameters.encoded(style: ParameterStyle(arrays: .repeatedName)) == "a=1&a%5Bb%5D=2")
        #expect(parameters.encoded(style: ParameterStyle(arrays: .indexInBrackets)) == "a%5B0%5D=1&a%5B1%5D%5Bb%5D=2")
    }

    @Test("names nest with dots where asked")
    func dots() {
        let parameters: Parameters = ["a": ["b": ["c": 1]]]
        #expect(parameters.encoded(style: ParameterStyle(keys: .dots)) == "a.b.c=1")
    }

    @Test("booleans are numbers or words")
    func booleans() {
        let parameters: Parameters = ["no": false, "yes": true]
        #expect(parameters.encoded() == "no=0&yes=1")
        #expect(parameters.encoded(style: ParameterStyle(booleans: .literal)) == "no=false&yes=true")
    }

    @Test("a null is its name alone, or what the style says")
    func nulls() {
        let parameters: Parameters = ["a": nil, "b": [nil], "c": 1]
        #expect(parameters.encoded() == "a&b%5B%5D&c=1")
        #expect(parameters.encoded(style: ParameterStyle(nulls: .emptyValue)) == "a=&b%5B%5D=&c=1")
        #expect(parameters.encoded(style: ParameterStyle(nulls: .literal)) == "a=null&b%5B%5D=null&c=1")
        #expect(parameters.encoded(style: ParameterStyle(nulls: .dropped)) == "c=1")
    }

    @Test("spaces are plus signs where asked, and plus signs stay distinct")
    func spaces() {
        let parameters: Parameters = ["a b": "c +d"]
        #expect(parameters.encoded() == "a%20b=c%20%2Bd")
        #expect(parameters.encoded(style: ParameterStyle(spaces: .plus)) == "a+b=c+%2Bd")
    }

    @Test(
        "Python reads what we write, whatever the text and its length",
        arguments: [ParameterStyle.Spaces.percentEncoded, .plus])
    func python(spaces: ParameterStyle.Spaces) throws {
        var texts = ["", " ", "&=;#?/", "%41", "a+b c", "\r\n\0\t", "e\u{301}", "👴🏻👮🏽", "\u{10FFFF}", "日本語"]
        // Lengths around those at which others cut text into chunks.
        for count in [49, 50, 51, 255, 1024] { texts.append(String(repeating: "👨‍👩‍👧‍👦é", count: count)) }
        var values: [String: ParameterValue] = [:]
        var expected: [String: String] = [:]
        for (index, text) in texts.enumerated() {
            values["\(index)\(text.prefix(3))"] = .string(text)
            expected["\(index)\(text.prefix(3))"] = text
        }
        let query = Parameters(values).encoded(style: ParameterStyle(spaces: spaces))
        let script = """
            import json, sys, urllib.parse
            pairs = urllib.parse.parse_qsl(sys.stdin.read(), keep_blank_values=True, strict_parsing=True, errors='strict')
            json.dump(dict(pairs), sys.stdout)
            """
        let output = try Tool.succeed("python3", ["-c", script], input: Array(query.utf8)).output
        #expect(try JSONDecoder().decode([String: String].self, from: Data(output)) == expected)
    }
}

@Suite("Parameters from types")
struct ParameterEncoderTests {
    struct Search: Encodable {
        struct Filter: Encodable {
            var colours: [String]
            var price: Double
        }
        var text = "red shoes"
        var page: Int? = 2
        var none: String?
        var filter = Filter(colours: ["red", "blue"], price: 9.5)
        var exact = true
    }

    @Test("properties become names, nested ones too; what is nil is left out")
    func properties() throws {
        let parameters = try Parameters(encoding: Search())
        #expect(
            parameters == [
                "text": "red shoes", "page": 2, "filter": ["colours": ["red", "blue"], "price": 9.5], "exact": true,
            ])
    }

    @Test("every kind of number keeps its digits")
    func numbers() throws {
        struct Numbers: Encodable {
            var a = UInt64.max
            var b = Int8.min
            var c = Float(0.1)
            var d = Decimal(string: "12345678901234567890.12")
            var e = 0.1
        }
        let query = try Parameters(encoding: Numbers()).encoded()
        #expect(query == "a=18446744073709551615&b=-128&c=0.1&d=12345678901234567890.12&e=0.1")
    }

    @Test("dates, bytes and URLs have a form of their own")
    func specialTypes() throws {
        struct Special: Encodable {
            var date = Date(timeIntervalSince1970: 86_400)
            var data = Data([0xFB, 0xFF])
            var url = URL(string: "https://example.com/a?b")
        }
        let query = { (dates: Parameters.DateFormat) in try Parameters(encoding: Special(), dates: dates).encoded() }
        let rest = "data=%2B/8%3D&"
        let url = "&url=https%3A//example.com/a?b"
        #expect(try query(.iso8601) == "\(rest)date=1970-01-02T00%3A00%3A00Z\(url)")
        #expect(try query(.secondsSince1970) == "\(rest)date=86400.0\(url)")
        #expect(try query(.millisecondsSince1970) == "\(rest)date=86400000.0\(url)")
        // 978,307,200 seconds lie between 1970 and 2001.
        #expect(try query(.deferredToDate) == "\(rest)date=-978220800.0\(url)")
    }

    @Test("dictionaries, explicit nulls, nested containers and superclasses are written")
    func containers() throws {
        class Base: Encodable { var base = 1 }
        final class Derived: Base {
            enum Key: CodingKey { case own, list }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeNil(forKey: .own)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(1)
                var nested = list.nestedContainer(keyedBy: Key.self)
                try nested.encode("x", forKey: .own)
                try list.encodeNil()
                try super.encode(to: container.superEncoder())
            }
        }
        #expect(
            try Parameters(encoding: Derived()) == ["own": nil, "list": [1, ["own": "x"], nil], "super": ["base": 1]])
        #expect(try Parameters(encoding: ["a": ["b": 1]]) == ["a": ["b": 1]])
        #expect(try Parameters(encoding: [String: Int]()).isEmpty)
    }

    @Test("a list or a single value has no names, and the error says so")
    func unnamed() {
        let errors = [
            #expect(throws: BodyError.self) { try Parameters(encoding: [1, 2]) },
            #expect(throws: BodyError.self) { try Parameters(encoding: "text") },
            #expect(throws: BodyError.self) { try Parameters(encoding: Int?.none) },
        ]
        for error in errors {
            #expect(error?.format == .parameters)
            #expect(error.map { "\($0)" }?.contains("need names") == true)
        }
    }

    @Test("what a type throws while it is encoded comes with its coding path")
    func codingPath() {
        struct Picky: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    1, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "not today"))
            }
        }
        struct Outer: Encodable { var list = [Picky()] }
        let error = #expect(throws: BodyError.self) { try Parameters(encoding: Outer()) }
        #expect(error?.path == "list[0]")
        #expect(error?.detail == "not today")
    }
}
