import BelayArguments
import BelayCertificates
import BelayTrust
import FoundationEssentials

/// `belay cert show`: everything that a certificate says.
struct CertShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print what certificates say: names, validity, key, usages, constraints, fingerprint and pin.",
        discussion: """
            Files are told by their content, whatever their name: PEM with any number of certificates, DER, or base64.
            Of several it is also drawn who has signed whom. A file that cannot be read ends with status 3, after the others have been printed.
            Nothing is judged, unless --rules names a set of rules: then the status is 1 where one of them would refuse the certificates. The \
            certificates of a file are judged as one chain where they are one; otherwise, as in a bundle of authorities, each that has signed \
            none of the others is judged by itself, with those of the file above it.
            """,
        examples: [
            ("belay cert show server.pem", "Every certificate of a file."),
            ("belay cert show chain.pem --rules apple", "Would an iPhone mind how they are made?"),
            ("belay cert show *.cer --format json", "Many files, for programs."),
        ])

    @Argument(
        help: ArgumentHelp("Files of certificates, - for standard input, or servers as URLs.", valueName: "file"))
    var file: [String]
    @Option(
        help: ArgumentHelp(
            "Also say what a set of rules holds against them, whoever may trust them: standard, rfc5280, webpki or apple.",
            valueName: "set"), transform: TrustOptions.ruleSet)
    var rules: RuleSet?
    @OptionGroup(title: "Connection") var options: FetchOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        try options.check(file)
        try StandardInput.checkOnce(file)
    }

    func run() async throws {
        let console = Console()
        let now = Date()
        // Where there is no store, no authority is a public one.
        let systemAnchors = rules == nil ? nil : try? SystemAnchors.load()
        var reports: [FileReport] = []
        var failure: ExitCode?
        for path in file {
            do throws(CertificateInput.Failure) {
                let certificates = try await CertificateInput.read(path, options)
                let tree = ChainTree(certificates)
                let opinions = rules.map { rules in
                    RulesOpinion.all(certificates, tree, rules: rules, systemAnchors: systemAnchors, at: now)
                }
                reports.append(
                    FileReport(
                        file: path, certificates: certificates, tree: tree, opinions: opinions ?? [], moment: now))
            } catch {
                guard error.report != nil else { throw ValidationError(error.text) }
                failure = console.fail(error.text)
            }
        }
        switch output.format {
        case .json: try console.printJSON(Report(files: reports))
        case .text:
            let blocks = reports.flatMap { $0.blocks(console) }
            if !blocks.isEmpty { try console.print(blocks.joined(separator: "\n\n")) }
        }
        // In a batch a refusal outranks what could not be read.
        if reports.contains(where: { $0.opinions.contains(where: \.refuses) }) { throw ExitStatus.refused }
        if let failure { throw failure }
    }

    private struct Report: Encodable {
        let files: [FileReport]
    }

    private struct FileReport: Encodable {
        let file: String
        let certificates: [CertificateReport]
        let validities: [String]
        let tree: ChainTree
        let opinions: [RulesOpinion]

        private enum Key: String, CodingKey { case file, certificates, chain, rules, opinions }

        init(
            file: String, certificates: [Certificate], tree: ChainTree, opinions: [RulesOpinion], moment: Date
        ) {
            self.file = file
            self.certificates = certificates.map { CertificateReport($0, at: moment) }
            self.opinions = opinions
            validities = certificates.map { Days.text(of: $0, at: moment) }
            self.tree = tree
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(file, forKey: .file)
            try container.encode(certificates, forKey: .certificates)
            try container.encode(tree.links, forKey: .chain)
            try container.encode(opinions.first, forKey: .rules)
            try container.encode(opinions, forKey: .opinions)
        }

        /// Each certificate, how they hang together where there are several, and what the rules say.
        func blocks(_ console: Console) -> [String] {
            var blocks = certificates.enumerated().map { index, certificate in
                let title =
                    certificates.count == 1
                    ? printable(file) : "\(printable(file)), certificate \(index + 1) of \(certificates.count)"
                return CertificateText(certificate, title: title, validity: validities[index], console).text
            }
            if certificates.count > 1 {
                blocks.append(console.style.bold("who has signed whom") + "\n" + tree.text(console.style))
            }
            if !opinions.isEmpty { blocks.append(RulesOpinion.text(opinions, console)) }
            return blocks
        }
    }
}
