extension Verdict {
    /// Whether a person who was asked may let the server through all the same.
    ///
    /// A fatal failure (malformed, a bad signature, an issuer that is no authority, revoked, budget exceeded) nobody may
    /// overrule, and where there is nothing to judge there is nothing to let through.
    public var mayBeOverruled: Bool { result != .fatalTrustFailure && result != .invalid }

    /// Whether a revocation list names a certificate of the chain: whoever gives lists means them, whatever else is allowed.
    public var isRevoked: Bool { findings.contains { $0.rule == .revoked && $0.severity == .error } }

    /// The verdict after a person who was asked let the server through: what speaks against it stays visible as warnings.
    /// Nothing changes where the server is trusted anyway, or where nobody may overrule the verdict.
    public var overruled: Verdict {
        guard !isTrusted, mayBeOverruled else { return self }
        return Verdict(
            result: .proceed, findings: findings.map { $0.severity == .error ? $0.with(severity: .warning) : $0 },
            path: path,
            isPathComplete: isPathComplete, checkedNames: checkedNames, explanation: explanation)
    }
}
