import BelayArguments
import BelayCertificates

/// `belay cert convert`: certificates and keys from one form into another.
struct CertConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert certificates, keys and key stores: PEM, DER, PKCS#7, PKCS#12, PKCS#8.",
        discussion: """
            Files are read by their content: PEM, DER, PKCS#12, JKS, JCEKS, BKS, PKCS#7, keys. Several make one: a key in one file finds \
            its certificate in another. The form of the output is told by '--to', else by its suffix: .pem .crt, .der .cer, .p7b .p7c, \
            .p12 .pfx, .p8 .pk8 .key. A private key is written encrypted with a new passphrase that is given or asked for twice, or \
            with '--no-passphrase' as it is; its file is its owner's alone. Nothing is written over without '--force'.
            """,
        examples: [
            ("belay cert convert client.p12 -o client.pem", "Key and chain in PEM, for servers and curl."),
            ("belay cert convert server.key server.crt chain.crt -o server.p12", "Three files into one identity."),
            ("belay cert convert store.jks --name alias -o client.p12", "One entry of a Java store."),
            ("belay cert convert chain.pem -o chain.p7b", "A bundle for Windows."),
            ("belay cert convert server.p12 --certificates-only -o chain.pem", "Without the key."),
        ])

    /// What can be written.
    enum Form: String, CaseIterable, ExpressibleByArgument, Sendable {
        case pem, der, pkcs7, pkcs12, pkcs8

        /// By the suffix of a file.
        init?(file: String) {
            guard let dot = file.lastIndex(of: ".") else { return nil }
            switch file[dot...].lowercased() {
            case ".pem", ".crt": self = .pem
            case ".der", ".cer": self = .der
            case ".p7b", ".p7c": self = .pkcs7
            case ".p12", ".pfx": self = .pkcs12
            case ".p8", ".pk8", ".key": self = .pkcs8
            default: return nil
            }
        }
    }

    @Argument(help: "The files; - for standard input.") var file: [String]
    @Option(help: "The form of the output.") var to: Form?
    @Option(name: .shortAndLong, help: ArgumentHelp("Where it goes; - for standard output.", valueName: "file"))
    var out: String
    @Option(help: ArgumentHelp("Only the entry of this name.", valueName: "name")) var name: String?
    @Flag(help: "Leave private keys out.") var certificatesOnly = false
    @Flag(help: "Write a private key without a passphrase.") var noPassphrase = false
    @Flag(help: "PKCS#12 for old systems: Triple DES and SHA-1.") var legacy = false
    @Flag(help: "Replace a file that is there.") var force = false
    @OptionGroup(title: "Passphrases") var passphrase: PassphraseOptions
    @OptionGroup(title: "Passphrases") var keyPassphrase: KeyPassphraseOptions
    @OptionGroup(title: "Passphrases") var newPassphrase: NewPassphraseOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        if output.format == .json, out == "-" {
            throw ValidationError("'--format json' writes to standard output itself; give '--out' a file")
        }
        guard form != nil else {
            throw ValidationError("'\(printable(out))' does not tell the form; give '--to pem|der|pkcs7|pkcs12|pkcs8'")
        }
        if noPassphrase, let option = newPassphrase.source.words.first {
            throw ValidationError("'--no-passphrase' contradicts '\(option)'")
        }
        if legacy, form != .pkcs12 { throw ValidationError("'--legacy' is for PKCS#12") }
        if certificatesOnly, form == .pkcs8 {
            throw ValidationError("PKCS#8 holds a key; leave out '--certificates-only'")
        }
        try StandardInput.checkOnce(
            file + passphrase.source.files + keyPassphrase.source.files + newPassphrase.source.files)
    }

    private var form: Form? { to ?? Form(file: out) }

    func run() throws {
        let console = Console()
        do {
            if out != "-" { try FileWriting.check(out, replacing: force) }
            let input = try ConvertInput.read(
                file, passphrase.source, keyPassphrase.source, named: name, certificatesOnly: certificatesOnly)
            for note in input.notes { console.note("belay: \(note)") }
            let written = try contents(of: input, console)
            guard out != "-" else {
                return try written.withUnsafeBytes { bytes throws(ExitCode) in try console.write(Array(bytes)) }
            }
            if input.keys.isEmpty || form == .pkcs7 {
                try written.withUnsafeBytes { bytes throws(FileWritingError) in
                    try FileWriting.write(Array(bytes), to: out, access: .everybody, replacing: force)
                }
            } else {
                try FileWriting.write(written, to: out, replacing: force)
            }
            switch output.format {
            case .json: try console.printJSON(ConvertReport(input, form ?? .pem, file: out))
            case .text: console.note("\(printable(out)): \(input.summary(form ?? .pem))")
            }
        } catch {
            throw try AuthorityFailure.report(error, console, output, keys: ConvertReport.CodingKeys.self)
        }
    }

    private func contents(of input: ConvertInput, _ console: Console) throws -> Secret {
        switch form ?? .pem {
        case .pem:
            let keys = try written(input.keys, asText: true)
            let certificates = input.orderedCertificates.map(\.pem).joined()
            return keys.reversed().reduce(Secret(text: certificates)) { Secret(joining: $1, $0) }
        case .der:
            if input.keys.isEmpty, input.certificates.count == 1 { return Secret(input.certificates[0].der) }
            if input.certificates.isEmpty, input.keys.count == 1 { return try written(input.keys, asText: false)[0] }
            throw InputError(
                message: "DER holds one object, and there are \(input.summary(.der))",
                remedy:
                    "Give '--to pem', '--to pkcs12' or '--to pkcs7'; or '--name' and '--certificates-only' to take one.",
                isRemedyNews: true)
        case .pkcs7:
            guard !input.certificates.isEmpty else { throw ConvertInput.nothing("PKCS#7", "certificate") }
            if !input.keys.isEmpty { console.note("belay: PKCS#7 has no place for the private key, which is left out") }
            return Secret(PKCS7.encode(input.orderedCertificates))
        case .pkcs12:
            guard !noPassphrase else { return Secret(try input.store.pkcs12(.emptyPassphrase(isLegacy: legacy))) }
            let secret = try newPassphrase.source.readNewForPKCS12(out, console)
            return Secret(try input.store.pkcs12(legacy ? .legacy(secret) : .modern(secret)))
        case .pkcs8:
            guard input.keys.count == 1 else {
                throw input.keys.isEmpty
                    ? ConvertInput.nothing("PKCS#8", "private key")
                    : InputError(
                        message: "PKCS#8 holds one key, and there are \(input.keys.count)",
                        remedy: "Name one entry with '--name'.", isRemedyNews: true)
            }
            let isBinary = [".p8", ".pk8", ".der"].contains { out.lowercased().hasSuffix($0) }
            return try written(input.keys, asText: !isBinary)[0]
        }
    }

    /// The keys as PKCS#8, all under one new passphrase.
    private func written(_ keys: [PrivateKey], asText: Bool) throws -> [Secret] {
        guard !keys.isEmpty else { return [] }
        if noPassphrase { return try keys.map { asText ? try $0.pkcs8PEM() : try $0.pkcs8DER() } }
        let secret = try newPassphrase.source.readNew(for: "the private key")
        return try keys.map { key in
            let text = try key.encryptedPKCS8PEM(passphrase: secret)
            return Secret(asText ? Array(text.utf8) : try PEM.blocks(in: Array(text.utf8)).first?.der ?? [])
        }
    }
}

