import BelayCertificates
import BelayLaboratory
import Foundation
import Testing

@testable import BelayCommandLine

@Suite("Using the command line")
struct UseTests {
    @Test(
        "wrong use ends with status 2, a message on standard error and nothing on standard output",
        arguments: [
            (["check"], "missing argument '<url>'"), (["chek", "x"], "did you mean 'check'"),
            (["check", "https://a.test", "--pinz", "x"], "did you mean '--pins'"),
            (["check", "gopher://a.test"], "'gopher' is not a scheme"),
            (["check", "https:/localhost"], "Write https://host"),
            (["check", "https//localhost"], "Write https://host"),
            (["check", "http:/localhost"], "Write https://host"), (["check", "https:localhost"], "Write https://host"),
            (["check", "https://h.test:0/"], "'0' is not a port"),
            (["check", "https://user:geheim@a.test"], "password"),
            (["check", "https://"], "has no host"), (["check", "https://a.test:0"], "not a port"),
            (["check", "https://a.test:65536"], "not a port"), (["check", "https://[::1"], "is not a host"),
            (["check", "https://a..test"], "empty label"), (["check", "https://[fe80::1%25eth0"], "is not a host"),
            (["check", "a.test", "--info-plist", "default", "--os", "ios8"], "none to hold to"),
            (["check", "a.test", "--info-plist", "default", "--os", "sdk<ios9"], "none to hold to"),
            (["check", "a.test", "--context", "web"], "means nothing without '--info-plist'"),
            (["check", "a.test", "--os", "ios18"], "means nothing without"),
            (["check", "a.test", "--context", "media"], "means nothing without"),
            (["trust", "evaluate", "--chain", "x", "--host", "https://a.test"], "leave out the scheme"),
            (["trust", "evaluate", "--chain", "x", "--host", "a.test:443"], "leave out the port"),
            (["check", "a.test", "--rules", "own"], "is not a rule set"),
            (["check", "a.test", "--pinning", "none", "--pins", "x"], "--pinning none"),
            (["check", "a.test", "--chain-matching", "all"], "--pins"),
            (["check", "a.test", "--pins", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], "takes a file"),
            (["check", "a.test", "--expect-name", "b.test", "--no-domain-validation"], "means nothing"),
            (["check", "a.test", "--passphrase-file", "x"], "--identity"),
            (["check", "a.test", "--timeout", "-1"], "--timeout"),
            (["check", "a.test", "--timeout=-1"], "expected seconds"),
            (["check", "a.test", "--timeout", "soon"], "expected seconds"),
            (["check", "a.test", "--time", "tomorrow"], "RFC 3339"),
            (["check", "a.test", "--connect-to", "b.test"], "has no port"),
            (["check", "a.test", "--format", "xml"], "text, json"), (["trust", "evaluate"], "--chain"),
            (["cert", "show"], "<file>"), (["rules", "validity.expird"], "validity.expired"),
            (["trust"], "a command is missing"),
            ([], "a command is missing"),
        ])
    func wrongUse(_ arguments: [String], _ word: String) async throws {
        let run = try await Program.run(arguments)
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(run.errors.hasPrefix("belay: error: ") && run.errors.contains(word), "\(run.errors)")
        #expect(run.errors.contains("--help") && !run.errors.contains("geheim"))
    }

    @Test(
        "every command explains itself with examples, on standard output with status 0",
        arguments: [
            [], ["check"], ["get"], ["trust", "evaluate"], ["cert", "show"], ["policy", "explain"], ["rules"],
            ["lint"],
        ])
    func help(_ command: [String]) async throws {
        let run = try await Program.run(command + ["--help"])
        #expect(run.status == 0 && run.errors.isEmpty && run.output.contains("Usage: belay"))
        #expect(run.output.contains("Examples:\n  belay "))
        let same = try await Program.run(["help"] + command)
        #expect(same.output == run.output)
        // Two columns are left for whoever quotes it.
        let lines = run.output.split(separator: "\n").filter { !$0.hasPrefix("  belay ") }
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")
    }

