import BelayTrust

/// A verdict in one line.
enum VerdictText {
    /// Trusted or refused, and why, in plain words.
    static func headline(_ verdict: Verdict, of subject: String, policy: SecurityPolicy, style: Style) -> String {
        let word = verdict.isTrusted ? style.good("trusted") : style.bad("refused")
        return "\(word)  \(style.bold(subject))  \(reason(verdict, policy))"
    }

    /// Why, without the word itself.
    static func reason(_ verdict: Verdict, _ policy: SecurityPolicy) -> String {
        guard verdict.isTrusted else {
            let errors = verdict.findings(.error)
            guard let first = errors.first else { return "no reason was found to trust it" }
            let rest = Set(errors.map(\.rule)).count - 1
            return Text.short(first.message, 300) + (rest > 0 ? " (and \(Days.plural(rest, "more reason")))" : "")
        }
        let pin: String? =
            policy.pinningMode == .none ? nil : policy.pinningMode == .certificate ? "certificate" : "key"
        if verdict.result == .proceed {
            guard let pin else { return "only because invalid certificates are allowed; anybody could answer" }
            return "by the pinned \(pin) alone: the chain is not valid otherwise"
        }
        var parts: [String] = []
        if let anchor = verdict.anchor { parts.append("the chain leads to \(anchor.label)") }
        if !verdict.checkedNames.isEmpty { parts.append("the name matches") }
        if let pin { parts.append("a pinned \(pin) is on it") }
        return parts.joined(separator: ", ")
    }
}
