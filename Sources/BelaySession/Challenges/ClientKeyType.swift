import BelayCertificates

/// Kinds of key that a client can prove an identity with.
public enum ClientKeyType: String, Sendable, Hashable, CaseIterable {
    /// RSA.
    case rsa
    /// An elliptic curve with ECDSA.
    case ecdsa
    /// Ed25519 (RFC 8410).
    case ed25519
    /// Ed448 (RFC 8410).
    case ed448

    /// The kind of a key; nil for one that TLS proves nothing with.
    public init?(_ key: PublicKey) {
        switch key.kind {
        case .rsa, .rsaPSS: self = .rsa
        case .ellipticCurve: self = .ecdsa
        case .ed25519: self = .ed25519
        case .ed448: self = .ed448
        case .explicitEllipticCurve, .malformed, .other: return nil
        }
    }

    /// The kinds that signature schemes of a certificate request (RFC 8446, section 4.2.3; RFC 5246, section 7.4.1.4.1) allow.
    ///
    /// - Parameter schemes: code points such as 0x0804. Those that nobody uses for client certificates say nothing.
    public static func allowed(bySignatureSchemes schemes: some Sequence<UInt16>) -> Set<ClientKeyType> {
        var kinds: Set<ClientKeyType> = []
        for scheme in schemes {
            switch scheme {
            case 0x0807: kinds.insert(.ed25519)
            case 0x0808: kinds.insert(.ed448)
            case 0x0804...0x0806, 0x0809...0x080B: kinds.insert(.rsa)
            // Before TLS 1.3 the halves are hash and signature: MD5 to SHA-512, with 1 for RSA and 3 for ECDSA.
            case 0x0100...0x06FF where scheme & 0xFF == 1: kinds.insert(.rsa)
            case 0x0100...0x06FF where scheme & 0xFF == 3: kinds.insert(.ecdsa)
            default: break
            }
        }
        return kinds
    }

    /// The kinds that certificate types of TLS 1.2 and older (RFC 5246, section 7.4.4; RFC 8422, section 5.5) allow.
    public static func allowed(byCertificateTypes types: some Sequence<UInt8>) -> Set<ClientKeyType> {
        var kinds: Set<ClientKeyType> = []
        for type in types {
            switch type {
            case 1: kinds.insert(.rsa)
            case 64: kinds.formUnion([.ecdsa, .ed25519, .ed448])
            default: break
            }
        }
        return kinds
    }
}
