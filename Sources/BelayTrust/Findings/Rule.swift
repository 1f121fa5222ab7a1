/// A rule that a certificate, a path, a policy or a connection can break: the unit of the catalogue (`belay rules`).
///
/// The identifier is stable once released. Everything Belay reports is a ``Finding`` of one of these.
public struct Rule: Sendable {
    /// Lower case, dotted, area first, for example `validity.expired`.
    public let identifier: String
    /// What the rule demands or reports, in one sentence.
    public let summary: String
    /// How grave a finding of this rule usually is.
    public let severity: Finding.Severity
    /// What kind of refusal an error of this rule is.
    public let consequence: Consequence
    /// What a person can do about it.
    public let remedy: String
    /// Where the rule comes from: an RFC and section, an Apple document, or Belay's own reasoning.
    public let source: String
    /// Whether `allowInvalidCertificates` forgives it beside pins: dates, names, purposes and a missing anchor only.
    let isForgivable: Bool

    /// What kind of refusal an error is, from the mildest to the gravest.
    public enum Consequence: Int, Sendable, Comparable, CaseIterable {
        /// Nothing: the rule only informs.
        case none
        /// The chain is good, but policy says no.
        case deny
        /// A person could choose to overrule it.
        case recoverable
        /// Nobody may overrule it.
        case fatal
        /// There is nothing to judge.
        case invalid

        /// The milder consequence is the lesser.
        public static func < (left: Consequence, right: Consequence) -> Bool { left.rawValue < right.rawValue }
    }

    package init(
        _ identifier: String, _ summary: String, severity: Finding.Severity = .error, _ consequence: Consequence,
        forgivable: Bool = false, remedy: String, source: String
    ) {
        self.identifier = identifier
        self.summary = summary
        self.severity = severity
        self.consequence = consequence
        self.isForgivable = forgivable
        self.remedy = remedy
        self.source = source
    }
}

extension Rule: Hashable {
    /// Rules are the same when their identifiers are.
    public static func == (left: Rule, right: Rule) -> Bool { left.identifier == right.identifier }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

extension Rule: CustomStringConvertible {
    /// The identifier.
    public var description: String { identifier }
}
