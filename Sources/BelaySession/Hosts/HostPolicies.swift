import BelayCertificates
import BelayTrust

/// Which policy holds for which host: an ordered set of rules, of which the most specific one decides.
///
/// ```swift
/// var hosts = HostPolicies(default: .deny)
/// try hosts.set(.use(pinned), for: HostPattern("**.example.com"), excluding: [HostPattern("legacy.example.com")])
/// try hosts.set(.use(plain), for: HostPattern("legacy.example.com"))
/// ```
///
/// The most specific rule wins, whatever the order: an exact name before one label (`*.`), one label before any depth
/// (`**.`), a longer name before a shorter one; an address before a block, a longer prefix before a shorter one. A host that a
/// rule excludes goes to the next one, and to the default at last. Equal patterns are a mistake that is refused, since one of
/// the two rules would never hold.
///
/// An IPv4-mapped IPv6 address (`::ffff:192.0.2.7`, RFC 4291, section 2.5.5.2) reaches the IPv4 host, so that rules for
/// that one hold too.
///
/// A look-up costs a few steps in tables, however many rules there are.
public struct HostPolicies: Sendable {
    /// What a rule says.
    public enum Action: Sendable {
        /// Connections are judged by this policy.
        case use(ConnectionPolicy)
        /// There are no connections.
        case deny
    }

    /// A rule: for which hosts, and what.
    public struct Entry: Sendable {
        /// For which hosts.
        public let pattern: HostPattern
        /// For which of them not.
        public let exclusions: [HostPattern]
        /// What it says.
        public let action: Action

        /// Puts a rule together.
        public init(_ pattern: HostPattern, excluding exclusions: [HostPattern] = [], _ action: Action) {
            self.pattern = pattern
            self.exclusions = exclusions
            self.action = action
        }

        func covers(_ host: ServerName) -> Bool {
            pattern.matches(host) && !exclusions.contains { $0.matches(host) }
        }
    }

    /// Which rule decided; the same for every host that the rule decides about, in every copy of the set.
    ///
    /// It names the place, not what stands there: what is kept by it (pools, sessions) belongs to one state of the set.
    public enum RuleIdentifier: Sendable, Hashable {
        /// The rule with this pattern.
        case pattern(HostPattern)
        /// The default.
        case fallback
    }

    /// What holds for a host.
    public struct Match: Sendable {
        /// Which rule decided.
        public let rule: RuleIdentifier
        /// What it says.
        public let decision: Decision
    }

    /// What is to be done for a host.
    public enum Decision: Sendable {
        /// Connections are judged by this policy.
        case use(ConnectionPolicy)
        /// There are no connections, for this reason.
        case refuse(HostDenial)
    }

    /// What holds for hosts without a rule.
    public var fallback: Action
    /// The rules in the order in which they were given.
    public private(set) var entries: [Entry] = []

    private var index = HostPatternIndex()

    /// Starts without rules.
    ///
    /// - Parameter fallback: what holds for hosts without a rule; ``Action/deny`` leaves nothing but the hosts of rules.
    public init(default fallback: Action = .use(ConnectionPolicy())) {
        self.fallback = fallback
    }

    /// Starts with rules.
    ///
    /// - Throws: ``ConfigurationError/duplicateHostPattern(_:)``
    public init(default fallback: Action, _ entries: [Entry]) throws(ConfigurationError) {
        self.fallback = fallback
        for entry in entries { try add(entry) }
    }

    /// Adds a rule.
    ///
    /// - Throws: ``ConfigurationError/duplicateHostPattern(_:)`` where there is one with an equal pattern.
    public mutating func set(
        _ action: Action, for pattern: HostPattern, excluding exclusions: [HostPattern] = []
    ) throws(ConfigurationError) {
        try add(Entry(pattern, excluding: exclusions, action))
    }

    /// Adds a rule.
    ///
    /// - Throws: ``ConfigurationError/duplicateHostPattern(_:)`` where there is one with an equal pattern.
    public mutating func add(_ entry: Entry) throws(ConfigurationError) {
        guard index.insert(entries.count, for: entry.pattern) else { throw .duplicateHostPattern(entry.pattern) }
        entries.append(entry)
    }

    /// Puts a rule in the place of the one with an equal pattern; where there is none, it is added.
    public mutating func replace(_ entry: Entry) {
        guard let position = entries.firstIndex(where: { $0.pattern == entry.pattern }) else {
            _ = index.insert(entries.count, for: entry.pattern)
            return entries.append(entry)
        }
        entries[position] = entry
    }

    /// Removes the rule with a pattern, so that its hosts go to the next one; false where there is none.
    @discardableResult
    public mutating func remove(_ pattern: HostPattern) -> Bool {
        guard let position = entries.firstIndex(where: { $0.pattern == pattern }) else { return false }
        entries.remove(at: position)
        index = HostPatternIndex()
        for (position, entry) in entries.enumerated() { _ = index.insert(position, for: entry.pattern) }
        return true
    }

    /// What holds for a host.
    public func match(_ host: ServerName) -> Match {
        if let entry = entry(for: host) ?? host.embeddedAddress.flatMap(entry(for:)) {
            return Match(rule: .pattern(entry.pattern), decision: decision(entry.action, host, entry.pattern))
        }
        return Match(rule: .fallback, decision: decision(fallback, host, nil))
    }

    private func entry(for host: ServerName) -> Entry? {
        index.first(for: host) { position in
            guard entries.indices.contains(position), entries[position].covers(host) else { return nil }
            return entries[position]
        }
    }

    private func decision(_ action: Action, _ host: ServerName, _ pattern: HostPattern?) -> Decision {
        switch action {
        case .use(let policy): .use(policy)
        case .deny: .refuse(HostDenial(host: host, pattern: pattern))
        }
    }
}

/// A host that the rules allow no connections to. Nothing was sent, and no name was resolved.
public struct HostDenial: Error, Sendable, Hashable {
    /// The host.
    public let host: ServerName
    /// The pattern of the rule that denies it; nil where no rule is for it and the default denies.
    public let pattern: HostPattern?
}

extension HostDenial: CustomStringConvertible {
    /// Which rule refuses which host, and what to do.
    public var description: String {
        if let pattern {
            "connections to '\(host)' are denied by the rule for '\(pattern)'. Exclude the host from that rule, or give it a "
                + "rule of its own"
        } else {
            "no rule is for '\(host)', and hosts without a rule are denied. Add a rule for it, if it is meant to be reached"
        }
    }
}

extension ServerName {
    /// The IPv4 address that an IPv4-mapped IPv6 address reaches.
    fileprivate var embeddedAddress: ServerName? {
        guard case .ip(let address) = self, address.octets.count == 16,
            address.octets.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
            let embedded = IPAddress(octets: Array(address.octets.suffix(4)))
        else { return nil }
        return .ip(embedded)
    }
}
