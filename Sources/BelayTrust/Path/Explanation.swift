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
    /// What stood in the way of other paths while the one of the verdict is valid, a sentence each: a root that expired
    /// beside a cross-certificate that leads to a better one. Empty for a refused chain.
    public let remarks: [String]

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
        return Explanation(
            leaf: leaf, ways: isAccepted ? [] : teller.ways(findings: findings),
            remarks: isAccepted ? teller.remarks() : [])
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
    /// The paths whose topmost certificate nobody vouches for.
    private var deadEnds: [[Certificate]] = []
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
            if outcome == .issuerUnknown { deadEnds.append(path.map(\.certificate)) }
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

    /// The ways to an accepted chain: for each path that reaches an anchor what is wrong with it, the least first; the
    /// errors of the verdict that are not about paths; and who is missing above the other paths.
    func ways(findings: [Finding]) -> [Explanation.Way] {
        var ways = findings.filter { $0.rule == .leafNotFirst }.map { finding in
            Explanation.Way(obstacle: finding.message, remedy: finding.remedy)
        }
        for (path, errors) in wholePaths.sorted(by: { $0.errors.count < $1.errors.count }).prefix(Self.mostWays)
        where !errors.isEmpty {
            ways.append(
                Explanation.Way(
                    obstacle:
                        "the path to the anchor \(Self.label(of: path.last)) fails: \(faults(errors, on: path, anchor: "the anchor"))",
                    remedy: Self.unique(errors.map(\.remedy)).joined(separator: " ")))
        }
        let told = Set(wholePaths.flatMap(\.errors))
        // That the issuer is missing says all that "unknown anchor" says, and what to do about it.
        let isIssuerMissing = findings.contains { $0.rule == .issuerNotSent }
        let others = findings.filter { finding in
            finding.severity == .error && !told.contains(finding)
                && !(finding.rule == .unknownAnchor && isIssuerMissing)
        }
        if !others.isEmpty {
            // All of it stands in the way of the one path that the verdict is about.
            let what = others.count == 1 ? others.map(\.message) : [faults(others, on: chosen, anchor: "the anchor")]
            ways.append(
                Explanation.Way(
                    obstacle: what.joined(), remedy: Self.unique(others.map(\.remedy)).joined(separator: " ")))
        }
        // Where the verdict's own path ends nowhere, its findings have said so.
        for path in deadEnds.prefix(Self.mostWays) where path != chosen && path.count > 1 {
            guard let top = path.last else { continue }
            let location = top.issuerLocations.first.map { " It is published at \(printable($0))." } ?? ""
            ways.append(
                Explanation.Way(
                    obstacle: top.isSelfIssued
                        ? "the path that ends at \(Self.label(of: top)) fails: that certificate is self-signed and no anchor"
                        : "the path through \(Self.label(of: top)) fails: the certificate of \(top.issuer) with the key "
                            + "that signed it was not sent and is not among the anchors",
                    remedy: top.isSelfIssued
                        ? Rule.unknownAnchor.remedy : "\(Rule.issuerNotSent.remedy)\(location)"))
        }
        return ways
    }

    /// What other paths failed of while the chosen one is valid.
    func remarks() -> [String] {
        var remarks: [String] = []
        func add(_ path: [Certificate], _ what: String) {
            guard let fork = zip(path, chosen).enumerated().first(where: { $0.element.0 != $0.element.1 }) else {
                return
            }
            let (other, taken) = fork.element
            let isCrossSigned = other.subject == taken.subject && other.pin == taken.pin
            // The root itself, beside its key certified by another, is nothing to go through: the path ends there.
            let way =
                taken.isSelfIssued
                ? "to the anchor \(Self.label(of: taken))"
                : isCrossSigned
                    ? "through the cross-signed \(Self.label(of: taken)), certified by \(Self.label(taken.issuer)),"
                    : "through \(Self.label(of: taken))"
            remarks.append("\(what); the path \(way) is valid")
        }
        for (path, errors) in wholePaths where !errors.isEmpty && path != chosen {
            add(path, faults(errors, on: path, anchor: "the anchor \(Self.label(of: path.last))"))
        }
        for path in deadEnds where path != chosen {
            guard let top = path.last else { continue }
            let what =
                top.isSelfIssued
                ? "is self-signed and no anchor" : "leads to \(Self.label(top.issuer)), which is unknown"
            add(path, "\(Self.label(of: top)) \(what)")
        }
        return Array(Self.unique(remarks).prefix(Self.mostWays))
    }

    /// How many ways, and how many remarks, a person reads.
    private static let mostWays = 4

    /// What is wrong on a path, each with the certificate that it is about.
    private func faults(_ errors: [Finding], on path: [Certificate], anchor: String) -> String {
        errors.map { finding in
            guard let depth = finding.depth, depth < path.count else { return finding.message }
            let isAnchor = depth == path.count - 1 && depth > 0 && wholePaths.contains { $0.path == path }
            let who = isAnchor ? anchor : Self.label(of: path[depth])
            // "it expired on …" takes the certificate for its subject.
            return finding.message.hasPrefix("it ")
                ? "\(who) \(finding.message.dropFirst(3))" : "\(who): \(finding.message)"
        }.joined(separator: "; ")
    }

    private static func label(of certificate: Certificate?) -> String {
        certificate.map { label($0.subject) } ?? "(none)"
    }

    private static func label(_ name: DistinguishedName) -> String {
        let text = name.commonName.map(printable) ?? name.description
        return "'\(text.isEmpty ? "a certificate without a subject" : text)'"
    }

    private static func unique(_ texts: [String]) -> [String] {
        var seen = Set<String>()
        return texts.filter { seen.insert($0).inserted }
    }
}
