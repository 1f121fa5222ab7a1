/// A public key: a value over the DER of its SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7).
public struct PublicKey: Sendable {
    private let bytes: [UInt8]
    private let layout: PublicKeyLayout

    init(_ bytes: [UInt8], in layout: PublicKeyLayout) {
        self.bytes = bytes
        self.layout = layout
    }

    /// Reads a SubjectPublicKeyInfo.
    ///
    /// - Throws: ``DERError`` where the bytes are not one in DER. Whether the key itself makes sense is a question of its
    ///   own: see ``kind``.
    public init(der: [UInt8]) throws(DERError) {
        var reader = DERReader(der)
        layout = try PublicKeyLayout(&reader)
        try reader.finish()
        bytes = der
    }

    /// The SubjectPublicKeyInfo in DER.
    public var der: [UInt8] { Array(bytes[layout.element]) }

    /// The pin of the key.
    public var pin: SPKIPin { SPKIPin(SHA256Digest(of: bytes, in: layout.element)) }

    /// The algorithm's object identifier.
    public var algorithmIdentifier: OID { OID(octets: bytes[layout.algorithm]) }

    /// The AlgorithmIdentifier in DER, with its parameters.
    var algorithmDER: [UInt8] {
        DERWriter.sequence(DERWriter.objectIdentifier(algorithmIdentifier), Array(bytes[layout.parameters]))
    }

    /// The octets of the key itself, without the algorithm.
    public var keyBytes: [UInt8] { Array(bytes[layout.key]) }

    /// What the key is, with its size or curve.
    public var kind: Kind { Kind(bytes, layout) }

    /// What a key is.
    public enum Kind: Sendable, Hashable {
        /// RSA (RFC 3279, section 2.3.1), with the length of the modulus in bits and the public exponent, big-endian.
        case rsa(bits: Int, exponent: [UInt8])
        /// RSA for PSS only (RFC 4055, section 1.2), with the length of the modulus in bits.
        case rsaPSS(bits: Int)
        /// An elliptic curve named by its object identifier (RFC 5480).
        case ellipticCurve(NamedCurve)
        /// An elliptic curve spelled out in parameters, which RFC 5480, section 2.1.1 forbids.
        case explicitEllipticCurve
        /// Ed25519 (RFC 8410).
        case ed25519
        /// Ed448 (RFC 8410).
        case ed448
        /// A key that is not what its algorithm says, with the reason.
        case malformed(String)
        /// An algorithm that Belay does not verify signatures with (for example DSA or X25519).
        case other(OID)
    }

    /// A curve by name.
    public struct NamedCurve: Sendable, Hashable, CustomStringConvertible {
        /// Its object identifier.
        public let identifier: OID

        /// Size of the field in bits and OpenSSL's name; nil for a curve that Belay does not know.
        private var known: (bits: Int, name: String, group: String)? {
            switch identifier.octets {
            case [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]: (256, "P-256", "prime256v1")
            case [0x2B, 0x81, 4, 0, 0x22]: (384, "P-384", "secp384r1")
            case [0x2B, 0x81, 4, 0, 0x23]: (521, "P-521", "secp521r1")
            case [0x2B, 0x81, 4, 0, 0x21]: (224, "P-224", "secp224r1")
            case [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 1]: (192, "P-192", "prime192v1")
            case [0x2B, 0x81, 4, 0, 0x0A]: (256, "secp256k1", "secp256k1")
            case [0x2B, 0x24, 3, 3, 2, 8, 1, 1, 7]: (256, "brainpoolP256r1", "brainpoolP256r1")
            case [0x2B, 0x24, 3, 3, 2, 8, 1, 1, 11]: (384, "brainpoolP384r1", "brainpoolP384r1")
            case [0x2B, 0x24, 3, 3, 2, 8, 1, 1, 13]: (512, "brainpoolP512r1", "brainpoolP512r1")
            default: nil
            }
        }

        /// The size of the field in bits; nil for a curve that Belay does not know.
        public var bits: Int? { known?.bits }

        /// OpenSSL's name of the group; nil for a curve that Belay does not know.
        var groupName: String? { known?.group }

        /// The usual name, for example `P-256`, or the object identifier.
        public var description: String { known?.name ?? "curve \(identifier)" }
    }
}

extension PublicKey: Hashable {
    /// Whether both are the same bytes.
    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.bytes[left.layout.element] == right.bytes[right.layout.element]
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes[layout.element])
    }
}

extension PublicKey: CustomStringConvertible {
    /// Kind and size, for example `RSA 2048` or `EC P-256`.
    public var description: String { kind.description }
}

extension PublicKey.Kind: CustomStringConvertible {
    /// Kind and size, for example `RSA 2048` or `EC P-256`.
    public var description: String {
        switch self {
        case .rsa(let bits, _): "RSA \(bits)"
        case .rsaPSS(let bits): "RSA-PSS \(bits)"
        case .ellipticCurve(let curve): "EC \(curve)"
        case .explicitEllipticCurve: "EC with explicit parameters"
        case .ed25519: "Ed25519"
        case .ed448: "Ed448"
        case .malformed(let reason): "malformed key (\(reason))"
        case .other(let identifier): "key of algorithm \(identifier)"
        }
    }
}

