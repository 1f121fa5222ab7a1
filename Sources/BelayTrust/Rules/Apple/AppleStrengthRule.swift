import BelayCertificates

/// Keys are of the strength that Apple's systems demand of every certificate of a chain; a leaf that is itself the anchor
/// is exempt (Apple: Requirements for trusted certificates in iOS 13 and macOS 10.15).
struct AppleStrengthRule: PathRule {
    static let catalogue: [Rule] = [.appleKeySize]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard !(depth == 0 && path[0].isAnchor) else { return }
        if case .ellipticCurve(let curve) = path[depth].keyKind, let bits = curve.bits, bits < 256 {
            log.report(
                .appleKeySize, at: depth, of: path, "its key is on a curve of \(bits) bits",
                expected: "256 bits or more",
                found: path[depth].keyKind.description)
        }
    }
}

extension Rule {
    static let appleKeySize = Rule(
        "apple.key-size", "Keys have at least 2048 bits (RSA) or 256 bits (curves).", .recoverable,
        remedy: "Make a key on P-256 and have the certificate issued for it.", source: "Apple: support.apple.com/103769"
    )
}
