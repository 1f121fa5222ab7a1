import BelayArguments
import BelayCertificates
import FoundationEssentials

/// `belay cert triage`: what the files are that somebody sent, and which of them the app needs.
struct CertTriageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "triage",
        abstract: "Say what each file of a folder is, how they belong together, and which of them an app needs.",
        discussion: """
            For the moment when the back-end team has sent ca.crt, server.cer, client.p12, client.pfx and a .jks. Files are told by their \
            content; those that need a passphrase are tried with the one that is given, and said to be closed otherwise; nobody is asked. Links are \
            not followed. Nothing is judged: \
            'belay check' does that, and what it needs stands at the end.
            Exit status: 0 every file was told; 2 wrong use; 3 some are damaged or cannot be read, or a passphrase is missing.
            """,
        examples: [
            ("belay cert triage from-backend/", "A folder."),
            (
                "belay cert triage ca.crt client.p12 --passphrase-file secret.txt",
                "Files, one of them with a passphrase."
            ),
        ])

    @Argument(help: "Folders and files.") var file: [String]
    @OptionGroup(title: "Passphrases") var passphrase: PassphraseOptions
    @OptionGroup(title: "Passphrases") var keys: KeyPassphraseOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        try StandardInput.checkOnce(file + passphrase.source.files + keys.source.files)
    }

    func run() throws {
        let console = Console()
        let opener: KeyStoreOpener
        do throws(InputError) {
            opener = try KeyStoreOpener(source: passphrase.source, keys: keys.source, asks: false)
        } catch {
            try printUnread(file, [], error.message, console)
            throw console.fail(error.text)
        }
        var inputs: [FileTriage.Input] = []
        for path in file {
            do throws(FileReadingError) {
                inputs += try Self.files(at: path, opener)
            } catch {
                try printUnread([path], inputs, "\(error)", console)
                throw console.fail("\(printable(path)): \(error)")
            }
        }
        let report = TriageReport(FileTriage(inputs), at: Date())
        switch output.format {
        case .json: try console.printJSON(report)
        case .text: try console.print(TriageText(report, console).text)
        }
        if report.files.contains(where: { $0.problem != nil }) { throw ExitStatus.unreadable }
    }

    /// In JSON what was told before something could not be read, and that.
    private func printUnread(
        _ paths: [String], _ inputs: [FileTriage.Input], _ problem: String, _ console: Console
    ) throws {
        guard output.format == .json else { return }
        let all = inputs + paths.map { FileTriage.Input(name: $0, problem: problem) }
        try console.printJSON(TriageReport(FileTriage(all), at: Date()))
    }

    /// A file, or the files of a folder and of the folders in it, but for those whose name begins with a dot.
    ///
    /// Links are not followed: somebody else made the folder, and they may lead anywhere, or round in a circle.
    private static func files(at path: String, _ opener: KeyStoreOpener) throws(FileReadingError) -> [FileTriage.Input]
    {
        guard path != "-", FileReading.isFolder(path) else { return [input(path, opener)] }
        let base = path.hasSuffix("/") ? path : path + "/"
        var inputs: [FileTriage.Input] = []
        for name in try FileReading.names(inFolder: path) where !name.hasPrefix(".") {
            switch FileReading.kind(of: base + name) {
            case .file: inputs.append(input(base + name, opener))
            case .folder: inputs += try files(at: base + name, opener)
            case .link: inputs.append(.init(name: base + name, found: "a symbolic link, which is not followed"))
            case .other: inputs.append(.init(name: base + name, found: "neither a file nor a folder"))
            }
        }
        return inputs
    }

    private static func input(_ name: String, _ opener: KeyStoreOpener) -> FileTriage.Input {
        do {
            let opened = try opener.inspect(name)
            guard let store = opened.store else {
                return FileTriage.Input(
                    name: name, problem: "the PKCS#12 file is closed: its passphrase was not given", isClosed: true)
            }
            if store.isForeign, let request = try? CertificateRequest.read(contentsOf: name) {
                return FileTriage.Input(name: name, request: request)
            }
            return FileTriage.Input(name: name, store: store)
        } catch let error as KeyStoreFileError {
            if case .notAKeyStore(let found) = error.problem {
                if let request = try? CertificateRequest.read(contentsOf: name) {
                    return FileTriage.Input(name: name, request: request)
                }
                return FileTriage.Input(name: name, found: found)
            }
            // One passphrase for many files: what another file shows without its own is worth more than its refusal.
            if error.problem.isAboutPassphrase, let store = try? KeyStore.read(contentsOf: name) {
                return FileTriage.Input(name: name, store: store)
            }
            return FileTriage.Input(name: name, problem: "\(error.problem)", isClosed: error.problem.isAboutPassphrase)
        } catch {
            return FileTriage.Input(name: name, problem: "\(error)")
        }
    }
}

extension KeyStore {
    /// Whether neither certificate nor key is in it.
    fileprivate var isForeign: Bool {
        entries.allSatisfy { if case .other = $0.content { true } else { false } }
    }
}

extension KeyStoreError {
    /// Whether another passphrase might help.
    fileprivate var isAboutPassphrase: Bool {
        switch self {
        case .passphraseNeeded, .wrongPassphrase, .wrongKeyPassphrase: true
        default: false
        }
    }
}