/// What came of a conversion, in the order in which JSON has it.
private struct ConvertReport: Encodable {
    let file: String
    /// As `--to` has it.
    let form: String
    let keys: Int
    let certificates: Int
    let leftOut: [String]
    let error: FailureReport? = nil

    enum CodingKeys: CodingKey, CaseIterable { case file, form, keys, certificates, leftOut, error }

    init(_ input: ConvertInput, _ form: CertConvertCommand.Form, file: String) {
        self.file = file
        self.form = form.rawValue
        keys = form == .pkcs7 ? 0 : input.keys.count
        certificates = form == .pkcs8 ? 0 : input.certificates.count
        let lostKeys = form == .pkcs7 && !input.keys.isEmpty ? ["the private key is left out"] : []
        leftOut = input.notes + lostKeys
    }
}

/// What was read from the files that are converted.
struct ConvertInput {
    /// Everything, each key with its certificates.
    let store: KeyStore
    /// What people should know of what is left out.
    let notes: [String]

    var identities: [(name: String?, identity: Identity)] { store.identities }

    /// Keys that have no certificate.
    var looseKeys: [PrivateKey] {
        store.entries.compactMap { entry in
            switch entry.content {
            case .privateKey(let key), .mismatch(let key, _): key
            default: nil
            }
        }
    }

    var keys: [PrivateKey] { identities.map(\.identity.privateKey) + looseKeys }

    var certificates: [Certificate] { store.certificates }

