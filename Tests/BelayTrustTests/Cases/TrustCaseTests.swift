import BelayCertificates
@testable import BelayTrust
import Foundation
import Testing

@Suite("Trust cases")
struct TrustCaseTests {
    private let world: TestPKI
    init() throws { world = try TestPKI.good.get() }

    private var fields: [String: Any] {
        [
            "id": "case 1", "host": TestPKI.host, "chain": [world.leaf.pem, world.intermediate.certificate.pem],
            "anchors": [world.root.certificate.pem], "time": "2026-06-01T00:00:00Z",
        ]
    }

    private func read(
        _ changes: [String: Any], system: AnchorStore? = .empty
    ) throws -> TrustCase {
        let object = fields.merging(changes) { $1 }
        let line = Array(try JSONSerialization.data(withJSONObject: object))
        return try TrustCase(json: line) { () throws(SystemAnchorsError) in
            guard let system else { throw SystemAnchorsError(searched: ["/nowhere"], unreadable: nil) }
            return system
        }
    }

    private func message(_ changes: [String: Any], system: AnchorStore? = .empty) -> String? {
        do {
            _ = try read(changes, system: system)
            return nil
        } catch let error as TrustCaseError {
            #expect(error.id == "case 1")
            return error.message
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }

    @Test("a whole case is judged and answered in the documented form")
    func answer() throws {
        let answer = try read([:]).evaluate()
        #expect(answer.id == "case 1")
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(answer)) as? [String: Any]
        #expect(Set(json?.keys.map { $0 } ?? []) == ["id", "trusted", "result", "reasons", "path", "pathComplete"])
        #expect(json?["trusted"] as? Bool == true)
        #expect(json?["result"] as? String == "unspecified")
        #expect(json?["pathComplete"] as? Bool == true)
        #expect(
            json?["path"] as? [String]
                == [world.leaf, world.intermediate.certificate, world.root.certificate].map(
                    \.fingerprint.hexadecimalText))
        let refused = try read(["host": "other.test"]).evaluate()
        let reasons =
            try (JSONSerialization.jsonObject(with: JSONEncoder().encode(refused)) as? [String: Any])?["reasons"]
            as? [[String: Any]]
        let reason = try #require(reasons?.first)
        #expect(
            Set(reason.keys)
                == ["rule", "severity", "depth", "subject", "message", "expected", "found", "remedy", "source"])
        #expect(reason["rule"] as? String == "name.mismatch")
        #expect(reason["severity"] as? String == "error")
        #expect(reason["depth"] as? Int == 0)
    }

    @Test("every field has its effect")
    func everyField() throws {
        func errors(_ changes: [String: Any], system: AnchorStore = .empty) throws -> Set<String> {
            try read(changes, system: system).evaluate().verdict.errors
        }
        #expect(try errors([:]) == [])
        #expect(try errors(["host": NSNull()]) == [])
        #expect(try errors(["host": "other.test"]) == ["name.mismatch"])
        #expect(try errors(["usage": "client", "host": NSNull()]) == ["eku.purpose"])
        #expect(try errors(["chain": [world.leaf.pem]]) == ["anchor.unknown", "path.issuer-not-sent"])
        #expect(try errors(["chain": [String]()]) == ["path.no-chain"])
        #expect(try errors(["chain": fields["chain"] as? [String] ?? []]) == [])
        #expect(
            try errors(["chain": [Data(world.leaf.der).base64EncodedString(), world.intermediate.certificate.pem]])
                == [])
        #expect(try errors(["anchors": [String]()]) == ["anchor.unknown", "path.issuer-not-sent"])
        let system = AnchorStore([world.root.certificate])
        #expect(try errors(["anchors": [String](), "systemAnchors": true], system: system) == [])
        #expect(
            try errors(["anchors": [String](), "systemAnchors": false], system: system)
                == ["anchor.unknown", "path.issuer-not-sent"])
        #expect(try errors(["time": "2036-06-01T00:00:00Z"]).contains("validity.expired"))
        let list = try world.intermediate.list(revoking: [world.leaf])
        let good = try world.root.list()
        let crls = [list, good].map { PEM.encode(label: "X509 CRL", der: $0.der) }
        #expect(try errors(["crls": crls]) == ["revocation.revoked"])
        #expect(try errors(["maxChainDepth": 0]) == ["path.too-deep"])
        #expect(try errors(["maxChainDepth": 1]) == [])
        #expect(try errors(["rules": "standard"]) == [])
        #expect(try errors(["anchors": [world.root.certificate.pem, "MAA="]]) == ["anchor.malformed"])
        #expect(try errors(["chain": [world.leaf.pem, "MAA="]]) == ["der.malformed"])
        #expect(try errors(["policy": ["pinning": "publicKey"]]) == ["policy.empty-pin-set"])
        #expect(
            try errors(["policy": ["pinning": "publicKey", "pinnedSPKISHA256": [world.leaf.pin.description]]]) == [])
        #expect(try errors(["policy": ["pinning": "certificate", "pinnedCertificates": [world.leaf.pem]]]) == [])
        #expect(try errors(["policy": ["allowInvalidCertificates": true]]) == ["policy.contradiction"])
        #expect(try errors(["host": "other.test", "policy": ["validatesDomainName": false]]) == [])
        #expect(
            try errors([
                "policy": [
                    "pinning": "publicKey", "pinnedSPKISHA256": [world.leaf.pin.description], "chainMatching": "all",
                ]
            ]) == ["pin.mismatch"])
        // What files say about a case is not input.
        let remarks: [String: Any] = [
            "suite": "s", "group": "g", "note": "n", "source": "x", "features": ["f"], "importance": "high",
            "expectedPeerNames": [String](), "extendedKeyUsage": [String](), "keyUsage": [String](),
            "atsExpect": "accept",
            "expect": "reject",
        ]
        #expect(try errors(remarks) == [])
    }

    @Test("a field that is not known is refused by name")
    func unknownFields() {
        #expect(message(["maxDepth": 1])?.contains("'maxDepth'") == true)
        #expect(message(["policy": ["pins": [String]()]])?.contains("'policy.pins'") == true)
    }

    @Test("a value of the wrong kind is refused with its place and what is expected")
    func wrongTypes() {
        #expect(
            message(["chain": "text"])?.hasPrefix("chain: expected a list") == true,
            "\(message(["chain": "text"]) ?? "")")
        #expect(message(["chain": [1]])?.contains("chain.[0]: expected a string") == true)
        #expect(message(["systemAnchors": "yes"])?.hasPrefix("systemAnchors: expected true or false") == true)
        #expect(message(["maxChainDepth": "1"])?.hasPrefix("maxChainDepth: expected a whole number") == true)
        #expect(message(["maxChainDepth": -1])?.hasPrefix("maxChainDepth:") == true)
        #expect(
            message(["maxChainDepth": 1.5])?.contains("maxChainDepth") == true,
            "\(message(["maxChainDepth": 1.5]) ?? "")")
        #expect(message(["policy": "strict"])?.hasPrefix("policy: expected an object") == true)
        #expect(message(["usage": "email"])?.hasPrefix("usage: 'email'") == true)
        #expect(message(["usage": "client"])?.hasPrefix("host:") == true)
        #expect(message(["host": "not a host"])?.hasPrefix("host:") == true)
        #expect(message(["rules": "lenient"])?.hasPrefix("rules: 'lenient'") == true)
        #expect(message(["time": "yesterday"])?.hasPrefix("time: 'yesterday'") == true)
        #expect(message(["policy": ["pinning": "key"]])?.hasPrefix("policy.pinning: 'key'") == true)
        #expect(message(["policy": ["chainMatching": "some"]])?.hasPrefix("policy.chainMatching: 'some'") == true)
        #expect(message(["policy": ["pinnedSPKISHA256": ["x"]]])?.hasPrefix("policy.pinnedSPKISHA256[0]:") == true)
        #expect(message(["policy": ["pinnedCertificates": ["x"]]])?.hasPrefix("policy.pinnedCertificates[0]:") == true)
        #expect(message(["systemAnchors": true], system: nil)?.hasPrefix("systemAnchors:") == true)
    }

    @Test("text that is neither PEM nor base64 is refused with its place")
    func badText() {
        #expect(message(["chain": [world.leaf.pem, "&&&"]]) == "chain[1]: neither PEM nor base64")
        #expect(message(["chain": [""]]) == "chain[0]: neither PEM nor base64")
        #expect(message(["chain": [world.leaf.pem + world.leaf.pem]]) == "chain[0]: 2 PEM blocks, expected one")
        #expect(message(["crls": ["&&&"]]) == "crls[0]: neither PEM nor base64")
        #expect(message(["crls": [world.leaf.pem]])?.hasPrefix("crls[0]: not a revocation list") == true)
    }

    @Test("a line that is no object, or lacks what a case needs, is refused")
    func noCase() {
        for (line, part) in [
            ("", "not a JSON object"), ("{", "not valid JSON"), ("[]", "not a JSON object"),
            ("{\"chain\":[]}", "'id' is missing"), ("{\"id\":\"x\"}", "'chain' is missing"),
            ("{\"id\":7,\"chain\":[]}", "id: expected a string"),
        ] {
            do throws(TrustCaseError) {
                _ = try TrustCase(json: Array(line.utf8)) { () throws(SystemAnchorsError) in .empty }
                Issue.record("\(line) was taken for a case")
            } catch {
                #expect(error.message.contains(part), "\(line): \(error.message)")
            }
        }
    }

    @Test(
        "times are those of RFC 3339",
        arguments: [
            ("2026-06-01T00:00:00Z", 1_780_272_000.0), ("2026-06-01t00:00:00z", 1_780_272_000),
            ("2026-06-01T02:00:00+02:00", 1_780_272_000), ("2026-05-31T18:30:00-05:30", 1_780_272_000),
            ("2026-06-01T00:00:00.5Z", 1_780_272_000.5), ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1),
            ("2024-02-29T00:00:00Z", 1_709_164_800), ("2000-02-29T12:00:00Z", 951_825_600),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ])
    func times(text: String, seconds: Double) {
        #expect(RFC3339.date(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "anything else is no time",
        arguments: [
            "", "2026-06-01", "2026-06-01T00:00:00", "2026-06-01 00:00:00Z", "2026-6-1T00:00:00Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
            "2026-06-31T00:00:00Z", "2026-06-00T00:00:00Z", "2026-06-01T24:00:00Z", "2026-06-01T00:60:00Z",
            "2026-06-01T00:00:60Z", "2026-06-01T00:00:00.Z", "2026-06-01T00:00:00+24:00", "2026-06-01T00:00:00+0200",
            "2026-06-01T00:00:00Zx", "2026-06-01T00:00:00.5", "+026-06-01T00:00:00Z", "2026-06-01T00:00:00+02:60",
        ])
    func noTimes(text: String) {
        #expect(RFC3339.date(text) == nil)
    }
}
