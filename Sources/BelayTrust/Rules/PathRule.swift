import BelayCertificates

/// A rule on paths: a small value that looks at one certificate in its place on a path.
///
/// The search calls `examine` as soon as a certificate is put on the path, with everything below it in place and nothing
/// above; whatever a rule finds then is final, which is what allows the search to give up on a path early.
protocol PathRule: Sendable {
    /// The rules of the catalogue that findings of this value belong to.
    static var catalogue: [Rule] { get }

    /// Reports what is wrong with the certificate at `depth`, the topmost of `path`; 0 is the leaf.
    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog)
}

/// A set of rules that judges paths.
public struct RuleSet: Sendable {
    /// The name, as `--rules` takes it.
    public let name: String
    let rules: [any PathRule]

    /// What a careful TLS client demands of any chain, private authorities included: path validation of RFC 5280, names
    /// of RFC 9525, and today's strengths.
    public static let standard = RuleSet(
        name: "standard",
        rules: [
            ExtensionRule(), ValidityRule(), AuthorityRule(), PathLengthRule(), PurposeRule(), StrengthRule(),
            ServerNameRule(), NameConstraintsRule(), RevocationRule(),
        ])

    /// The set of a name, if Belay has it.
    public static func named(_ name: String) -> RuleSet? {
        name == standard.name ? standard : nil
    }

    /// Why a name gives no set, in words.
    public static func refusal(of name: String) -> String {
        switch name {
        case "rfc5280", "webpki", "apple": "the rule set '\(name)' is not supported yet; expected standard"
        default: "'\(printable(name))' is not a rule set; expected standard"
        }
    }
}
