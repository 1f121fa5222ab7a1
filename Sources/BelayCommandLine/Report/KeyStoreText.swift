import BelayCertificates

/// A key store for people.
struct KeyStoreText {
    private let report: KeyStoreReport
    private let console: Console

    init(_ report: KeyStoreReport, _ console: Console) {
        self.report = report
        self.console = console
    }

    var text: String {
        let title = "\(printable(report.file)): \(report.format), \(report.byteCount) bytes"
        var lines = [console.style.bold(title + (report.encoding.map { ", \($0)" } ?? ""))]
        lines.append(row("integrity", integrity))
        lines += report.protections.map { row($0.part, text(of: $0)) }
        if !report.isOpen {
            lines.append(row("contents", "closed: give the passphrase to see what is in it"))
        }
        for (index, entry) in report.entries.enumerated() { lines.append(row("entry \(index + 1)", text(of: entry))) }
        if report.isOpen, report.entries.isEmpty { lines.append(row("contents", "nothing")) }
        lines += report.gaps.map { row("missing", console.style.bad(text(of: $0))) }
        lines += supportLines
        return lines.joined(separator: "\n")
    }

    private func row(_ name: String, _ value: String) -> String {
        // A long name has a line of its own.
        let width = 18
        guard name.count <= width else {
            return "  " + console.style.dim(name) + "\n"
                + Layout.wrap(
                    value, indent: width + 2, first: String(repeating: " ", count: width + 2), columns: console.columns)
        }
        return Layout.wrap(
            value, indent: width + 2, first: "  " + console.style.dim(Layout.pad(name, width)),
            columns: console.columns)
    }

    private var integrity: String {
        let code = report.integrity
        let details = [code.rounds.map { "\($0) rounds" }, code.saltBytes.map { "\($0) bytes of salt" }]
            .compactMap(\.self).joined(separator: ", ")
        let name = (code.code ?? "") + (details.isEmpty ? "" : " (\(details))")
        switch code.state {
        case "verified": return "\(name): right, nobody changed the file"
        case "unchecked": return "\(name): not checked, since no passphrase was given"
        default:
            return report.format == "PKCS#12" ? console.style.bad("none: nothing shows whether it was changed") : "none"
        }
    }

    private func text(of protection: KeyStoreReport.Protection) -> String {
        guard let cipher = protection.cipher else { return "not encrypted" }
        let derivation = protection.derivation.map { ", \($0)" } ?? ""
        let legacy = protection.needsLegacyProvider ? "; needs OpenSSL's legacy provider" : ""
        return cipher + derivation + legacy
    }

    private func text(of entry: KeyStoreReport.Entry) -> String {
        let name = entry.name.map { " \"\(printable($0))\"" } ?? ""
        let date = entry.created.map { ", put in on \($0)" } ?? ""
        let what =
            switch entry.kind {
            case "identity": "private key (\(entry.key ?? "")) with its certificate"
            case "private-key", "mismatch": "private key (\(entry.key ?? ""))"
            case "closed-key": "private key, closed"
            case "trusted-certificate": "certificate, marked as trusted"
            case "certificate": "certificate"
            case "malformed": "certificate that cannot be read"
            case "revocation-list": "revocation list"
            default: entry.problem ?? "something else"
            }
        var lines = [what + name + date]
        if let problem = entry.problem, entry.kind != "other" { lines.append(console.style.bad(problem)) }
        lines += entry.certificates.map { certificate in
            let state =
                certificate.daysLeft < 0
                ? console.style.bad("expired on \(certificate.notAfter)")
                : "until \(certificate.notAfter)"
            return "\(Text.short(certificate.subject, 200)), \(state), pin sha256/\(certificate.pin)"
        }
        return lines.joined(separator: "\n")
    }

    private func text(of gap: KeyStoreReport.Gap) -> String {
        let consequence =
            gap.isLeaf
            ? "servers that know only the root will refuse the identity. Add the issuer's certificate"
            : "fine where the other side has it"
        return
            "the issuer of \(Text.short(gap.certificate, 200)), \(Text.short(gap.missingIssuer, 200)): \(consequence)"
    }

    private var supportLines: [String] {
        guard !report.support.isEmpty else { return [] }
        return ["  " + console.style.dim("opened by")]
            + report.support.map { support in
                let reason = support.reason.map { " (\($0))" } ?? ""
                let answer =
                    switch support.answer {
                    case "opens": console.style.good("yes")
                    case "refuses": console.style.bad("no")
                    default: "unclear"
                    }
                return Layout.wrap(
                    "\(answer)\(reason)", indent: 42, first: "    " + Layout.pad(support.system, 38),
                    columns: console.columns)
            }
    }
}
