import BelayTrust

extension PolicyTableReport {
    /// The table of settings and situations.
    var tableSection: HTML {
        let columns = run.situations.map { situation -> HTML in
            let letter = situation.letter
            let attacker: HTML =
                letter.isAttack ? "\(ReportIcon.warning)<span class=\"hidden\">, an attacker answers</span>" : ""
            return """
                <th scope="col"><a href="#\(letter.rawValue)" title="\(letter.summary)">\(letter.rawValue)\(attacker)</a></th>
                """
        }
        let groups = [SecurityPolicy.PinningMode.none, .publicKey, .certificate].map { mode -> HTML in
            let rows = settings.filter { $0.pinning == mode }
            guard let first = rows.first else { return "" }
            return """
                <tbody>
                <tr class="group"><th scope="rowgroup" colspan="\(run.situations.count + 1)">\(title(first))</th></tr>
                \(rows.map(row))
                </tbody>
                """
        }
        return """
            <section>
            <h2>The table</h2>
            <p class="legend"><span class="entry"><span class="key yes">✓</span> accepted</span>\
            <span class="entry"><span class="key no">✗</span> refused</span>\
            <span class="entry"><span class="key">\(ReportIcon.warning)</span> an attacker answers</span>\
            <span class="entry"><span class="key yes attack">✓\(ReportIcon.warning)</span> the attacker is let in</span></p>
            <p class="legend">Choose a letter for the situation, a mark for the reasons.</p>
            <div class="scroll"><table class="matrix">
            <caption class="hidden">For each setting (row) and situation (column) whether the server is accepted</caption>
            <thead><tr><td></td>\(columns)</tr></thead>
            \(groups)
            </table></div>
            </section>
            """
    }

    private func title(_ setting: PolicySetting) -> String {
        switch setting.pinning {
        case .none: "No pins"
        case .publicKey: "A key is pinned"
        case .certificate: "A certificate is pinned"
        }
    }

    private func row(_ setting: PolicySetting) -> HTML {
        let cells = run.situations.map { situation -> HTML in
            guard let cell = run.cell(setting, situation.letter) else { return "<td></td>" }
            return matrixCell(cell)
        }
        return """
            <tr><th scope="row"><span>\(setting.validityText),</span> <span>\(setting.nameText)</span></th>\(cells)</tr>

            """
    }

    private func matrixCell(_ cell: PolicyTableCell) -> HTML {
        let isAccepted = cell.measured == true
        let mark = cell.measured == nil ? "!" : isAccepted ? "✓" : "✗"
        let kind: HTML = isAccepted ? "yes" : "no"
        let attack: HTML = cell.situation.isAttack ? " attack" : ""
        let differs: HTML = cell.isAsExpected ? "" : " differs"
        let warning = isAccepted && cell.situation.isAttack ? ReportIcon.warning : ""
        let words = (isAccepted ? "accepted" : "refused") + (cell.isAsExpected ? "" : ", not as expected")
        return """
            <td class="\(kind)\(attack)\(differs)"><a href="#\(anchor(cell))"><span aria-hidden="true">\(mark)\(warning)</span>\
            <span class="hidden">\(cell.situation.rawValue) \(words)</span></a></td>
            """
    }

    /// The place of a cell's reasons in the page.
    func anchor(_ cell: PolicyTableCell) -> String {
        "\(cell.situation.rawValue)-\(settings.firstIndex(of: cell.setting) ?? 0)"
    }
}

extension Situation.Letter {
    /// Whether an attacker answers in it.
    var isAttack: Bool { summary.hasPrefix("attacker") }
}