extension PublicKey {
    /// Modulus and exponent, big-endian without leading zeros; nil where the key is not one of RSA.
    var rsaNumbers: (modulus: [UInt8], exponent: [UInt8])? {
        guard let parts = try? RSAParts(bytes, layout) else { return nil }
        return (Array(bytes[parts.modulus]), Array(bytes[parts.exponent]))
    }
}

/// Where the numbers of an RSAPublicKey stand (RFC 8017, appendix A.1.1), leading zeros left out.
private struct RSAParts {
    let modulus: Range<Int>
    let exponent: Range<Int>
    /// The length of the modulus.
    let bits: Int

    init(_ bytes: [UInt8], _ layout: PublicKeyLayout) throws(DERError) {
        var reader = DERReader(bytes, in: layout.key)
        let outer = try reader.enter(.sequence)
        let modulus = try reader.readInteger()
        let exponent = try reader.readInteger()
        try reader.leave(outer)
        try reader.finish()
        guard bytes[modulus.lowerBound] & 0x80 == 0, bytes[exponent.lowerBound] & 0x80 == 0 else {
            throw DERError(.integerOutOfRange, at: modulus.lowerBound)
        }
        // DER has at most one zero in front.
        self.modulus = bytes[modulus.lowerBound] == 0 ? modulus.dropFirst() : modulus
        self.exponent = bytes[exponent.lowerBound] == 0 ? exponent.dropFirst() : exponent
        guard let first = self.modulus.first else { throw DERError(.integerOutOfRange, at: modulus.lowerBound) }
        bits = self.modulus.count * 8 - bytes[first].leadingZeroBitCount
        guard bytes[modulus.upperBound - 1] & 1 == 1 else {
            throw DERError(.other("the RSA modulus is even"), at: modulus.lowerBound)
        }
        // With the exponent 1 a signature is the padded digest itself, which anybody can write down. An even one has no
        // inverse. Above 2^256 (FIPS 186-4, appendix B.3.1) it only costs whoever verifies.
        let isOne = exponent.count == 1 && bytes[exponent.lowerBound] == 1
        guard !isOne, bytes[exponent.upperBound - 1] & 1 == 1, self.exponent.count <= 32 else {
            throw DERError(
                .other("the RSA exponent is not an odd number between 1 and 2^256"), at: exponent.lowerBound)
        }
    }
}

extension PublicKey.Kind {
    private static let rsaOctets: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
    private static let rsaPSSOctets: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10]
    private static let ellipticCurveOctets: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]

    init(_ bytes: [UInt8], _ layout: PublicKeyLayout) {
        let algorithm = bytes[layout.algorithm]
        do throws(DERError) {
            if algorithm.elementsEqual(Self.ellipticCurveOctets) {
                self = try Self.ellipticCurve(bytes, layout)
            } else if algorithm.elementsEqual(Self.rsaOctets) {
                let parts = try RSAParts(bytes, layout)
                var reader = DERReader(bytes, in: layout.parameters)
                try reader.readNull()
                try reader.finish()
                self = .rsa(bits: parts.bits, exponent: Array(bytes[parts.exponent]))
            } else if algorithm.elementsEqual(Self.rsaPSSOctets) {
                self = .rsaPSS(bits: try RSAParts(bytes, layout).bits)
            } else if algorithm.elementsEqual([0x2B, 0x65, 0x70]) {
                self = Self.edwards(.ed25519, octets: 32, layout)
            } else if algorithm.elementsEqual([0x2B, 0x65, 0x71]) {
                self = Self.edwards(.ed448, octets: 57, layout)
            } else {
                self = .other(OID(octets: algorithm))
            }
        } catch {
            self = .malformed(error.description)
        }
    }

    private static func ellipticCurve(
        _ bytes: [UInt8], _ layout: PublicKeyLayout
    ) throws(DERError) -> PublicKey.Kind {
        var reader = DERReader(bytes, in: layout.parameters)
        guard reader.next(is: .objectIdentifier) else { return .explicitEllipticCurve }
        let identifier = try reader.readObjectIdentifier()
        try reader.finish()
        let curve = PublicKey.NamedCurve(identifier: OID(octets: bytes[identifier]))
        guard let bits = curve.bits else { return .ellipticCurve(curve) }
        // The form of the point (RFC 5480, section 2.2): the point at infinity, with which signatures can be forged, and
        // hybrid points have another. Whether it lies on the curve is seen when the key is used.
        let coordinate = (bits + 7) / 8
        switch bytes[layout.key].first {
        case 4 where layout.key.count == 1 + 2 * coordinate, 2 where layout.key.count == 1 + coordinate,
            3 where layout.key.count == 1 + coordinate:
            return .ellipticCurve(curve)
        default:
            return .malformed("\(layout.key.count) octets that are no point of \(curve)")
        }
    }

    private static func edwards(
        _ kind: PublicKey.Kind, octets: Int, _ layout: PublicKeyLayout
    ) -> PublicKey.Kind {
        guard layout.parameters.isEmpty else { return .malformed("parameters must be absent (RFC 8410, section 3)") }
        guard layout.key.count == octets else { return .malformed("\(layout.key.count) octets instead of \(octets)") }
        return kind
    }
}
