import BelayCertificates
import FoundationEssentials

/// What a chain is judged for in one search: a ``ServerTrust`` as it stands, or as a ``SecurityPolicy`` changes it.
struct Demand {
    var policies: [TrustPolicy]
    var anchors: [AnchorStore]
    /// Certificates besides the sent ones that may serve as intermediates, for example pinned ones.
    var known: [Certificate] = []
    let trust: ServerTrust

    init(_ trust: ServerTrust) {
        self.trust = trust
        policies = trust.policies
        anchors = trust.anchorStores
    }
}

/// One judgement of a chain under a demand: the path that was found or came closest, and the findings on it.
struct PathJudgement {
    /// Whether a path is valid (or, where errors are forgiven, as valid as was asked for).
    let isValid: Bool
    /// Whether the path ends at an anchor.
    let reachesAnchor: Bool
    /// What was noticed on the path.
    let findings: [Finding]
    /// The story of the search, where the trust asks for it.
    let explanation: Explanation?
    private let path: [PathCertificate]

    /// The certificates of the path, leaf first.
    var certificates: [Certificate] { path.map(\.certificate) }

    /// Searches for a path that is valid and that `isWanted` accepts, and explains the failure where there is none.
    init(
        _ chain: PreparedChain, _ demand: Demand, forgiving forgiveness: Forgiveness = .nothing,
        anchorMayBeMissing: Bool = false,
        where isWanted: ([Certificate], _ reachesAnchor: Bool) -> Bool = { _, _ in true }
    ) {
        let search = PathSearch(chain, demand)
        let found = search.decide(forgiving: forgiveness, anchorMayBeMissing: anchorMayBeMissing) { path in
            isWanted(path.map(\.certificate), path.last?.isAnchor ?? false)
        }
        if let found {
            isValid = true
            reachesAnchor = found.reachesAnchor
            path = found.path
            var findings: [Finding] = []
            if found.hasRemarks { findings += search.retelling.findings(on: found.path) }
            if !found.reachesAnchor { findings += MissingAnchor(found, demand, search).findings }
            findings += ChainRemarks(path: found.path, chain: chain, time: search.context.time).findings
            self.findings = findings
            explanation = search.story(found.path, isAccepted: true, findings, demand)
            return
        }
        isValid = false
        let closest = search.explain()
        path = closest.path
        reachesAnchor = closest.reachesAnchor
        var findings = search.retelling.findings(on: closest.path)
        // When the budget is spent, that no anchor was reached means nothing.
        if !closest.reachesAnchor && search.context.budget.exhausted == nil {
            findings += MissingAnchor(closest, demand, search).findings
        }
        findings += MisplacedLeaf(chain: chain, refusals: findings, names: search.context.names).findings
        if let limit = search.context.budget.exhausted {
            findings.append(
                Finding(
                    .budgetExceeded, "no valid path was found within \(limit)", expected: "a chain of usual size",
                    found: "a chain that needs more than \(limit)"))
        }
        self.findings = findings
        explanation = search.story(closest.path, isAccepted: false, findings, demand)
    }
}

extension PathSearch {
    /// Tells the story of this search with a budget of its own, if the trust asks for it.
    fileprivate func story(
        _ path: [PathCertificate], isAccepted: Bool, _ findings: [Finding], _ demand: Demand
    ) -> Explanation? {
        guard demand.trust.explains else { return nil }
        return retelling.tell(path: path.map(\.certificate), isAccepted: isAccepted, findings: findings)
    }

    /// The same search with a budget of its own, for collecting the findings on one path: what the search for it has spent
    /// says nothing about the path.
    fileprivate var retelling: PathSearch {
        var search = self
        search.context.budget = Budget(limits)
        return search
    }

    /// Prepares the search that a demand asks for.
    fileprivate init(_ chain: PreparedChain, _ demand: Demand) {
        let trust = demand.trust
        let now = trust.evaluationTime ?? Date()
        context = EvaluationContext(
            time: CivilTime.seconds(now), purposes: demand.policies.compactMap(\.purpose),
            names: demand.policies.compactMap(\.name), maximumIntermediates: trust.maximumChainDepth,
            revocationLists: trust.revocationLists, requiresRevocationLists: trust.requiresRevocationLists,
            cache: trust.cache, budget: Budget(trust.limits))
        limits = trust.limits
        rules = trust.rules.promptRules
        costlyRules = trust.rules.costlyRules
        anchors = demand.anchors

        func entry(_ certificate: Certificate) -> AnchorStore.Entry? {
            let hash = certificate.subject.canonicalHash
            for store in demand.anchors {
                if let entry = store.entry(for: certificate, hash: hash) { return entry }
            }
            return nil
        }
        let first = chain.certificates[0]
        let anchor = entry(first)
        leaf = PathCertificate(first, origin: anchor == nil ? .sent(0) : .anchor, number: 0, anchor: anchor)
        var seen: Set<Certificate> = [first]
        var pool: [PathCertificate] = []
        for (index, certificate) in chain.certificates.enumerated().dropFirst() where seen.insert(certificate).inserted
        {
            // A copy of an anchor has nothing to offer that the anchor has not.
            if entry(certificate) != nil { continue }
            pool.append(PathCertificate(certificate, origin: .sent(index), number: index))
        }
        for certificate in demand.known where seen.insert(certificate).inserted {
            if entry(certificate) != nil { continue }
            pool.append(
                PathCertificate(certificate, origin: .known, number: chain.certificates.count + pool.count))
        }
        intermediates = pool
        candidateTable = CandidateTable(capacity: chain.certificates.count + demand.known.count + pool.count)
    }
}

extension Rule {
    static let budgetExceeded = Rule(
        "path.budget-exceeded", "A path is found within the evaluation's limits.", .fatal,
        remedy: "Configure the server to send its certificate and its intermediates, nothing else.",
        source: "Belay: evaluation limits")
}
