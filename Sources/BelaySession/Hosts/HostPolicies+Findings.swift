import BelayTrust

extension HostPolicies {
    /// What is wrong or dangerous about the rules, known before anything is sent: policies that contradict themselves, pins
    /// beside cleartext, patterns that cover a public suffix.
    ///
    /// A rule that covers a public suffix is an error where it pins, as it would pin strangers' hosts; elsewhere it is a
    /// warning; where it denies it is nothing.
    public func findings(publicSuffixes: PublicSuffixList = PublicSuffixList()) -> [Finding] {
        var findings: [Finding] = []
        for entry in entries {
            guard case .use(let policy) = entry.action else { continue }
            findings += policy.findings
            findings += entry.pattern.findings(publicSuffixes: publicSuffixes).map { finding in
                var finding = finding
                if !policy.securityPolicy.isPinned { finding.severity = .warning }
                return finding
            }
        }
        if case .use(let policy) = fallback { findings += policy.findings }
        return findings
    }

    /// Refuses rules that can never work or that endanger others.
    ///
    /// - Throws: ``ConfigurationError/refused(_:)`` with every error among ``findings(publicSuffixes:)``.
    public func validate(publicSuffixes: PublicSuffixList = PublicSuffixList()) throws(ConfigurationError) {
        try ConfigurationError.check(findings(publicSuffixes: publicSuffixes))
    }
}

extension ConnectionPolicy {
    /// What is wrong with the policy itself, whatever a server shows; empty for a sound one.
    public var findings: [Finding] {
        securityPolicy.contradictions() + securityPolicy.findings(allowingCleartext: allowsCleartext)
    }

    /// Refuses a policy that can never accept a server, before a byte is sent.
    ///
    /// - Throws: ``ConfigurationError/refused(_:)``
    public func validate() throws(ConfigurationError) {
        try ConfigurationError.check(findings)
    }
}
