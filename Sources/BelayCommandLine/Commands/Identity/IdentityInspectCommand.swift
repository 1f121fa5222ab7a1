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
        if noPassphrase, let option = (passphrase.source.words + keys.source.words).first {
            throw ValidationError("'--no-passphrase' contradicts '\(option)'")
        }
        try StandardInput.checkOnce(file + passphrase.source.files + keys.source.files)
    }

    func run() throws {
        let console = Console()
        var reports: [KeyStoreReport] = []
        var failure: ExitCode?
        let opener: KeyStoreOpener
        do throws(InputError) {
            opener = try KeyStoreOpener(
                source: passphrase.source, keys: keys.source, asks: !noPassphrase)
        } catch { throw console.fail(error.text) }
        let now = Date()
        for path in file {
            do {
                let opened = try opener.inspect(path)
                reports.append(KeyStoreReport(file: path, opened, at: now))
            } catch let error as KeyStoreFileError {
                failure = console.fail("\(error)")
            }
        }
        switch output.format {
        case .json: try console.printJSON(Report(files: reports))
        case .text:
            if !reports.isEmpty {
                try console.print(reports.map { KeyStoreText($0, console).text }.joined(separator: "\n\n"))
            }
        }
        if let failure { throw failure }
    }

    private struct Report: Encodable {
        let files: [KeyStoreReport]
    }
}