    /// Those of identities first, each with its chain.
    var orderedCertificates: [Certificate] {
        var seen: Set<Certificate> = []
        return (identities.flatMap(\.identity.certificates) + certificates).filter { seen.insert($0).inserted }
    }

    /// What there is, for people.
    func summary(_ form: CertConvertCommand.Form) -> String {
        func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }
        let hasKeys = !keys.isEmpty && form != .pkcs7
        let hasCertificates = !certificates.isEmpty && form != .pkcs8
        let parts = [
            hasKeys ? count(keys.count, "private key") : nil,
            hasCertificates ? count(certificates.count, "certificate") : nil,
        ]
        return parts.compactMap(\.self).joined(separator: " and ")
    }

    /// Reads the files; the passphrases are tried on each that needs one, and asked for where none is given.
    static func read(
        _ files: [String], _ source: PassphraseSource, _ keySource: PassphraseSource, named name: String?,
        certificatesOnly: Bool
    ) throws -> ConvertInput {
        let opener = ConvertOpener(
            given: try source.read(), keyPassphrase: try keySource.read(), certificatesOnly: certificatesOnly)
        var typed: Secret?
        var entries: [KeyStore.Entry] = []
        for file in files {
            entries += try opener.open(file, &typed).entries.filter { name == nil || $0.name == name }
        }
        return try assemble(entries, named: name, certificatesOnly: certificatesOnly)
    }

    /// Brings keys and certificates of all files together.
    private static func assemble(
        _ entries: [KeyStore.Entry], named name: String?, certificatesOnly: Bool
    ) throws -> ConvertInput {
        var keys: [(name: String?, key: PrivateKey)] = []
        var notes: [String] = []
        for entry in entries {
            switch entry.content {
            case .identity(let identity): keys.append((entry.name, identity.privateKey))
            case .privateKey(let key), .mismatch(let key, _): keys.append((entry.name, key))
            case .closedKey(let error, _):
                guard certificatesOnly else {
                    throw InputError(
                        message: "\(entry.name.map { "\"\(printable($0))\": " } ?? "")\(error)",
                        remedy:
                            "Give '--passphrase-file', '--key-passphrase-file' where the key has one of its own, or "
                            + "'--certificates-only' to do without the key.", isRemedyNews: true)
                }
            case .malformedCertificate(let error):
                throw InputError(message: "a certificate is malformed: \(error)", remedy: "Export it again.")
            case .other(let what): notes.append("\(what) is left out")
            default: break
            }
        }
        var seen: Set<Certificate> = []
        let certificates = entries.flatMap(\.certificates).filter { seen.insert($0).inserted }
        if certificatesOnly { keys = [] }
        var used: Set<Certificate> = []
        var result: [KeyStore.Entry] = []
        var done: Set<PrivateKey> = []
        for (name, key) in keys where done.insert(key).inserted {
            guard certificates.contains(where: { key.matches($0.publicKey) }) else {
                result.append(KeyStore.Entry(name: name, content: .privateKey(key)))
                continue
            }
            let identity = try chain(of: key, among: certificates)
            used.formUnion(identity.certificates)
            result.append(KeyStore.Entry(name: name, content: .identity(identity)))
        }
        result += certificates.filter { !used.contains($0) }.map { certificate in
            let old = entries.first { $0.certificates.first == certificate }
            return KeyStore.Entry(name: old?.name, content: .certificate(certificate, isTrusted: true))
        }
        guard !result.isEmpty else {
            throw InputError(
                message: name.map { "there is no entry of the name '\(printable($0))'" }
                    ?? "there is nothing to convert",
                remedy: "'belay cert show' prints what is in a file.", isRemedyNews: true)
        }
        return ConvertInput(store: KeyStore(format: .pkcs12, integrity: .none, entries: result), notes: notes)
    }

    /// The identity of a key with the certificates that lead on from its own, and no others.
    private static func chain(of key: PrivateKey, among certificates: [Certificate]) throws -> Identity {
        let all = try Identity(certificates: certificates, privateKey: key)
        var chain: [Certificate] = []
        var current = all.certificate
        // Identity has put those that lead on first.
        for next in all.chain where !current.isSelfIssued && next.subject == current.issuer {
            chain.append(next)
            current = next
        }
        return try Identity(certificate: all.certificate, chain: chain, privateKey: key)
    }

    /// Says that a form has nothing to hold.
    static func nothing(_ form: String, _ thing: String) -> InputError {
        InputError(
            message: "there is no \(thing), which \(form) holds", remedy: "Choose another form with '--to'.",
            isRemedyNews: true)
    }
}
