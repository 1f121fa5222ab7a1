import BelayCertificates

/// Keys and signatures are of the kinds that public authorities may certify (Baseline Requirements, sections 6.1.5, 6.1.6
/// and 7.1.3).
struct PublicKeyFormRule: PathRule {
    static let catalogue: [Rule] = [.forbiddenKey, .forbiddenSignature]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        let subject = path[depth]
        if let fault = Self.fault(in: subject.keyKind) {
            log.report(
                .forbiddenKey, at: depth, of: path,
                "its key (\(subject.keyKind)) is not one that public authorities certify",
                expected: fault, found: subject.keyKind.description)
        }
        guard !subject.isAnchor else { return }
        switch subject.signatureAlgorithm {
        case .rsaPKCS1(.sha256), .rsaPKCS1(.sha384), .rsaPKCS1(.sha512), .rsaPSS(.sha256, .sha256, 32),
            .rsaPSS(.sha384, .sha384, 48), .rsaPSS(.sha512, .sha512, 64), .ecdsa(.sha256), .ecdsa(.sha384),
            .ecdsa(.sha512):
            break
        default:
            log.report(
                .forbiddenSignature, at: depth, of: path,
                "its signature (\(subject.signatureAlgorithm)) is not one that public authorities make",
                expected: "RSA or ECDSA with SHA-256, SHA-384 or SHA-512", found: subject.signatureAlgorithm.description
            )
        }
    }

    /// What would be right instead of a forbidden key; nil for one that is allowed.
    private static func fault(in kind: PublicKey.Kind) -> String? {
        switch kind {
        case .rsa(let bits, let exponent):
            if bits < 2_048 || bits % 8 != 0 { return "a modulus of at least 2048 bits, a multiple of 8" }
            let isAtLeastThree = exponent.count > 1 || (exponent.first ?? 0) >= 3
            return isAtLeastThree && exponent.last.map { $0 & 1 == 1 } ?? false ? nil : "an odd exponent of 3 or more"
        case .ellipticCurve(let curve):
            return ["P-256", "P-384", "P-521"].contains(curve.description) ? nil : "P-256, P-384 or P-521"
        case .rsaPSS, .explicitEllipticCurve, .ed25519, .ed448, .malformed, .other:
            return "RSA, or a curve P-256, P-384 or P-521"
        }
    }
}

extension Rule {
    static let forbiddenKey = Rule(
        "webpki.key", "Keys are RSA of 2048 bits or more, or on P-256, P-384 or P-521.", .recoverable,
        remedy: "Make a key of an allowed kind and have the certificate issued for it.",
        source: "CA/Browser Forum Baseline Requirements, sections 6.1.5 and 7.1.3.1")
    static let forbiddenSignature = Rule(
        "webpki.signature", "Signatures are RSA or ECDSA with SHA-256, SHA-384 or SHA-512.", .recoverable,
        remedy: "Have the certificate issued with an allowed algorithm.",
        source: "CA/Browser Forum Baseline Requirements, section 7.1.3.2")
}
