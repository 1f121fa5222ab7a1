import BelayCertificates

/// Where an authority demands that certificates below it are issued under a policy, they are (RFC 5280, sections 6.1.2 to
/// 6.1.5, with every policy acceptable to the caller).
///
/// Policies are handed down from the anchor, so that the rule waits until the path is whole.
struct CertificatePolicyRule: PathRule {
    static let catalogue: [Rule] = [.noAcceptablePolicy]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        let top = path[depth]
        // Without a demand for explicit policies anywhere, no policy can be missing.
        guard top.isAnchor, depth > 0,
            path[..<depth].contains(where: { $0.policyConstraints.value?.requireExplicitPolicy != nil })
        else { return }
        let count = path.reduce(0) { count, certificate in
            count + (certificate.certificatePolicies.value?.count ?? 0)
                + (certificate.policyMappings.value?.count ?? 0)
        }
        // Handing a policy down takes the time of many comparisons of names.
        guard context.budget.spendComparisons(count * 16) else {
            log.report(
                .constraintBudget, at: depth, of: path,
                "the \(count) certificate policies and mappings below it are more than an evaluation looks at")
            return
        }
        if let failure = PolicyState.firstFailure(on: path) {
            log.report(
                .noAcceptablePolicy, at: failure, of: path,
                "an authority above it demands certificate policies, and none holds along the path",
                expected: "a certificate policy that the authorities of the path hand down",
                found: path[failure].certificatePolicies.value.map { $0.map(\.description).joined(separator: ", ") }
                    ?? "no certificate policies")
        }
    }
}

/// The policies that are valid at a point of the path, and what is still demanded: the state variables of RFC 5280,
/// section 6.1.2.
///
/// Of the policy tree only the lowest level is kept: whether it is empty is all that decides when every policy is
/// acceptable to the caller, and a level cannot grow exponentially as the tree can (RFC 9618).
private struct PolicyState {
    /// Valid policies, each with those that may stand for it in the next certificate.
    private var expected: [OID: Set<OID>] = [:]
    private var hasAnyPolicy = true
    private var explicitPolicy: Int
    private var policyMapping: Int
    private var inhibitAnyPolicy: Int

    private init(pathLength: Int) {
        explicitPolicy = pathLength + 1
        policyMapping = pathLength + 1
        inhibitAnyPolicy = pathLength + 1
    }

    /// The depth of the first certificate, from the anchor down, at which a demanded policy is missing.
    static func firstFailure(on path: [PathCertificate]) -> Int? {
        var state = PolicyState(pathLength: path.count - 1)
        for depth in stride(from: path.count - 2, through: 0, by: -1) {
            let certificate = path[depth]
            state.process(certificate, isLeaf: depth == 0)
            if state.explicitPolicy == 0 && state.isEmpty { return depth }
            if depth > 0 { state.prepare(certificate) }
        }
        state.wrapUp(path[0])
        return state.explicitPolicy == 0 && state.isEmpty ? 0 : nil
    }

    private var isEmpty: Bool { !hasAnyPolicy && expected.isEmpty }

    /// Section 6.1.3, d to f.
    private mutating func process(_ certificate: PathCertificate, isLeaf: Bool) {
        guard let policies = certificate.certificatePolicies.value else {
            expected = [:]
            hasAnyPolicy = false
            return
        }
        let handedDown = expected.values.reduce(into: Set<OID>()) { $0.formUnion($1) }
        var next: [OID: Set<OID>] = [:]
        for policy in policies where policy != .anyPolicy && (hasAnyPolicy || handedDown.contains(policy)) {
            next[policy] = [policy]
        }
        let anyPolicyCounts =
            policies.contains(.anyPolicy) && (inhibitAnyPolicy > 0 || (!isLeaf && certificate.isSelfIssued))
        if anyPolicyCounts {
            for policy in handedDown where next[policy] == nil { next[policy] = [policy] }
        }
        hasAnyPolicy = hasAnyPolicy && anyPolicyCounts
        expected = next
    }

    /// Section 6.1.4, a, b, h to j.
    private mutating func prepare(_ certificate: PathCertificate) {
        if let mappings = certificate.policyMappings.value {
            let byIssuer = Dictionary(grouping: mappings, by: \.issuerPolicy)
            for (issuerPolicy, mapped) in byIssuer {
                if policyMapping > 0 {
                    guard expected[issuerPolicy] != nil || hasAnyPolicy else { continue }
                    expected[issuerPolicy] = Set(mapped.map(\.subjectPolicy))
                } else {
                    expected[issuerPolicy] = nil
                }
            }
        }
        if !certificate.isSelfIssued {
            explicitPolicy = max(explicitPolicy - 1, 0)
            policyMapping = max(policyMapping - 1, 0)
            inhibitAnyPolicy = max(inhibitAnyPolicy - 1, 0)
        }
        if let constraints = certificate.policyConstraints.value {
            explicitPolicy = min(explicitPolicy, constraints.requireExplicitPolicy ?? explicitPolicy)
            policyMapping = min(policyMapping, constraints.inhibitPolicyMapping ?? policyMapping)
        }
        if let limit = certificate.inhibitAnyPolicy.value { inhibitAnyPolicy = min(inhibitAnyPolicy, limit) }
    }

    /// Section 6.1.5, a and b.
    private mutating func wrapUp(_ leaf: PathCertificate) {
        explicitPolicy = max(explicitPolicy - 1, 0)
        if leaf.policyConstraints.value?.requireExplicitPolicy == 0 { explicitPolicy = 0 }
    }
}

extension Rule {
    static let noAcceptablePolicy = Rule(
        "constraints.explicit-policy", "Where an authority demands a certificate policy, one holds along the path.",
        .fatal,
        remedy: "Have the certificate issued under a policy that its authorities hand down.",
        source: "RFC 5280, sections 4.2.1.11 and 6.1.5 (g)")
}
