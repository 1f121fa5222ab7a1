import BelayLint
import BelayTrust
import Foundation
import TestSupport
import Testing

@Suite("Lint: reports")
struct ReportTests {
    private static let inside =
        Plist.yes("NSAllowsArbitraryLoads")
        + Plist.exceptions(Plist.entry("https://a.test", Plist.no("NSExceptionRequiresForwardSecrecy")))

    private var report: LintReport {
        LintReport(files: [
            Linter().lint(Array(Plist.infoPlist(Self.inside).utf8), file: "My App/Info.plist"),
            Linter().lint(Array("<plist>".utf8), file: "/abs/broken, 100%.plist"),
        ])
    }

    /// Fields and values that the schema of SARIF 2.1.0 demands (OASIS, sarif-schema-2.1.0.json), checked by hand.
    @Test("SARIF has the structure of 2.1.0")
    func sarif() throws {
        let data = try JSONEncoder().encode(SARIFLog(report, toolVersion: "1.2.3"))
        let log = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        #expect(Set(log.keys) == ["$schema", "version", "runs"])
        let runs = try #require(log["runs"] as? [[String: Any]])
        let run = try #require(runs.first)
        #expect(Set(run.keys).isSubset(of: ["tool", "results", "columnKind"]))
        #expect(["utf16CodeUnits", "unicodeCodePoints"].contains(run["columnKind"] as? String))
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "Belay")
        let rules = try #require(driver["rules"] as? [[String: Any]])
        let identifiers = rules.compactMap { $0["id"] as? String }
        #expect(Set(identifiers).count == rules.count)
        for rule in rules {
            #expect(((rule["shortDescription"] as? [String: Any])?["text"] as? String)?.isEmpty == false)
            let level = (rule["defaultConfiguration"] as? [String: Any])?["level"] as? String
            #expect(["none", "note", "warning", "error"].contains(level))
        }
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.count == report.findings.count && !results.isEmpty)
        for (result, finding) in zip(results, report.findings) {
            #expect(!result.values.contains { $0 is NSNull })
            let identifier = try #require(result["ruleId"] as? String)
            #expect(identifiers[try #require(result["ruleIndex"] as? Int)] == identifier)
            #expect(result["level"] as? String == finding.severity.rawValue)
            #expect(((result["message"] as? [String: Any])?["text"] as? String)?.contains(finding.message) == true)
            let location = try #require((result["locations"] as? [[String: Any]])?.first)
            let physical = try #require(location["physicalLocation"] as? [String: Any])
            let region = try #require(physical["region"] as? [String: Any])
            #expect((region["startLine"] as? Int ?? 0) >= 1 && region["startLine"] as? Int == finding.line)
            let uri = try #require((physical["artifactLocation"] as? [String: Any])?["uri"] as? String)
            #expect(["My%20App/Info.plist", "file:///abs/broken%2C%20100%25.plist"].contains(uri))
            #expect(URL(string: uri) != nil)
            let prints = try #require(result["partialFingerprints"] as? [String: String])
            #expect(prints.count == 1)
        }
        let prints = results.compactMap { ($0["partialFingerprints"] as? [String: String])?.values.first }
        #expect(Set(prints).count == results.count)
    }

    @Test("annotations of GitHub steer no terminal, whatever keys and files are called")
    func terminal() throws {
        let plist = "{ NSAppTransportSecurity = { \"a\\U001b]0;x\\U0007\\U009b\\U202e\\n::error::b\" = 1; }; }"
        let linted = Linter().lint(Array(plist.utf8), file: "\u{1B}[31m\nInfo.plist")
        let text = GitHubAnnotations.text(LintReport(files: [linted]))
        #expect(
            text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{202E}" }, "\(text)")
        #expect(text.contains("file=\\u{1b}[31m\\u{a}Info.plist,"))
        #expect(
            text.contains("::NSAppTransportSecurity/a\\u{1b}]0;x\\u{7}\\u{9b}\\u{202e}\\u{a}::error::b: "), "\(text)")
        #expect(linted.findings.allSatisfy { $0.description.hasPrefix("\\u{1b}[31m\\u{a}Info.plist:") })
    }

    @Test("annotations of GitHub name file, line and column, and escape what would end them")
    func github() throws {
        let lines = GitHubAnnotations.text(report).split(separator: "\n")
        #expect(lines.count == report.findings.count)
        #expect(
            lines.first?.hasPrefix("::warning file=My App/Info.plist,line=6,col=1,title=lint.arbitrary-loads::") == true
        )
        #expect(lines.last?.hasPrefix("::error file=/abs/broken%2C 100%25.plist,line=1") == true)
    }

    @Test("a baseline leaves out what it has, and nothing that is new, wherever lines move")
    func baseline() throws {
        let known = try LintBaseline(json: Array(JSONEncoder().encode(report)))
        var same = report
        same.leaveOut(known)
        #expect(same.findings.isEmpty && same.baselined == report.findings.count)

        let more = "\n\n" + Self.inside + Plist.yes("NSAllowsArbitraryLoadsForMedia")
        var changed = LintReport(files: [
            Linter().lint(Array(Plist.infoPlist(more).utf8), file: "My App/Info.plist")
        ])
        changed.leaveOut(known)
        let rules = changed.findings.map(\.rule.identifier)
        #expect(rules.sorted() == ["lint.arbitrary-loads-ignored", "lint.media-loads", "lint.review-justification"])

        var other = LintReport(files: [
            Linter().lint(Array(Plist.infoPlist(Self.inside).utf8), file: "Other/Info.plist")
        ])
        other.leaveOut(known)
        #expect(other.baselined == 0)
        #expect(throws: LintBaselineError.self) { try LintBaseline(json: Array("{}".utf8)) }
        #expect(throws: LintBaselineError.self) { try LintBaseline(json: Array("no".utf8)) }
    }

    @Test("a report fails on the severity that is asked for, and on graver ones")
    func failing() {
        #expect(report.fails(on: .error) && report.fails(on: .note))
        let notes = LintReport(files: [Plist.lint(Plist.yes("NSAllowsLocalNetworking"))])
        #expect(!notes.fails(on: .error) && !notes.fails(on: .warning) && notes.fails(on: .note))
    }
}

