import BelayCertificates

/// A public server's certificate is no authority, is for TLS servers, and has nothing but host names
/// (Baseline Requirements, section 7.1.2.7).
struct SubscriberRule: PathRule {
    static let catalogue: [Rule] = [
        .subscriberIsAuthority, .subscriberPurpose, .subscriberNameKind, .subscriberKeyUsage,
    ]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard depth == 0, context.purposes.contains(.serverAuthentication) else { return }
        let leaf = path[0]
        if leaf.basicConstraints.value?.isAuthority ?? false {
            log.report(
                .subscriberIsAuthority, at: 0, of: path, "it is an authority, used as a server's certificate",
                expected: "CA:FALSE", found: "CA:TRUE")
        }
        checkPurposes(leaf, path, &log)
        if let usage = leaf.keyUsage.value, !usage.isDisjoint(with: [.keyCertSign, .cRLSign]) {
            log.report(
                .subscriberKeyUsage, at: 0, of: path, "its key may sign certificates or revocation lists",
                expected: "neither keyCertSign nor cRLSign", found: usage.description)
        }
        for name in leaf.alternativeNames.value ?? [] {
            switch name {
            case .dns, .ipAddress: continue
            default:
                log.report(
                    .subscriberNameKind, at: 0, of: path, "it has a name that is no host: '\(name)'",
                    expected: "DNS names and addresses", found: name.description)
            }
        }
    }

    private func checkPurposes(_ leaf: PathCertificate, _ path: [PathCertificate], _ log: inout FindingLog) {
        guard let usage = leaf.extendedKeyUsage.value else {
            log.report(
                .subscriberPurpose, at: 0, of: path, "it states no purpose", expected: "serverAuth",
                found: "no extended key usage")
            return
        }
        if leaf.certificate.isCritical(.extendedKeyUsage) == true {
            log.report(
                .subscriberPurpose, at: 0, of: path, "its extended key usage is critical", expected: "not critical",
                found: "critical")
        }
        if usage.purposes.contains(.anyExtendedKeyUsage) {
            log.report(
                .subscriberPurpose, at: 0, of: path, "it is for any purpose", expected: "serverAuth",
                found: "anyExtendedKeyUsage")
        }
    }
}

extension Rule {
    static let subscriberIsAuthority = Rule(
        "webpki.leaf-is-authority", "A public server's certificate is no authority.", .fatal,
        remedy: "Have a certificate issued for the server alone.",
        source: "CA/Browser Forum Baseline Requirements, section 7.1.2.7.8")
    static let subscriberPurpose = Rule(
        "webpki.eku", "A public server's certificate says serverAuth, not critical, and not any purpose.", .recoverable,
        remedy: "Have the certificate issued with the extended key usage serverAuth.",
        source: "CA/Browser Forum Baseline Requirements, section 7.1.2.7.10")
    static let subscriberNameKind = Rule(
        "webpki.name-kind", "A public server's alternative names are DNS names and addresses.", .fatal,
        remedy: "Have the certificate issued with host names only.",
        source: "CA/Browser Forum Baseline Requirements, section 7.1.2.7.12")
    static let subscriberKeyUsage = Rule(
        "webpki.key-usage", "A public server's key signs no certificates.", .fatal,
        remedy: "Have the certificate issued with the key usage digitalSignature.",
        source: "CA/Browser Forum Baseline Requirements, section 7.1.2.7.11")
}
