import BelayArguments
import BelayCertificates

/// `belay identity re-encrypt`: a PKCS#12 file that today's systems open, or one for old devices.
struct IdentityReencryptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "re-encrypt",
        abstract: "Write what a key store holds as a PKCS#12 file of today, or with --legacy as one for old systems.",
        discussion: """
            Taken is every kind of file that 'belay identity inspect' reads. Today's form is AES-256-CBC with PBKDF2 and HMAC-SHA-256; the old \
            one is Triple DES with HMAC-SHA-1, which macOS 10.15, Windows Server 2016 and Java before 8u301 need. The file is written whole or not \
            at all, for its owner alone (mode 0600), and never over another without --force.
            Exit status: 0 written; 2 wrong use; 3 the file cannot be read, opened or written.
            """,
        examples: [
            (
                "belay identity re-encrypt old.p12 --out new.p12 --passphrase-file secret.txt --keep-passphrase",
                "A file that OpenSSL 3 opens."
            ),
            (
                "belay identity re-encrypt new.p12 --legacy --out old.p12",
                "One for old systems; passphrases are asked for."
            ),
            ("belay identity re-encrypt server.jks --out server.p12 --entry web", "One entry of a Java key store."),
        ])

    @Argument(help: "The key store; - for standard input.") var file: String
    @Option(help: ArgumentHelp("Where the new file goes.", valueName: "file")) var out: String
    @Flag(help: "Write the form that old systems need.") var legacy = false
    @Option(
        help: ArgumentHelp("Only the entry of this name; may be given again. Without it all.", valueName: "name"))
    var entry: [String] = []
    @Flag(help: "Replace a file that is there.") var force = false
    @OptionGroup(title: "Passphrases") var passphrase: PassphraseOptions
    @OptionGroup(title: "Passphrases") var keys: KeyPassphraseOptions
    @OptionGroup(title: "Passphrases") var newPassphrase: NewPassphraseOptions
    @Flag(help: "The new file has the passphrase of the old one.") var keepPassphrase = false
    @OptionGroup var output: FormatOptions

    func validate() throws {
        try TokenOptions.refuse([file])
        if keepPassphrase, let option = newPassphrase.source.words.first {
            throw ValidationError("'--keep-passphrase' contradicts '\(option)'")
        }
        guard out != "-" else { throw ValidationError("a key is not written to standard output: give '--out' a file") }
        try StandardInput.checkOnce(
            [file] + passphrase.source.files + keys.source.files + newPassphrase.source.files)
    }

    func run() throws {
        let console = Console()
        let input: InputError
        do {
            let report = try write(console)
            switch output.format {
            case .json: try console.printJSON(report)
            case .text: try console.print(report.text)
            }
            return
        } catch let error as KeyStoreFileError {
            input = InputError(message: "\(error)", remedy: "Give a key store and its passphrase.")
        } catch let error as KeyStoreError {
            input = InputError(message: "\(printable(out)): \(error)", remedy: "Give a key store and its passphrase.")
        } catch let error as InputError {
            input = error
        } catch let error as FileWritingError {
            let exists = error.problem == .exists
            input = InputError(
                message: exists ? "\(error): give '--force'" : "\(error)",
                remedy: exists ? "Give '--force' to replace it." : "Give '--out' a place that you can write to.")
        }
        if output.format == .json {
            try console.printJSON(Unmade<ReencryptReport.CodingKeys>(error: FailureReport(input)))
        }
        throw console.fail(input.text)
    }

    private func write(_ console: Console) throws -> ReencryptReport {
        try FileWriting.check(out, replacing: force)
        let opener = try KeyStoreOpener(source: passphrase.source, keys: keys.source)
        let opened = try opener.open(file)
        let store = try chosen(opened.store)
        if opened.store?.integrity == KeyStore.Integrity.none, opened.description != nil {
            console.note("warning: \(printable(file)) has no MAC, so that nothing shows whether it was changed")
        }
        if store.identities.isEmpty {
            console.note(
                "warning: no private key in \(printable(file)) has its certificate beside it: the new file is no identity"
            )
        }
        let secret = try newSecret(opened)
        PassphraseSource.warn(ofPKCS12: out, secret, console)
        let bytes = try store.pkcs12(legacy ? .legacy(secret) : .modern(secret))
        try FileWriting.write(bytes, to: out, access: .owner, replacing: force)
        return ReencryptReport(
            source: file, sourceFormat: store.format.description,
            sourceHasIntegrity: opened.store?.integrity != KeyStore.Integrity.none, file: out,
            form: legacy ? "legacy" : "modern", byteCount: bytes.count, entries: store.entries.count,
            identities: store.identities.count, hasPassphraseBeyondASCII: !secret.isPrintableASCII)
    }

    private func chosen(_ store: KeyStore?) throws -> KeyStore {
        guard let store else { throw KeyStoreFileError(file: file, problem: .passphraseNeeded(.pkcs12)) }
        for item in store.entries {
            if case .closedKey(let error, _) = item.content, entry.isEmpty || entry.contains(item.name ?? "") {
                throw KeyStoreFileError(file: file, problem: error)
            }
        }
        guard !entry.isEmpty else { return store }
        for name in entry where !store.entries.contains(where: { $0.name == name }) {
            let names = store.entries.compactMap(\.name).map { "\"\(printable($0))\"" }
            throw InputError(
                message: "\(printable(file)): there is no entry \"\(printable(name))\"",
                remedy: names.isEmpty
                    ? "Its entries have no names; leave out '--entry'."
                    : "It has \(names.joined(separator: ", ")).", isRemedyNews: true)
        }
        return KeyStore(
            format: store.format, integrity: store.integrity,
            entries: store.entries.filter { entry.contains($0.name ?? "") })
    }

    private func newSecret(_ opened: KeyStoreOpener.Opened) throws -> Secret {
        guard keepPassphrase else { return try newPassphrase.source.readNew(for: printable(out)) }
        guard let old = opened.passphrase, !old.isEmpty else {
            throw InputError(
                message: "\(printable(file)): has no passphrase that could be kept",
                remedy: "Give '--new-passphrase-file FILE' in place of '--keep-passphrase'.", isRemedyNews: true)
        }
        return old
    }
}

/// What came of a re-encryption, in the order in which JSON has it.
private struct ReencryptReport: Encodable {
    let source: String
    let sourceFormat: String
    /// Whether the source has an integrity code, so that a change would have been noticed.
    let sourceHasIntegrity: Bool
    let file: String
    /// `modern` or `legacy`.
    let form: String
    let byteCount: Int
    let entries: Int
    let identities: Int
    let hasPassphraseBeyondASCII: Bool
    let error: FailureReport? = nil

    enum CodingKeys: CodingKey, CaseIterable {
        case source, sourceFormat, sourceHasIntegrity, file, form, byteCount, entries, identities
        case hasPassphraseBeyondASCII, error
    }

    /// The same for people.
    var text: String {
        let form = form == "legacy" ? "Triple DES and HMAC-SHA-1, for old systems" : "AES-256-CBC and HMAC-SHA-256"
        let count = "\(entries) \(entries == 1 ? "entry" : "entries")"
        return "\(printable(file)): PKCS#12 with \(count), \(form), \(byteCount) bytes"
    }
}