@Suite("Lint: folders and archives")
struct LintInputTests {
    private static let places = [
        "Payload/App.app/Info.plist", "Payload/App.app/PlugIns/Share.appex/Info.plist",
        "Payload/App.app/Watch/Watch.app/Info.plist",
    ]

    private func tree() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for place in Self.places + ["Payload/App.app/Other.plist", "Payload/App.app/node_modules/x/Info.plist"] {
            let directory = folder((place as NSString).deletingLastPathComponent)
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try folder.write(place, Plist.infoPlist(Plist.yes("NSAllowsArbitraryLoads")))
        }
        return folder
    }

    @Test("in a folder every Info.plist is found, those of extensions and watch apps included")
    func folders() throws {
        let folder = try tree()
        let names = try LintInput().documents(in: folder.path).map(\.name)
        #expect(Set(names) == Set(Self.places.map { folder($0) }) && names.count == 3)
    }

    @Test("so it is in an archive, whoever packed it")
    func archives() throws {
        let folder = try tree()
        let archive = folder("App.ipa")
        try Tool.succeed("python3", ["-m", "zipfile", "-c", archive, folder("Payload")])
        let documents = try LintInput().documents(in: archive)
        let names = documents.map { $0.name.replacingOccurrences(of: archive + "!/", with: "") }
        #expect(Set(names).isSuperset(of: Self.places))
        #expect(documents.allSatisfy { Linter().lint($0.bytes, file: $0.name).findings.count == 1 })
    }

    @Test("an archive cannot make the linter read without end")
    func bomb() throws {
        let folder = try TemporaryFolder()
        try folder.write("Info.plist", [UInt8](repeating: 0x20, count: 3 * 1_048_576))
        let archive = folder("bomb.zip")
        try Tool.succeed("python3", ["-m", "zipfile", "-c", archive, folder("Info.plist")])
        var input = LintInput()
        input.bytes = 1_048_576
        #expect(throws: LintInputError.self) { try input.documents(in: archive) }
    }

    @Test("an archive that is damaged is said to be")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("App.ipa", [0x50, 0x4B, 0x03, 0x04, 1, 2, 3])
        #expect(throws: LintInputError.self) { try LintInput().documents(in: file) }
    }

    @Test("where there is no Info.plist that is an error, and no clean result")
    func nothing() throws {
        let folder = try TemporaryFolder()
        #expect(throws: LintInputError.self) { try LintInput().documents(in: folder.path) }
        #expect(throws: LintInputError.self) { try LintInput().documents(in: folder("missing")) }
    }
}
