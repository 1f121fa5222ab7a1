import BelayCertificates

/// Key identifiers are where they help to build paths, and are not critical (RFC 5280, sections 4.2.1.1 and 4.2.1.2).
struct KeyIdentifierRule: PathRule {
    static let catalogue: [Rule] = [.authorityKeyIdentifierForm, .subjectKeyIdentifierForm]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        let subject = path[depth]
        if subject.certificate.isCritical(.authorityKeyIdentifier) == true {
            log.report(
                .authorityKeyIdentifierForm, at: depth, of: path, "its authority key identifier is critical",
                expected: "not critical", found: "critical")
        }
        if subject.certificate.isCritical(.subjectKeyIdentifier) == true {
            log.report(
                .subjectKeyIdentifierForm, at: depth, of: path, "its subject key identifier is critical",
                expected: "not critical", found: "critical")
        }
        switch subject.authorityKeyIdentifier {
        case .present(let identifier) where identifier.keyIdentifier == nil && !Self.isSelfSigned(subject, context):
            log.report(
                .authorityKeyIdentifierForm, at: depth, of: path,
                "its authority key identifier does not name a key", expected: "a key identifier",
                found: "issuer and serial number only")
        case .absent where !Self.isSelfSigned(subject, context):
            log.report(
                .authorityKeyIdentifierForm, at: depth, of: path, "it has no authority key identifier",
                expected: "the identifier of its issuer's key", found: "none")
        case .present, .absent, .malformed:
            break
        }
        let isAuthority = subject.basicConstraints.value?.isAuthority ?? false
        if isAuthority, case .absent = subject.subjectKeyIdentifier {
            log.report(
                .subjectKeyIdentifierForm, at: depth, of: path, "it is an authority without a subject key identifier",
                expected: "an identifier of its key", found: "none")
        }
    }

    /// Whether a certificate carries the signature of its own key: only such a one may leave the identifier out.
    private static func isSelfSigned(_ subject: PathCertificate, _ context: EvaluationContext) -> Bool {
        guard context.budget.spendSignatureCheck(with: subject, over: subject.certificate.der.count),
            let key = subject.verificationKey(context.cache)
        else {
            return false
        }
        return subject.certificate.isSigned(by: key)
    }
}

extension Rule {
    static let authorityKeyIdentifierForm = Rule(
        "rfc5280.authority-key-identifier",
        "Certificates name their issuer's key, except self-signed ones, in an extension that is not critical.", .fatal,
        remedy: "Have the certificate issued with an authority key identifier.", source: "RFC 5280, section 4.2.1.1")
    static let subjectKeyIdentifierForm = Rule(
        "rfc5280.subject-key-identifier", "Authorities name their key, in an extension that is not critical.", .fatal,
        remedy: "Have the authority's certificate issued with a subject key identifier.",
        source: "RFC 5280, section 4.2.1.2")
}
