import BelayArguments
import BelayCertificates
import BelayTLS

/// `belay cert diff`: in what two certificates differ.
struct CertDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare two certificates, of files or live servers, field by field.",
        discussion: """
            The first certificate of each side is compared; with --chain all of them, in their order. The last line says whether the key \
            is the same, so that a pin of it holds for both. Nothing is judged.
            Exit status: 0 the same, byte for byte; 1 different; 2 wrong use; 3 something could not be read or reached.
            """,
        examples: [
            ("belay cert diff old.pem new.pem", "Before a renewed certificate is put to use."),
            ("belay cert diff server.pem https://www.example.com", "Does the server send what is meant to be sent?"),
            (
                "belay cert diff https://www.example.com https://stage.example.com --chain --format json",
                "Two servers, for programs."
            ),
        ])

    @Argument(help: ArgumentHelp("A file, - for standard input, or a server's URL.", valueName: "first"))
    var first: String
    @Argument(help: ArgumentHelp("What it is compared with.", valueName: "second")) var second: String
    @Flag(help: "Compare all certificates of both sides, in their order.") var chain = false
    @OptionGroup(title: "Connection") var options: FetchOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        try options.check([first, second])
        try StandardInput.checkOnce([first, second])
    }

    func run() async throws {
        let console = Console()
        var report = Report(firstInput: printable(first), secondInput: printable(second))
        do throws(CertificateInput.Failure) {
            let left = try await CertificateInput.read(first, options)
            let right = try await CertificateInput.read(second, options)
            report.compare(left, right, all: chain)
        } catch {
            guard let failure = error.report else { throw ValidationError(error.text) }
            report.error = failure
            if output.format == .json { try console.printJSON(report) }
            throw console.fail(error.text)
        }
        switch output.format {
        case .json: try console.printJSON(report)
        case .text:
            let texts = report.certificates.enumerated().map { index, comparison in
                (chain ? console.style.bold("certificate \(index)") + "\n" : "") + comparison.text(console)
            }
            try console.print(texts.joined(separator: "\n\n"))
        }
        if !report.isSame { throw ExitStatus.refused }
    }

    /// The answer: see Documentation/json.md.
    private struct Report: Encodable {
        let firstInput: String
        let secondInput: String
        var certificates: [CertificateComparison] = []
        var error: FailureReport?

        var isSame: Bool { error == nil && certificates.allSatisfy(\.isSame) }

        mutating func compare(_ left: [Certificate], _ right: [Certificate], all: Bool) {
            let count = all ? max(left.count, right.count) : 1
            certificates = (0..<count).map {
                CertificateComparison($0 < left.count ? left[$0] : nil, $0 < right.count ? right[$0] : nil)
            }
        }

        private enum Key: String, CodingKey { case first, second, same, sameKey, certificates, error }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(firstInput, forKey: .first)
            try container.encode(secondInput, forKey: .second)
            try container.encode(isSame, forKey: .same)
            try container.encode(certificates.first?.hasSameKey ?? false, forKey: .sameKey)
            try container.encode(certificates, forKey: .certificates)
            try container.encode(error, forKey: .error)
        }
    }
}
