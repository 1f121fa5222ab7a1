import BelayCertificates

/// The leaf and its issuers are for the purpose at hand, where they state purposes (RFC 5280, section 4.2.1.12).
struct PurposeRule: PathRule {
    static let catalogue: [Rule] = [.wrongPurpose, .issuerWrongPurpose, .leafKeyUsage]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard !context.purposes.isEmpty else { return }
        if let usage = path[depth].extendedKeyUsage.value {
            for purpose in context.purposes where !usage.permits(purpose) {
                // RFC 5280 defines purposes for the leaf; nesting them in issuers is what every client does with an
                // authority that is limited to, say, e-mail.
                log.report(
                    depth == 0 ? .wrongPurpose : .issuerWrongPurpose, at: depth, of: path,
                    depth == 0
                        ? "it is not for \(Self.name(purpose))"
                        : "it is limited to purposes without \(Self.name(purpose)), and so is everything below it",
                    expected: Self.name(purpose),
                    found: usage.purposes.map(Self.name).joined(separator: ", "))
            }
        }
        if depth == 0, context.purposes.contains(.serverAuthentication), let usage = path[0].keyUsage.value,
            usage.isDisjoint(with: [.digitalSignature, .keyEncipherment, .keyAgreement])
        {
            log.report(
                .leafKeyUsage, at: 0, of: path, "its key usage allows no key exchange of TLS",
                expected: "digitalSignature, keyEncipherment or keyAgreement", found: usage.description)
        }
    }

    /// A purpose as people know it.
    static func name(_ purpose: OID) -> String {
        switch purpose {
        case .serverAuthentication: "TLS server authentication (serverAuth)"
        case .clientAuthentication: "TLS client authentication (clientAuth)"
        case .emailProtection: "e-mail (emailProtection)"
        case .anyExtendedKeyUsage: "any purpose"
        default: purpose.description
        }
    }
}

extension Rule {
    static let wrongPurpose = Rule(
        "eku.purpose", "A leaf that states purposes states the one at hand.", .recoverable, forgivable: true,
        remedy: "Have the certificate issued with the extended key usage serverAuth (for a client: clientAuth).",
        source: "RFC 5280, section 4.2.1.12")
    static let issuerWrongPurpose = Rule(
        "eku.issuer-purpose", "An issuer that states purposes states the one of the leaf.", .recoverable,
        forgivable: true,
        remedy: "Have the leaf issued by an authority that is for this purpose.",
        source: "RFC 5280, section 4.2.1.12; Mozilla Root Store Policy, section 5.3")
    static let leafKeyUsage = Rule(
        "key.usage", "A server's key may sign or exchange keys, where its usage is stated.", .recoverable,
        forgivable: true,
        remedy: "Have the certificate issued with the key usage digitalSignature.",
        source: "RFC 5280, section 4.2.1.3; RFC 8446, section 4.4.2.2")
}
