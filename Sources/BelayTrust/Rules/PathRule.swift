import BelayCertificates

/// A rule on paths: a small value that looks at one certificate in its place on a path.
///
/// The search calls `examine` as soon as a certificate is put on the path, with everything below it in place and nothing
/// above; whatever a rule finds then is final, which is what allows the search to give up on a path early.
protocol PathRule: Sendable {
    /// The rules of the catalogue that findings of this value belong to.
    static var catalogue: [Rule] { get }

    /// Reports what is wrong with the certificate at `depth`, the topmost of `path`; 0 is the leaf.
    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog)

    /// Whether examining costs as much as checking a signature, so that it has to wait until the path is known to be one.
    var isCostly: Bool { get }
}

extension PathRule {
    var isCostly: Bool { false }
}
