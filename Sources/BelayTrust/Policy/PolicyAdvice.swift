/// Which policy fits the facts: mode, what to pin, and how to renew, each with its reason.
///
/// ```swift
/// let facts = PolicyFacts(issuer: .ownAuthority, renewal: .newKey, appUpdates: .slow)
/// print(PolicyAdvice(for: facts).summary)
/// ```
public struct PolicyFacts: Sendable, Hashable {
    /// Who issues the server's certificate.
    public enum Issuer: String, Sendable, Hashable, CaseIterable {
        /// A public authority that systems trust.
        case publicAuthority = "public"
        /// An authority of your own.
        case ownAuthority = "own"
        /// Nobody: the certificate is self-signed.
        case selfSigned = "self-signed"
    }

    /// What happens to the key when the certificate is renewed.
    public enum Renewal: String, Sendable, Hashable, CaseIterable {
        /// The new certificate is for the same key.
        case sameKey = "same-key"
        /// Each certificate has a new key, as most renewal by machine does.
        case newKey = "new-key"
        /// Somebody else renews, and you do not know.
        case unknown
    }

    /// Whether every installed app has an update before the server's key changes.
    public enum AppUpdates: String, Sendable, Hashable, CaseIterable {
        /// You can force an update, or decide when the server changes.
        case inTime = "in-time"
        /// Some installed apps stay old for months.
        case slow
        /// Installed copies are never updated, for example in devices.
        case never
    }

    /// Who issues the server's certificate.
    public var issuer: Issuer
    /// What happens to the key at renewal.
    public var renewal: Renewal
    /// Whether apps are updated in time.
    public var appUpdates: AppUpdates

    /// Puts the facts together.
    public init(issuer: Issuer, renewal: Renewal, appUpdates: AppUpdates) {
        self.issuer = issuer
        self.renewal = renewal
        self.appUpdates = appUpdates
    }
}

