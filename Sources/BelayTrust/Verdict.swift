import BelayCertificates

/// The answer to the question whether a server may be trusted, with everything that was noticed on the way.
public struct Verdict: Sendable, Hashable {
    /// What came of it.
    public let result: TrustResult
    /// Everything that was noticed, the gravest first.
    public let findings: [Finding]
    /// The path, leaf first: the one that was verified or, on refusal, the one that came closest.
    public let path: [Certificate]
    /// Whether the path ends at an anchor.
    public let isPathComplete: Bool
    /// The names that the leaf was compared with; empty where the policy did not ask for a name.
    public let checkedNames: [ServerName]
    /// The story of the search, where ``ServerTrust/explains`` asked for it.
    public let explanation: Explanation?

    /// Whether the server is trusted.
    public var isTrusted: Bool { result.isTrusted }

    /// The anchor at which the path ends; nil where it ends at none.
    public var anchor: Certificate? { isPathComplete ? path.last : nil }

    /// The findings of a severity.
    public func findings(_ severity: Finding.Severity) -> [Finding] {
        findings.filter { $0.severity == severity }
    }

    /// The pins of the path's keys, leaf first: what was served, to set beside what was configured.
    public var servedPins: [SPKIPin] { path.map(\.pin) }

    init(
        result: TrustResult, findings: [Finding], path: [Certificate], isPathComplete: Bool,
        checkedNames: [ServerName], explanation: Explanation? = nil
    ) {
        self.result = result
        self.findings = Self.arranged(findings)
        self.path = path
        self.isPathComplete = isPathComplete
        self.checkedNames = checkedNames
        self.explanation = explanation
    }

    /// A refusal; the errors among the findings say which kind. Without any, it refuses all the same.
    init(
        refusedFor findings: [Finding], path: [Certificate], isPathComplete: Bool, checkedNames: [ServerName],
        explanation: Explanation? = nil
    ) {
        self.init(
            result: TrustResult(errors: findings) ?? .fatalTrustFailure, findings: findings, path: path,
            isPathComplete: isPathComplete, checkedNames: checkedNames, explanation: explanation)
    }

    /// What may go on although nothing was shown that could be judged, as cleartext may by an exception: somebody chose so.
    package static func unproven(_ findings: [Finding]) -> Verdict {
        Verdict(result: .proceed, findings: findings, path: [], isPathComplete: false, checkedNames: [])
    }

    /// The same verdict with more findings, which refuse it if there are errors among them.
    ///
    /// Requirements on the connection (its version, its cipher suite) are added to a verdict on the chain this way.
    public func adding(_ more: [Finding]) -> Verdict {
        guard !more.isEmpty else { return self }
        let worst = TrustResult(errors: more).map { result.worse($0) } ?? result
        return Verdict(
            result: worst, findings: findings + more, path: path, isPathComplete: isPathComplete,
            checkedNames: checkedNames, explanation: explanation)
    }

    /// Without repetitions, the gravest first, otherwise in the order in which they were reported.
    private static func arranged(_ findings: [Finding]) -> [Finding] {
        guard findings.count > 1 else { return findings }
        var seen = Set<Finding>()
        let unique = findings.filter { seen.insert($0).inserted }
        return unique.enumerated().sorted { left, right in
            let ranks = (
                (left.element.severity, left.element.rule.consequence),
                (right.element.severity, right.element.rule.consequence)
            )
            return ranks.0 == ranks.1 ? left.offset < right.offset : ranks.0 > ranks.1
        }.map(\.element)
    }
}
