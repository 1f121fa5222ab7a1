import BelayCertificates

/// The story of a path search: which certificates were tried for which place, what was wrong with each, and what would
/// make it work.
///
/// A ``Verdict`` carries one where ``ServerTrust/explains`` is set. It is a tree: the leaf, below it everybody who could
/// have issued it, and so on up to anchors and dead ends. Unlike the search itself it follows every edge whose signature
/// holds, also where a rule had already refused the path, so that all that is wrong is told and not only the first thing.
public struct Explanation: Sendable, Hashable, Encodable {
    /// A certificate tried for a place on the path.
    public struct Attempt: Sendable, Hashable {
        /// The certificate.
        public let certificate: Certificate
        /// Where it came from.
        public let origin: Origin
        /// Its place: 0 for the leaf.
        public let depth: Int
        /// What the rules say about it in this place.
        public let findings: [Finding]
        /// What came of it.
        public let outcome: Outcome
        /// Whether it is on the path of the verdict.
        public internal(set) var isOnPath: Bool
        /// Everybody who was tried as its issuer, the likeliest first.
        public let issuers: [Attempt]
    }

    /// Where a certificate came from.
    public enum Origin: Sendable, Hashable {
        /// The peer sent it, at this place.
        case sent(index: Int)
        /// It is an anchor.
        case anchor
        /// It was known otherwise: it is pinned.
        case known
    }

    /// What came of trying a certificate.
    public enum Outcome: Sendable, Hashable {
        /// It is an anchor: a path ends here.
        case anchor
        /// It has issuers, who were tried in turn.
        case extended
        /// Nobody who could have issued it was sent or is trusted.
        case issuerUnknown
        /// It goes by the right name, but its key did not sign the certificate below.
        case signatureInvalid
        /// It was not followed further, since the budget of the evaluation was spent.
        case notFollowed
    }

    /// The leaf, with everything that was tried above it.
    public let leaf: Attempt
    /// What would make the chain acceptable, the simplest way first; empty for an accepted chain.
    public let ways: [Way]

    /// A way to make a refused chain acceptable.
    public struct Way: Sendable, Hashable, Encodable {
        /// What is in the way, in a sentence.
        public let obstacle: String
        /// What would remove it.
        public let remedy: String
    }
}

extension PathSearch {
    /// Tells the story of the search; `path` is the one of the verdict.
    func tell(path: [Certificate], isAccepted: Bool, findings: [Finding]) -> Explanation {
        var teller = ExplanationTeller(search: self, chosen: path)
        let leaf = teller.tell()
        return Explanation(leaf: leaf, ways: isAccepted ? [] : teller.ways(findings: findings))
    }
}

/// The walk that tells.
private struct ExplanationTeller {
    let search: PathSearch
    let chosen: [Certificate]
    private var path: [PathCertificate] = []
    private var attempts = 0
    /// The errors of each path that reaches an anchor.
    private var wholePaths: [(path: [Certificate], errors: [Finding])] = []
    private var errors: [Finding] = []

    /// How many certificates are told of at most; a person reads a dozen.
    private static let mostAttempts = 256

    init(search: PathSearch, chosen: [Certificate]) {
        self.search = search
        self.chosen = chosen
    }

    mutating func tell() -> Explanation.Attempt { follow(search.leaf, isOnPath: true) }

    private mutating func follow(_ candidate: PathCertificate, isOnPath: Bool) -> Explanation.Attempt {
        attempts += 1
        path.append(candidate)
        defer { path.removeLast() }
        let depth = path.count - 1
        let isOnPath = isOnPath && depth < chosen.count && chosen[depth] == candidate.certificate
        var log = FindingLog(.collect)
        for rule in search.rules + search.costlyRules {
            rule.examine(depth, of: path, in: search.context, log: &log)
        }
        let errorsBelow = errors
        errors += log.findings.filter { $0.severity == .error }
        defer { errors = errorsBelow }

        var issuers: [Explanation.Attempt] = []
        let outcome: Explanation.Outcome
        if candidate.isAnchor {
            outcome = .anchor
            wholePaths.append((path.map(\.certificate), errors))
        } else {
            (outcome, issuers) = tellIssuers(of: candidate, isOnPath)
        }
        return Explanation.Attempt(
            certificate: candidate.certificate, origin: Self.origin(candidate), depth: depth, findings: log.findings,
            outcome: outcome, isOnPath: isOnPath, issuers: issuers)
    }

    private mutating func tellIssuers(
        of child: PathCertificate, _ isOnPath: Bool
    ) -> (Explanation.Outcome, [Explanation.Attempt]) {
        let candidates = search.issuers(of: child, on: path)
        guard !candidates.isEmpty else { return (.issuerUnknown, []) }
        var issuers: [Explanation.Attempt] = []
        for issuer in candidates {
            guard attempts < Self.mostAttempts, path.count < search.limits.pathLength,
                search.context.budget.spendSearchStep()
            else { return (.notFollowed, issuers) }
            if search.checker.holds(issuer, signed: child, in: search.context) {
                issuers.append(follow(issuer, isOnPath: isOnPath))
            } else {
                attempts += 1
                issuers.append(
                    Explanation.Attempt(
                        certificate: issuer.certificate, origin: Self.origin(issuer), depth: path.count, findings: [],
                        outcome: .signatureInvalid, isOnPath: false, issuers: []))
            }
        }
        let isExtended = issuers.contains { $0.outcome != .signatureInvalid }
        return (isExtended ? .extended : .issuerUnknown, issuers)
    }

    private static func origin(_ candidate: PathCertificate) -> Explanation.Origin {
        switch candidate.origin {
        case .sent(let index): .sent(index: index)
        case .anchor: .anchor
        case .known: .known
        }
    }

    /// The ways to an accepted chain: for each path that reaches an anchor what is wrong with it, the least first; and the
    /// errors of the verdict that are not about paths.
    func ways(findings: [Finding]) -> [Explanation.Way] {
        var ways: [Explanation.Way] = []
        for (path, errors) in wholePaths.sorted(by: { $0.errors.count < $1.errors.count }).prefix(4)
        where !errors.isEmpty {
            let what = errors.map { finding in
                let who = finding.depth.flatMap { $0 < path.count ? Self.label(path[$0]) : nil }
                return who.map { "\($0): \(finding.message)" } ?? finding.message
            }
            let end = path.last.map(Self.label) ?? ""
            ways.append(
                Explanation.Way(
                    obstacle: "the path to the anchor \(end) fails: \(what.joined(separator: "; "))",
                    remedy: Self.unique(errors.map(\.remedy)).joined(separator: " ")))
        }
        let told = Set(wholePaths.flatMap(\.errors))
        // That the issuer is missing says all that "unknown anchor" says, and what to do about it.
        let isIssuerMissing = findings.contains { $0.rule == .issuerNotSent }
        for finding in findings
        where finding.severity == .error && !told.contains(finding)
            && !(finding.rule == .unknownAnchor && isIssuerMissing)
        {
            ways.append(Explanation.Way(obstacle: finding.message, remedy: finding.remedy))
        }
        return ways
    }

    private static func label(_ certificate: Certificate) -> String {
        let name = certificate.subject.commonName.map(printable) ?? certificate.subject.description
        return "'\(name.isEmpty ? "a certificate without a subject" : name)'"
    }

    private static func unique(_ texts: [String]) -> [String] {
        var seen = Set<String>()
        return texts.filter { seen.insert($0).inserted }
    }
}
