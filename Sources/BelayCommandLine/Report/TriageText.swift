import BelayCertificates

/// A triage for people.
struct TriageText {
    private let report: TriageReport
    private let console: Console

    init(_ report: TriageReport, _ console: Console) {
        self.report = report
        self.console = console
    }

    var text: String {
        guard !report.files.isEmpty else { return "There are no files." }
        let files = report.files.map { file in
            let title = printable(file.file) + (file.format.map { ": \($0)" } ?? "")
            let lines = file.pieces.map { line(words($0), indent: 2) }
            let problem = file.problem.map { [line(console.style.bad($0), indent: 2)] } ?? []
            return ([console.style.bold(title)] + lines + problem + [line(use(file), indent: 2, first: "  → ")])
                .joined(separator: "\n")
        }
        let connections = report.connections.map { connection in
            let needs = connection.anchors + (connection.identity.map { [$0] } ?? [])
            let title = connection.kind == "mutual" ? "Mutual TLS" : "One-way TLS"
            let list =
                needs.isEmpty
                ? "nothing of these; the machine's own anchors must do" : needs.map(printable).joined(separator: ", ")
            return console.style.bold(title) + ": \(list)\n  " + connection.command
        }
        return (files + connections).joined(separator: "\n\n")
    }

    private func line(_ text: String, indent: Int, first: String? = nil) -> String {
        Layout.wrap(
            text, indent: indent + 2, first: first ?? String(repeating: " ", count: indent), columns: console.columns)
    }

    private func words(_ piece: TriageReport.Piece) -> String {
        var parts = [name(of: FileTriage.Role(rawValue: piece.role) ?? .other)]
        if let subject = piece.subject { parts.append(Text.short(subject, 200)) }
        if let days = piece.daysLeft, let end = piece.notAfter {
            parts.append(days < 0 ? console.style.bad("expired on \(end)") : "until \(end)")
        }
        if let issuer = piece.issuedBy { parts.append("issued by what is in \(printable(issuer))") }
        if let file = piece.keyOf { parts.append("its certificate is in \(printable(file))") }
        if let file = piece.sameAs { parts.append("the same as in \(printable(file))") }
        return parts.joined(separator: ", ")
    }

    private func name(of role: FileTriage.Role) -> String {
        switch role {
        case .root: "root certificate of an authority"
        case .intermediate: "intermediate certificate of an authority"
        case .server: "certificate of a server"
        case .client: "certificate of a client, without its key"
        case .leaf: "certificate that says not what it is for"
        case .serverIdentity: "certificate of a server with its private key"
        case .clientIdentity: "identity of a client"
        case .identity: "identity"
        case .authorityIdentity: "certificate of an authority with its private key"
        case .privateKey: "private key"
        case .serverKey: "private key of a server"
        case .authorityKey: "private key of an authority"
        case .closedKey: "private key, closed"
        case .mismatch: "private key of another certificate"
        case .request: "certificate signing request"
        case .revocationList: "revocation list"
        case .other: "something else"
        }
    }

    private func use(_ file: TriageReport.File) -> String {
        let hasExpired = file.pieces.first { $0.daysLeft != nil }.map { ($0.daysLeft ?? 0) < 0 } ?? false
        let use = FileTriage.Use(rawValue: file.use) ?? .nothing
        if hasExpired, [.anchor, .identity, .pin, .chain].contains(use) {
            return console.style.bad("of no use any more: it has expired. Ask for a new one")
        }
        switch use {
        case .anchor:
            return "for the app: trust this authority (--anchor). Without it no server that it issued for is trusted"
        case .identity: return "for the app, where the server asks who it is: the client's identity (--identity)"
        case .pin:
            return "to pin this server, by key or by certificate (--pins); not needed where its authority is trusted"
        case .chain: return "for whoever is missing a link: servers and identities should bring it themselves"
        case .identityKey:
            return
                "for the app together with its certificate: make one file of both with 'belay cert convert --to pkcs12'"
        case .secretOfOthers:
            return console.style.bad(
                "not for an app: a private key of a server or an authority. Tell whoever sent it; it should be replaced"
            )
        case .loneKey:
            return
                "of no use without its certificate, which is not here; if it is a server's, it is not for an app and should be replaced"
        case .damaged: return "ask for it again"
        case .closed: return "open it first: give its passphrase with '--passphrase-file FILE'"
        case .duplicate: return "not needed: another file holds the same"
        case .nothing: return "not needed by an app"
        }
    }
}
