extension PublicKey {
    /// How many checks of a usual signature (P-256, some 75 µs) one with this key takes, roughly, and never less than one.
    ///
    /// Whoever bounds the work of checking has to count like this: with the same number of checks, keys that somebody chose
    /// for the purpose keep a processor busy a hundred times as long.
    package var verificationCost: Int {
        switch kind {
        case .ellipticCurve(let curve): Self.cost(of: curve)
        case .rsa, .rsaPSS: rsaCost
        case .ed448: 3
        case .ed25519, .explicitEllipticCurve, .malformed, .other: 1
        }
    }

    /// OpenSSL has code of their own for the curves of NIST except P-192 and P-384; all others take the general way.
    private static func cost(of curve: NamedCurve) -> Int {
        switch curve.groupName {
        case "prime256v1", "secp224r1": return 1
        case "secp521r1": return 7
        default:
            let bits = curve.bits ?? 0
            return bits * bits / (128 * 128) + 1
        }
    }

    /// A multiplication for each bit of the exponent and another for each that is set, each as the square of the modulus.
    private var rsaCost: Int {
        guard let (modulus, exponent) = rsaNumbers else { return 1 }
        let multiplications = exponent.reduce(0) { $0 + 8 + $1.nonzeroBitCount }
        // Lengths are bounded by that of a certificate; what OpenSSL refuses (above 16,384 bits) costs nothing.
        let bits = min(modulus.count, 2_048) * 8
        return multiplications * (bits * bits / 2_048) / (2_048 * 83) + 1
    }
}
