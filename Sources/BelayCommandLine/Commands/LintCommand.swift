import BelayArguments
import BelayCertificates
import BelayLint
import BelayTransportSecurity
import BelayTrust
import FoundationEssentials

/// `belay lint`: what App Transport Security and pins of an app really mean.
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Say what the App Transport Security keys and pins of an app really mean, and which are mistakes.",
        discussion: """
            A file is a property list (XML, binary or old-style) or an .ipa; in a folder, an .app, an .xcarchive or an .ipa every \
            Info.plist is looked at, those of extensions and watch apps included. Findings are about what Apple's systems do today.
            Files of pins as '--pins' takes them elsewhere (certificates, keys, lines of digests) are told by their content; all \
            that are given count as one set.
            Exit status: 0 nothing as grave as --fail-on says; 1 findings; 2 wrong use; 3 something could not be read.
            """,
        examples: [
            ("belay lint Info.plist", "Findings, the policy of each domain, and what App Review will ask."),
            ("belay lint build/App.xcarchive --format sarif > belay.sarif", "For code scanning."),
            ("belay lint App/Info.plist --format github --fail-on warning", "Annotations in GitHub Actions."),
            ("belay lint pins.txt server.cer", "Pins: mistakes, and hashes of certificates that should be of keys."),
            ("belay lint Info.plist --fix", "Write Info.fixed.plist with what can be corrected with certainty."),
            ("belay lint Info.plist --format json > known.json", "Write what is known ..."),
            ("belay lint Info.plist --baseline known.json", "... and report only what is new."),
        ])

    @Argument(help: "Property lists, folders, apps and archives, files of pins; - for standard input.")
    var file: [String] = []
    @Option(
        help: ArgumentHelp(
            "Files and folders of pins, whatever their content looks like; they join those among the arguments.",
            valueName: "file|folder"))
    var pins: [String] = []
    @Option(help: "How to print the result.") var format = LintFormat.text
    @Option(help: "End with status 1 for findings as grave as this, or graver.") var failOn = LintSeverity.error
    @Option(
        help: ArgumentHelp(
            "Leave out what an earlier report in JSON has: same rule, file and key path.", valueName: "file"))
    var baseline: String?
    @Option(
        help: ArgumentHelp(
            "Certificates to compare pins with: hashes of whole certificates, leaves among authorities and short-lived leaves are "
                + "only told with them.", valueName: "file"))
    var certificates: [String] = []

    @Flag(
        help:
            "Correct what has one certain correction: FILE.plist becomes FILE.fixed.plist, beside it. Only reported lines change."
    )
    var fix = false
    @Flag(help: "With --fix: write over the file itself.") var inPlace = false
    @Flag(
        help:
            "With --fix: also make corrections that ease hosts which the key does not name, such as NSAllowsArbitraryLoads."
    )
    var fixEasing = false

    func validate() throws {
        if file.isEmpty, pins.isEmpty { throw ValidationError("give a file, or '--pins'") }
        if inPlace, !fix { throw ValidationError("'--in-place' means nothing without '--fix'") }
        if fixEasing, !fix { throw ValidationError("'--fix-easing' means nothing without '--fix'") }
        if fix, file.contains(where: { StandardInput.path($0) == "/dev/stdin" }) {
            throw ValidationError("'--fix' needs files; standard input has no place beside it")
        }
        try StandardInput.checkOnce(file + pins + certificates + [baseline].compactMap(\.self))
    }

    func run() throws {
        let console = Console()
        let (known, linter): (LintBaseline?, Linter)
        do throws(InputError) {
            known = try readBaseline()
            linter = Linter(certificates: try readCertificates())
        } catch {
            // The other forms have no place to say why there are no findings.
            if format == .json { try write(LintReport(), error, console) }
            throw console.fail(error.text)
        }
        var failure: InputError?
        var documents: [LintInput.Document] = []
        for (path, isPins) in file.map({ ($0, false) }) + pins.map({ ($0, true) }) {
            do throws(LintInputError) {
                let (input, real) = (LintInput(), StandardInput.path(path))
                for document in isPins ? try input.pins(in: real) : try input.documents(in: real) {
                    documents.append(path == "-" ? document.named(path) : document)
                }
            } catch {
                let remedy = "Name a property list, a folder or archive with an Info.plist in it, an .ipa, or pins."
                failure = failure ?? InputError(message: "\(error)", remedy: remedy)
                _ = console.fail("\(error)")
            }
        }
        var report = LintReport()
        for document in documents where !document.isPins {
            report.add(linter.lint(document.bytes, file: document.name))
        }
        for linted in linter.lint(pins: documents.filter(\.isPins)) { report.add(linted) }
        if fix {
            for document in documents {
                let hasFindings = report.files.contains { $0.file == document.name && !$0.findings.isEmpty }
                let failed = correct(document, linter, hasFindings: hasFindings, console)
                failure = failure ?? failed
            }
        }
        if let known { report.leaveOut(known) }
        try write(report, failure, console)
        if report.fails(on: failOn.severity) { throw ExitStatus.refused }
        if failure != nil { throw ExitStatus.unreadable }
    }

    /// Writes the corrected file, and says what was done and what was not; what went wrong where it cannot be written.
    private func correct(
        _ document: LintInput.Document, _ linter: Linter, hasFindings: Bool, _ console: Console
    ) -> InputError? {
        guard hasFindings else { return nil }
        if document.isInArchive {
            return fail("\(printable(document.name)): not corrected, it is in an archive", "Correct it there.", console)
        }
        if document.isPins {
            return fail(
                "\(printable(document.name)): not corrected, it is a file of pins", "Correct it by hand.", console)
        }
        let correction: LintFix
        do throws(LintFixError) {
            correction = try LintFix(document.bytes, file: document.name, linter: linter, mayEase: fixEasing)
        } catch {
            return fail("\(error)", "Correct its source by hand.", console)
        }
        for left in correction.left {
            let way = fixEasing ? "" : "; '--fix-easing' does it"
            console.note("\(printable(document.name)): \(left)\(left.isEasing ? way : "")")
        }
        guard !correction.corrected.isEmpty else { return nil }
        let target = inPlace ? document.name : Self.beside(document.name)
        do throws(FileWritingError) {
            try FileWriting.write(correction.bytes, to: target, access: .asBefore, replacing: inPlace)
        } catch {
            return fail(
                error.problem == .exists ? "\(printable(target)): is there already and stays as it is" : "\(error)",
                error.problem == .exists
                    ? "Take it away, or give '--in-place' to correct the file itself."
                    : "Name a file in a folder of yours.",
                console)
        }
        for made in correction.corrected { console.note("\(printable(document.name)): \(made)") }
        for effect in correction.effects { console.note("\(printable(document.name)): now \(effect)") }
        let count = correction.corrected.count
        console.note(
            "\(count) \(count == 1 ? "correction" : "corrections") in \(printable(target)); what is reported is of the original"
        )
        return nil
    }

    private func fail(_ message: String, _ remedy: String, _ console: Console) -> InputError {
        let failure = InputError(message: message, remedy: remedy, isRemedyNews: true)
        _ = console.fail(failure.text)
        return failure
    }

    /// `Info.plist` → `Info.fixed.plist`.
    private static func beside(_ path: String) -> String {
        path.hasSuffix(".plist") ? path.dropLast(6) + ".fixed.plist" : path + ".fixed"
    }

    private func write(_ report: LintReport, _ failure: InputError?, _ console: Console) throws {
        switch format {
        case .text: try console.print(LintText(report, console).text)
        case .json: try console.printJSON(Document(report: report, error: failure.map(FailureReport.init)))
        case .sarif:
            try console.printJSON(SARIFLog(report, toolVersion: BelayCommand.number))
        case .github:
            let text = GitHubAnnotations.text(report)
            if !text.isEmpty { try console.print(text) }
        }
    }

    private func readBaseline() throws(InputError) -> LintBaseline? {
        guard let baseline else { return nil }
        let remedy = "Give '--baseline' a report that 'belay lint --format json' wrote."
        let bytes: [UInt8]
        do throws(FileReadingError) {
            bytes = try FileReading.bytes(ofFile: StandardInput.path(baseline))
        } catch {
            throw InputError(message: "\(printable(baseline)): \(error)", remedy: remedy)
        }
        do throws(LintBaselineError) { return try LintBaseline(json: bytes) } catch {
            throw InputError(message: "\(printable(baseline)): \(error)", remedy: remedy)
        }
    }

    private func readCertificates() throws(InputError) -> [Certificate] {
        var all: [Certificate] = []
        for path in certificates {
            do throws(CertificateFileError) {
                all += try Certificate.read(contentsOf: StandardInput.path(path))
            } catch {
                throw .certificates(error, for: "--certificates")
            }
        }
        return all
    }

    /// The report in JSON, and why a part of it is missing.
    private struct Document: Encodable {
        let report: LintReport
        let error: FailureReport?

        private enum Key: String, CodingKey { case files, errors, warnings, notes, baselined, error }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(report.files, forKey: .files)
            try container.encode(report.count(.error), forKey: .errors)
            try container.encode(report.count(.warning), forKey: .warnings)
            try container.encode(report.count(.note), forKey: .notes)
            try container.encode(report.baselined, forKey: .baselined)
            try container.encode(error, forKey: .error)
        }
    }
}

/// How findings are printed.
enum LintFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// For people.
    case text
    /// For programs.
    case json
    /// SARIF 2.1.0, for code scanning.
    case sarif
    /// Workflow commands of GitHub Actions.
    case github
}

/// `--fail-on`.
enum LintSeverity: String, CaseIterable, ExpressibleByArgument, Sendable {
    case error, warning, note

    var severity: Finding.Severity {
        switch self {
        case .error: .error
        case .warning: .warning
        case .note: .note
        }
    }
}
