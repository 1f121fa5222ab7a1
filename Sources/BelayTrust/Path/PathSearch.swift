import BelayCertificates

/// The search for a path from a leaf to an anchor: depth first, over every issuer that could be meant, with full
/// backtracking and a budget.
///
/// It runs in one of two ways. *Deciding*, it gives up on a path as soon as a rule refuses it, and stops at the first
/// path that is whole and wanted. *Explaining*, after no path was found, it follows every edge whose signature holds and
/// keeps the path that came closest, so that the faults of that one can be told.
struct PathSearch {
    /// The leaf.
    let leaf: PathCertificate
    /// What else the peer sent, and what is known besides: candidates for intermediates.
    let intermediates: [PathCertificate]
    /// The certificates at which a path may end.
    let anchors: [AnchorStore]
    let rules: [any PathRule]
    /// Rules that are asked only after the signature of an edge was found good.
    let costlyRules: [any PathRule]
    var context: EvaluationContext
    let limits: EvaluationLimits
    /// Who has the name of a certificate's issuer, as far as the search has looked.
    let candidateTable: CandidateTable
    /// Which signatures were found good or bad: known from one walk to the next.
    let checker = SignatureChecker()

    /// What a search came to.
    struct Outcome {
        /// The path, leaf first: the one that was found, or the one that came closest.
        var path: [PathCertificate]
        /// Whether the path is whole and wanted.
        var isFound: Bool
        /// Whether the path ends at an anchor.
        var reachesAnchor: Bool
        /// Whether rules had something to say that does not refuse the path.
        var hasRemarks = false
        /// An issuer that goes by the right name but whose key did not sign the topmost certificate of the path.
        var impostor: PathCertificate?
    }

    /// Searches for a path that no rule refuses and that `isWanted` accepts.
    ///
    /// `isWanted` is asked for paths that reach an anchor and, where an anchor may be missing, for those that end
    /// because nobody else could have issued their topmost certificate.
    func decide(
        forgiving forgiveness: Forgiveness = .nothing, anchorMayBeMissing: Bool = false,
        where isWanted: ([PathCertificate]) -> Bool = { _ in true }
    ) -> Outcome? {
        var walk = Walk(search: self)
        walk.forgiveness = forgiveness
        walk.anchorMayBeMissing = anchorMayBeMissing
        guard walk.place(leaf) else { return nil }
        return walk.extend(isWanted) ? walk.outcome : nil
    }

    /// Finds the path that came closest, for explanation.
    func explain() -> Outcome {
        var explanation = PathExplanation(search: self)
        return explanation.run()
    }

    /// Everybody who could have issued a certificate, the likeliest first: anchors before others, and those whose key
    /// identifier is the one that the certificate names before those without or with another.
    func issuers(of child: PathCertificate, on path: [PathCertificate]) -> [PathCertificate] {
        candidates(for: child).filter { candidate in
            !path.contains { $0.number == candidate.number || Self.isSameAuthority($0, candidate) }
        }
    }

    /// Everybody with the name of a certificate's issuer, the likeliest first.
    ///
    /// Found once for each certificate: a search that comes to one along many paths must not compare the names, which may
    /// be long, again each time.
    private func candidates(for child: PathCertificate) -> [PathCertificate] {
        if let known = candidateTable[child] { return known }
        var candidates: [(rank: Int, candidate: PathCertificate)] = []
        func consider(_ candidate: PathCertificate, preference: Int) {
            guard candidate.subject == child.issuer else { return }
            candidates.append((preference + Self.rank(candidate, as: child), candidate))
        }
        // Numbers of anchors are negative and differ among those of a name; two names never meet as issuers of one
        // certificate, so that nothing more is needed to tell them apart.
        var number = 0
        for store in anchors {
            for entry in store.entries(subjectHash: child.issuerHash) {
                number -= 1
                consider(
                    PathCertificate(entry.certificate, origin: .anchor, number: number, anchor: entry), preference: 0)
            }
        }
        for candidate in intermediates where candidate.subjectHash == child.issuerHash {
            consider(candidate, preference: 10)
        }
        let sorted = candidates.sorted { $0.rank < $1.rank }.map(\.candidate)
        candidateTable[child] = sorted
        return sorted
    }

    /// Two certificates of one authority (same name, same key) on a path would be a loop.
    ///
    /// Only the hashes of the names are compared: who makes two names of one hash for one key loses a path of their own.
    static func isSameAuthority(_ left: PathCertificate, _ right: PathCertificate) -> Bool {
        left.subjectHash == right.subjectHash && left.pin == right.pin
    }

