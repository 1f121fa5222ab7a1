import BelayArguments
import BelayCertificates
import BelayTrust

/// `belay csr`: a certificate signing request that keeps the key.
struct CSRCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "csr",
        abstract:
            "Make a certificate signing request from an existing key, so that the renewed certificate keeps its pin.",
        discussion: """
            A pin names a key. Whoever renews a certificate with a new key invalidates every pin of the old one; whoever \
            asks with the old key keeps them. So the key is taken from a file; '--new-key' makes one where that is meant. \
            With '--pins' the pins of an app are compared with the key: the status is 1 where none of them stays valid.

            The request goes to standard output unless '--out' names a file. Nothing is written over without '--force'.
            """,
        examples: [
            (
                "belay csr --key server.key --certificate server.crt --out server.csr",
                "Renew: the same key, the same names."
            ),
            ("belay csr --identity client.p12 --passphrase-file secret.txt", "Renew what is in a PKCS#12 file."),
            (
                "belay csr --key 'pkcs11:token=office;object=me' --certificate me.pem --passphrase-file pin.txt",
                "Renew for a key that stays on its token."
            ),
            ("belay csr --key server.key --san api.example.com --pins app.pins", "And compare with the app's pins."),
            (
                "belay csr --new-key p256 --key-out new.key --no-passphrase --san api.example.com --out new.csr",
                "A fresh key: the pins change."
            ),
        ])

    @Option(
        help: ArgumentHelp(
            "The key to ask for: PEM or DER, encrypted or not; or the pkcs11: URI of a private key on a token.",
            valueName: "file|uri"))
    var key: String?
    @Option(
        help: ArgumentHelp(
            "An identity whose key and names are taken: PKCS#12, or PEM with both; or the pkcs11: URI of one on a token.",
            valueName: "file|uri"))
    var identity: String?
    @OptionGroup var token: TokenOptions
    @Option(help: ArgumentHelp("Which identity of the file, where it holds several.", valueName: "name"))
    var identityName: String?
    @Option(help: "Make a new key of this kind.") var newKey: NewKey?
    @Option(help: ArgumentHelp("Where the new key goes.", valueName: "file")) var keyOut: String?
    @Flag(help: "Write the new key without a passphrase.") var noPassphrase = false
    @Option(help: ArgumentHelp("A certificate to renew: its names are taken.", valueName: "file"))
    var certificate: String?
    @Option(
        help: ArgumentHelp("Whom it shall name, as in CN=www.example.com,O=Example.", valueName: "name"),
        transform: { text in try DistinguishedName(text: text) })
    var subject: DistinguishedName?
    @Option(
        help: ArgumentHelp(
            "An alternative name: a host, an address, email:me@example.com; may be given again.", valueName: "name"),
        transform: { text in try TypedName.alternative(text) })
    var san: [GeneralName] = []
    @Option(help: ArgumentHelp("Where the request goes, in PEM; - for standard output.", valueName: "file")) var out:
        String?
    @Flag(help: "Replace files that are there.") var force = false
    @Option(help: ArgumentHelp("Pins to compare with the key; may be given again.", valueName: "file|folder"))
    var pins: [String] = []
    @OptionGroup(title: "Passphrases") var passphrase: PassphraseOptions
    @OptionGroup(title: "Passphrases") var keyPassphrase: KeyPassphraseOptions
    @OptionGroup(title: "Passphrases") var newPassphrase: NewPassphraseOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        guard [key != nil, identity != nil, newKey != nil].count(where: \.self) == 1 else {
            throw ValidationError("give one of '--key', '--identity' and '--new-key'")
        }
        guard (newKey != nil) == (keyOut != nil) else {
            throw ValidationError("'--new-key' and '--key-out FILE' belong together")
        }
        if newKey == nil, noPassphrase || newPassphrase.source.isGiven {
            throw ValidationError("'--no-passphrase' and '--new-passphrase-file' are for '--new-key'")
        }
        if noPassphrase, newPassphrase.source.isGiven {
            throw ValidationError("'--no-passphrase' contradicts '\(newPassphrase.source.words[0])'")
        }
        if identity == nil,
            let option = keyPassphrase.source.words.first ?? identityName.map({ _ in "--identity-name" })
        {
            throw ValidationError("'\(option)' means nothing without '--identity'")
        }
        let uri = try TokenOptions.uri(key ?? identity)
        try token.check(uri, for: "--key", pin: passphrase.source)
        if uri != nil, let option = keyPassphrase.source.words.first ?? identityName.map({ _ in "--identity-name" }) {
            throw ValidationError("'\(option)' is for files; a pkcs11: URI names the one key that it means")
        }
        if identity != nil, certificate != nil {
            throw ValidationError("'--identity' has a certificate of its own; leave out '--certificate'")
        }
        if newKey != nil, let option = passphrase.source.words.first {
            throw ValidationError("'\(option)' opens an old key; the new one's is '--new-passphrase-file'")
        }
        if subject == nil, san.isEmpty, identity == nil, certificate == nil {
            throw ValidationError("give '--subject' or '--san', or '--certificate' to take its names")
        }
        guard keyOut != "-" else {
            throw ValidationError("'--key-out -': a private key goes into a file; write './-' for one of that name")
        }
        try FilePlace.checkApart(
            written: [("--key-out", keyOut), ("--out", requestFile)],
            read: [("--key", uri == nil ? key : nil), ("--identity", uri == nil ? identity : nil)]
                + [("--certificate", certificate)]
                + pins.map { ("--pins", $0) })
        try StandardInput.checkOnce(
            [uri == nil ? key ?? identity : nil, certificate].compactMap(\.self) + pins + passphrase.source.files
                + keyPassphrase.source.files
                + newPassphrase.source.files)
    }

    /// The file of the request; nil for standard output.
    private var requestFile: String? { out == "-" ? nil : out }

    func run() throws {
        let console = Console()
        let out = requestFile
        let report: CSRReport
        var written: String?
        do {
            for file in [out, keyOut].compactMap(\.self) { try FileWriting.check(file, replacing: force) }
            let (key, old) = try readKey()
            let request = try makeRequest(key, old)
            let pinned = try readPins()
            if let keyOut {
                try writeKey(key, to: keyOut)
                written = keyOut
            }
            if let out { try FileWriting.write(request.pem, to: out, access: .everybody, replacing: force) }
            report = CSRReport(
                request: request, file: out, keyFile: keyOut, replacing: old, isNewKey: newKey != nil, pinned: pinned)
        } catch {
            throw try failure(error, written, console)
        }
        do {
            switch output.format {
            case .json: try console.printJSON(report)
            case .text:
                let text = CSRText(report: report, console: out == nil ? console.forNotes : console).text
                if out == nil {
                    try console.write(Array(report.request.utf8))
                    console.note(text)
                } else {
                    try console.print(text)
                }
            }
        } catch {
            // The request is lost then, and with the key it can be made again.
            if out == nil, let written { console.note(Self.hint(written)) }
            throw error
        }
        if report.pins?.contains(where: \.staysValid) == false { throw ExitStatus.refused }
    }

    /// Says what went wrong, in JSON too where that is asked for; returns what to throw.
    private func failure(_ error: any Error, _ written: String?, _ console: Console) throws -> any Error {
        let input: InputError
        switch error {
        case let error as InputError: input = error
        case let error as FileWritingError:
            input = InputError(
                message: error.problem == .exists ? "\(error): give '--force'" : "\(error)",
                remedy: error.problem == .exists
                    ? "Give '--force' to replace it." : "Give a place that you can write to.")
        case is PrivateKeyError: input = InputError(message: "\(error)", remedy: "Give another passphrase.")
        default: return error
        }
        if output.format == .json {
            try console.printJSON(Unmade<CSRReport.CodingKeys>(error: FailureReport(input)))
        }
        let code = console.fail(input.text)
        if let written { console.note(Self.hint(written)) }
        return code
    }

    private static func hint(_ key: String) -> String {
        "  The new key is written all the same. To make the request again: belay csr --key \(ShellText.quoted(key)) …"
    }

    /// The key, and the certificate that is renewed.
    private func readKey() throws -> (PrivateKey, Certificate?) {
        if let uri = try TokenOptions.uri(identity) {
            let read = try token.identity(
                uri, certificates: nil, pin: passphrase.source,
                withoutCertificate: "Give the URI to '--key', and the certificate to '--certificate FILE'.")
            return (read.privateKey, read.certificate)
        }
        if let identity {
            let read = try passphrase.source.identity(
                identity, for: "--identity", named: identityName, keyPassphrase: keyPassphrase.source.read())
            return (read.privateKey, read.certificate)
        }
        let old = try certificate.map { path in
            do throws(CertificateFileError) {
                let found = try Certificate.read(contentsOf: StandardInput.path(path))
                return found[0]
            } catch {
                throw InputError.certificates(error, for: "--certificate")
            }
        }
        if let uri = try TokenOptions.uri(key) {
            let key = try passphrase.source.onToken(uri) { (pin) throws(PKCS11Error) in
                try PrivateKey.onToken(uri, module: token.pkcs11Module, pin: pin)
            }
            return (key, old)
        }
        if let key { return (try passphrase.source.privateKey(key, for: "--key"), old) }
        return (try PrivateKey.generate((newKey ?? .p256).specification), old)
    }

    private func makeRequest(_ key: PrivateKey, _ old: Certificate?) throws -> CertificateRequest {
        do throws(IssuingError) {
            if let old, subject == nil, san.isEmpty {
                return try CertificateRequest.make(renewing: old, key: key)
            }
            let names = san.isEmpty ? (try? old?.subjectAlternativeNames) ?? [] : san
            let hosts = san.compactMap { if case .dns(let name) = $0 { name } else { nil } }
            let name =
                subject ?? old?.subject
                ?? DistinguishedName(commonName: hosts.first { $0.unicodeScalars.count <= 64 })
            return try CertificateRequest.make(
                subject: name,
                extensions: names.isEmpty ? [] : [.subjectAlternativeNames(names, isCritical: name.isEmpty)], key: key)
        } catch {
            throw InputError(message: "\(error)", remedy: "Give other names.")
        }
    }

    private func readPins() throws(InputError) -> PinSet? {
        guard !pins.isEmpty else { return nil }
        do throws(PinSetError) { return try PinSet.read(paths: pins.map(StandardInput.path)) } catch {
            throw .pins(error)
        }
    }

    private func writeKey(_ key: PrivateKey, to file: String) throws {
        let contents =
            noPassphrase
            ? try key.pkcs8PEM()
            : Secret(text: try key.encryptedPKCS8PEM(passphrase: newPassphrase.source.readNew(for: "the new key")))
        try FileWriting.write(contents, to: file, replacing: force)
    }
}

extension PassphraseSource {
    /// Reads a private key, and asks on the terminal for the passphrase that it needs.
    func privateKey(_ path: String, for option: String) throws -> PrivateKey {
        do {
            let file = StandardInput.path(path)
            var bytes: [UInt8]
            do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: file) } catch {
                throw PrivateKeyFileError(file: file, problem: .unreadable(error))
            }
            defer { bytes.wipe() }
            return try open(
                path, needsPassphrase: { (error: PrivateKeyFileError) in error.problem == .passphraseNeeded },
                isWrongPassphrase: { error in error.problem == .wrongPassphrase }
            ) { (passphrase) throws(PrivateKeyFileError) in
                do throws(PrivateKeyError) { return try PrivateKey(bytes: bytes, passphrase: passphrase) } catch {
                    throw PrivateKeyFileError(file: file, problem: error)
                }
            }
        } catch let error as PrivateKeyFileError {
            throw InputError(
                message: "\(error)",
                remedy: error.problem == .passphraseNeeded
                    ? "Give '\(prefix)-file FILE', '\(prefix)-fd N' or '\(prefix)-env NAME'."
                    : "Give '\(option)' a private key in PEM or DER.",
                isRemedyNews: error.problem == .passphraseNeeded)
        }
    }
}
