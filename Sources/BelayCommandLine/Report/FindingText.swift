import BelayCertificates
import BelayTrust

/// Findings for people: rule, what was noticed, what was expected and found, and what to do.
enum FindingText {
    /// All of them, the gravest first as they come; notes are short.
    ///
    /// - Parameter isMomentGiven: whether the moment that was judged came from `--time`.
    static func text(_ findings: [Finding], _ console: Console, isMomentGiven: Bool = false) -> String {
        findings.map { text($0, console, isMomentGiven) }.joined(separator: "\n")
    }

    private static func text(_ finding: Finding, _ console: Console, _ isMomentGiven: Bool) -> String {
        let style = console.style
        let severity = style.severity(finding.severity, Layout.pad(finding.severity.rawValue, 9))
        var lines = [severity + style.bold(finding.rule.identifier) + style.dim(printable(place(finding)))]
        lines.append(wrap(short(finding.message), "", console))
        if finding.severity != .note, finding.rule.identifier != "pin.mismatch" {
            // What the message says already need not be said again.
            for (name, value) in [("expected", finding.expected), ("found", finding.found)] {
                guard let value, !finding.message.contains(value) else { continue }
                lines.append(wrap(short(value), name, console))
            }
        }
        let remedy = OptionHint.remedy(of: finding, isMomentGiven: isMomentGiven)
        lines.append(
            wrap(remedy.split(separator: "\n").map { printable(String($0)) }.joined(separator: "\n"), "do", console))
        return lines.joined(separator: "\n")
    }

    /// Where it is, as it stands in the file: keys and names of files come from outside.
    private static func place(_ finding: Finding) -> String {
        switch finding.place {
        case .certificate(let depth, let subject):
            "  " + (depth == 0 ? "leaf" : "certificate \(depth)")
                + (subject.isEmpty ? "" : " \(Text.short(subject, 60))")
        case .file(let file, let keyPath, let line):
            "  " + ([file] + (line.map { ["line \($0)"] } ?? []) + keyPath).joined(separator: ", ")
        case .whole: ""
        }
    }

    private static func wrap(_ text: String, _ name: String, _ console: Console) -> String {
        guard !name.isEmpty else { return Layout.wrap(text, indent: 9, columns: console.columns) }
        let first = "         " + console.style.dim(Layout.pad(name, 12))
        return Layout.wrap(text, indent: 21, first: first, columns: console.columns)
    }

    /// Lines that steer no terminal. A hostile certificate has thousands of names; JSON has all of them.
    private static func short(_ text: String) -> String {
        let lines = text.split(separator: "\n").map(String.init)
        let shown = lines.prefix(12).map { Text.short(printable($0), 400) }
        return (shown + (lines.count > 12 ? ["and \(lines.count - 12) more"] : [])).joined(separator: "\n")
    }
}
