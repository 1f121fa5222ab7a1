/// What one evaluation may cost, so that no chain, however hostile, keeps a verifier busy.
public struct EvaluationLimits: Sendable, Hashable {
    /// The most certificates that a peer may send.
    public var certificates = 100
    /// The most bytes of one certificate.
    public var certificateBytes = 1 << 19
    /// The most bytes of all certificates that a peer sends.
    public var chainBytes = 1 << 20
    /// The most signatures checked, in checks of P-256 over less than 64 KiB: a larger key or more bytes count as several.
    public var signatureChecks = 128
    /// The most steps of the path search: how often a certificate is tried as the issuer of another.
    public var searchSteps = 4_096
    /// The most comparisons of a name with a constraint. A long name counts as several, a certificate policy as sixteen.
    public var nameConstraintComparisons = 250_000
    /// The most certificates in a path, anchor included.
    public var pathLength = 32

    /// The limits that Belay uses by itself. Real chains stay two orders of magnitude below them.
    public init() {}
}
