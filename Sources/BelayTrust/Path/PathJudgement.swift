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
            if !found.reachesAnchor { findings += Self.missingAnchor(found, demand) }
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
        if !closest.reachesAnchor { findings += Self.missingAnchor(closest, demand) }
        if let limit = search.context.budget.exhausted {
            findings.append(
                Finding(
                    .budgetExceeded, "no valid path was found within \(limit)", expected: "a chain of usual size",
                    found: "a chain that needs more than \(limit)"))
        }
        self.findings = findings
        explanation = search.story(closest.path, isAccepted: false, findings, demand)
    }

    /// Why a path does not reach an anchor.
    private static func missingAnchor(_ outcome: PathSearch.Outcome, _ demand: Demand) -> [Finding] {
        guard let top = outcome.path.last else { return [] }
        let depth = outcome.path.count - 1
        let place = Finding.Place.certificate(depth: depth, subject: top.subject.description)
        if let impostor = outcome.impostor {
            let whose = impostor.isAnchor ? "the anchor of that name" : "the certificate of that name that was sent"
            return [
                Finding(
                    .badSignature, at: place,
                    "it names \(top.issuer) as its issuer, but the key of \(whose) did not sign it",
                    expected: "a signature by the key \(impostor.pin)",
                    found: "a signature (\(top.signatureAlgorithm)) that this key does not verify")
            ]
        }
        let anchors = describe(demand.anchors)
        if top.isSelfIssued {
            let what = depth == 0 ? "it is self-signed" : "the chain ends here, at a self-signed certificate,"
            return [
                Finding(
                    .unknownAnchor, at: place, "\(what) and is not among the anchors", expected: anchors,
                    found: top.subject.description)
            ]
        }
        let locations = top.certificate.issuerLocations.map(printable)
        let published = locations.first.map { " It is published at \($0)." } ?? ""
        return [
            Finding(
                .unknownAnchor, at: place, "no path leads from it to an anchor", expected: anchors,
                found: "a chain that ends at \(top.subject)"),
            Finding(
                .issuerNotSent, at: place,
                "its issuer \(top.issuer) was not sent by the server and is not among the anchors.\(published)",
                expected: "the certificate of \(top.issuer)", found: "no certificate of that name",
                remedy: locations.first.map {
                    "Configure the server to send its intermediate certificates (fetch this one from \($0)), "
                        + "or trust the issuer with --anchor if it is your own authority."
                }),
        ]
    }

    /// The anchors in words.
    private static func describe(_ stores: [AnchorStore]) -> String {
        let parts = stores.filter { !$0.certificates.isEmpty }.map { store in
            let count = store.certificates.count
            return "one of \(count) anchor\(count == 1 ? "" : "s")"
                + (store.origin.map { " of \($0)" } ?? (count == 1 ? " that was given" : " that were given"))
        }
        return parts.isEmpty ? "an anchor (none was given)" : parts.joined(separator: ", or ")
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
            revocationLists: trust.revocationLists, cache: trust.cache, budget: Budget(trust.limits))
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
    static let badSignature = Rule(
        "signature.invalid", "The issuer's key made the signature on the certificate.", .fatal,
        remedy: "If the authority was set up anew under its old name, install its new certificate; "
            + "otherwise the certificate was tampered with or is a forgery.",
        source: "RFC 5280, section 6.1.3 (a.1)")
    static let unknownAnchor = Rule(
        "anchor.unknown", "A path leads from the leaf to a trusted certificate.", .recoverable, forgivable: true,
        remedy: "If the authority is your own, trust it with --anchor, or pin it. "
            + "Otherwise the server needs a certificate of an authority that is trusted here.",
        source: "RFC 5280, section 6.1.1 (d)")
    static let issuerNotSent = Rule(
        "path.issuer-not-sent", "The server sends every certificate between its own and the anchor.", .recoverable,
        forgivable: true,
        remedy: "Configure the server to send its intermediate certificates, "
            + "or trust the issuer with --anchor if it is your own authority.",
        source: "RFC 8446, section 4.4.2; RFC 5246, section 7.4.2")
    static let budgetExceeded = Rule(
        "path.budget-exceeded", "A path is found within the evaluation's limits.", .fatal,
        remedy: "Configure the server to send its certificate and its intermediates, nothing else.",
        source: "Belay: evaluation limits")
}
