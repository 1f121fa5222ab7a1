import BelayCertificates

/// Keys and signatures are of a strength that stands today.
struct StrengthRule: PathRule {
    static let catalogue: [Rule] = [.keyTooSmall, .unsupportedKey, .malformedKey, .weakSignature]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        examineKey(depth, path, context, &log)
        // Nobody relies on an anchor's signature: it is trusted because it was given.
        guard !path[depth].isAnchor else { return }
        if let hash = path[depth].signatureAlgorithm.hash, !hash.isCollisionResistant {
            log.report(
                .weakSignature, at: depth, of: path, "it is signed with \(hash.rawValue), which can be forged",
                expected: "SHA-256 or better", found: hash.rawValue)
        }
    }

    private func examineKey(
        _ depth: Int, _ path: [PathCertificate], _ context: EvaluationContext, _ log: inout FindingLog
    ) {
        switch path[depth].keyKind {
        case .rsa(let bits, _), .rsaPSS(let bits):
            if bits < 2_048 { reportSmall("RSA 2048", bits, depth, path, &log) }
        case .ellipticCurve(let curve):
            guard let bits = curve.bits else {
                log.report(
                    .unsupportedKey, at: depth, of: path, "its key is on a curve that is not known here",
                    expected: "a named curve such as P-256", found: curve.description)
                return
            }
            if bits < 224 { reportSmall("EC of 224 bits", bits, depth, path, &log) }
            // An issuer's key must verify a signature, which shows that it is on its curve; nobody asks the leaf's.
            if depth == 0, path[0].verificationKey(context.cache) == nil {
                log.report(
                    .malformedKey, at: depth, of: path, "its key is no point of its curve",
                    expected: "a point on \(curve)", found: "another point")
            }
        case .explicitEllipticCurve:
            log.report(
                .unsupportedKey, at: depth, of: path, "its key spells out its curve instead of naming it",
                expected: "a named curve such as P-256", found: "explicit parameters")
        case .ed25519, .ed448:
            break
        case .malformed(let reason):
            log.report(
                .malformedKey, at: depth, of: path, "its key is malformed: \(reason)",
                expected: "a key in the form that its algorithm defines", found: reason)
        case .other(let identifier):
            log.report(
                .unsupportedKey, at: depth, of: path, "its key is of a kind that TLS does not use",
                expected: "RSA, EC, Ed25519 or Ed448", found: "algorithm \(identifier)")
        }
    }

    private func reportSmall(
        _ wanted: String, _ bits: Int, _ depth: Int, _ path: [PathCertificate], _ log: inout FindingLog
    ) {
        log.report(
            .keyTooSmall, at: depth, of: path, "its key has \(bits) bits, which can be broken",
            expected: "\(wanted) or more", found: path[depth].keyKind.description)
    }
}

extension Rule {
    static let keyTooSmall = Rule(
        "key.too-small", "RSA keys have at least 2048 bits, keys on curves at least 224.", .recoverable,
        remedy: "Make a new key (P-256, or RSA 2048 or more) and have the certificate issued for it.",
        source: "CA/Browser Forum Baseline Requirements, section 6.1.5; NIST SP 800-131A")
    static let unsupportedKey = Rule(
        "key.unsupported", "Keys are RSA, on a named curve, Ed25519 or Ed448.", .recoverable,
        remedy: "Make a new key (P-256, or RSA 2048 or more) and have the certificate issued for it.",
        source: "RFC 5480, section 2.1.1; RFC 8446, section 4.2.3")
    static let malformedKey = Rule(
        "key.malformed", "A key has the form that its algorithm defines.", .fatal,
        remedy: "Have the certificate issued again; its key is unusable.", source: "RFC 3279; RFC 5480; RFC 8410")
    static let weakSignature = Rule(
        "signature.weak-hash", "Signatures do not rest on MD5 or SHA-1.", .recoverable,
        remedy: "Have the certificate issued again with SHA-256.",
        source: "RFC 6151; RFC 9155; CA/Browser Forum Baseline Requirements, section 7.1.3.2")
}
