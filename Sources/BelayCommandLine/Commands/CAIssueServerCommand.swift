import BelayArguments
import BelayCertificates
import BelayTrust

/// `belay ca issue server`: a server's certificate and key.
struct CAIssueServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Issue a server's certificate that today's iPhones accept, and print how to use it.",
        discussion: """
            Writes NAME.crt (the certificate, then those that the server has to send with it) and NAME.key, and prints the \
            lines for nginx and HAProxy, one-way and mutual. The certificate has alternative names, the purpose serverAuth, \
            SHA-256, and a lifetime that Apple's systems take: \(PrivateAuthority.usualDays) days unless asked otherwise, at most \
            \(PrivateAuthority.mostServerDays). The key has no passphrase, since servers start on their own, unless a new one is given.
            """,
        examples: [
            ("belay ca issue server api.example.com 192.0.2.1", "Names and addresses; the first names the files."),
            ("belay ca issue server '*.example.com' --key rsa2048 --out tls", "A wildcard with an RSA key, in ./tls."),
            ("belay ca issue server --csr server.csr", "For a request: its key and its names."),
        ])

    @Argument(help: "DNS names, wildcards and addresses; with --csr they replace the request's.") var name: [String] =
        []
    @OptionGroup var options: IssueOptions
    @OptionGroup(title: "Passphrases") var passphrase: PassphraseOptions
    @OptionGroup(title: "Passphrases") var newPassphrase: NewPassphraseOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        if name.isEmpty, options.csr == nil {
            throw ValidationError("give the server's name, or '--csr' with a request")
        }
        if options.csr != nil, let option = newPassphrase.source.words.first {
            throw ValidationError("'--csr' has no key to write; leave out '\(option)'")
        }
        for name in name { _ = try TypedName.host(name) }
        try CAInitCommand.check(options.days, atMost: PrivateAuthority.mostServerDays)
        try StandardInput.checkOnce(
            [options.csr].compactMap(\.self) + passphrase.source.files + newPassphrase.source.files)
    }

    func run() throws {
        let console = Console()
        try options.run(output, console) { try issue() }
    }

    private func issue() throws -> IssueReport {
        let names = try name.map { try TypedName.host($0) }
        let request = try options.request()
        let asked = request.map { $0.subjectAlternativeNames.lazy.compactMap(Self.host).first ?? "server" }
        let base = TypedName.file(names.first ?? asked ?? "server")
        let (certificateFile, keyFile) = ("\(base).crt", "\(base).key")
        try Self.checkWildcards(names.isEmpty ? request?.subjectAlternativeNames.compactMap(Self.host) ?? [] : names)
        try options.check([certificateFile] + (request == nil ? [keyFile] : []))
        let authority = try options.authority(passphrase.source)
        let chain: [Certificate]
        if let request {
            chain = try options.writing {
                let chain = try authority.issueServer(for: request, names: names, days: options.days)
                try write(chain, to: certificateFile)
                return chain
            }
        } else {
            let key = try PrivateKey.generate((options.key ?? .p256).specification)
            // Before the certificate is issued: the record shall hold none whose key is lost.
            let secret = newPassphrase.source.isGiven ? try newPassphrase.source.readNew(for: "the server's key") : nil
            let contents = try secret.map { Secret(text: try key.encryptedPKCS8PEM(passphrase: $0)) } ?? key.pkcs8PEM()
            chain = try options.writing {
                let chain = try authority.issueServer(names: names, days: options.days, key: key).certificates
                try FileWriting.write(contents, to: options.path(keyFile), replacing: options.force)
                try write(chain, to: certificateFile)
                return chain
            }
        }
        return IssueReport(
            kind: "server", chain: chain, authority: authority,
            files: IssueReport.Files(
                certificate: options.path(certificateFile), key: request == nil ? options.path(keyFile) : nil,
                pkcs12: nil),
            leftOut: names.isEmpty ? request.map(PrivateAuthority.namesLeftOut) ?? [] : [],
            usage: ServerLines(
                names: try chain[0].subjectAlternativeNames?.compactMap(Self.host) ?? names,
                certificate: options.path(certificateFile), key: request == nil ? options.path(keyFile) : nil,
                root: authority.rootFile, isKeyProtected: newPassphrase.source.isGiven))
    }

    /// Refuses wildcards over a public suffix: whoever had one could be every customer of a registry.
    private static func checkWildcards(_ names: [String]) throws(PrivateAuthorityError) {
        let suffixes = PublicSuffixList()
        for name in names where name.hasPrefix("*.") {
            let parent = String(name.dropFirst(2)).lowercased()
            guard parent.contains("."), suffixes.isPublicSuffix(parent) else { continue }
            throw .unacceptable(
                "'\(printable(name))' would be for every host of the public suffix '\(printable(parent))', below which strangers "
                    + "register their names (publicsuffix.org); browsers refuse such a wildcard. Name your own domain below "
                    + "it, as in *.example.\(printable(parent))")
        }
    }

    private func write(_ chain: [Certificate], to file: String) throws {
        try FileWriting.write(
            chain.map(\.pem).joined(), to: options.path(file), access: .everybody, replacing: options.force)
    }

    private static func host(_ name: GeneralName) -> String? {
        switch name {
        case .dns(let name): name
        case .ipAddress(let octets): IPAddress.text(octets)
        default: nil
        }
    }
}
