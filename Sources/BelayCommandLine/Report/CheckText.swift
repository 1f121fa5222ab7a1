import BelayCertificates
import BelayTLS
import BelayTrust

/// The answer of `belay check` for people: the verdict first, then the story.
struct CheckText {
    let report: CheckReport
    let console: Console

    private var style: Style { console.style }
    private var policy: SecurityPolicy { report.policy }

    var text: String {
        guard !report.isCleartext else {
            let headline = "\(style.warning("allowed"))  \(style.bold(report.url)): \(VerdictText.cleartext)"
            return headline + "\n\n" + FindingText.text(report.verdict.findings, console)
        }
        var blocks = [
            VerdictText.headline(report.verdict, of: report.url, policy: policy, style: style), facts,
        ]
        if let path = report.path, !path.elements.isEmpty { blocks.append(path.text(style)) }
        let findings = report.verdict.findings + policy.weaknesses
        if !findings.isEmpty { blocks.append(FindingText.text(findings, console, isMomentGiven: report.isMomentGiven)) }
        if report.verdict.findings.contains(where: { $0.rule.identifier == "pin.mismatch" }) {
            let pins = PinsText(verdict: report.verdict, policy: policy, style: style)
            let words = ["belay", report.command, report.url] + report.words + ["--pins", "FILE"]
            blocks.append("\(pins.text)\n\n  \(ShellText.line(words))")
        }
        if let story = report.verdict.explanation { blocks.append(ExplanationText(story, style: style).text) }
        return blocks.joined(separator: "\n\n")
    }

    private var facts: String {
        var rows = [
            ("demanded", "\(report.requirements)\n\(PolicyText(policy).summary)")
        ]
        if let decision = report.decision { rows.append(("by plist", decision.text)) }
        if let evidence = report.examination?.evidence ?? report.evidence {
            var negotiated =
                "\(evidence.version), \(evidence.cipherSuite)"
                + (evidence.keyExchangeGroup.map { ", \(printable($0))" } ?? "") + ", with \(evidence.peerAddress)"
            if report.examination?.failure != nil {
                negotiated +=
                    "\nin a second handshake that offered everything, to explain the refusal; nothing was sent"
            }
            rows.append(("negotiated", negotiated))
            if let examination = report.examination, let request = examination.certificateRequest {
                rows.append(("client", client(request, examination)))
            }
        }
        return rows.map { name, value in
            Layout.wrap(
                value, indent: 12, first: style.dim(Layout.pad(name, 12)), columns: console.columns)
        }.joined(separator: "\n")
    }

    private func client(_ request: ClientCertificateRequest, _ examination: TLSExamination) -> String {
        let issuers = request.acceptableIssuers.map(issuerText)
        let asked =
            "the server asked for a certificate"
            + (issuers.isEmpty ? "" : " of " + Text.list(issuers, limit: 3, separator: " or "))
        if examination.withheldIdentity { return "\(asked); none was sent, because the server is not trusted" }
        if examination.ending != nil { return "\(asked); none was given, and the server ended the connection" }
        let sent = examination.sentClientCertificate ? "one was sent" : "none was sent"
        let answer =
            switch examination.confirmation {
            case .accepted, .notNeeded: "and the server went on"
            case .unknown: "and the server has not said whether it accepts that"
            }
        return "\(asked); \(sent), \(answer)"
    }
}
