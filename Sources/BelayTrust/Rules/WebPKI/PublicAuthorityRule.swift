import BelayCertificates

/// Public authorities identify their keys, and roots are not limited to purposes (Baseline Requirements, sections 7.1.2.1 and
/// 7.1.2.11).
struct PublicAuthorityRule: PathRule {
    static let catalogue: [Rule] = [.authorityIdentifierFields, .rootPurpose]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        let subject = path[depth]
        checkIdentifier(subject, depth, path, &log)
        guard depth > 0 else { return }
        if subject.isAnchor, subject.isSelfIssued, case .present(let usage) = subject.extendedKeyUsage {
            log.report(
                .rootPurpose, at: depth, of: path, "it is a root that is limited to purposes", expected: "none",
                found: usage.purposes.map(PurposeRule.name).joined(separator: ", "))
        }
    }

    private func checkIdentifier(
        _ subject: PathCertificate, _ depth: Int, _ path: [PathCertificate], _ log: inout FindingLog
    ) {
        guard let identifier = subject.authorityKeyIdentifier.value else { return }
        if identifier.issuer != nil || identifier.serialNumber != nil {
            log.report(
                .authorityIdentifierFields, at: depth, of: path,
                "its authority key identifier also names the issuer's certificate",
                expected: "a key identifier alone", found: "an issuer or serial number beside it")
        }
        guard subject.isSelfIssued, subject.isAnchor else { return }
        guard let key = identifier.keyIdentifier else {
            log.report(
                .authorityIdentifierFields, at: depth, of: path, "its authority key identifier names no key",
                expected: "its own subject key identifier", found: "none")
            return
        }
        if let own = subject.subjectKeyIdentifier.value, own != key {
            log.report(
                .authorityIdentifierFields, at: depth, of: path, "its authority key identifier is not its own",
                expected: hexadecimal(own), found: hexadecimal(key))
        }
    }
}

extension Rule {
    static let authorityIdentifierFields = Rule(
        "webpki.authority-key-identifier", "An authority key identifier is a key identifier alone, in a root its own.",
        .fatal, remedy: "Have the certificate issued with a key identifier alone.",
        source: "CA/Browser Forum Baseline Requirements, sections 7.1.2.1.3 and 7.1.2.11.1")
    static let rootPurpose = Rule(
        "webpki.root-eku", "Roots are not limited to purposes.", .fatal,
        remedy: "Limit the intermediates instead.",
        source: "CA/Browser Forum Baseline Requirements, section 7.1.2.1.2")
}
