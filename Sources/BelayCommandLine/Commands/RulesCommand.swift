import BelayArguments
import BelayCertificates
import BelayLint
import BelaySession
import BelayTransportSecurity
import BelayTrust

/// `belay rules`: the catalogue, made from the rules themselves.
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "The catalogue of rules: what Belay can find fault with.",
        discussion: "A rule's name is stable, so that programs can rely on it.",
        examples: [
            ("belay rules", "List all rules."),
            ("belay rules validity.expired", "Say what a rule demands, and what to do."),
            ("belay rules name", "List the rules of an area."),
        ])

    @Argument(help: "A rule, or an area such as 'name'; all rules when left out.") var rule: String?
    @OptionGroup var output: FormatOptions

    func run() throws {
        let console = Console()
        let rules = try selected()
        switch output.format {
        case .json:
            try console.printJSON(RulesReport(rules: rules.map(RuleReport.init)))
        case .text where rules.count == 1:
            try console.print(rules.map { Self.details($0, console) }.joined())
        case .text:
            try console.print(Self.list(rules, console))
        }
    }

    private func selected() throws -> [Rule] {
        guard let rule else { return Self.catalogue }
        if let match = Self.catalogue.first(where: { $0.identifier == rule }) { return [match] }
        let area = Self.catalogue.filter { $0.identifier.hasPrefix(rule + ".") }
        guard !area.isEmpty else {
            let near = nearestRule(to: rule).map { "; did you mean '\($0)'?" } ?? "; 'belay rules' lists them"
            throw ValidationError("there is no rule '\(printable(rule))'\(near)")
        }
        return area
    }

    /// The rules of every module.
    private static let catalogue =
        (RuleCatalogue.all + TransparencyRules.all + TransportSecurityRules.all + LintRules.all
        + SessionRulesCatalogue.all)
        .sorted { $0.identifier < $1.identifier }

    /// The rule that shares the longest beginning or whose last part is the one given.
    private func nearestRule(to text: String) -> String? {
        Self.catalogue.map(\.identifier).first { $0.hasSuffix("." + text) }
            ?? Self.catalogue.map(\.identifier)
            .map { ($0, $0.commonPrefix(with: text)) }
            .filter { $0.1 >= 4 }.max { $0.1 < $1.1 }?.0
    }

    private static func list(_ rules: [Rule], _ console: Console) -> String {
        let width = (rules.map(\.identifier.count).max() ?? 0) + 2
        let style = console.style
        return rules.map { rule in
            let mark = Layout.pad(rule.severity.rawValue, 9)
            return Layout.wrap(
                rule.summary, indent: width + 9,
                first: style.bold(Layout.pad(rule.identifier, width)) + style.severity(rule.severity, mark),
                columns: console.columns)
        }.joined(separator: "\n")
    }

    private static func details(_ rule: Rule, _ console: Console) -> String {
        let style = console.style
        let rows = [
            ("demands", rule.summary), ("severity", rule.severity.rawValue), ("refusal", rule.consequence.text),
            ("remedy", rule.remedy), ("source", rule.source),
        ]
        return
            ([style.bold(rule.identifier)]
            + rows.map {
                Layout.wrap(
                    $0.1, indent: 12, first: "  " + style.dim(Layout.pad($0.0, 10)), columns: console.columns)
            }).joined(separator: "\n")
    }
}

/// The catalogue in JSON.
private struct RulesReport: Encodable {
    let rules: [RuleReport]
}

/// A rule in JSON.
private struct RuleReport: Encodable {
    let rule: String
    let severity: String
    let refusal: String
    let summary: String
    let remedy: String
    let source: String

    init(_ rule: Rule) {
        self.rule = rule.identifier
        severity = rule.severity.rawValue
        refusal = rule.consequence.text
        summary = rule.summary
        remedy = rule.remedy
        source = rule.source
    }
}

extension Rule.Consequence {
    /// The result that an error of the rule leads to, in the words of the formats.
    fileprivate var text: String {
        switch self {
        case .none: "none"
        case .deny: TrustResult.deny.rawValue
        case .recoverable: TrustResult.recoverableTrustFailure.rawValue
        case .fatal: TrustResult.fatalTrustFailure.rawValue
        case .invalid: TrustResult.invalid.rawValue
        }
    }
}

extension Style {
    /// Text in the colour of a severity.
    func severity(_ severity: Finding.Severity, _ text: String) -> String {
        switch severity {
        case .error: bad(text)
        case .warning: warning(text)
        case .note: dim(text)
        }
    }
}

extension String {
    /// How many characters two texts have in common at their beginning.
    fileprivate func commonPrefix(with other: String) -> Int { zip(self, other).prefix { $0 == $1 }.count }
}
