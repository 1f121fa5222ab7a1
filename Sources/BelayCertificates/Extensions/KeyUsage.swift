/// What a key may be used for (RFC 5280, section 4.2.1.3).
public struct KeyUsage: OptionSet, Sendable, Hashable {
    /// The named bits, bit 0 of the BIT STRING as the most significant bit.
    public let rawValue: UInt16

    /// Takes the named bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The key signs what is neither a certificate nor a revocation list: handshakes, for example.
    public static let digitalSignature = KeyUsage(rawValue: 1 << 15)
    /// The key signs so that the signer cannot deny it later (contentCommitment).
    public static let nonRepudiation = KeyUsage(rawValue: 1 << 14)
    /// The key encrypts keys: the static RSA key exchange of TLS 1.2 and older.
    public static let keyEncipherment = KeyUsage(rawValue: 1 << 13)
    /// The key encrypts data directly.
    public static let dataEncipherment = KeyUsage(rawValue: 1 << 12)
    /// The key agrees on keys: static Diffie-Hellman.
    public static let keyAgreement = KeyUsage(rawValue: 1 << 11)
    /// The key verifies signatures of certificates: every issuer needs it where the extension is present.
    public static let keyCertSign = KeyUsage(rawValue: 1 << 10)
    /// The key verifies signatures of revocation lists.
    public static let cRLSign = KeyUsage(rawValue: 1 << 9)
    /// With key agreement: the agreed key only encrypts.
    public static let encipherOnly = KeyUsage(rawValue: 1 << 8)
    /// With key agreement: the agreed key only decrypts.
    public static let decipherOnly = KeyUsage(rawValue: 1 << 7)

    private static let names: [(KeyUsage, String)] = [
        (.digitalSignature, "digitalSignature"), (.nonRepudiation, "nonRepudiation"),
        (.keyEncipherment, "keyEncipherment"), (.dataEncipherment, "dataEncipherment"),
        (.keyAgreement, "keyAgreement"), (.keyCertSign, "keyCertSign"), (.cRLSign, "cRLSign"),
        (.encipherOnly, "encipherOnly"), (.decipherOnly, "decipherOnly"),
    ]
}

extension KeyUsage: CustomStringConvertible {
    /// The names of RFC 5280, separated by commas.
    public var description: String {
        Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

extension KeyUsage {
    init(_ bytes: [UInt8], in range: Range<Int>) throws(DERError) {
        var reader = DERReader(bytes, in: range)
        let (octets, _) = try reader.readBitString()
        try reader.finish()
        // Zero bits at the end, which DER leaves out (X.690, 11.2.2), are forgiven here: the roots Trustwave Global ECC P256
        // and P384, which every browser trusts, have them, and they mean nothing.
        guard octets.count <= 2 else { throw DERError(.invalidBitString, at: range.lowerBound) }
        rawValue = octets.enumerated().reduce(0) { $0 | UInt16(bytes[$1.element]) << (8 - 8 * UInt16($1.offset)) }
    }
}
