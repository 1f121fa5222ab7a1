import BelayArguments
import BelayCertificates
import FoundationEssentials

/// `belay cert show`: everything that a certificate says.
struct CertShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print what certificates say: names, validity, key, usages, constraints, fingerprint and pin.",
        discussion: """
            Files are told by their content, whatever their name: PEM with any number of certificates, DER, or base64.
            Nothing is judged. A file that cannot be read ends with status 3, after the others have been printed.
            """,
        examples: [
            ("belay cert show server.pem", "Every certificate of a file."),
            ("belay cert show *.cer --format json", "Many files, for programs."),
        ])

    @Argument(help: "Files of certificates; - for standard input.") var file: [String]
    @OptionGroup var output: FormatOptions

    func validate() throws { try StandardInput.checkOnce(file) }

    func run() throws {
        let console = Console()
        let now = Date()
        var reports: [FileReport] = []
        var failure: ExitCode?
        for path in file {
            do throws(CertificateFileError) {
                let certificates = try Certificate.read(contentsOf: StandardInput.path(path))
                reports.append(FileReport(file: path, certificates: certificates, moment: now))
            } catch {
                if case .identityFile = error.problem {
                    failure = console.fail(
                        "\(printable(path)): is a PKCS#12 identity, which 'cert show' does not open yet. "
                            + "Take its certificates out: openssl pkcs12 -nokeys -in FILE")
                } else {
                    failure = console.fail("\(error)")
                }
            }
        }
        switch output.format {
        case .json: try console.printJSON(Report(files: reports))
        case .text:
            let blocks = reports.flatMap { file in
                file.certificates.enumerated().map { index, certificate in
                    let title =
                        file.certificates.count == 1
                        ? printable(file.file)
                        : "\(printable(file.file)), certificate \(index + 1) of \(file.certificates.count)"
                    return CertificateText(certificate, title: title, validity: file.validities[index], console).text
                }
            }
            if !blocks.isEmpty { try console.print(blocks.joined(separator: "\n\n")) }
        }
        if let failure { throw failure }
    }

    private struct Report: Encodable {
        let files: [FileReport]
    }

    private struct FileReport: Encodable {
        let file: String
        let certificates: [CertificateReport]
        let validities: [String]

        private enum CodingKeys: CodingKey { case file, certificates }

        init(file: String, certificates: [Certificate], moment: Date) {
            self.file = file
            self.certificates = certificates.map { CertificateReport($0, at: moment) }
            validities = certificates.map { Days.text(of: $0, at: moment) }
        }
    }
}
