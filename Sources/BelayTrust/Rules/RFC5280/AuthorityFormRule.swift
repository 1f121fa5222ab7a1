import BelayCertificates

/// Authorities say what they are in the way the profile wants, and others do not claim to be any
/// (RFC 5280, sections 4.2.1.3, 4.2.1.9 to 4.2.1.11 and 4.2.1.14).
struct AuthorityFormRule: PathRule {
    static let catalogue: [Rule] = [
        .basicConstraintsForm, .keyUsageForm, .nameConstraintsForm, .policyConstraintsForm,
    ]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        let subject = path[depth]
        let certificate = subject.certificate
        let constraints = subject.basicConstraints.value
        let isAuthority = constraints?.isAuthority ?? false
        let usage = subject.keyUsage.value

        if isAuthority && certificate.isCritical(.basicConstraints) == false {
            log.report(
                .basicConstraintsForm, at: depth, of: path,
                "it is an authority whose basic constraints are not critical",
                expected: "critical", found: "not critical")
        }
        if constraints?.pathLength != nil && !(isAuthority && usage?.contains(.keyCertSign) ?? false) {
            log.report(
                .basicConstraintsForm, at: depth, of: path,
                "it has a path length but is no authority that signs certificates",
                expected: "no path length", found: "path length \(constraints?.pathLength ?? 0)")
        }
        if !isAuthority && usage?.contains(.keyCertSign) ?? false {
            log.report(
                .keyUsageForm, at: depth, of: path, "its key usage has keyCertSign, but it is no authority",
                expected: "no keyCertSign", found: usage?.description)
        }
        if let usage, usage.isEmpty {
            log.report(
                .keyUsageForm, at: depth, of: path, "its key usage allows nothing", expected: "at least one usage",
                found: "no bit set")
        }
        if isAuthority && depth > 0 && usage == nil {
            log.report(
                .keyUsageForm, at: depth, of: path, "it is an authority without a key usage", expected: "keyCertSign",
                found: "none")
        }
        if let isCritical = certificate.isCritical(.nameConstraints) {
            if !isAuthority {
                log.report(
                    .nameConstraintsForm, at: depth, of: path, "it has name constraints but is no authority",
                    expected: "none", found: "name constraints")
            }
            if !isCritical {
                log.report(
                    .nameConstraintsForm, at: depth, of: path, "its name constraints are not critical",
                    expected: "critical", found: "not critical")
            }
        }
        checkConstraintForms(subject, depth, path, &log)
        for (kind, name) in [
            (ExtensionKind.policyConstraints, "policy constraints"), (.inhibitAnyPolicy, "inhibit any-policy"),
        ] where certificate.isCritical(kind) == false {
            log.report(
                .policyConstraintsForm, at: depth, of: path, "its \(name) are not critical", expected: "critical",
                found: "not critical")
        }
    }

    /// DNS names and e-mail hosts in constraints are written as RFC 5280 has them; a dot in front is for URIs and e-mail.
    private func checkConstraintForms(
        _ subject: PathCertificate, _ depth: Int, _ path: [PathCertificate], _ log: inout FindingLog
    ) {
        guard let constraints = subject.nameConstraints.value else { return }
        for case .dns(let base) in constraints.permitted + constraints.excluded where base.hasPrefix(".") {
            log.report(
                .nameConstraintsForm, at: depth, of: path,
                "its constraint on DNS names '\(printable(base))' begins with a dot", expected: "a name without it",
                found: printable(base))
        }
    }
}

extension Rule {
    static let basicConstraintsForm = Rule(
        "rfc5280.basic-constraints",
        "Basic constraints of authorities are critical; only authorities that sign have a path length.", .fatal,
        remedy: "Have the certificate issued with basic constraints in proper form.",
        source: "RFC 5280, section 4.2.1.9")
    static let keyUsageForm = Rule(
        "rfc5280.key-usage", "Authorities have keyCertSign in their key usage, and nobody else does.", .fatal,
        remedy: "Have the certificate issued with a key usage that fits.",
        source: "RFC 5280, sections 4.2.1.3 and 4.2.1.9")
    static let nameConstraintsForm = Rule(
        "rfc5280.name-constraints", "Name constraints are critical, in authorities only, and in proper form.", .fatal,
        remedy: "Have the authority's certificate issued with name constraints in proper form.",
        source: "RFC 5280, section 4.2.1.10")
    static let policyConstraintsForm = Rule(
        "rfc5280.policy-constraints", "Constraints on certificate policies are critical.", .fatal,
        remedy: "Have the authority's certificate issued with the extension marked as critical.",
        source: "RFC 5280, sections 4.2.1.11 and 4.2.1.14")
}