    @Test("the version is one line")
    func version() async throws {
        let run = try await Program.run("--version")
        #expect(run.status == 0 && run.output.hasPrefix("belay 0.") && run.output.split(separator: "\n").count == 1)
    }

    @Test("the catalogue lists rules of every area, and one of them whole; the same in JSON")
    func rules() async throws {
        let run = try await Program.run("rules")
        for rule in [
            "validity.expired", "name.mismatch", "pin.mismatch", "ats.cleartext", "tls.version", "policy.contradiction",
        ] {
            #expect(run.output.contains("\n\(rule) "), "\(rule)")
        }
        let one = try await Program.run("rules", "validity.expired")
        #expect(one.output.contains("RFC 5280, section 4.1.2.5") && one.output.contains("Renew"))
        let json = try await Program.run("rules", "validity", "--format", "json").json()
        let listed = try #require(json["rules"] as? [[String: String]])
        #expect(listed.contains { $0["rule"] == "validity.expired" && $0["refusal"] == "recoverableTrustFailure" })
        #expect(listed.allSatisfy { Set($0.keys) == ["rule", "severity", "refusal", "summary", "remedy", "source"] })
    }

    @Test("policy explain says which attack each loosened setting opens")
    func weaknesses() async throws {
        let any = try await Program.run("policy", "explain", "--allow-invalid-certificates", "--no-domain-validation")
        #expect(any.status == 0 && any.output.contains("an attacker made a minute ago"))
        let noName = try await Program.run("policy", "explain", "--no-domain-validation", "--format", "json")
        let found = try #require(try noName.json()["weaknesses"] as? [[String: Any]])
        #expect(found.first?["rule"] as? String == "policy.weak.no-name")
        let strict = try await Program.run("policy", "explain")
        #expect(strict.status == 0 && strict.output.contains("Nothing is loosened."))
    }

    @Test("what policy explain says of each setting holds for the combination")
    func settings() async throws {
        let folder = try Folder()
        let world = try await Stage.shared.value.laboratory.world
        let root = world.authorities.publicRoot.certificate
        let pins = try folder.write("root.pem", root.pem)
        func explain(_ options: String...) async throws -> String {
            let run = try await Program.run(["policy", "explain"] + options)
            return run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let relaxed = try await explain("--pins", pins, "--allow-invalid-certificates")
        #expect(relaxed.contains("a path with the pinned key on it, any name"))
        #expect(relaxed.contains("without effect: with a pinned key an invalid name is let through"))
        let contradictory = try await explain("--allow-invalid-certificates")
        #expect(contradictory.contains("refuses every server") && !contradictory.contains("any chain is let through"))
        let whole = try await explain("--pins", pins, "--pinning", "certificate")
        #expect(whole.contains(root.fingerprint.hexadecimalText) && !whole.contains("sha256/"))
        let key = try folder.write("pin.txt", "sha256/\(root.pin)\n")
        let keyOnly = try await explain("--pins", key, "--pinning", "certificate")
        #expect(keyOnly.contains("found 1 key") && !keyOnly.contains("1 keys"))
    }

    @Test("a result that cannot be written is an error")
    func fullDisk() async throws {
        let program = try Program.executable()
        let (status, text) = try await blocking {
            let process = Process()
            process.executableURL = program
            process.arguments = ["rules"]
            process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
            let errors = Pipe()
            process.standardError = errors
            try process.run()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text)
        }
        #expect(status == 3 && text.contains("No space left on device"))
    }

    @Test("the documentation of the JSON names every key of the schema")
    func documentation() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: package.appendingPathComponent("Documentation/json.md"), encoding: .utf8)
        for key in try JSONSchema(named: "check.schema.json").properties {
            #expect(text.contains("`\(key)`"), "\(key)")
        }
    }
}
