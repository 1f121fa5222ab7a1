import BelayTransportSecurity
import Foundation
import Testing

/// A row of `ats-decisions.jsonl`, which has its own account of what is right.
struct DecisionCase: Sendable, CustomTestStringConvertible {
    let id: String
    let line: [UInt8]
    let why: String

    var testDescription: String { "\(id): \(why)" }

    static let all: [DecisionCase] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures/ats-decisions.jsonl")
        let lines = (try? Data(contentsOf: file))?.split(separator: 0x0A) ?? []
        return lines.compactMap { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            guard let id = object?["id"] as? String, let why = object?["why"] as? String else { return nil }
            return DecisionCase(id: id, line: [UInt8](line), why: why)
        }
    }()
}

@Suite("the table of decisions")
struct DecisionCaseTests {
    @Test("the table is there, whole")
    func count() {
        #expect(DecisionCase.all.count == 122)
        #expect(Set(DecisionCase.all.map(\.id)).count == 122)
    }

    @Test("every field of a row is as it says", arguments: DecisionCase.all)
    func row(row: DecisionCase) throws {
        let wanted = try #require(try JSONSerialization.jsonObject(with: Data(row.line)) as? [String: Any])
        let answer = try TransportSecurityCase(json: row.line).answer()
        let encoded = try JSONEncoder().encode(answer)
        let found = try #require(try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        var fields = try #require(wanted["expect"] as? [String: Any])
        fields["matched"] = wanted["matched"]
        fields["error"] = wanted["error"]
        #expect(fields.count == 9)
        #expect(found["id"] as? String == row.id)
        for (name, value) in fields {
            #expect(found[name].map { "\($0)" } == "\(value)", "\(name)")
        }
        let names = [
            "id", "allowed", "https_required", "min_tls", "forward_secrecy", "ct_required", "system_ct",
            "trust_relaxed",
            "matched", "error", "decided_by", "why", "suites", "min_rsa_bits", "min_ec_bits", "min_hash", "pins",
            "changes",
        ]
        #expect(Set(found.keys) == Set(names))
    }
}
