import BelayArguments
import BelayCertificates
import BelayTLS
import BelayTrust

/// How to get there and who to be: the options of a connection.
struct ConnectionOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Dial here, whatever the host, redirects' too, and keep the URL's name; curl's ::host:port means the same.",
            valueName: "host:port"),
        transform: ConnectTo.endpoint)
    var connectTo: TLSEndpoint?
    @Option(
        help: ArgumentHelp(
            "Expect this name in the certificate instead of the URL's: the safe way to connect by address.",
            valueName: "name"),
        transform: { text in try ServerName(text) })
    var expectName: ServerName?
    @Option(
        help: ArgumentHelp(
            "The client identity to show when asked: PKCS#12, JKS, JCEKS, BKS, or PEM with key and certificates; or the "
                + "pkcs11: URI of a private key on a token.",
            valueName: "file|uri")
    )
    var identity: String?
    @Option(
        help: ArgumentHelp(
            "The certificate of a key on a token, and its chain; from the token unless said otherwise.",
            valueName: "file"))
    var identityCertificate: String?
    @OptionGroup var token: TokenOptions
    @Option(
        help: ArgumentHelp(
            "Which identity of the file is meant: its alias or friendly name, or the certificate's subject.",
            valueName: "name"))
    var identityName: String?
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var keyPassphrase: KeyPassphraseOptions
    @Option(
        help: ArgumentHelp(
            "The most seconds for each phase (resolving, connecting, handshake); 15 unless said otherwise.",
            valueName: "seconds"),
        transform: seconds)
    var timeout: Double?

    func validate() throws {
        let dependent =
            passphrase.source.words.first ?? keyPassphrase.source.words.first
            ?? identityName.map { _ in "--identity-name" }
        if let option = dependent, identity == nil {
            throw ValidationError("'\(option)' means nothing without '--identity'")
        }
        let uri = try TokenOptions.uri(identity)
        try token.check(uri, for: "--identity", pin: passphrase.source)
        if uri == nil, identityCertificate != nil {
            throw ValidationError("'--identity-certificate' means nothing without '--identity pkcs11:…'")
        }
        if uri != nil, let option = keyPassphrase.source.words.first ?? identityName.map({ _ in "--identity-name" }) {
            throw ValidationError("'\(option)' is for files; a pkcs11: URI names the one key that it means")
        }
    }

    /// The limits of the phases.
    var timeouts: TLSTimeouts {
        var timeouts = TLSTimeouts(all: .milliseconds(Int64((timeout ?? 15) * 1_000)))
        timeouts.close = .seconds(1)
        return timeouts
    }

    /// The files that are read, for ``StandardInput/checkOnce(_:)``.
    var files: [String] {
        [identity.flatMap { PKCS11URI.isOne($0) ? nil : $0 }, identityCertificate].compactMap(\.self)
            + passphrase.source.files + keyPassphrase.source.files
    }

    /// The options as a command line has them.
    var words: [String] {
        var words: [String] = []
        if let connectTo { words += ["--connect-to", "\(connectTo)"] }
        if let expectName { words += ["--expect-name", "\(expectName)"] }
        if let identity { words += ["--identity", identity] }
        if let identityCertificate { words += ["--identity-certificate", identityCertificate] }
        words += token.words
        if let identityName { words += ["--identity-name", identityName] }
        words += passphrase.source.words + keyPassphrase.source.words
        if let timeout { words += ["--timeout", "\(timeout)"] }
        return words
    }

    /// Reads the identity; nil where none is given. What a server will probably object to is said before anything is sent.
    ///
    /// - Throws: ``InputError``, or an `ExitCode` where the question for a passphrase was interrupted.
    func readIdentity(_ console: Console) throws -> GivenIdentity? {
        guard let identity else { return nil }
        let read =
            if let uri = try TokenOptions.uri(identity) {
                try token.identity(uri, certificates: identityCertificate, pin: passphrase.source)
            } else {
                try passphrase.source.identity(
                    identity, for: "--identity", named: identityName, keyPassphrase: keyPassphrase.source.read())
            }
        let given: GivenIdentity
        do throws(TLSIdentityError) {
            given = GivenIdentity(
                file: printable(identity), identity: read,
                forTLS: try TLSIdentity(certificates: read.certificates.map(\.der), privateKey: read.privateKey))
        } catch {
            throw InputError(
                message: "\(printable(identity)): \(error)",
                remedy: "Give '--identity' a certificate and key that OpenSSL can use for TLS.")
        }
        given.warn(given.findings, console)
        return given
    }

    static func seconds(_ text: String) throws -> Double {
        guard let value = Double(argument: text), value >= 0.001, value <= 86_400 else {
            throw ValidationError("expected seconds from 0.001 to 86400")
        }
        return value
    }
}

