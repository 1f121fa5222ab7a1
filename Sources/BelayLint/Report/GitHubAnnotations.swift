import BelayCertificates
import BelayTrust

/// A report as workflow commands of GitHub Actions, which show findings beside the lines of a change.
public enum GitHubAnnotations {
    /// A command for each finding, each in a line.
    public static func text(_ report: LintReport) -> String { report.findings.map(line).joined(separator: "\n") }

    private static func line(_ finding: LintFinding) -> String {
        let command =
            switch finding.severity {
            case .error: "error"
            case .warning: "warning"
            case .note: "notice"
            }
        var properties = ["file=\(property(printable(finding.file)))"]
        if let line = finding.line {
            properties.append("line=\(line)")
            if let column = finding.column { properties.append("col=\(column)") }
        }
        properties.append("title=\(property(finding.rule.identifier))")
        let place = finding.keyPath.isEmpty ? "" : finding.keyPath.map(printable).joined(separator: "/") + ": "
        let message = "\(place)\(sentence(finding.message)) \(finding.meaning) \(finding.fix)"
        return "::\(command) \(properties.joined(separator: ","))::\(data(message))"
    }

    /// The message of a command: what would end it is escaped.
    private static func data(_ text: String) -> String { escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A"]) }

    /// A property of a command: so is what separates properties.
    private static func property(_ text: String) -> String {
        escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
    }

    /// A log of a workflow is read in terminals too.
    private static func escaped(_ text: String, _ table: [Unicode.Scalar: String]) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            result += table[scalar] ?? printable(String(scalar))
        }
        return result
    }
}
