import BelayLaboratory
import BelayTLS
import BelayTrust

/// What `belay lab` says: the files, the servers, and how to try them.
struct LabReport: Encodable {
    let folder: String
    let files: [File]
    let servers: [Server]

    /// A file.
    struct File: Encodable {
        let path: String
        let purpose: String
    }

    /// A server.
    struct Server: Encodable {
        let id: String
        let summary: String
        let expected: String
        let host: String
        let address: String
        /// A command line that tries it, argument by argument.
        let check: [String]
    }

    init(_ laboratory: Laboratory, _ files: LaboratoryFiles) {
        folder = files.folder
        self.files = files.files.map { File(path: $0.path, purpose: $0.purpose) }
        servers = laboratory.servers.map { server in
            Server(
                id: server.kind.id, summary: server.kind.summary, expected: Self.expected(server.kind),
                host: server.host, address: server.address.description, check: Self.check(server, files))
        }
    }

    /// For people.
    ///
    /// - Parameter isTemporary: whether the files go away at the end.
    func text(_ console: Console, isTemporary: Bool) -> String {
        let style = console.style
        var lines = [style.bold("Files") + " in \(folder)" + (isTemporary ? ", until the laboratory stops" : "")]
        let names = files.map { String($0.path.dropFirst(folder.count + 1)) }
        let width = (names.map(\.count).max() ?? 0) + 2
        for (name, file) in zip(names, files) {
            lines.append("  " + Layout.pad(name, width) + style.dim(file.purpose))
        }
        let intro =
            "Behind each arrow is what 'belay check' says with --anchor anchors.pem --no-system-anchors, and with the option "
            + "named there; all else is as usual: TLS 1.2 or newer, forward secrecy, a valid chain, the right name."
        lines += ["", style.bold("Servers"), Layout.wrap(intro, indent: 2, columns: console.columns)]
        let idWidth = (servers.map(\.id.count).max() ?? 0) + 2
        for server in servers {
            lines.append("  \(style.bold(Layout.pad(server.id, idWidth)))\(server.address)  \(server.host)")
            lines.append(
                Layout.wrap(
                    "\(server.summary) → \(server.expected)", indent: 4, first: "    ", columns: console.columns))
        }
        lines += ["", style.bold("Try")]
        for id in Self.examples {
            guard let server = servers.first(where: { $0.id == id }) else { continue }
            lines.append("  " + style.dim("# \(id): \(server.expected)"))
            lines.append("  " + ShellText.line(server.check))
            if id == "one-way" {
                lines.append("  " + style.dim("# \(id), asked for a page: it answers what it saw"))
                lines.append("  " + ShellText.line(server.check.map { $0 == "check" ? "get" : $0 }))
            }
            if id == "one-way", let pins = files.first(where: { $0.path.hasSuffix("/one-way.pins") }) {
                lines.append("  " + style.dim("# \(id), its key pinned: accepted"))
                lines.append("  " + ShellText.line(server.check + ["--pins", pins.path]))
            }
        }
        lines += ["", "Running; interrupt (Ctrl-C) to stop."]
        return lines.joined(separator: "\n")
    }

    /// The servers whose command lines are printed.
    private static let examples = [
        "one-way", "expired", "wrong-name", "situation-j", "without-key", "mutual-tls", "tls-1-0", "plain-http",
    ]

    /// What the command line below says of a server: `check` judges what a server showed before the handshake failed.
    private static func expected(_ kind: LaboratoryServer.Kind) -> String {
        switch (kind, kind.expectation) {
        case (.situation(let letter), _):
            let row = PolicyTable.expected.table.first {
                $0.pinning == .publicKey && !$0.allowInvalidCertificates && $0.validatesDomainName
            }
            return (row?.accept[letter] == true ? "accepted" : "refused")
                + " with --pins \(LaboratoryFiles.pinned(letter))"
        case (.pinnedAppendedToSelfSigned, _):
            return "refused: pin.mismatch with --pins \(LaboratoryFiles.pinned(.a)); refused without pins too"
        case (.pinnedAppendedToPublic, _):
            return "refused: pin.mismatch with --pins \(LaboratoryFiles.pinned(.a)); accepted without pins"
        case (_, .noConnection(.version)): return "refused: tls.version"
        case (_, .noConnection(.keyMissing)): return "refused: tls.key-not-proven"
        case (_, .noConnection(.unreadableCertificate)): return "refused: der.malformed"
        default: return kind.expectation.description
        }
    }

    private static func check(_ server: LaboratoryServer, _ files: LaboratoryFiles) -> [String] {
        var words = [
            "belay", "check", "https://\(server.host)", "--connect-to", server.address.description,
            "--no-system-anchors", "--anchor", files.path(LaboratoryFiles.anchors),
        ]
        switch server.kind {
        case .situation(let letter): words += ["--pins", files.path(LaboratoryFiles.pinned(letter))]
        case .pinnedAppendedToSelfSigned, .pinnedAppendedToPublic:
            words += ["--pins", files.path(LaboratoryFiles.pinned(.a))]
        case .mutual, .mutualTLS12, .mutualWithoutIssuers, .identityRequested:
            words += [
                "--identity", files.path(LaboratoryFiles.clientPKCS12), "--passphrase-file",
                files.path(LaboratoryFiles.clientPassphrase),
            ]
        case .silent, .hangs: words += ["--timeout", "2"]
        default: break
        }
        return words
    }
}