/// The identity of `--identity`.
struct GivenIdentity: Sendable {
    /// The file or URI, as it is called in messages.
    let file: String
    let identity: Identity
    let forTLS: TLSIdentity
    /// What a server will probably object to, or, once it has named the issuers that it accepts, has objected to.
    private(set) var findings: [Finding]

    init(file: String, identity: Identity, forTLS: TLSIdentity) {
        self.file = file
        self.identity = identity
        self.forTLS = forTLS
        findings = identity.preflight()
    }

    /// Says what a server will object to, or has objected to; notes are not worth a line.
    fileprivate func warn(_ findings: [Finding], _ console: Console) {
        let warnings = findings.filter { $0.severity > .note }
        guard !warnings.isEmpty else { return }
        console.note(
            "\(file): the server will probably object to this identity:\n"
                + FindingText.text(warnings, console.forNotes))
    }

    /// The same, once a server that got to see it has named the issuers that it accepts; says so where none fits. A server that
    /// names none accepts all.
    func compared(with issuers: [[UInt8]], _ console: Console) -> GivenIdentity {
        let names = issuers.compactMap { try? DistinguishedName(der: $0) }
        guard !names.isEmpty else { return self }
        var compared = self
        compared.findings = identity.preflight(acceptableIssuers: names)
        let known = Set(findings)
        warn(compared.findings.filter { !known.contains($0) }, console)
        return compared
    }
}

extension PassphraseSource {
    /// Reads an identity, and asks on the terminal for the passphrase that it needs.
    func identity(
        _ path: String, for option: String, named name: String? = nil, keyPassphrase: Secret? = nil
    ) throws -> Identity {
        do {
            // Read once: standard input has no second time.
            var bytes: [UInt8]
            do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: StandardInput.path(path)) } catch {
                throw IdentityFileError(file: StandardInput.path(path), problem: .unreadable(error))
            }
            defer { bytes.wipe() }
            return try open(
                path, needsPassphrase: \IdentityFileError.problem.needsPassphrase,
                isWrongPassphrase: \IdentityFileError.problem.isWrongPassphrase
            ) {
                (passphrase) throws(IdentityFileError) in
                do throws(IdentityError) {
                    return try Identity(bytes: bytes, passphrase: passphrase, keyPassphrase: keyPassphrase, named: name)
                } catch {
                    throw IdentityFileError(file: StandardInput.path(path), problem: error)
                }
            }
        } catch let error as IdentityFileError {
            throw InputError.identity(error)
        }
    }
}

extension IdentityError {
    /// Whether it was tried with another passphrase than its own.
    var isWrongPassphrase: Bool {
        switch self {
        case .keyStore(.wrongPassphrase), .privateKey(.wrongPassphrase): true
        default: false
        }
    }

    /// Whether it was opened without the passphrase that it needs.
    var needsPassphrase: Bool {
        switch self {
        case .keyStore(.passphraseNeeded), .privateKey(.passphraseNeeded): true
        default: false
        }
    }
}
