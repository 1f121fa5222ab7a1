import BelayLaboratory
import BelayTrust

/// A measured policy table for terminals.
struct PolicyTableText {
    let run: PolicyTableRun
    let duration: Duration

    init(_ run: PolicyTableRun, duration: Duration) {
        self.run = run
        self.duration = duration
    }

    /// The table, the situations, and the sum of it.
    func text(_ console: Console) -> String {
        let style = console.style
        var lines = [
            style.bold("Twelve policies meet fourteen servers, over real TLS connections."),
            "\(style.good("✓")) accepted   \(style.bad("✗")) refused   \(style.warning("≠")) not as expected", "",
        ]
        lines += table(style)
        lines.append("")
        for letter in Situation.Letter.allCases {
            lines.append(
                Layout.wrap(
                    letter.summary, indent: 3, first: style.bold(letter.rawValue) + "  ", columns: console.columns))
        }
        lines.append("")
        lines += summary(console)
        return lines.joined(separator: "\n")
    }

    private static let labelWidth = 32

    private func table(_ style: Style) -> [String] {
        let letters = Situation.Letter.allCases
        var lines = [Layout.pad("", Self.labelWidth) + letters.map { style.bold($0.rawValue) }.joined(separator: " ")]
        var mode: SecurityPolicy.PinningMode?
        for setting in PolicySetting.all {
            if setting.pinning != mode {
                mode = setting.pinning
                lines.append(style.bold("pinning \(setting.pinning.rawValue)"))
            }
            let label =
                "  \(setting.allowInvalidCertificates ? "invalid allowed" : "valid only"), "
                + (setting.validatesDomainName ? "name checked" : "any name")
            let cells = letters.map { letter in run.cell(setting, letter).map { mark($0, style) } ?? " " }
            lines.append(Layout.pad(label, Self.labelWidth) + cells.joined(separator: " "))
        }
        lines.append(style.bold("an empty pin set, with each of the settings that pin"))
        lines.append(
            Layout.pad("  situation A", Self.labelWidth)
                + run.emptyPinCells.map { mark($0, style) }.joined(separator: " "))
        return lines
    }

    private func mark(_ cell: PolicyTableCell, _ style: Style) -> String {
        guard cell.isAsExpected else { return style.warning("≠") }
        return cell.measured == true ? style.good("✓") : style.bad("✗")
    }

    private func summary(_ console: Console) -> [String] {
        let style = console.style
        let total = run.cells.count
        let right = total - run.differences.count
        let connections = run.cells.count { $0.evidence != nil }
        let sent = run.cells.filter { $0.measured == false }.reduce(0) { $0 + $1.applicationBytes }
        let (seconds, attoseconds) = duration.components
        let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
        let verdict =
            right == total
            ? style.good("\(right) of \(total) answers are as expected.")
            : style.bad("\(total - right) of \(total) answers are not as expected.")
        let details =
            "\(connections) connections in \(tenths / 10).\(tenths % 10) s; \(total - connections) answers needed none, "
            + "because the policy refuses every server. \(sent) bytes of application data went to servers that were "
            + "refused."
        return [verdict, Layout.wrap(details, indent: 0, columns: console.columns)]
    }
}
