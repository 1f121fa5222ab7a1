import BelayCertificates

/// Keys are of the strength that Apple's systems demand of every certificate of a chain, and of a kind that they know; a leaf that is
/// itself the anchor is exempt (Apple: Requirements for trusted certificates in iOS 13 and macOS 10.15).
struct AppleStrengthRule: PathRule {
    static let catalogue: [Rule] = [.appleKeySize, .appleKeyKind]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard !(depth == 0 && path[0].isAnchor) else { return }
        let kind = path[depth].keyKind
        if case .ellipticCurve(let curve) = kind, let bits = curve.bits, bits < 256 {
            log.report(
                .appleKeySize, at: depth, of: path, "its key is on a curve of \(bits) bits",
                expected: "256 bits or more", found: kind.description)
        } else if !Self.isKnown(kind) {
            log.report(
                .appleKeyKind, at: depth, of: path, "its key is of a kind that Apple's systems do not use in TLS",
                expected: "RSA, or a curve P-256, P-384 or P-521", found: kind.description)
        }
    }

    private static func isKnown(_ kind: PublicKey.Kind) -> Bool {
        switch kind {
        case .rsa, .rsaPSS: true
        case .ellipticCurve(let curve): ["P-256", "P-384", "P-521"].contains(curve.description)
        case .explicitEllipticCurve, .ed25519, .ed448, .malformed, .other: false
        }
    }
}

extension Rule {
    static let appleKeySize = Rule(
        "apple.key-size", "Keys have at least 2048 bits (RSA) or 256 bits (curves).", .recoverable,
        remedy: "Make a key on P-256 and have the certificate issued for it.", source: "Apple: support.apple.com/103769"
    )
    static let appleKeyKind = Rule(
        "apple.key-kind", "Keys are RSA or on P-256, P-384 or P-521.", .recoverable,
        remedy: "Make a key on P-256 and have the certificate issued for it.",
        source: "Apple: SecKey's key types (kSecAttrKeyTypeRSA, kSecAttrKeyTypeECSECPrimeRandom)")
}
