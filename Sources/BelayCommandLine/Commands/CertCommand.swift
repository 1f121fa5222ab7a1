import BelayArguments
import BelayCertificates
import FoundationEssentials

/// `belay cert`: looking at certificates.
struct CertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cert", abstract: "Certificates: what is in them.", subcommands: [CertShowCommand.self])
}

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

/// A certificate for people.
private struct CertificateText {
    private let certificate: CertificateReport
    private let title: String
    private let validity: String
    private let console: Console

    init(_ certificate: CertificateReport, title: String, validity: String, _ console: Console) {
        self.certificate = certificate
        self.title = title
        self.validity = validity
        self.console = console
    }

    var text: String {
        let rows = rows.filter { !$0.1.isEmpty }.map { name, value in
            Layout.wrap(
                value, indent: 20, first: "  " + console.style.dim(Layout.pad(name, 18)), columns: console.columns)
        }
        return ([console.style.bold(title)] + rows).joined(separator: "\n")
    }

    private var rows: [(String, String)] {
        let constraints = certificate.nameConstraints
        let authority =
            certificate.isAuthority
            ? "may issue certificates" + (certificate.pathLength.map { ", \($0) intermediates below it at most" } ?? "")
            : ""
        return [
            ("subject", Text.short(certificate.subject, 400)),
            ("issuer", Text.short(certificate.issuer, 400)),
            ("serial", certificate.serialNumber),
            ("validity", "\(certificate.notBefore) to \(certificate.notAfter)\n\(validity)"),
            ("key", certificate.key),
            ("signature", certificate.signatureAlgorithm),
            ("names", Text.list(certificate.subjectAlternativeNames, limit: 20)),
            ("authority", authority),
            ("key usage", certificate.keyUsage.joined(separator: ", ")),
            ("purposes", certificate.extendedKeyUsage.joined(separator: ", ")),
            ("permitted names", Text.list(constraints?.permitted ?? [], limit: 20)),
            ("excluded names", Text.list(constraints?.excluded ?? [], limit: 20)),
            ("key identifier", certificate.subjectKeyIdentifier ?? ""),
            ("issuer's key", certificate.authorityKeyIdentifier ?? ""),
            ("issuer at", Text.list(certificate.issuerLocations, limit: 5)),
            ("status at", Text.list(certificate.statusLocations, limit: 5)),
            ("revocations at", Text.list(certificate.revocationListLocations, limit: 5)),
            ("SHA-256", certificate.sha256),
            ("pin", "sha256/\(certificate.pin)"),
            ("malformed", console.style.bad(certificate.problems.joined(separator: "\n"))),
        ]
    }
}
