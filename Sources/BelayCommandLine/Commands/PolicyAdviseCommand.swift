import BelayArguments
import BelayTrust
import Glibc

/// `belay policy advise`: which policy fits the facts, what to pin, and how to renew.
struct PolicyAdviseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advise",
        abstract: "Which policy fits your facts, what to pin, and how to renew.",
        discussion: "On a terminal it asks for the facts that are not given as options; elsewhere all of them must be.",
        examples: [
            ("belay policy advise", "Answer three questions."),
            (
                "belay policy advise --issuer own --renewal new-key --app-updates slow",
                "An authority of your own, renewal by machine, apps that stay old for months."
            ),
        ])

    @Option(help: ArgumentHelp("Who issues the server's certificate.", valueName: "issuer"))
    var issuer: PolicyFacts.Issuer?
    @Option(help: ArgumentHelp("What happens to the key when the certificate is renewed.", valueName: "renewal"))
    var renewal: PolicyFacts.Renewal?
    @Option(
        help: ArgumentHelp(
            "Whether every installed app is updated before the server's key changes.", valueName: "updates"))
    var appUpdates: PolicyFacts.AppUpdates?
    @OptionGroup var output: FormatOptions

    func run() throws {
        let console = Console()
        let facts = PolicyFacts(
            issuer: try issuer
                ?? ask(
                    "Who issues the server's certificate?", "--issuer",
                    [
                        (.publicAuthority, "a public authority that systems trust"),
                        (.ownAuthority, "an authority of your own"), (.selfSigned, "nobody, it is self-signed"),
                    ], console),
            renewal: try renewal
                ?? ask(
                    "What happens to the key when the certificate is renewed?", "--renewal",
                    [
                        (.sameKey, "it stays"), (.newKey, "each certificate has a new one"),
                        (.unknown, "somebody else renews, and I do not know"),
                    ], console),
            appUpdates: try appUpdates
                ?? ask(
                    "Is every installed app updated before the server's key changes?", "--app-updates",
                    [
                        (.inTime, "yes, I decide when"), (.slow, "some stay old for months"),
                        (.never, "installed copies are never updated"),
                    ], console))
        let advice = PolicyAdvice(for: facts)
        switch output.format {
        case .json: try console.printJSON(advice)
        case .text: try console.print(Self.text(advice, console))
        }
    }

    /// Asks on standard error, reads from standard input; a number or a word is an answer.
    private func ask<Fact: RawRepresentable>(
        _ question: String, _ option: String, _ answers: [(Fact, String)], _ console: Console
    ) throws -> Fact where Fact.RawValue == String {
        let names = answers.map(\.0.rawValue).joined(separator: ", ")
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("the fact '\(option)' is missing; expected \(option) with one of \(names)")
        }
        console.note(question)
        for (index, answer) in answers.enumerated() {
            console.note("  \(index + 1)  \(Layout.pad(answer.0.rawValue, 12)) \(answer.1)")
        }
        for _ in 0..<3 {
            guard let line = readLine() else { break }
            let word = line.split(separator: " ").first.map(String.init) ?? ""
            if let number = Int(word), (1...answers.count).contains(number) { return answers[number - 1].0 }
            if let fact = Fact(rawValue: word) { return fact }
            console.note("Answer with a number from 1 to \(answers.count), or one of \(names).")
        }
        throw ValidationError("no answer; give the fact as an option: \(option) with one of \(names)")
    }

    private static func text(_ advice: PolicyAdvice, _ console: Console) -> String {
        let style = console.style
        func list(_ title: String, _ items: [String]) -> String {
            ([style.bold(title)] + items.map { Layout.wrap($0, indent: 4, first: "  - ", columns: console.columns) })
                .joined(separator: "\n")
        }
        let pinning = advice.pinningMode == .publicKey ? "public-key" : advice.pinningMode.rawValue
        var options = advice.target == .nothing ? "(none: the default)" : "--pins FILE --pinning \(pinning)"
        if advice.onlyAnchor != .nothing { options = "--anchor FILE --no-system-anchors" }
        if advice.allowInvalidCertificates { options += " --allow-invalid-certificates" }
        return [
            Layout.wrap(advice.summary, columns: console.columns),
            style.bold("Options") + "  " + options,
            list("Why", advice.reasons), list("How to renew", advice.renewal),
        ].joined(separator: "\n\n")
    }
}

extension PolicyFacts.Issuer: ExpressibleByArgument {}
extension PolicyFacts.Renewal: ExpressibleByArgument {}
extension PolicyFacts.AppUpdates: ExpressibleByArgument {}
