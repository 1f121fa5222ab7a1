import BelayCertificates
import BelayTrust

/// A policy in JSON, and in words.
struct PolicyReport: Encodable {
    let pinning: String
    let chainMatching: String
    let allowInvalidCertificates: Bool
    let validatesDomainName: Bool
    let pins: [Pin]

    /// What is pinned.
    struct Pin: Encodable {
        let pin: String
        let subject: String?
        let sha256: String?
    }

    init(_ policy: SecurityPolicy) {
        pinning = policy.pinningMode.rawValue
        chainMatching = policy.chainMatching.rawValue
        allowInvalidCertificates = policy.allowInvalidCertificates
        validatesDomainName = policy.validatesDomainName
        pins =
            policy.pinnedCertificates.map {
                Pin(pin: $0.pin.description, subject: $0.subject.description, sha256: $0.fingerprint.hexadecimalText)
            } + policy.pinnedKeys.map(\.description).sorted().map { Pin(pin: $0, subject: nil, sha256: nil) }
    }
}

/// A policy in words.
struct PolicyText {
    let policy: SecurityPolicy

    init(_ policy: SecurityPolicy) { self.policy = policy }

    private var isContradictory: Bool { !policy.contradictions().isEmpty }
    private var count: String {
        policy.pinningMode == .certificate
            ? Days.plural(policy.pinnedCertificates.count, "pinned certificate")
            : Days.plural(policy.effectivePins.count, "pinned key")
    }

    private var oneOf: String { count.hasPrefix("1 ") ? "the" + count.dropFirst() : "one of \(count)" }

    private var allOf: String { count.hasPrefix("1 ") ? "the" + count.dropFirst() : "the \(count)" }

    /// What the policy demands, in one line.
    var summary: String {
        if isContradictory { return "what no server can meet: the policy refuses every one" }
        if policy.pinningMode == .none && policy.allowInvalidCertificates {
            return "nothing: any certificate is accepted"
        }
        var parts: [String] = []
        if !policy.allowInvalidCertificates { parts.append("a chain to a trusted anchor") }
        switch policy.pinningMode {
        case .none: break
        case .publicKey:
            // The chain is named before, unless it may be an invalid one.
            let any = policy.allowInvalidCertificates ? "a path with \(oneOf) on it" : "\(oneOf) on it"
            parts.append(policy.chainMatching == .any ? any : "below its root nothing but \(allOf)")
        case .certificate:
            parts.append(
                policy.chainMatching == .any
                    ? "a path to \(oneOf)" : "below its root nothing but \(allOf)")
        }
        // With keys, what allowInvalidCertificates lets through includes a wrong name.
        let nameCounts =
            policy.validatesDomainName && !(policy.allowInvalidCertificates && policy.pinningMode == .publicKey)
        parts.append(nameCounts ? "the right name" : "any name")
        return parts.joined(separator: ", ")
    }

    /// The settings, each with what it means.
    var settings: [(name: String, value: String, meaning: String)] {
        let pinning =
            switch policy.pinningMode {
            case .none: "nothing is pinned: whom the anchors vouch for is trusted"
            case .publicKey:
                "keys of the verified path are compared; a certificate renewed with the same key stays accepted"
            case .certificate:
                "the pinned certificates are the only anchors; a renewed leaf needs a new pin unless its authority is pinned"
            }
        let mode = policy.pinningMode == .publicKey ? "public-key" : policy.pinningMode.rawValue
        var rows = [("pinning", mode, pinning)]
        if policy.pinningMode != .none {
            rows.append(
                ("pins", count.split(separator: " ").first.map(String.init) ?? "", "what is compared, listed below"))
            rows.append(
                (
                    "chain matching", policy.chainMatching.rawValue,
                    policy.chainMatching == .any
                        ? "one pin on the path is enough" : "everything on the path but its root must be pinned"
                ))
        }
        rows.append(
            (
                "allow invalid certificates", policy.allowInvalidCertificates ? "yes" : "no",
                policy.allowInvalidCertificates
                    ? isContradictory
                        ? "without effect: the policy contradicts itself and refuses every server"
                        : policy.pinningMode == .none
                            ? "any chain is let through"
                            : policy.pinningMode == .certificate
                                ? "the machine's anchors do not count: the chain must be valid to a pinned certificate alone"
                                : "dates, names, purposes and a missing anchor are forgiven where the pins match"
                    : "the chain must be valid whatever the pins say"
            ))
        rows.append(
            (
                "validate domain name", policy.validatesDomainName ? "yes" : "no",
                policy.validatesDomainName
                    ? policy.allowInvalidCertificates && policy.pinningMode == .publicKey && !isContradictory
                        ? "without effect: with a pinned key an invalid name is let through"
                        : "the certificate must name the host"
                    : "neither the name nor the purpose of the certificate is looked at"
            ))
        return rows
    }

    /// What is asked, in order.
    var steps: [String] {
        if isContradictory {
            return ["Every server is refused, before a byte is sent."]
        }
        let name =
            policy.validatesDomainName ? "and the certificate names the host" : "name and purpose are not looked at"
        let valid = "signatures, dates and constraints hold, \(name)"
        switch (policy.pinningMode, policy.allowInvalidCertificates) {
        case (.none, true): return ["Every chain is accepted; what is wrong with it is listed as warnings."]
        case (.none, false): return ["The chain must lead to a trusted anchor: \(valid).", "Nothing more is asked."]
        case (.publicKey, true):
            return [
                "Signatures and constraints must hold; dates, the name, purposes and a missing anchor are forgiven.",
                "\(matching("key")).",
            ]
        case (.publicKey, false):
            return ["The chain must lead to a trusted anchor: \(valid).", "\(matching("key"))."]
        case (.certificate, let isRelaxed):
            let first = isRelaxed ? [] : ["The chain must lead to a trusted anchor: \(valid)."]
            return first + [
                "With the pinned certificates as the only anchors, the chain must be valid: \(valid).",
                "\(matching("certificate")).",
            ]
        }
    }

    private func matching(_ what: String) -> String {
        policy.chainMatching == .any
            ? "A \(what) of that path must be pinned" : "Every \(what) of that path but the root's must be pinned"
    }
}
