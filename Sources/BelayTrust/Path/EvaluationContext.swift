import BelayCertificates

/// What a path is judged for: everything that rules may ask besides the path itself.
struct EvaluationContext {
    /// The moment, in seconds since 1970.
    let time: Int64
    /// The purposes that the leaf and its issuers must be for; empty for basic X.509.
    let purposes: [OID]
    /// The names that the leaf must be valid for, all of them.
    let names: [ServerName]
    /// The most intermediates between leaf and anchor, self-issued ones not counted; nil for any number.
    let maximumIntermediates: Int?
    /// Revocation lists given by the caller; empty when revocation is not to be checked.
    let revocationLists: [RevocationList]
    /// Whether a certificate that none of them covers is refused.
    let requiresRevocationLists: Bool
    /// What was found out about them.
    let revocationListTable = RevocationListTable()
    /// The caches, if the caller has any.
    let cache: TrustCache?
    /// What is left of the budget.
    var budget: Budget
}

/// What is left of an evaluation's limits. One evaluation has one, in one thread.
final class Budget {
    private let limits: EvaluationLimits
    private var signatureChecks: Int
    private var searchSteps: Int
    private var comparisons: Int
    /// Which limit was reached, in words; nil while none was.
    private(set) var exhausted: String?

    init(_ limits: EvaluationLimits) {
        self.limits = limits
        signatureChecks = limits.signatureChecks
        searchSteps = limits.searchSteps
        comparisons = limits.nameConstraintComparisons
    }

    /// Spends a check with a key over so many bytes: a large key takes the time of many usual ones, and so do many bytes.
    func spendSignatureCheck(with issuer: PathCertificate, over byteCount: Int) -> Bool {
        spend(
            &signatureChecks, issuer.verificationCost + byteCount / 65_536, "\(limits.signatureChecks) signature checks"
        )
    }

    func spendSearchStep() -> Bool {
        spend(&searchSteps, 1, "\(limits.searchSteps) steps of the path search")
    }

    func spendComparisons(_ count: Int) -> Bool {
        spend(&comparisons, count, "\(limits.nameConstraintComparisons) comparisons of names with constraints")
    }

    private func spend(_ rest: inout Int, _ count: Int, _ what: @autoclosure () -> String) -> Bool {
        guard rest >= count else {
            exhausted = exhausted ?? what()
            return false
        }
        rest -= count
        return true
    }
}
