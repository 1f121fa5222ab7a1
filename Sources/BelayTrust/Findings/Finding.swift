/// Something that was noticed: which rule, how grave, where, what was expected and found, and what to do.
public struct Finding: Sendable, Hashable {
    /// How grave a finding is.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// Worth knowing.
        case note
        /// Accepted, but somebody should act.
        case warning
        /// A reason to refuse.
        case error

        /// The milder severity is the lesser.
        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .note: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// Where something was noticed.
    public enum Place: Sendable, Hashable {
        /// A certificate of the path: 0 is the leaf.
        case certificate(depth: Int, subject: String)
        /// A file, with the way to the value inside it and the line, where these are known.
        case file(String, keyPath: [String], line: Int?)
        /// The connection, the policy or the chain as a whole.
        case whole
    }

    /// The rule.
    public let rule: Rule
    /// How grave it is here; `allowInvalidCertificates` turns errors into warnings.
    public var severity: Severity
    /// Where.
    public let place: Place
    /// What was noticed, in a sentence.
    public let message: String
    /// What would have been right.
    public let expected: String?
    /// What was there.
    public let found: String?
    /// What a person can do.
    public let remedy: String

    /// Where the rule comes from.
    public var source: String { rule.source }

    /// The place in the path, 0 for the leaf; nil where the finding is not about a certificate.
    public var depth: Int? {
        if case .certificate(let depth, _) = place { depth } else { nil }
    }

    /// The subject of the certificate in question, as RFC 4514 writes it.
    public var subject: String? {
        if case .certificate(_, let subject) = place { subject } else { nil }
    }

    /// Reports a finding of a rule, with the rule's own severity and remedy where none are given.
    public init(
        _ rule: Rule, severity: Severity? = nil, at place: Place = .whole, _ message: String, expected: String? = nil,
        found: String? = nil, remedy: String? = nil
    ) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        self.place = place
        self.message = message
        self.expected = expected
        self.found = found
        self.remedy = remedy ?? rule.remedy
    }

    /// The same finding with another severity.
    func with(severity: Severity) -> Finding {
        var copy = self
        copy.severity = severity
        return copy
    }
}

extension Finding: CustomStringConvertible {
    /// Severity, rule and message in a line.
    public var description: String {
        let location = depth.map { " (certificate \($0))" } ?? ""
        return "\(severity.rawValue): \(rule)\(location): \(message)"
    }
}
