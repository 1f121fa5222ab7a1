/// The algorithm of a signature, with everything that its parameters say.
public enum SignatureAlgorithm: Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2).
    case rsaPKCS1(Hash)
    /// RSASSA-PSS (RFC 4055, section 3.1): hash, hash of the mask generation, length of the salt in bytes.
    case rsaPSS(hash: Hash, mask: Hash, saltLength: Int)
    /// ECDSA (RFC 5758, section 3.2).
    case ecdsa(Hash)
    /// Ed25519 (RFC 8410).
    case ed25519
    /// Ed448 (RFC 8410).
    case ed448
    /// An algorithm whose parameters are not what its definition demands, with the reason.
    case malformed(String)
    /// An algorithm that Belay does not know.
    case other(OID)

    /// A hash function.
    public enum Hash: String, Sendable, Hashable, CaseIterable {
        case md5 = "MD5"
        case sha1 = "SHA-1"
        case sha224 = "SHA-224"
        case sha256 = "SHA-256"
        case sha384 = "SHA-384"
        case sha512 = "SHA-512"

        /// Whether collisions or forgeries are out of reach today: not so for MD5 and SHA-1.
        public var isCollisionResistant: Bool { self != .md5 && self != .sha1 }
    }

    /// The hash that the signature rests on; nil where the algorithm has it built in or is not known.
    public var hash: Hash? {
        switch self {
        case .rsaPKCS1(let hash), .ecdsa(let hash): hash
        case .rsaPSS(let hash, _, _): hash
        case .ed25519, .ed448, .malformed, .other: nil
        }
    }
}

extension SignatureAlgorithm: CustomStringConvertible {
    /// The algorithm as people write it, for example `ECDSA with SHA-256`.
    public var description: String {
        switch self {
        case .rsaPKCS1(let hash): "RSA with \(hash.rawValue)"
        case .rsaPSS(let hash, _, _): "RSA-PSS with \(hash.rawValue)"
        case .ecdsa(let hash): "ECDSA with \(hash.rawValue)"
        case .ed25519: "Ed25519"
        case .ed448: "Ed448"
        case .malformed(let reason): "malformed algorithm (\(reason))"
        case .other(let identifier): "algorithm \(identifier)"
        }
    }
}

extension SignatureAlgorithm {
    private static let pkcs1Prefix: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1]
    private static let ecdsaPrefix: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4]

    /// Reads the contents of an AlgorithmIdentifier.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        do throws(DERError) {
            var reader = DERReader(bytes, in: range)
            let identifier = try reader.readObjectIdentifier()
            let parameters = reader.position..<range.upperBound
            self = try Self.recognise(bytes, identifier, parameters)
        } catch {
            self = .malformed(error.description)
        }
    }

    private static func recognise(
        _ bytes: [UInt8], _ identifier: Range<Int>, _ parameters: Range<Int>
    ) throws(DERError) -> SignatureAlgorithm {
        let octets = bytes[identifier]
        if octets.count == 9, octets.starts(with: pkcs1Prefix), let last = octets.last {
            if last == 10 { return try pss(bytes, parameters) }
            let hashes: [UInt8: Hash] = [4: .md5, 5: .sha1, 11: .sha256, 12: .sha384, 13: .sha512, 14: .sha224]
            guard let hash = hashes[last] else { return .other(OID(octets: octets)) }
            // RFC 4055, section 5: NULL must be written; readers must accept its absence too.
            if !parameters.isEmpty {
                var reader = DERReader(bytes, in: parameters)
                try reader.readNull()
                try reader.finish()
            }
            return .rsaPKCS1(hash)
        }
        if octets.starts(with: ecdsaPrefix) {
            let hash: Hash
            switch Array(octets.dropFirst(ecdsaPrefix.count)) {
            case [1]: hash = .sha1
            case [3, 1]: hash = .sha224
            case [3, 2]: hash = .sha256
            case [3, 3]: hash = .sha384
            case [3, 4]: hash = .sha512
            default: return .other(OID(octets: octets))
            }
            return parameters.isEmpty ? .ecdsa(hash) : .malformed("parameters must be absent (RFC 5758, section 3.2)")
        }
        if octets.elementsEqual([0x2B, 0x65, 0x70]) || octets.elementsEqual([0x2B, 0x65, 0x71]) {
            guard parameters.isEmpty else { return .malformed("parameters must be absent (RFC 8410, section 3)") }
            return octets.last == 0x70 ? .ed25519 : .ed448
        }
        return .other(OID(octets: octets))
    }

    /// RSASSA-PSS-params (RFC 4055, section 3.1); every field has a default.
    private static func pss(_ bytes: [UInt8], _ parameters: Range<Int>) throws(DERError) -> SignatureAlgorithm {
        var reader = DERReader(bytes, in: parameters)
        let outer = try reader.enter(.sequence)
        var hash = Hash.sha1
        var mask = Hash.sha1
        var saltLength = 20
        if reader.next(is: .contextConstructed(0)) {
            let explicit = try reader.enter(.contextConstructed(0))
            hash = try readHash(&reader)
            try reader.leave(explicit)
        }
        if reader.next(is: .contextConstructed(1)) {
            let explicit = try reader.enter(.contextConstructed(1))
            let generator = try reader.enter(.sequence)
            let start = reader.position
            let identifier = try reader.readObjectIdentifier()
            // id-mgf1
            guard bytes[identifier].elementsEqual(pkcs1Prefix + [8]) else {
                throw DERError(.other("the mask generation function is not MGF1"), at: start)
            }
            mask = try readHash(&reader)
            try reader.leave(generator)
            try reader.leave(explicit)
        }
        if reader.next(is: .contextConstructed(2)) {
            let explicit = try reader.enter(.contextConstructed(2))
            saltLength = try reader.readSmallInteger(upTo: 512)
            try reader.leave(explicit)
        }
        if reader.next(is: .contextConstructed(3)) {
            let start = reader.position
            let explicit = try reader.enter(.contextConstructed(3))
            let trailer = try reader.readSmallInteger()
            try reader.leave(explicit)
            guard trailer == 1 else { throw DERError(.other("the trailer field is not 1"), at: start) }
        }
        try reader.leave(outer)
        try reader.finish()
        return .rsaPSS(hash: hash, mask: mask, saltLength: saltLength)
    }

    private static func readHash(_ reader: inout DERReader) throws(DERError) -> Hash {
        let start = reader.position
        let outer = try reader.enter(.sequence)
        let identifier = try reader.readObjectIdentifier()
        if !reader.isAtEnd { try reader.readNull() }
        try reader.leave(outer)
        switch Array(reader.bytes[identifier]) {
        case [0x2B, 0x0E, 3, 2, 0x1A]: return .sha1
        case [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1]: return .sha256
        case [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2]: return .sha384
        case [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 3]: return .sha512
        case [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 4]: return .sha224
        default: throw DERError(.other("an unknown hash function"), at: start)
        }
    }
}
