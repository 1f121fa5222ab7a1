import BelayTrust
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
}
