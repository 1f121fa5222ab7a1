extension SignatureAlgorithm {
    /// The AlgorithmIdentifier in DER; nil for an algorithm whose parameters are not known.
    package var der: [UInt8]? {
        let rsaPrefix: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1]
        switch self {
        case .rsaPKCS1(let hash):
            let arc: UInt8 =
                switch hash {
                case .md5: 4
                case .sha1: 5
                case .sha256: 11
                case .sha384: 12
                case .sha512: 13
                case .sha224: 14
                }
            return Self.identifier(rsaPrefix + [arc], DERWriter.element(.null, []))
        case .rsaPSS(let hash, let mask, let saltLength):
            guard let hash = hash.identifierDER, let mask = mask.identifierDER else { return nil }
            let generator = Self.identifier(rsaPrefix + [8], mask)
            // RFC 4055, section 3.1: fields at their default are left out.
            var parameters: [UInt8] = []
            if hash != Hash.sha1.identifierDER { parameters += DERWriter.element(.contextConstructed(0), hash) }
            if mask != Hash.sha1.identifierDER { parameters += DERWriter.element(.contextConstructed(1), generator) }
            if saltLength != 20 {
                parameters += DERWriter.element(.contextConstructed(2), DERWriter.integer(saltLength))
            }
            return Self.identifier(rsaPrefix + [10], DERWriter.element(.sequence, parameters))
        case .ecdsa(let hash):
            let arcs: [UInt8]
            switch hash {
            case .md5: return nil
            case .sha1: arcs = [1]
            case .sha224: arcs = [3, 1]
            case .sha256: arcs = [3, 2]
            case .sha384: arcs = [3, 3]
            case .sha512: arcs = [3, 4]
            }
            return Self.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4] + arcs)
        case .ed25519: return Self.identifier([0x2B, 0x65, 0x70])
        case .ed448: return Self.identifier([0x2B, 0x65, 0x71])
        case .other(let identifier): return Self.identifier(identifier.octets)
        case .malformed: return nil
        }
    }

    private static func identifier(_ octets: [UInt8], _ parameters: [UInt8] = []) -> [UInt8] {
        DERWriter.sequence(DERWriter.element(.objectIdentifier, octets), parameters)
    }
}

extension SignatureAlgorithm.Hash {
    /// The AlgorithmIdentifier of the hash, with the NULL that RFC 4055, section 2.1 asks for.
    fileprivate var identifierDER: [UInt8]? {
        let octets: [UInt8]
        switch self {
        case .md5: return nil
        case .sha1: octets = [0x2B, 0x0E, 3, 2, 0x1A]
        case .sha256: octets = [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1]
        case .sha384: octets = [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2]
        case .sha512: octets = [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 3]
        case .sha224: octets = [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 4]
        }
        return DERWriter.sequence(DERWriter.element(.objectIdentifier, octets), DERWriter.element(.null, []))
    }
}
