import BelayCertificates

/// Every name below an authority lies within the constraints of that authority (RFC 5280, sections 4.2.1.10 and 6.1.3, b–c).
struct NameConstraintsRule: PathRule {
    static let catalogue: [Rule] = [
        .nameExcluded, .nameNotPermitted, .constraintMalformed, .constraintUnsupported, .constraintBudget,
    ]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard depth > 0, let constraints = path[depth].nameConstraints.value else { return }
        let weight = Self.weight(constraints.permitted) + Self.weight(constraints.excluded)
        guard spend(weight, at: depth, context, path, &log) else { return }
        for constraint in constraints.permitted + constraints.excluded {
            guard NameConstraint.isWellFormed(constraint) else {
                log.report(
                    .constraintMalformed, at: depth, of: path, "its name constraint '\(constraint)' makes no sense",
                    expected: "a name of the kind, or an address and a mask", found: constraint.description)
                return
            }
        }
        let permitted = constraints.permitted.map(NameConstraint.Prepared.init(base:))
        let excluded = constraints.excluded.map(NameConstraint.Prepared.init(base:))
        for index in 0..<depth {
            // A self-issued intermediate carries the authority's own name while its key is replaced.
            if index > 0 && path[index].isSelfIssued { continue }
            let names = path[index].constrainedNames
            guard spend(weight * Self.weight(names.map(\.name)), at: depth, context, path, &log) else { return }
            for name in names {
                check(name, of: index, permitted, excluded, at: depth, path, &log)
            }
        }
    }

    private func spend(
        _ comparisons: Int, at depth: Int, _ context: EvaluationContext, _ path: [PathCertificate],
        _ log: inout FindingLog
    ) -> Bool {
        if context.budget.spendComparisons(comparisons) { return true }
        log.report(
            .constraintBudget, at: depth, of: path,
            "its name constraints and the names below it would take \(comparisons) comparisons")
        return false
    }

    /// How many comparisons names count as: a long one takes the time of many.
    private static func weight(_ names: [GeneralName]) -> Int {
        names.reduce(0) { $0 + 1 + NameConstraint.byteCount($1) / 256 }
    }

    private func check(
        _ prepared: NameConstraint.Prepared, of index: Int, _ permitted: [NameConstraint.Prepared],
        _ excluded: [NameConstraint.Prepared], at depth: Int, _ path: [PathCertificate], _ log: inout FindingLog
    ) {
        let name = prepared.name
        let kind = prepared.kind
        let authority = path[depth].subject
        for subtree in excluded where subtree.kind == kind {
            guard kind.isSupported else {
                reportUnsupported(name, index, authority, path, &log)
                return
            }
            if NameConstraint.couldLie(prepared, in: subtree) {
                log.report(
                    .nameExcluded, at: index, of: path,
                    "its name '\(name)' lies in '\(subtree.name)', which the authority \(authority) may not certify",
                    expected: "a name outside \(subtree.name)", found: name.description)
            }
        }
        guard permitted.contains(where: { $0.kind == kind }) else { return }
        guard kind.isSupported else {
            reportUnsupported(name, index, authority, path, &log)
            return
        }
        if !permitted.contains(where: { $0.kind == kind && NameConstraint.mustLie(prepared, in: $0) }) {
            let allowed = permitted.filter { $0.kind == kind }.prefix(5).map(\.name.description).joined(separator: ", ")
            log.report(
                .nameNotPermitted, at: index, of: path,
                "its name '\(name)' is not among those that the authority \(authority) may certify",
                expected: allowed, found: name.description)
        }
    }

    private func reportUnsupported(
        _ name: GeneralName, _ index: Int, _ authority: DistinguishedName, _ path: [PathCertificate],
        _ log: inout FindingLog
    ) {
        log.report(
            .constraintUnsupported, at: index, of: path,
            "the authority \(authority) constrains names of the kind of '\(name)', which cannot be compared here",
            expected: "DNS names, addresses, e-mail addresses, URIs and distinguished names", found: name.description)
    }
}

extension Rule {
    static let nameExcluded = Rule(
        "constraints.excluded", "No name lies where an authority of the path may not certify.", .fatal,
        remedy: "Have the certificate issued by an authority that may certify this name.",
        source: "RFC 5280, section 4.2.1.10")
    static let nameNotPermitted = Rule(
        "constraints.not-permitted", "Every name lies where the authorities of the path may certify.", .fatal,
        remedy: "Have the certificate issued by an authority that may certify this name.",
        source: "RFC 5280, section 4.2.1.10")
    static let constraintMalformed = Rule(
        "constraints.malformed", "A name constraint makes sense.", .fatal,
        remedy: "Have the authority's certificate issued again.", source: "RFC 5280, section 4.2.1.10")
    static let constraintUnsupported = Rule(
        "constraints.unsupported", "Constraints on kinds of names that cannot be compared meet no such name.", .fatal,
        remedy: "Have the certificate issued without names of this kind.", source: "RFC 5280, section 4.2.1.10")
    static let constraintBudget = Rule(
        "constraints.budget-exceeded", "Names and constraints are few enough to be compared.", .fatal,
        remedy: "Refuse this server: no honest chain has so many names and constraints.",
        source: "Belay: evaluation limits")
}
