import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// Something that a configuration says and its author may not mean: a `Finding`, with the column and with what it means for a connection.
public struct LintFinding: Sendable, Hashable {
    /// The finding: rule, severity, file, key path, line, message and fix.
    public let finding: Finding
    /// The place in the file.
    public let position: PlistPosition
    /// What it means for the connections of the app, in a sentence.
    public let meaning: String

    /// The rule.
    public var rule: Rule { finding.rule }
    /// How grave it is.
    public var severity: Finding.Severity { finding.severity }
    /// What was noticed.
    public var message: String { finding.message }
    /// What to do.
    public var fix: String { finding.remedy }
    /// The file; for a member of an archive its path behind `!/`.
    public var file: String { if case .file(let file, _, _) = finding.place { file } else { "" } }
    /// The way to the value from the root of the file; elements of lists by their number from 0.
    public var keyPath: [String] { if case .file(_, let path, _) = finding.place { path } else { [] } }
    /// The line, from 1; nil in binary files.
    public var line: Int? { position.line }
    /// The last line of what it is about: a correction touches lines from ``line`` to this one only. nil in binary files.
    public internal(set) var endLine: Int?
    /// The column in characters, from 1; nil where it is not known.
    public var column: Int? { position.column }

    init(_ finding: Finding, at position: PlistPosition, meaning: String) {
        self.finding = finding
        self.position = position
        self.meaning = meaning
        endLine = position.line
    }
}

extension LintFinding: CustomStringConvertible {
    /// File, place, severity, rule and message in a line.
    public var description: String {
        "\(printable(file)):\(line.map { "\($0):" } ?? "")\(column.map { "\($0):" } ?? "") \(severity.rawValue): \(rule): \(message)"
    }
}
