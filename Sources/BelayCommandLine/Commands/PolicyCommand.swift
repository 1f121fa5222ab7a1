import BelayArguments
import BelayCertificates
import BelayTrust

/// `belay policy`: what is there to say about policies.
struct PolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "Security policies: what their settings mean, and which one fits.",
        subcommands: [PolicyExplainCommand.self, PolicyAdviseCommand.self])
}

/// `belay policy explain`: the settings in words, what is asked in which order, and which attack each loosened setting opens.
struct PolicyExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "What a policy demands, in which order, and which attack each loosened setting opens.",
        discussion: "Exit status: 0 for a policy that can accept a server, 1 for one that contradicts itself.",
        examples: [
            ("belay policy explain", "The default: no pins."),
            ("belay policy explain --pins pins.txt --allow-invalid-certificates", "Let pins alone decide."),
            ("belay policy explain --no-domain-validation --format json", "The same for programs."),
        ])

    @OptionGroup(title: "Policy") var options: PolicyOptions
    @OptionGroup var output: FormatOptions

    func validate() throws { try StandardInput.checkOnce(options.pins) }

    func run() throws {
        let console = Console()
        let policy: SecurityPolicy
        do throws(InputError) {
            policy = try options.policy()
        } catch {
            if output.format == .json { try console.printJSON(Report(error)) }
            throw console.fail(error.text)
        }
        let refusals = policy.contradictions()
        switch output.format {
        case .json: try console.printJSON(Report(policy, refusals: refusals))
        case .text: try console.print(Self.text(policy, refusals, console))
        }
        if !refusals.isEmpty { throw ExitStatus.refused }
    }

    private struct Report: Encodable {
        let policy: PolicyReport?
        let summary: String
        let steps: [String]
        let weaknesses: [Finding]
        let contradictions: [Finding]
        let error: FailureReport?

        /// The same document where the pins could not be read: no policy.
        init(_ error: InputError) {
            policy = nil
            summary = error.message
            (steps, weaknesses, contradictions) = ([], [], [])
            self.error = FailureReport(error)
        }

        init(_ policy: SecurityPolicy, refusals: [Finding]) {
            self.policy = PolicyReport(policy)
            summary = PolicyText(policy).summary
            steps = PolicyText(policy).steps
            weaknesses = policy.weaknesses
            contradictions = refusals
            error = nil
        }

        private enum Key: String, CodingKey {
            case policy, summary, steps, weaknesses, contradictions, error
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(policy, forKey: .policy)
            try container.encode(summary, forKey: .summary)
            try container.encode(steps, forKey: .steps)
            try container.encode(weaknesses, forKey: .weaknesses)
            try container.encode(contradictions, forKey: .contradictions)
            try container.encode(error, forKey: .error)
        }
    }

    private static func text(_ policy: SecurityPolicy, _ refusals: [Finding], _ console: Console) -> String {
        let style = console.style
        let words = PolicyText(policy)
        var blocks = [
            Layout.wrap(words.summary, indent: 9, first: style.bold("demands") + "  ", columns: console.columns)
        ]
        let settings = words.settings.map { row in
            Layout.wrap(
                row.meaning, indent: 43,
                first: "  \(Layout.pad(row.name, 28))\(style.bold(Layout.pad(row.value, 13)))", columns: console.columns
            )
        }
        blocks.append(([style.bold("Settings")] + settings).joined(separator: "\n"))
        let pins = PolicyReport(policy).pins
        if !pins.isEmpty {
            let rows = pins.map { pin in
                // Where certificates are compared, their keys decide nothing.
                let digest = policy.pinningMode == .certificate ? pin.sha256.map { "certificate \($0)" } : nil
                return "  \(digest ?? "sha256/\(pin.pin)")" + (pin.subject.map { "  " + Text.short($0) } ?? "")
            }
            blocks.append(([style.bold("Pins")] + rows).joined(separator: "\n"))
        }
        let steps = words.steps.enumerated().map { index, step in
            Layout.wrap(step, indent: 5, first: "  \(index + 1). ", columns: console.columns)
        }
        blocks.append(([style.bold("Order of evaluation")] + steps).joined(separator: "\n"))
        if !refusals.isEmpty {
            blocks.append(style.bold("Contradiction") + "\n" + FindingText.text(refusals, console))
        } else if policy.weaknesses.isEmpty {
            blocks.append("Nothing is loosened.")
        } else {
            blocks.append(style.bold("What it opens") + "\n" + FindingText.text(policy.weaknesses, console))
        }
        return blocks.joined(separator: "\n\n")
    }
}
