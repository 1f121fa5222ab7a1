import BelayCertificates
import BelayTrust

/// A kind of disagreement that is known and has a reason.
struct DifferenceClass: Sendable {
    /// Who refuses what the other accepts.
    enum Side: Sendable {
        /// Belay refuses, by this rule (any, where it is empty), with a message that has one of these parts (any message, where there are none).
        case belay(rule: String, words: [String] = [])
        /// The peer refuses with words that have one of these parts.
        case peer(words: [String])
    }

    let identifier: String
    let peers: [Peer]
    let side: Side
    /// Which of them is right, and why they differ.
    let reason: String
    /// What must be true of the case besides.
    let holds: @Sendable (Comparison) -> Bool

    init(
        _ identifier: String, _ peers: [Peer], _ side: Side, _ reason: String,
        where holds: @escaping @Sendable (Comparison) -> Bool = { _ in true }
    ) {
        self.identifier = identifier
        self.peers = peers
        self.side = side
        self.reason = reason
        self.holds = holds
    }

    /// Every class; the first that fits a disagreement is its own.
    static let all: [DifferenceClass] = encoding + demands + search + names + features + profile

    /// Whether this class explains a finding of Belay's.
    func explains(_ finding: Finding, _ comparison: Comparison) -> Bool {
        guard case .belay(let rule, let words) = side, rule.isEmpty || rule == finding.rule.identifier else {
            return false
        }
        let isMeant = words.isEmpty || words.contains { finding.message.contains($0) }
        return isMeant && holds(comparison)
    }

    /// Whether this class explains a peer's refusal.
    func explains(_ refusal: String, _ comparison: Comparison) -> Bool {
        guard case .peer(let words) = side else { return false }
        return words.contains { refusal.contains($0) } && holds(comparison)
    }
}
