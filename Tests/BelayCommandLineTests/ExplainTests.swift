import BelayLaboratory
import Foundation
import Testing

@Suite("belay --explain and belay policy advise")
struct ExplainTests {
    @Test("the story names what was tried and what would make it work, in text and in JSON")
    func story() async throws {
        let stage = try await Stage.shared.value
        let text = try await stage.check(.missingIntermediate, "--explain")
        #expect(text.status == 1)
        #expect(text.output.contains("How the path was searched"))
        #expect(text.output.contains("[leaf, sent first] its issuer CN=Public Issuing Authority"))
        #expect(text.output.contains("What would make it work:"))
        #expect(
            text.output.contains("Configure the server to send")
                || text.output.contains("configure the server to send it"))

        let json = try await stage.check(.missingIntermediate, "--explain", "--format", "json").json()
        #expect(try JSONSchema(named: "check.schema.json").faults(in: json) == [])
        let leaf = try #require((json["explanation"] as? [String: Any])?["leaf"] as? [String: Any])
        #expect(leaf["outcome"] as? String == "issuer-unknown")
    }

    @Test("without the option there is no story, and JSON says null")
    func notAsked() async throws {
        let stage = try await Stage.shared.value
        #expect(try await !stage.check(.missingIntermediate).output.contains("How the path was searched"))
        let json = try await stage.check(.missingIntermediate, "--format", "json").json()
        #expect(json["explanation"] is NSNull)
    }

    @Test(
        "advice follows from the facts",
        arguments: [
            ("public", "new-key", "in-time", "none", "nothing", false),
            ("public", "same-key", "in-time", "publicKey", "server-key-and-reserve", false),
            ("public", "same-key", "never", "none", "nothing", false),
            ("own", "new-key", "slow", "none", "nothing", false),
            ("self-signed", "same-key", "in-time", "publicKey", "server-key-and-reserve", true),
        ])
    func advice(
        _ issuer: String, _ renewal: String, _ updates: String, _ pinning: String, _ pin: String, _ isRelaxed: Bool
    ) async throws {
        let facts = ["--issuer", issuer, "--renewal", renewal, "--app-updates", updates]
        let json = try await Program.run(["policy", "advise"] + facts + ["--format", "json"]).json()
        #expect(json["pinning"] as? String == pinning)
        #expect(json["pin"] as? String == pin)
        #expect(json["allowInvalidCertificates"] as? Bool == isRelaxed)
        #expect(json["validatesDomainName"] as? Bool == true)
        #expect((json["reasons"] as? [String])?.isEmpty == false && (json["renewal"] as? [String])?.isEmpty == false)
    }

    @Test("a fact that is missing and cannot be asked for is wrong use that names the option and its values")
    func missingFact() async throws {
        let run = try await Program.run(["policy", "advise", "--issuer", "own"])
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errors.contains("--renewal with one of same-key, new-key, unknown"))
    }
}
