import BelayLint
import BelayTrust
import Foundation
import Testing

/// Property lists of real apps, and what a linter has to say about each. They are not part of this project: they are read from a folder
/// beside the checkout, or from the one that `BELAY_CASES` names.
enum PublishedPlists {
    struct Row: CustomTestStringConvertible, Sendable {
        let file: String
        let expected: [Expectation]
        var testDescription: String { file }
    }

    /// A finding that must be there: severity, place, and by its text the rules that may report it.
    struct Expectation: Sendable {
        let severity: Finding.Severity
        let path: String
        let text: String
    }

    static let folder: String = {
        if let named = ProcessInfo.processInfo.environment["BELAY_CASES"] { return named + "/plists" }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.appendingPathComponent("../shared/cases/plists").standardized.path
    }()

    static var arePresent: Bool { FileManager.default.fileExists(atPath: folder + "/index.tsv") }

    static let rows: [Row] = {
        guard let text = try? String(contentsOfFile: folder + "/index.tsv", encoding: .utf8) else { return [] }
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 8 else { return nil }
            return Row(file: fields[0], expected: fields[7].components(separatedBy: " || ").compactMap(expectation))
        }
    }()

    private static func expectation(_ text: String) -> Expectation? {
        // "(+1 more)" stands where a list was cut.
        guard !text.hasPrefix("(+"), let space = text.firstIndex(of: " "),
            let severity = Finding.Severity(rawValue: String(text[..<space])),
            let colon = text.range(of: ": ", range: space..<text.endIndex)
        else { return nil }
        return Expectation(
            severity: severity, path: String(text[text.index(after: space)..<colon.lowerBound]),
            text: String(text[colon.upperBound...]))
    }

    static func report(_ row: Row) throws -> LintedFile {
        let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(row.file)")))
        return Linter().lint(bytes, file: row.file)
    }

    /// The way to a finding as the index writes it.
    static func path(_ finding: LintFinding) -> String {
        if finding.rule.identifier == "lint.unreadable", finding.keyPath.isEmpty { return "file" }
        var path = finding.keyPath
        if path.count > 1, path.first == "NSAppTransportSecurity" { path.removeFirst() }
        if let index = path.last, Int(index) != nil, path.count > 1 {
            return path.dropLast().joined(separator: "/") + "[\(index)]"
        }
        return path.joined(separator: "/")
    }

    /// The rules that a text of the index stands for, by its beginning.
    static let rules: [(beginning: String, rules: [String])] = [
        ("element without a key", ["lint.unreadable"]), ("mismatched tag", ["lint.unreadable"]),
        ("not well-formed", ["lint.unreadable"]),
        ("global key in", ["ats.misplaced-key"]), ("key occurs twice", ["ats.duplicate-key"]),
        ("must be a Boolean", ["ats.wrong-type"]), ("must be an array", ["ats.wrong-type"]),
        ("must be a dictionary with", ["ats.pin-malformed"]), ("no valid digest", ["ats.pins-nothing"]),
        ("not a key; use", ["ats.unknown-key"]), ("not at the top level", ["ats.not-at-top-level"]),
        ("remove the port", ["ats.domain-key"]), ("unknown key", ["ats.unknown-key"]),
        ("App Review justification", ["lint.review-justification"]), ("CIDR keys", ["lint.address-key"]),
        ("IP address keys", ["lint.address-key"]), ("covers exactly one", ["lint.pinned-one-label"]),
        ("empty", ["lint.empty"]), ("equals the default", ["lint.equals-default"]),
        ("local host is exempt", ["lint.local-host"]), ("local hosts are exempt", ["lint.local-networking"]),
        ("no effect for IP", ["lint.address-subdomains"]), ("placeholder domain", ["lint.placeholder-domain"]),
        ("single pin", ["lint.single-pin"]), ("strict entry", ["lint.strict-entry"]),
        ("ATS off for every host", ["lint.arbitrary-loads"]), ("ATS off for web content", ["lint.web-content"]),
        ("ATS off for media", ["lint.media-loads"]), ("TLSv1.", ["lint.old-tls-version"]),
        ("cleartext HTTP allowed", ["lint.cleartext-allowed"]), ("duplicate digest", ["lint.duplicate-pin"]),
        ("forward secrecy and", ["lint.no-forward-secrecy"]), ("ignored on iOS 10+", ["lint.arbitrary-loads-ignored"]),
        ("legacy key", ["ats.legacy-key"]), ("only legacy keys", ["lint.only-legacy-keys"]),
        ("public suffix or shared", ["lint.shared-domain"]),
    ]

    /// Where the index has no finding and the specification has: it wants a note of every value that equals the default, and in this
    /// file forward secrecy is required in so many words.
    static let differences = ["085.plist": ["lint.equals-default"]]

    static func rules(of expectation: Expectation) -> [String] {
        rules.first { expectation.text.hasPrefix($0.beginning) }?.rules ?? []
    }
}

@Suite("Property lists of real apps")
struct PublishedPlistTests {
    @Test("they are there when continuous integration runs, and their absence is reported elsewhere")
    func arePresent() {
        if ProcessInfo.processInfo.environment["CI"] == "true" {
            #expect(PublishedPlists.arePresent, "no property lists in \(PublishedPlists.folder)")
        } else if !PublishedPlists.arePresent {
            print("property lists of real apps: not run, \(PublishedPlists.folder) does not exist")
        }
    }

    @Test(
        "everything that is wrong with one is found, at its place and in its gravity", arguments: PublishedPlists.rows)
    func expectations(_ row: PublishedPlists.Row) throws {
        let report = try PublishedPlists.report(row)
        for expectation in row.expected where expectation.text != "no finding" {
            let rules = PublishedPlists.rules(of: expectation)
            #expect(!rules.isEmpty, "no rule for: \(expectation.text)")
            let isFound = report.findings.contains { finding in
                finding.severity == expectation.severity && rules.contains(finding.rule.identifier)
                    && PublishedPlists.path(finding) == expectation.path
            }
            #expect(isFound, "\(expectation)\n\(report.findings.map(\.description).joined(separator: "\n"))")
        }
        if row.expected.contains(where: { $0.text == "no finding" }) {
            #expect(report.findings.map(\.rule.identifier) == PublishedPlists.differences[row.file] ?? [])
        }
    }

    @Test("every finding in a property list of text has a line, a meaning and a fix", arguments: PublishedPlists.rows)
    func places(_ row: PublishedPlists.Row) throws {
        for finding in try PublishedPlists.report(row).findings {
            #expect(finding.line != nil, "\(finding)")
            #expect(!finding.meaning.isEmpty && !finding.fix.isEmpty)
            // What is not well-formed has its line alone.
            #expect(finding.column != nil || finding.rule.identifier == "lint.unreadable", "\(finding)")
        }
    }
}