    /// Whether the topmost certificate of a path, for which nobody vouches, has the name and key of one that is known: that
    /// one then decides, and a copy with looser constraints, which needs no signature, must not stand in for it.
    func endsAtImpersonation(_ path: [PathCertificate]) -> Bool {
        guard path.count > 1, let top = path.last, case .sent = top.origin else { return false }
        return candidates(for: path[path.count - 2]).contains { candidate in
            if case .sent = candidate.origin { return false }
            return Self.isSameAuthority(candidate, top)
        }
    }

    private static func rank(_ candidate: PathCertificate, as child: PathCertificate) -> Int {
        guard let wanted = child.authorityKeyIdentifier.value?.keyIdentifier,
            let identifier = candidate.subjectKeyIdentifier.value
        else { return 1 }
        return wanted == identifier ? 0 : 2
    }

    /// Whether a certificate names, by key identifier, an issuer other than the candidate.
    static func namesAnother(_ child: PathCertificate, than candidate: PathCertificate) -> Bool {
        rank(candidate, as: child) == 2
    }
}

/// The deciding walk: a path that grows and shrinks.
private struct Walk {
    let search: PathSearch
    var forgiveness = Forgiveness.nothing
    var anchorMayBeMissing = false
    var path: [PathCertificate] = []
    private var hasRemarks = false

    var outcome: PathSearch.Outcome {
        PathSearch.Outcome(
            path: path, isFound: true, reachesAnchor: path.last?.isAnchor ?? false, hasRemarks: hasRemarks)
    }

    init(search: PathSearch) {
        self.search = search
    }

    /// Puts a certificate on the path if no rule refuses it there.
    mutating func place(_ candidate: PathCertificate) -> Bool {
        path.append(candidate)
        guard passes(search.rules) else {
            path.removeLast()
            return false
        }
        return true
    }

    /// Whether no rule refuses the topmost certificate in its place.
    private mutating func passes(_ rules: [any PathRule]) -> Bool {
        var log = FindingLog(.decide(forgiving: forgiveness))
        for rule in rules {
            rule.examine(path.count - 1, of: path, in: search.context, log: &log)
            if log.isRefused { return false }
        }
        // Never taken back when the path shrinks: it only saves collecting findings where there are none.
        hasRemarks = hasRemarks || log.hasRemarks
        return true
    }

    /// Grows the path until it is wanted; on failure leaves it as it was.
    mutating func extend(_ isWanted: ([PathCertificate]) -> Bool) -> Bool {
        guard let top = path.last else { return false }
        if top.isAnchor { return isWanted(path) }
        guard path.count < search.limits.pathLength else { return false }
        var isExtensible = false
        for issuer in search.issuers(of: top, on: path) {
            guard search.context.budget.spendSearchStep() else { return false }
            path.append(issuer)
            // Rules first: they cost a hundredth of a signature check. Where an anchor may be missing, it has to be known
            // all the same whether an issuer that a rule refuses is the real one: then nothing is missing.
            let isAdmitted = passes(search.rules)
            if isAdmitted || anchorMayBeMissing, search.checker.holds(issuer, signed: top, in: search.context) {
                isExtensible = true
                if isAdmitted, passes(search.costlyRules), extend(isWanted) { return true }
            }
            path.removeLast()
        }
        return anchorMayBeMissing && !isExtensible && search.context.budget.exhausted == nil
            && !search.endsAtImpersonation(path) && isWanted(path)
    }
}

/// A table of the candidates for each certificate below an anchor, by its number.
///
/// A table, and not a field of the certificates, since two authorities that certify each other would keep each other alive.
final class CandidateTable {
    private var lists: [[PathCertificate]?]

    init(capacity: Int) {
        lists = Array(repeating: nil, count: capacity)
    }

    subscript(child: PathCertificate) -> [PathCertificate]? {
        get { lists.indices.contains(child.number) ? lists[child.number] : nil }
        set { if lists.indices.contains(child.number) { lists[child.number] = newValue } }
    }
}

/// Whether edges hold, each checked once in an evaluation.
final class SignatureChecker {
    private struct Edge: Hashable {
        let issuerKey: SPKIPin
        let child: Int
    }

    private var known: [Edge: Bool] = [:]

    /// Whether the issuer's key made the signature on the certificate. False when the budget is spent.
    func holds(
        _ issuer: PathCertificate, signed child: PathCertificate, in context: EvaluationContext
    ) -> Bool {
        let edge = Edge(issuerKey: issuer.pin, child: child.number)
        if let result = known[edge] { return result }
        if let cache = context.cache, cache.knows(issuer: issuer, of: child) {
            known[edge] = true
            return true
        }
        guard context.budget.spendSignatureCheck(with: issuer, over: child.certificate.der.count) else { return false }
        guard let key = issuer.verificationKey(context.cache) else {
            known[edge] = false
            return false
        }
        let result = child.certificate.isSigned(by: key)
        if result { context.cache?.remember(issuer: issuer, of: child) }
        known[edge] = result
        return result
    }
}
