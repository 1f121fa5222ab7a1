import Foundation
import TestSupport
import Testing

@Suite("belay lint")
struct CommandTests {
    private func file(_ inside: String) throws -> (TemporaryFolder, String) {
        let folder = try TemporaryFolder()
        return (folder, try folder.write("Info.plist", Plist.infoPlist(inside)))
    }

    @Test(
        "the status follows --fail-on",
        arguments: [("error", 0), ("warning", 1), ("note", 1)] as [(String, Int32)])
    func failOn(_ severity: String, _ status: Int32) async throws {
        let (folder, file) = try file(Plist.yes("NSAllowsArbitraryLoads"))
        defer { folder.remove() }
        #expect(try await Program.run("lint", file, "--fail-on", severity).status == status)
    }

    @Test("JSON says that a baseline or certificates cannot be read", arguments: ["--baseline", "--certificates"])
    func unreadable(option: String) async throws {
        let (folder, file) = try file(Plist.yes("NSAllowsArbitraryLoads"))
        defer { folder.remove() }
        let run = try await Program.run("lint", file, option, folder("nosuch"), "--format", "json")
        let json = try run.json()
        #expect(run.status == 3 && run.errors.contains("nosuch") && (json["files"] as? [Any])?.isEmpty == true)
        let error = try #require(json["error"] as? [String: Any])
        #expect(error["phase"] as? String == "input" && (error["message"] as? String)?.contains("nosuch") == true)
        #expect((error["remedy"] as? String)?.contains(option) == true)
        #expect(try await Program.run("lint", file, option, folder("nosuch")).output.isEmpty)
    }

    @Test("by default errors fail, and people see place, meaning, fix, the table and the drafts")
    func text() async throws {
        let (folder, file) = try file(
            Plist.exceptions(
                Plist.entry(
                    "a.test", Plist.yes("NSExceptionAllowsInsecureHTTPLoads") + Plist.yes("NSIncludeSubdomains"))))
        defer { folder.remove() }
        let run = try await Program.run("lint", file)
        #expect(run.status == 1)
        for part in ["ats.unknown-key  6:", "did you mean", "means", "fix", "effective policy", "App Review"] {
            #expect(run.output.contains(part), "\(part)\n\(run.output)")
        }
    }

    @Test("standard input is read, and JSON has every documented field")
    func json() async throws {
        let run = try await Program.run(
            ["lint", "-", "--format", "json"], input: Plist.infoPlist(Plist.no("NSAllowsArbitraryLoads")))
        let report = try run.json()
        #expect(run.status == 0 && report["notes"] as? Int == 1 && report["error"] is NSNull)
        let files = try #require(report["files"] as? [[String: Any]])
        #expect(Set(files[0].keys) == ["file", "readable", "findings", "justifications", "policies"])
        let findings = try #require(files[0]["findings"] as? [[String: Any]])
        #expect(
            Set(findings[0].keys) == [
                "rule", "severity", "file", "keyPath", "line", "endLine", "column", "message", "meaning", "expected",
                "found",
                "remedy", "source",
            ])
    }

    @Test("what an earlier report has is left out with --baseline")
    func baseline() async throws {
        let (folder, file) = try file(Plist.text("NSAllowsArbitraryLoads", "YES"))
        defer { folder.remove() }
        let first = try await Program.run("lint", file, "--format", "json")
        #expect(first.status == 1)
        let known = try folder.write("known.json", first.output)
        let second = try await Program.run("lint", file, "--format", "json", "--baseline", known, "--fail-on", "note")
        #expect(second.status == 0)
        #expect(try second.json()["baselined"] as? Int == 1)
        #expect(try await Program.run("lint", file, "--baseline", file).status == 3)
    }

    @Test("what cannot be read ends with 3, findings with 1 before it, wrong use with 2")
    func statuses() async throws {
        let (folder, file) = try file(Plist.text("NSAllowsArbitraryLoads", "YES"))
        defer { folder.remove() }
        let missing = folder("missing.plist")
        let run = try await Program.run("lint", missing)
        #expect(run.status == 3 && run.errors.contains("missing.plist"))
        #expect(try await Program.run("lint", missing, file).status == 1)
        #expect(try await Program.run("lint").status == 2)
        #expect(try await Program.run("lint", file, "--format", "xml").status == 2)
        let broken = try folder.write("broken.plist", "<plist><dict>")
        #expect(try await Program.run("lint", broken).status == 1)
    }

    @Test("SARIF and annotations come out whole")
    func formats() async throws {
        let (folder, file) = try file(Plist.yes("NSAllowsArbitraryLoads"))
        defer { folder.remove() }
        #expect(try await Program.run("lint", file, "--format", "sarif").json()["version"] as? String == "2.1.0")
        #expect(try await Program.run("lint", file, "--format", "github").output.hasPrefix("::warning file="))
    }
}
