import BelayTrust
import Foundation
import Testing

@Suite("Trust cases are strict JSON")
struct StrictJSONTests {
    private func message(_ line: String) -> String? {
        do throws(TrustCaseError) {
            _ = try TrustCase(json: Array(line.utf8)) { () throws(SystemAnchorsError) in .empty }
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        "a member that is named twice is refused by name, wherever it stands",
        arguments: [
            (#"{"id":"a","chain":[],"id":"b"}"#, "id"),
            (#"{"id":"a","chain":[],"anchors":[],"anchors":["x"]}"#, "anchors"),
            (#"{"id":"a","chain":[],"policy":{"pinning":"none","pinning":"publicKey"}}"#, "policy.pinning"),
        ])
    func duplicates(_ line: String, _ name: String) {
        #expect(message(line) == "the field '\(name)' occurs twice")
    }

    @Test(
        "what RFC 8259 does not allow is no JSON",
        arguments: [
            #"{"id":"a","chain":[],}"#, #"{"id":"a","chain":[,]}"#, #"{"id":"a","chain":[]} x"#, #"{'id':'a'}"#,
            #"{"id":"a","chain":[],"maxChainDepth":01}"#, #"{"id":"a","chain":[],"maxChainDepth":+1}"#,
            #"{"id":"a","chain":[],"maxChainDepth":NaN}"#, "{\"id\":\"a\nb\",\"chain\":[]}", #"{"id":"\x","chain":[]}"#,
            #"{"id":"a","chain":[]"#, #"{"id":"\u12","chain":[]}"#,
        ])
    func malformed(_ line: String) {
        #expect(message(line)?.hasPrefix("the line is not valid JSON (at byte ") == true, "\(line)")
    }

    @Test("a line that is no object is told so", arguments: ["[]", "5", "null", "\"x\"", " "])
    func otherValues(_ line: String) {
        #expect(message(line) == "the line is not a JSON object")
    }

    @Test("UTF-16 and broken UTF-8 are refused")
    func encodings() {
        let sixteen: [UInt8] = Array(#"{"id":"a","chain":[]}"#.utf8).flatMap { (unit: UInt8) -> [UInt8] in [unit, 0] }
        let broken = Array(#"{"id":""#.utf8) + [0xFF] + Array(#"","chain":[]}"#.utf8)
        for line in [sixteen, broken] {
            #expect(throws: TrustCaseError.self) {
                _ = try TrustCase(json: line) { () throws(SystemAnchorsError) in .empty }
            }
        }
    }

    @Test("nesting is bounded")
    func nesting() {
        let line = #"{"id":"a","chain":"# + String(repeating: "[", count: 100_000)
        #expect(message(line) == "the line is nested deeper than 32 levels")
    }

    @Test("every form of value that RFC 8259 has is read")
    func wellFormed() {
        let line =
            #" { "id" : "\"\\\/\b\f\n\r\té\u00e9" , "chain" : [ ] , "maxChainDepth" : 1.0e0 , "note" : [ -0.5E-2 , true , false , null , { } ] } "#
        #expect(message(line) == nil)
    }

    @Test("of many members, one that comes twice is found, wherever the two stand", arguments: [0, 15, 16, 17, 39])
    func manyMembers(_ first: Int) {
        var names = (0..<40).map { "\"n\($0)\":0" }
        names.append("\"n\(first)\":0")
        let line = #"{"id":"a","chain":[],"note":{"# + names.joined(separator: ",") + "}}"
        #expect(message(line) == "the field 'note.n\(first)' occurs twice")
        #expect(message(line.replacingOccurrences(of: ",\"n\(first)\":0}", with: "}")) == nil)
    }

    @Test(
        "escapes are read as Foundation reads them",
        arguments: [
            #"plain"#, #"\"\\\/\b\f\n\r\t"#, #"\u0041\u00e9\u00E9\u20ac\uFFFF"#, #"é€😀"#, #"\uD83D\uDE00"#,
            #"x\uDBFF\uDFFFy"#, #"\u0000"#, #"\\u0041"#, #"\\\u0041"#, #"é\n😀\u00e9"#, "",
        ])
    func escapes(_ text: String) throws {
        let line = Array(#"{"id":"\#(text)","chain":[]}"#.utf8)
        let peer = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        let ours = try TrustCase(json: line) { () throws(SystemAnchorsError) in .empty }
        #expect(ours.id == peer["id"] as? String)
    }

    @Test(
        "half of a surrogate pair is no character",
        arguments: [#"\uD83D"#, #"\uDE00"#, #"\uD83Dx"#, #"\uD83D\n"#, #"\uD83D\u0041"#, #"\uDE00\uD83D"#])
    func surrogates(_ text: String) {
        #expect(message(#"{"id":"\#(text)","chain":[]}"#) == "id: half of a surrogate pair stands alone")
        #expect(message(#"{"id":"a","chain":["\#(text)"]}"#) == "chain[0]: neither PEM nor base64")
    }

    @Test("null is as good as absence where a field may be absent, and is refused where it may not")
    func null() {
        let optional = [
            "usage", "host", "anchors", "systemAnchors", "time", "crls", "maxChainDepth", "rules", "policy",
        ].map { "\"\($0)\":null" }
        #expect(message(#"{"id":"a","chain":[],"# + optional.joined(separator: ",") + "}") == nil)
        #expect(message(#"{"id":null,"chain":[]}"#) == "id: is null, expected a string")
        #expect(message(#"{"id":"a","chain":null}"#) == "chain: is null, expected a list")
        #expect(message(#"{"id":"a","chain":["AA==",null]}"#) == "chain.[1]: is null, expected a string")
        #expect(
            message(#"{"id":"a","chain":[],"policy":{"pinnedCertificates":[{"a":1}]}}"#)
                == "policy.pinnedCertificates.[0]: expected a string")
    }

    @Test("that a line is no JSON comes before what its values are")
    func order() {
        #expect(message(#"{"id":7,"chain":[],}"#)?.hasPrefix("the line is not valid JSON") == true)
        #expect(message(#"{"chain":5,"unknown":1,"id":7}"#) == "chain: expected a list")
        #expect(message(#"{"unknown":[1,{"x":[]}],"id":7}"#) == "the field 'unknown' is not known")
    }

    @Test("the name of a case is told where it can be read at all")
    func names() {
        for line in [#"{"id":"a","chain":[],"x":1}"#, #"{"x":1,"id":"a"}"#, #"{"id":"a","chain":[],"chain":[]}"#] {
            #expect(throws: TrustCaseError.self) {
                do throws(TrustCaseError) {
                    _ = try TrustCase(json: Array(line.utf8)) { () throws(SystemAnchorsError) in .empty }
                } catch {
                    #expect(error.id == "a")
                    throw error
                }
            }
        }
    }
}
