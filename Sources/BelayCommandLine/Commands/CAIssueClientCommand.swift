import BelayArguments
import BelayCertificates

/// `belay ca issue client`: a client's identity.
struct CAIssueClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Issue a client's identity as PKCS#12, and print how to use it.",
        discussion: """
            Writes NAME.p12: the key, the certificate, and those between it and the root, encrypted with a new passphrase \
            that is asked for twice or given. iPhones want one that is not empty. '--legacy' writes the encryption that old \
            systems need: iOS and macOS before 2022, Windows before 1809, Java before 8u301. With '--csr' only the \
            certificate is written, as NAME.crt: the key stays where it is.
            """,
        examples: [
            ("belay ca issue client ada", "ada.p12; the passphrase is asked for twice."),
            (
                "belay ca issue client 'Test phone 7' --new-passphrase-file p12.txt --legacy",
                "For an old system, without questions."
            ),
            ("belay ca issue client ada --csr ada.csr", "For a request."),
        ])

    @Argument(help: "The client's name.") var name: String
    @Option(help: ArgumentHelp("An e-mail address among its names.", valueName: "address")) var email: String?
    @Flag(help: "Encrypt for old systems: Triple DES and SHA-1.") var legacy = false
    @OptionGroup var options: IssueOptions
    @OptionGroup(title: "Passphrases") var passphrase: PassphraseOptions
    @OptionGroup(title: "Passphrases") var newPassphrase: NewPassphraseOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        if let email {
            guard email.contains("@"), email.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw ValidationError("'\(printable(email))' is no e-mail address")
            }
        }
        try CAInitCommand.check(options.days, atMost: CAInitCommand.longest)
        if options.csr != nil, let option = newPassphrase.source.words.first ?? (legacy ? "--legacy" : nil) {
            throw ValidationError("'--csr' has no key to write; leave out '\(option)'")
        }
        try StandardInput.checkOnce(
            [options.csr].compactMap(\.self) + passphrase.source.files + newPassphrase.source.files)
    }

    func run() throws {
        let console = Console()
        try options.run(output, console) { try issue(console) }
    }

    private func issue(_ console: Console) throws -> IssueReport {
        let request = try options.request()
        let file = TypedName.file(name) + (request == nil ? ".p12" : ".crt")
        try options.check([file])
        let authority = try options.authority(passphrase.source)
        let path = options.path(file)
        let chain: [Certificate]
        if let request {
            chain = try options.writing {
                let chain = try authority.issueClient(for: request, named: name, email: email, days: options.days)
                try FileWriting.write(
                    chain.map(\.pem).joined(), to: path, access: .everybody, replacing: options.force)
                return chain
            }
        } else {
            let secret = try newPassphrase.source.readNewForPKCS12(file, console)
            let key = try PrivateKey.generate((options.key ?? .p256).specification)
            chain = try options.writing {
                let identity = try authority.issueClient(named: name, email: email, days: options.days, key: key)
                try FileWriting.write(
                    try identity.pkcs12(legacy ? .legacy(secret) : .modern(secret), friendlyName: name), to: path,
                    access: .owner, replacing: options.force)
                return identity.certificates
            }
        }
        return IssueReport(
            kind: "client", chain: chain, authority: authority,
            files: IssueReport.Files(
                certificate: request == nil ? nil : path, key: nil, pkcs12: request == nil ? path : nil),
            leftOut: request?.subjectAlternativeNames.filter { $0 != email.map(GeneralName.email) } ?? [], usage: nil)
    }
}
