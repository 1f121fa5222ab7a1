import BelayCertificates

/// A set of rules that judges paths: a list, nothing more.
public struct RuleSet: Sendable {
    /// The name, as `--rules` and the field `rules` of a case take it.
    public let name: String
    let rules: [any PathRule]
    /// The rules that are asked as soon as a certificate stands on the path.
    let promptRules: [any PathRule]
    /// The rules that are asked when its signature was found good.
    let costlyRules: [any PathRule]

    init(name: String, rules: [any PathRule]) {
        self.name = name
        self.rules = rules
        promptRules = rules.filter { !$0.isCostly }
        costlyRules = rules.filter(\.isCostly)
    }

    /// What a careful TLS client demands of any chain, private authorities included: path validation of RFC 5280, names
    /// of RFC 9525, and today's strengths.
    public static let standard = RuleSet(
        name: "standard",
        rules: [
            ExtensionRule(), ValidityRule(), AuthorityRule(), PathLengthRule(), PurposeRule(), StrengthRule(),
            ServerNameRule(), NameConstraintsRule(), CertificatePolicyRule(), RevocationRule(),
        ])

    /// `standard`, and the profile's strict demands on how certificates and revocation lists are made (RFC 5280, sections 4
    /// and 5).
    public static let rfc5280 = RuleSet(
        name: "rfc5280",
        rules: standard.rules + [
            CertificateFormRule(), KeyIdentifierRule(), AuthorityFormRule(), AlternativeNameFormRule(),
            AccessFormRule(), RevocationListFormRule(),
        ])

    /// `rfc5280`, and what the CA/Browser Forum's Baseline Requirements forbid public authorities.
    public static let webpki = RuleSet(
        name: "webpki",
        rules: rfc5280.rules + [
            SubscriberRule(), PublicNameRule(), PublicKeyFormRule(), PublicAuthorityRule(),
        ])

    /// `standard`, and Apple's published rules for its platforms, with their dates: would an iPhone accept it?
    public static let apple = RuleSet(
        name: "apple",
        rules: standard.rules + [
            AppleStrengthRule(), AppleServerRule(), AppleLifetimeRule(), AppleRootsRule(),
        ])

    /// Every set.
    public static let all: [RuleSet] = [standard, rfc5280, webpki, apple]

    /// The set of a name, if Belay has it.
    public static func named(_ name: String) -> RuleSet? {
        all.first { $0.name == name }
    }

    /// Why a name gives no set, in words.
    public static func refusal(of name: String) -> String {
        "'\(printable(name))' is not a rule set; expected one of \(all.map(\.name).joined(separator: ", "))"
    }
}
