import BelayCertificates
import BelayLint
import BelayTrust

/// A report of the linter for people: file by file the findings, what holds for which hosts, and what App Review will ask.
struct LintText {
    private let report: LintReport
    private let console: Console
    private var style: Style { console.style }

    init(_ report: LintReport, _ console: Console) {
        self.report = report
        self.console = console
    }

    /// What holds where nothing is said.
    private static let defaults = Linter().lint(Array("<plist><dict/></plist>".utf8), file: "").policies

    var text: String { (report.files.map(text) + [summary]).joined(separator: "\n\n") }

    private func text(_ file: LintedFile) -> String {
        var blocks = [style.bold(printable(file.file))]
        blocks += file.findings.map(text)
        // Bundles have property lists that say nothing of connections: frameworks, storyboards, the archive itself.
        let isDefault = report.files.count > 1 && file.findings.isEmpty && file.policies == Self.defaults
        if isDefault { blocks.append("  nothing found; the defaults hold") }
        if !isDefault, !file.policies.isEmpty { blocks.append(table(file.policies)) }
        if file.findings.isEmpty, file.policies.isEmpty { blocks.append("  nothing found") }
        if !file.justifications.isEmpty { blocks.append(justifications(file.justifications)) }
        return blocks.joined(separator: "\n")
    }

    private func text(_ finding: LintFinding) -> String {
        let place = finding.line.map { "\($0)" + (finding.column.map { ":\($0)" } ?? "") } ?? ""
        let severity = style.severity(finding.severity, Layout.pad(finding.severity.rawValue, 9))
        let path = finding.keyPath.map(printable).joined(separator: " › ")
        var lines = [
            severity + style.bold(finding.rule.identifier) + (place.isEmpty ? "" : "  \(place)")
                + (path.isEmpty ? "" : "  " + style.dim(Text.short(path, 200)))
        ]
        lines.append(wrap(Text.short(finding.message, 600)))
        lines.append(wrap(finding.meaning, "means"))
        lines.append(wrap(finding.fix, "fix"))
        return lines.joined(separator: "\n")
    }

    private func wrap(_ text: String, _ name: String = "") -> String {
        guard !name.isEmpty else { return Layout.wrap(text, indent: 9, columns: console.columns) }
        return Layout.wrap(
            text, indent: 16, first: "         " + style.dim(Layout.pad(name, 7)), columns: console.columns)
    }

    // MARK: Effective policy by domain

    private func table(_ policies: [EffectivePolicy]) -> String {
        let rows = policies.map { policy in
            [
                Text.short(printable(policy.hosts), 48) + (policy.coversSubdomains ? " and below" : ""),
                policy.allowsHTTP ? "allowed" : "refused",
                policy.minimumTLSVersion.map { "\($0)" } ?? "system's",
                policy.requiresForwardSecrecy ? "required" : "not required",
                policy.isTrustRelaxed ? "app may loosen" : "system's",
                policy.pins.map { $0 == 0 ? "nothing matches" : "\($0)" } ?? "–",
            ]
        }
        let titles = ["effective policy", "http", "TLS from", "forward secrecy", "trust", "pins"]
        let widths = titles.indices.map { column in ([titles] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let text = zip(cells, widths).map { Layout.pad($0, $1) }.joined(separator: "  ")
            return "  " + String(text.reversed().drop { $0 == " " }.reversed())
        }
        return ([style.dim(line(titles))] + rows.map(line)).joined(separator: "\n")
    }

    // MARK: App Review

    private func justifications(_ justifications: [ReviewJustification]) -> String {
        var lines = ["  App Review asks for a justification; drafts to complete:"]
        for justification in justifications {
            lines.append("  " + style.dim(justification.keyPath.map(printable).joined(separator: " › ")))
            lines.append(Layout.wrap(printable(justification.draft), indent: 4, columns: console.columns))
        }
        return lines.joined(separator: "\n")
    }

    private var summary: String {
        let counts = Finding.Severity.allCases.reversed().map { severity in
            let count = report.count(severity)
            return style.severity(severity, "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")")
        }
        let left = report.baselined == 0 ? "" : "; \(report.baselined) of the baseline left out"
        return
            "\(counts.joined(separator: ", ")) in \(report.files.count) file\(report.files.count == 1 ? "" : "s")\(left)"
    }
}