/// A recommendation for some facts.
public struct PolicyAdvice: Sendable, Hashable {
    /// What to pin.
    public enum Target: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case nothing
        /// The root of your own authority.
        case ownRoot = "own-root"
        /// The server's key, and one in reserve.
        case serverKeyAndReserve = "server-key-and-reserve"
    }

    /// The mode.
    public let pinningMode: SecurityPolicy.PinningMode
    /// What to pin.
    public let target: Target
    /// What to trust as the only anchor, the system's left out; ``Target/nothing`` for the system's anchors.
    public let onlyAnchor: Target
    /// Whether pins alone decide, since the system does not know the issuer.
    public let allowInvalidCertificates: Bool
    /// The recommendation in a sentence.
    public let summary: String
    /// Why, a sentence for each fact that mattered.
    public let reasons: [String]
    /// How to renew without locking anybody out, step by step.
    public let renewal: [String]

    /// Weighs the facts.
    public init(for facts: PolicyFacts) {
        switch facts.issuer {
        case .publicAuthority: self = Self.publicAuthority(facts)
        case .ownAuthority: self = Self.ownAuthority(facts)
        case .selfSigned: self = Self.selfSigned(facts)
        }
    }

    private init(
        _ mode: SecurityPolicy.PinningMode, _ target: Target, onlyAnchor: Target = .nothing, allowInvalid: Bool,
        _ summary: String, reasons: [String], renewal: [String]
    ) {
        pinningMode = mode
        self.target = target
        self.onlyAnchor = onlyAnchor
        allowInvalidCertificates = allowInvalid
        self.summary = summary
        self.reasons = reasons
        self.renewal = renewal
    }

    // MARK: The three cases

    private static func publicAuthority(_ facts: PolicyFacts) -> PolicyAdvice {
        guard facts.renewal == .sameKey, facts.appUpdates == .inTime else {
            return PolicyAdvice(
                .none, .nothing, allowInvalid: false,
                "Do not pin: let the system's anchors decide, and validate the name.",
                reasons: [
                    facts.renewal == .sameKey
                        ? "Pinned apps that are not updated in time refuse the server when its key has to change."
                        : "The key \(facts.renewal == .newKey ? "changes" : "may change") at renewal, and a pin on it would refuse the "
                            + "genuine server that day.",
                    "A pin on the public authority's key instead would accept every customer of the authority that can get "
                        + "a certificate for your name, and break when the authority changes its intermediates.",
                    "Mis-issued certificates are what pins would catch; Certificate Transparency monitoring catches them "
                        + "without the risk.",
                ],
                renewal: ["Nothing to do: any valid certificate for the name is accepted."])
        }
        return PolicyAdvice(
            .publicKey, .serverKeyAndReserve, allowInvalid: false,
            "Pin the server's key and one in reserve, beside the system's anchors, and validate the name.",
            reasons: [
                "The key stays at renewal, so that the pin stays valid.",
                "Apps are updated in time, so that a new pin reaches everybody before the key changes.",
                "The chain must be valid as well: a stolen or lost key can be revoked and replaced.",
            ], renewal: keyRenewal)
    }

    private static func ownAuthority(_ facts: PolicyFacts) -> PolicyAdvice {
        var reasons = [
            "The authority is yours: its root is the only anchor that is needed, and no public authority can speak for the "
                + "server any more.",
            "Certificates below the root can be renewed with any key, at any time, without touching the app.",
            "Dates, names and constraints are checked as for any chain; nothing has to be loosened.",
            "Where only AFNetworking's settings are to be had, pin the root's certificate in mode certificate, with "
                + "allowInvalidCertificates and the name validated: nearly the same.",
        ]
        if facts.appUpdates != .inTime {
            reasons.append("Apps are not updated in time, so that only what lives long may be built in: the root.")
        }
        return PolicyAdvice(
            .none, .nothing, onlyAnchor: .ownRoot, allowInvalid: false,
            "Trust your own root as the only anchor, without the system's, and validate the name.", reasons: reasons,
            renewal: [
                "Server certificates: issue them from the same root; nothing else to do.",
                "The root: make its successor years before it expires, ship an app that trusts both, and change over when the "
                    + "old app is gone.",
                "Keep the root's key offline; issue from an intermediate.",
            ])
    }

    private static func selfSigned(_ facts: PolicyFacts) -> PolicyAdvice {
        var reasons = [
            "Nobody vouches for the certificate, so that the pin is all there is; a key outlives the certificate.",
            "With pins alone deciding, a wrong name or an expired certificate passes where the pinned key matches: whoever "
                + "has the key is the server.",
        ]
        if facts.renewal != .sameKey {
            reasons.append(
                "The key \(facts.renewal == .newKey ? "changes" : "may change") at renewal: renew with the same key (a new certificate from the old key), or the pin breaks."
            )
        }
        if facts.appUpdates != .inTime {
            reasons.append(
                "Apps are not updated in time: a small authority of your own, whose root is pinned, is safer.")
        }
        return PolicyAdvice(
            .publicKey, .serverKeyAndReserve, allowInvalid: true,
            "Pin the server's key and one in reserve, and let the pins alone decide; better, set up an authority of your own.",
            reasons: reasons, renewal: keyRenewal)
    }

    private static let keyRenewal = [
        "Certificates: request them with the same key; the pin stays.",
        "The key: switch the server to the reserve key, which every app already pins, and ship an app that pins the next "
            + "reserve.",
        "Keep the reserve key offline and away from the server.",
    ]
}

extension PolicyAdvice: Encodable {
    private enum Key: String, CodingKey {
        case pinning, pin, onlyAnchor, allowInvalidCertificates, validatesDomainName, summary, reasons, renewal
    }

    /// Writes the recommendation with the settings under their names in policies.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(pinningMode.rawValue, forKey: .pinning)
        try container.encode(target.rawValue, forKey: .pin)
        try container.encode(onlyAnchor.rawValue, forKey: .onlyAnchor)
        try container.encode(allowInvalidCertificates, forKey: .allowInvalidCertificates)
        try container.encode(true, forKey: .validatesDomainName)
        try container.encode(summary, forKey: .summary)
        try container.encode(reasons, forKey: .reasons)
        try container.encode(renewal, forKey: .renewal)
    }
}
