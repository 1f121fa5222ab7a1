/// What came of an evaluation, in the terms of Apple's systems.
public enum TrustResult: String, Sendable, Hashable, CaseIterable {
    /// Accepted: a path is valid under the rules, and the policy agrees.
    case unspecified
    /// Accepted because a person chose to: an otherwise invalid chain was let through, and the findings say why it is
    /// invalid.
    case proceed
    /// Refused although the chain is valid: by pins, or by a policy that contradicts itself.
    case deny
    /// Refused for reasons that a person could choose to overrule: dates, name, unknown anchor, purpose, strength.
    case recoverableTrustFailure
    /// Refused for reasons that nobody may overrule: malformed, bad signature, an issuer that is no authority, a broken
    /// constraint, revoked, budget exceeded.
    case fatalTrustFailure
    /// There was nothing to judge.
    case invalid

    /// Whether the result accepts.
    public var isTrusted: Bool { self == .unspecified || self == .proceed }

    /// The graver of two results.
    func worse(_ other: TrustResult) -> TrustResult { gravity >= other.gravity ? self : other }

    private var gravity: Int {
        switch self {
        case .unspecified: 0
        case .proceed: 1
        case .deny: 2
        case .recoverableTrustFailure: 3
        case .fatalTrustFailure: 4
        case .invalid: 5
        }
    }

    /// The refusal that errors amount to: the gravest of them; nil without errors.
    init?(errors: [Finding]) {
        switch errors.lazy.filter({ $0.severity == .error }).map(\.rule.consequence).max() {
        case nil: return nil
        case .some(.none), .deny: self = .deny
        case .recoverable: self = .recoverableTrustFailure
        case .fatal: self = .fatalTrustFailure
        case .invalid: self = .invalid
        }
    }
}
