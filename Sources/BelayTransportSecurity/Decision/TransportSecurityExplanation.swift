/// Which keys a decision looked at, in the order in which it did.
public struct TransportSecurityExplanation: Sendable, Hashable {
    /// A key that was looked at.
    public struct Step: Sendable, Hashable {
        /// The way to the key, from the root of the file.
        public let keyPath: [String]
        /// What was there, and what follows.
        public let outcome: String
    }

    /// The system that it is about.
    public let system: SystemVersion
    /// The keys.
    public let steps: [Step]
}

extension TransportSecurityConfiguration {
    /// Decides about a URL on one system.
    ///
    /// ```swift
    /// let decision = configuration.decision(for: try TransportSecurityURL("http://example.com/"), as: .enforcement)
    /// guard let requirements = decision.requirements else { throw … }
    /// ```
    ///
    /// The time it takes does not grow with the number of exceptions and pins.
    ///
    /// - Parameters:
    ///   - url: the URL; each hop of a redirect is decided about by itself.
    ///   - context: what loads it.
    ///   - system: the version that the app is linked against and runs on.
    ///   - face: whether a malformed configuration is followed as Apple's systems do, or refuses everything.
    public func decision(
        for url: TransportSecurityURL, in context: TransportSecurityContext = .default,
        on system: SystemVersion = .newest,
        as face: TransportSecurityFace
    ) -> TransportSecurityDecision {
        var maker = DecisionMaker(self, url, context, SystemRules(system), face)
        return maker.decide()
    }

    /// Says what a range of systems does with a URL (*simulation*).
    public func answer(
        for url: TransportSecurityURL, in context: TransportSecurityContext = .default,
        on systems: SystemRange = .newest
    ) -> TransportSecurityAnswer {
        let parts = SystemRules.versions(in: systems).map { version in
            let rules = SystemRules(version, isLinkedBefore: systems.isLinkedBeforeTransportSecurity)
            var maker = DecisionMaker(self, url, context, rules, .simulation)
            return TransportSecurityAnswer.Part(system: version, decision: maker.decide())
        }
        return TransportSecurityAnswer(systems: systems, parts: parts)
    }

    /// Tells which keys are looked at, on the newest system of a range (*simulation*).
    public func explanation(
        for url: TransportSecurityURL, in context: TransportSecurityContext = .default,
        on systems: SystemRange = .newest
    ) -> TransportSecurityExplanation {
        explanation(for: url, in: context, on: systems.milestones.last ?? systems.oldest, in: systems)
    }

    /// Tells which keys are looked at, on each system of a range from which on they are others (*simulation*); the oldest first.
    public func explanations(
        for url: TransportSecurityURL, in context: TransportSecurityContext = .default,
        on systems: SystemRange = .newest
    ) -> [TransportSecurityExplanation] {
        systems.milestones.reduce(into: []) { told, version in
            let next = explanation(for: url, in: context, on: version, in: systems)
            if told.last?.steps != next.steps { told.append(next) }
        }
    }

    private func explanation(
        for url: TransportSecurityURL, in context: TransportSecurityContext, on version: SystemVersion,
        in systems: SystemRange
    ) -> TransportSecurityExplanation {
        let rules = SystemRules(version, isLinkedBefore: systems.isLinkedBeforeTransportSecurity)
        var maker = DecisionMaker(self, url, context, rules, .simulation, explaining: true)
        _ = maker.decide()
        return TransportSecurityExplanation(system: version, steps: maker.steps ?? [])
    }
}
