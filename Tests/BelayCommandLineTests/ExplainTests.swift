import BelayLaboratory
import BelayTrust
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

    @Test("on a terminal it asks for the facts that are not given, takes numbers and words, and asks again")
    func asks() async throws {
        let text = try await TerminalTests.run(
            ["policy", "advise"], environment: ["NO_COLOR": "1"], columns: 200, typing: "2\nperhaps\nnew-key\n3\n")
        #expect(text.contains("Who issues the server's certificate?"))
        #expect(text.contains("What happens to the key when the certificate is renewed?"))
        #expect(text.contains("Answer with a number from 1 to 3, or one of same-key, new-key, unknown."))
        #expect(text.contains("Is every installed app updated before the server's key changes?"))
        let given = try await Program.run([
            "policy", "advise", "--issuer", "own", "--renewal", "new-key", "--app-updates", "never",
        ])
        let advice = try #require(given.output.split(separator: ".").first)
        #expect(text.contains(advice))
        let two = try await TerminalTests.run(
            ["policy", "advise", "--issuer", "public", "--renewal", "same-key"], columns: 200, typing: "in-time\n")
        #expect(!two.contains("Who issues") && two.contains("Pin the server's key and one in reserve, beside"))
    }

    @Test(
        "the guide says what the command answers: the recommendation for all facts, every reason, every step of renewal"
    )
    func guide() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Documentation/pinning.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = lines.filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }.filter { $0.count == 4 && ["public", "own", "self-signed"].contains($0[0]) }
        // Lists without their marks, as running text.
        let text = lines.map { $0.hasPrefix("- ") ? String($0.dropFirst(2)) : $0 }.joined(separator: " ")
            .split(separator: " ").joined(separator: " ")
        for issuer in PolicyFacts.Issuer.allCases {
            for renewal in PolicyFacts.Renewal.allCases {
                for updates in PolicyFacts.AppUpdates.allCases {
                    let advice = PolicyAdvice(for: PolicyFacts(issuer: issuer, renewal: renewal, appUpdates: updates))
                    let facts = [issuer.rawValue, renewal.rawValue, updates.rawValue]
                    let matching = rows.filter { row in
                        zip(row, facts).allSatisfy { cell, fact in
                            cell == "any" || cell.components(separatedBy: ", ").contains(fact)
                        }
                    }
                    #expect(matching.map { $0[3] } == [advice.summary], "\(facts)")
                    for sentence in advice.reasons + advice.renewal {
                        #expect(text.contains(sentence), "\(facts): \(sentence)")
                    }
                }
            }
        }
    }

    @Test("pins that cannot be read are said in the document of 'policy explain' too")
    func unreadablePins() async throws {
        let run = try await Program.run(["policy", "explain", "--pins", "/no/such/file", "--format", "json"])
        #expect(run.status == 3)
        let json = try run.json()
        #expect(json["policy"] is NSNull)
        let error = try #require(json["error"] as? [String: Any])
        #expect((error["message"] as? String)?.contains("/no/such/file") == true)
        #expect(error["phase"] as? String == "input")
        #expect(try await Program.run(["policy", "explain", "--format", "json"]).json()["error"] is NSNull)
    }

    @Test("a number of seconds is decimal, and a passphrase file without an end is told as such")
    func numbersAndPassphrases() async throws {
        let hexadecimal = try await Program.run(["check", "https://127.0.0.1:1", "--timeout", "0x5"])
        #expect(hexadecimal.status == 2 && hexadecimal.errors.contains("0x5"))
        let endless = try await Program.run([
            "check", "https://127.0.0.1:1", "--identity", "/dev/null", "--passphrase-file", "/dev/zero",
        ])
        #expect(endless.status == 3)
        #expect(endless.errors.contains("/dev/zero: is no passphrase file: it has no end within 64 KiB"))
        #expect(!endless.errors.contains("certificate or key file"))
    }
}
