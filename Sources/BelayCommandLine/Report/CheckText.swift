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
        var blocks = [
            VerdictText.headline(report.verdict, of: report.url, policy: policy, style: style), facts,
        ]
        if let path = report.path, !path.elements.isEmpty {
            blocks.append(path.text(style))
        }
        let findings = report.verdict.findings + policy.weaknesses
        if !findings.isEmpty { blocks.append(FindingText.text(findings, console)) }
        if report.verdict.findings.contains(where: { $0.rule.identifier == "pin.mismatch" }) { blocks.append(pinFile) }
        return blocks.joined(separator: "\n\n")
    }

    private var facts: String {
        var rows = [
            ("demanded", "\(report.requirements)\n\(PolicyText(policy).summary)")
        ]
        if let examination = report.examination {
            let evidence = examination.evidence
            var negotiated =
                "\(evidence.version), \(evidence.cipherSuite)"
                + (evidence.keyExchangeGroup.map { ", \(printable($0))" } ?? "") + ", with \(evidence.peerAddress)"
            if examination.failure != nil {
                negotiated +=
                    "\nin a second handshake that offered everything, to explain the refusal; nothing was sent"
            }
            rows.append(("negotiated", negotiated))
            if let request = examination.certificateRequest { rows.append(("client", client(request, examination))) }
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
        let sent = examination.sentClientCertificate ? "one was sent" : "none was sent"
        let answer =
            switch examination.confirmation {
            case .accepted, .notNeeded: "and the server went on"
            case .unknown: "and the server has not said whether it accepts that"
            }
        return "\(asked); \(sent), \(answer)"
    }

    /// The pins of the path as lines of a pin file.
    private var pinFile: String {
        let pins = report.verdict.path.flatMap { ["# \($0.label)", "sha256/\($0.pin)"] }
        guard !pins.isEmpty else { return "" }
        return
            ([
                style.bold("What was served, as a pin file")
                    + style.dim("  (only if you know that this server is the right one)")
            ] + pins + ["", "belay check \(report.url) --pins FILE"]).joined(separator: "\n")
    }
}
