import BelayCertificates
import BelayTrust

/// A verdict in one line.
enum VerdictText {
    /// Trusted or refused, and why, in plain words.
    static func headline(_ verdict: Verdict, of subject: String, policy: SecurityPolicy, style: Style) -> String {
        let word = verdict.isTrusted ? style.good("trusted") : style.bad("refused")
        return "\(word)  \(style.bold(subject)): \(reason(verdict, policy))"
    }

    /// What is said of a server that is reached in the clear.
    static let cleartext = "in the clear, by the Info.plist; anybody could answer, read and change it"

    /// Why, without the word itself.
    static func reason(_ verdict: Verdict, _ policy: SecurityPolicy) -> String {
        verdict.isTrusted ? acceptance(verdict, policy) : refusal(verdict)
    }

    private static func acceptance(_ verdict: Verdict, _ policy: SecurityPolicy) -> String {
        let pin: String? =
            switch policy.pinningMode {
            case .none: nil
            case .publicKey: "key"
            case .certificate: "certificate"
            }
        if verdict.result == .proceed {
            guard let pin else { return "only because invalid certificates are allowed; anybody could answer" }
            return "by the pinned \(pin) alone; the chain is not valid otherwise"
        }
        var parts: [String] = []
        if let anchor = verdict.anchor { parts.append("the chain leads to \(anchor.label)") }
        if !verdict.checkedNames.isEmpty { parts.append("the name matches") }
        if let pin { parts.append("a pinned \(pin) is on it") }
        return parts.joined(separator: ", ")
    }

    private static func refusal(_ verdict: Verdict) -> String {
        let errors = verdict.findings(.error)
        // That the issuer was not sent says more than that no anchor was reached.
        guard let first = errors.first(where: { $0.rule.identifier == "path.issuer-not-sent" }) ?? errors.first else {
            return "there was nothing to judge"
        }
        let rest = Set(errors.map(\.rule)).subtracting([first.rule, .unknownAnchor(in: errors, beside: first)]).count
        let message = standingAlone(first, verdict)
        return Text.short(message, 300) + (rest > 0 ? " (and \(Days.plural(rest, "more reason")))" : "")
    }

    /// Messages speak of the certificate as "it", which stands above them elsewhere.
    private static func standingAlone(_ finding: Finding, _ verdict: Verdict) -> String {
        var message = finding.message
        if message.hasSuffix(".") { message.removeLast() }
        guard let depth = finding.depth else { return message }
        let subject =
            depth == 0 || !verdict.path.indices.contains(depth)
            ? "the certificate" : "the certificate of \(verdict.path[depth].label)"
        if message.hasPrefix("it ") { return subject + message.dropFirst(2) }
        if message.hasPrefix("its ") { return "\(subject)'s" + message.dropFirst(3) }
        return message
    }
}

extension Rule {
    /// The rule of an unknown anchor where another finding already says why; else the finding's own.
    fileprivate static func unknownAnchor(in errors: [Finding], beside first: Finding) -> Rule {
        guard first.rule.identifier == "path.issuer-not-sent" else { return first.rule }
        return errors.first { $0.rule.identifier == "anchor.unknown" }?.rule ?? first.rule
    }
}
