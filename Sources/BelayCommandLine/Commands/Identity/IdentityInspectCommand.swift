import BelayArguments
import BelayCertificates
import FoundationEssentials

/// `belay identity inspect`: how a file is protected, what is in it, what is missing, and which systems open it.
struct IdentityInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Say how a key store is protected, what is in it, what is missing, and which systems open it.",
        discussion: """
            Files are told by their content, whatever their name: PKCS#12, JKS, JCEKS, BKS, PKCS#7, PEM, DER. Much can be seen without a \
            passphrase; the rest needs it, and it is asked for on a terminal. Nothing secret is printed.
            Exit status: 0 described; 2 wrong use; 3 a file cannot be read or its passphrase is not the right one.
            """,
        examples: [
            ("belay identity inspect client.p12 --passphrase-file secret.txt", "Everything about a file."),
            ("belay identity inspect client.p12 --no-passphrase", "What can be seen without opening it."),
            ("belay identity inspect server.jks --passphrase-env STORE --format json", "For programs."),
        ])

    @Argument(help: "Key stores; - for standard input.") var file: [String]
    @OptionGroup(title: "Passphrases") var passphrase: PassphraseOptions
    @OptionGroup(title: "Passphrases") var keys: KeyPassphraseOptions
    @Flag(help: "Open nothing, and do not ask for a passphrase.") var noPassphrase = false
    @OptionGroup var output: FormatOptions

    func validate() throws {
        try TokenOptions.refuse(file)
        if noPassphrase, let option = (passphrase.source.words + keys.source.words).first {
            throw ValidationError("'--no-passphrase' contradicts '\(option)'")
        }
        try StandardInput.checkOnce(file + passphrase.source.files + keys.source.files)
    }

    func run() throws {
        let console = Console()
        var reports: [KeyStoreReport] = []
        var errors: [FileFault] = []
        var failure: ExitCode?
        let opener: KeyStoreOpener
        do throws(InputError) {
            opener = try KeyStoreOpener(
                source: passphrase.source, keys: keys.source, asks: !noPassphrase)
        } catch {
            if output.format == .json {
                try console.printJSON(
                    Report(files: [], errors: file.map { FileFault(file: $0, message: error.message) }))
            }
            throw console.fail(error.text)
        }
        let now = Date()
        for path in file {
            do {
                let opened = try opener.inspect(path)
                reports.append(KeyStoreReport(file: path, opened, at: now))
                if opened.passphrase != nil, let closed = opened.store?.firstClosedKey {
                    let error = KeyStoreFileError(file: path, problem: closed)
                    errors.append(FileFault(file: path, message: "\(closed)"))
                    failure = console.fail("\(error)")
                }
            } catch let error as KeyStoreFileError {
                errors.append(FileFault(file: path, message: "\(error.problem)"))
                failure = console.fail("\(error)")
            } catch let error as InputError {
                errors.append(FileFault(file: path, message: error.message))
                failure = console.fail(error.text)
            }
        }
        switch output.format {
        case .json: try console.printJSON(Report(files: reports, errors: errors))
        case .text:
            if !reports.isEmpty {
                try console.print(reports.map { KeyStoreText($0, console).text }.joined(separator: "\n\n"))
            }
        }
        if let failure { throw failure }
    }

    private struct Report: Encodable {
        let files: [KeyStoreReport]
        let errors: [FileFault]
    }

    /// A file that could not be read, or a key in it that did not open.
    private struct FileFault: Encodable {
        let file: String
        let message: String
    }
}

extension KeyStore {
    /// Why the first key that is closed did not open; nil where all did.
    fileprivate var firstClosedKey: KeyStoreError? {
        entries.lazy.compactMap { entry in
            if case .closedKey(let error, _) = entry.content { error } else { nil }
        }.first
    }
}
