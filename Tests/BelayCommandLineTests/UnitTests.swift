import Foundation
import Testing

@testable import BelayCommandLine

@Suite("Parts of the command line")
struct UnitTests {
    private struct Sample: Encodable {
        var text = "a\"\\/\n\u{1}\u{7F}é😀"
        var number: Int? = -7
        var nothing: Int?
        var none: String?
        var flag = true
        var list: [Double] = [1, 2.5, -0.001, 1e21]
        var nested: [[String: Int]] = [[:], ["k": 1]]
        var empty: [Int] = []
    }

    @Test("JSON is what Foundation reads back, keys in order, absent values null", arguments: [false, true])
    func json(_ pretty: Bool) throws {
        let text = String(decoding: try JSONText.encode(Sample(), pretty: pretty), as: UTF8.self)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(read["text"] as? String == Sample().text && read["number"] as? Int == -7)
        #expect(read["nothing"] is NSNull && read["none"] is NSNull && read["flag"] as? Bool == true)
        #expect(read["list"] as? [Double] == Sample().list && (read["nested"] as? [[String: Int]])?[1] == ["k": 1])
        let places = ["text", "number", "nothing", "none", "flag", "list", "nested", "empty"].map {
            text.range(of: "\"\($0)\"")?.lowerBound
        }
        #expect(zip(places, places.dropFirst()).allSatisfy { ($0 ?? text.endIndex) < ($1 ?? text.startIndex) })
        #expect(text.contains("\n") == pretty)
    }

    @Test("a number that JSON does not have is an error")
    func notANumber() {
        #expect(throws: EncodingError.self) { try JSONText.encode([Double.nan]) }
    }

    @Test("lines are the same however the stream is cut", arguments: [1, 2, 3, 7, 64])
    func lines(_ size: Int) {
        let stream = Array("one\n\ntwo\r\nthis line is too long\nlast".utf8)
        var splitter = LineSplitter(limit: 10)
        for start in stride(from: 0, to: stream.count, by: size) {
            Array(stream[start..<min(start + size, stream.count)]).withUnsafeBytes { splitter.feed($0) }
        }
        splitter.finish()
        let expected: [LineSplitter.Line] = [
            .bytes(Array("one".utf8)), .bytes([]), .bytes(Array("two\r".utf8)), .tooLong, .bytes(Array("last".utf8)),
        ]
        #expect(splitter.takeLines() == expected && splitter.takeLines().isEmpty)
    }

    @Test("text is wrapped at spaces, long words stay whole, line breaks are kept")
    func wrapping() {
        #expect(Layout.wrap("aaa bbb ccc", indent: 2, columns: 9) == "  aaa bbb\n  ccc")
        #expect(Layout.wrap("aaa bbbbbbbbbbbb c", indent: 2, columns: 9) == "  aaa\n  bbbbbbbbbbbb\n  c")
        #expect(Layout.wrap("a\nb", indent: 2, first: "x ", columns: 80) == "x a\n  b")
    }
}
