import BelayCertificates

/// Whoever issues is an authority: CA flag and, where key usage is present, keyCertSign (RFC 5280, section 6.1.4, k–n).
struct AuthorityRule: PathRule {
    static let catalogue: [Rule] = [.notAnAuthority, .mayNotSignCertificates, .versionOneAnchor]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        // The leaf issues nothing here: a CA certificate that is itself presented, and an anchor that is itself the leaf,
        // need no flag.
        guard depth > 0 else { return }
        let issuer = path[depth]
        switch issuer.basicConstraints {
        case .present(let constraints) where constraints.isAuthority:
            break
        case .present:
            log.report(
                .notAnAuthority, at: depth, of: path,
                "it signed the certificate below it but its basic constraints say that it is no authority",
                expected: "CA:TRUE", found: "CA:FALSE")
        case .absent where issuer.isAnchor && issuer.certificate.version < 3:
            // Such a certificate cannot say whether it is an authority; whoever made it an anchor has said so
            // (RFC 5280, section 6.1.4, k).
            log.report(
                .versionOneAnchor, at: depth, of: path,
                "it is a version \(issuer.certificate.version) certificate, which cannot say whether it is an authority"
            )
        case .absent, .malformed:
            log.report(
                .notAnAuthority, at: depth, of: path,
                "it signed the certificate below it but has no basic constraints",
                expected: "CA:TRUE", found: "no basic constraints")
        }
        if let usage = issuer.keyUsage.value, !usage.contains(.keyCertSign) {
            log.report(
                .mayNotSignCertificates, at: depth, of: path,
                "its key usage does not allow it to sign certificates",
                expected: "keyCertSign", found: usage.description)
        }
    }
}

extension Rule {
    static let notAnAuthority = Rule(
        "ca.not-an-authority", "A certificate that issues others says that it is an authority.", .fatal,
        remedy: "Have the leaf issued by a real authority. If this surprises you, somebody may be attacking.",
        source: "RFC 5280, sections 4.2.1.9 and 6.1.4 (k)")
    static let mayNotSignCertificates = Rule(
        "ca.key-usage", "An issuer whose key usage is stated has keyCertSign among it.", .fatal,
        remedy: "Have the authority's certificate issued with keyCertSign.",
        source: "RFC 5280, sections 4.2.1.3 and 6.1.4 (n)")
    static let versionOneAnchor = Rule(
        "ca.version-1-anchor", "An anchor of version 1 cannot say that it is an authority; trusting it says so.",
        severity: .note, .none,
        remedy: "Replace the root by one of version 3 with basic constraints when you next can.",
        source: "RFC 5280, section 6.1.4 (k)")
}
