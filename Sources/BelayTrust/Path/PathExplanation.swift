import BelayCertificates

/// The walk that explains a failure: every edge whose signature holds is followed whatever the rules say, and the path
/// with the least grave faults is kept.
struct PathExplanation {
    let search: PathSearch
    private var path: [PathCertificate] = []
    private var best: (score: Score, outcome: PathSearch.Outcome)?
    private var visited = 0

    /// How many whole or dead-ended paths are judged at most: enough to find the plausible one, few enough for a hostile
    /// web of cross-certificates.
    private static let mostPaths = 64

    init(search: PathSearch) {
        self.search = search
    }

    /// How bad a path is, compared from the first field on; less is better.
    private struct Score: Comparable {
        let consequence: Int
        let errors: Int
        let missingAnchor: Int
        let shortness: Int

        static func < (left: Score, right: Score) -> Bool {
            (left.missingAnchor, left.consequence, left.errors, left.shortness)
                < (right.missingAnchor, right.consequence, right.errors, right.shortness)
        }
    }

    mutating func run() -> PathSearch.Outcome {
        path = [search.leaf]
        walk()
        return best?.outcome
            ?? PathSearch.Outcome(
                path: [search.leaf], isFound: false, reachesAnchor: search.leaf.isAnchor)
    }

    private mutating func walk() {
        guard let top = path.last, visited < Self.mostPaths else { return }
        if top.isAnchor || path.count >= search.limits.pathLength {
            keep(impostor: nil)
            return
        }
        var isExtensible = false
        var impostor: PathCertificate?
        for issuer in search.issuers(of: top, on: path) {
            guard search.context.budget.spendSearchStep() else { break }
            if search.checker.holds(issuer, signed: top, in: search.context) {
                isExtensible = true
                path.append(issuer)
                walk()
                path.removeLast()
            } else if impostor == nil, search.context.budget.exhausted == nil,
                !PathSearch.namesAnother(top, than: issuer)
            {
                // When the budget is spent, nothing is known of the signature.
                impostor = issuer
            }
        }
        if !isExtensible && !search.endsAtImpersonation(path) { keep(impostor: impostor) }
    }

    private mutating func keep(impostor: PathCertificate?) {
        visited += 1
        let findings = search.findings(on: path)
        let reachesAnchor = path.last?.isAnchor ?? false
        let errors = findings.filter { $0.severity == .error }
        let score = Score(
            consequence: errors.map(\.rule.consequence.rawValue).max() ?? 0, errors: errors.count,
            missingAnchor: reachesAnchor ? 0 : 1, shortness: -path.count)
        guard best.map({ score < $0.score }) ?? true else { return }
        let outcome = PathSearch.Outcome(
            path: path, isFound: false, reachesAnchor: reachesAnchor, impostor: reachesAnchor ? nil : impostor)
        best = (score, outcome)
    }
}

extension PathSearch {
    /// Everything that the rules say about a path, whole or not.
    func findings(on path: [PathCertificate]) -> [Finding] {
        var log = FindingLog(.collect)
        for depth in path.indices {
            let part = Array(path[...depth])
            for rule in rules + costlyRules { rule.examine(depth, of: part, in: context, log: &log) }
        }
        return log.findings
    }
}
