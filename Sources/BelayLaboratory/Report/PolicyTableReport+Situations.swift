import BelayCertificates
import BelayTLS
import BelayTrust

extension PolicyTableReport {
    /// Each situation: what it is, its chain, and the verdicts with their reasons.
    var situationSection: HTML {
        """
        <section>
        <h2>The situations</h2>
        \(run.situations.map(situation))
        </section>
        """
    }

    private func situation(_ situation: Situation) -> HTML {
        let letter = situation.letter
        let cells = settings.compactMap { run.cell($0, letter) }
        let drawing = ChainDrawing(situation, authorities: run.authorities, at: run.moment)
        let accepted = cells.count { $0.measured == true }
        let attack: HTML = letter.isAttack ? "<span class=\"tag fault\">an attacker answers</span>" : ""
        return """
            <article id="\(letter.rawValue)">
            <h3><span class="letter">\(letter.rawValue)</span> \(title(letter))</h3>
            <p>\(letter.explanation) \(attack)</p>
            <p class="asked">The app asks for <b>\(situation.host)</b> \(connection(cells)) </p>
            \(chain(drawing))
            \(searches(cells))
            <details class="answers"><summary>Accepted by \(accepted) of \(cells.count) policies</summary>
            \(cells.map(verdict))
            </details>
            </article>
            """
    }

    /// The summary without the word that the tag says already.
    private func title(_ letter: Situation.Letter) -> String {
        let text = letter.summary.hasPrefix("attacker: ") ? String(letter.summary.dropFirst(10)) : letter.summary
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private func connection(_ cells: [PolicyTableCell]) -> HTML {
        guard let evidence = cells.lazy.compactMap(\.evidence).first else { return "" }
        return "and is answered over \(evidence.version.description) (\(evidence.cipherSuite.name))."
    }

    // MARK: The chain

    private func chain(_ drawing: ChainDrawing) -> HTML {
        let nodes = drawing.nodes.map { node -> HTML in "<li>\(box(node))\(edge(node))</li>" }
        let pin: HTML =
            drawing.absentPin.map { node in
                """
                <div class="absent"><p>The pinned certificate, which the server does not present:</p>\(box(node))</div>
                """
            } ?? ""
        return """
            <ol class="chain" aria-label="The chain, leaf first">\(nodes)</ol>
            \(pin)
            """
    }

    private func box(_ node: ChainDrawing.Node) -> HTML {
        let marks = node.marks.map { mark -> HTML in
            let kind: HTML =
                switch mark {
                case .pinned, .pinnedKey: "pin"
                case .anchor: "anchor"
                case .selfSigned, .notSent: "quiet"
                case .expired, .wrongName, .noAuthority: "fault"
                }
            return "<li class=\"tag \(kind)\">\(icon(mark))\(mark.text)</li>"
        }
        let isFaulty = node.marks.contains(where: \.isFault)
        let kind: HTML = node.marks.contains(.notSent) ? " unsent" : ""
        let fault: HTML = isFaulty ? " faulty" : ""
        let hosts: HTML =
            node.hosts.isEmpty || node.hosts == [node.name]
            ? "" : "<p class=\"fact\">for \(node.hosts.joined(separator: ", "))</p>"
        let end = CivilTime.text(node.certificate.validity.notAfter).prefix(10)
        return """
            <div class="box\(kind)\(fault)">
            <p class="role">\(node.role.rawValue)</p>
            <p class="name">\(node.name)</p>
            <p class="fact">\(node.certificate.publicKey.description), <span>until \(String(end))</span></p>\(hosts)\
            <p class="fact digest" title="SHA-256 of the key">\(node.certificate.pin.description)</p>
            \(marks.isEmpty ? "" : "<ul class=\"marks\">\(marks)</ul>" as HTML)
            </div>
            """
    }

    private func edge(_ node: ChainDrawing.Node) -> HTML {
        switch node.edge {
        case .genuine?: "<div class=\"edge\">\(ReportIcon.arrow)<span>issued by</span></div>"
        case .forged?:
            "<div class=\"edge forged\">\(ReportIcon.brokenArrow)<span>signed by, without the right to</span></div>"
        case nil: ""
        }
    }

    private func icon(_ mark: ChainDrawing.Mark) -> HTML {
        switch mark {
        case .pinned, .pinnedKey: ReportIcon.pin
        case .anchor: ReportIcon.anchor
        case .expired, .wrongName, .noAuthority: ReportIcon.cross
        case .selfSigned, .notSent: ""
        }
    }

    // MARK: Verdicts

    private func verdict(_ cell: PolicyTableCell) -> HTML {
        """
        <details><summary>\(answer(cell)) <span class="setting">\(cell.setting.modeText), \(cell.setting.validityText), \
        \(cell.setting.nameText)</span></summary>
        <div class="reasons" id="\(anchor(cell))">\(reasons(cell))</div></details>

        """
    }

    private func reasons(_ cell: PolicyTableCell) -> HTML {
        guard let verdict = cell.verdict else {
            return "<p>There was no connection: \(cell.error?.description ?? "the reason is not known")</p>"
        }
        let before: HTML =
            if case .refusedBeforeConnecting = cell.outcome {
                "<p>Refused before anything was sent: the policy refuses every server.</p>"
            } else {
                ""
            }
        let findings = verdict.findings.map(finding)
        let nothing: HTML = findings.isEmpty ? "<p>Nothing to remark: \(verdict.result.words).</p>" : ""
        return """
            \(before)<p class="result">Result: <code>\(verdict.result.rawValue)</code></p>\(nothing)
            \(findings.isEmpty ? "" : "<ul class=\"findings\">\(findings)</ul>" as HTML)
            """
    }

    private func finding(_ finding: Finding) -> HTML {
        let place: HTML =
            finding.depth.map { depth in
                "<span class=\"place\">\(depth == 0 ? "leaf" : "certificate \(depth)")</span>"
            } ?? ""
        let kind: HTML = finding.severity == .error ? "fault" : finding.severity == .warning ? "warn" : "quiet"
        let expected: HTML = finding.expected.map { "<dt>expected</dt><dd>\(lines($0))</dd>" } ?? ""
        let found: HTML = finding.found.map { "<dt>found</dt><dd>\(lines($0))</dd>" } ?? ""
        return """
            <li><p><span class="tag \(kind)">\(finding.severity.rawValue)</span> <code>\(finding.rule.identifier)</code> \
            \(place)</p><p>\(finding.message.sentence)</p><dl>\(expected)\(found)<dt>do</dt><dd>\(finding.remedy)</dd></dl></li>
            """
    }

    /// The lines of a text, one below the other.
    private func lines(_ text: String) -> [HTML] {
        text.split(separator: "\n").map { line in "<span class=\"line\">\(String(line))</span>" }
    }
}

extension TrustResult {
    fileprivate var words: String {
        switch self {
        case .unspecified: "the chain is valid and the policy agrees"
        case .proceed: "accepted because the policy allows it"
        case .deny, .recoverableTrustFailure, .fatalTrustFailure, .invalid: "refused"
        }
    }
}
