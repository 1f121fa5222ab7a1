/// Object identifiers of PKCS#12 and of what it is made from, by their octets.
enum PKCS12OID {
    /// PKCS#7 content types (RFC 2315, section 14).
    static let data = pkcs(7, 1)
    static let signedData = pkcs(7, 2)
    static let envelopedData = pkcs(7, 3)
    static let encryptedData = pkcs(7, 6)

    /// Bags (RFC 7292, appendix D).
    static let keyBag = bag(1)
    static let shroudedKeyBag = bag(2)
    static let certificateBag = bag(3)
    static let revocationListBag = bag(4)
    static let secretBag = bag(5)
    static let safeContentsBag = bag(6)

    /// Attributes (RFC 2985, sections 5.5.1 and 5.5.2).
    static let friendlyName = pkcs(9, 20)
    static let localKeyID = pkcs(9, 21)
    /// An X.509 certificate in a certificate bag.
    static let x509Certificate = pkcs(9, 22, 1)
    /// Java's mark for trusted certificates; its value says what for.
    static let javaTrustedKeyUsage = OID(octets: [0x60, 0x86, 0x48, 0x01, 0x86, 0xF9, 0x66, 0xAD, 0xCA, 0x7B, 1, 1])
    /// Any purpose (RFC 5280, section 4.2.1.12).
    static let anyExtendedKeyUsage = OID(octets: [0x55, 0x1D, 0x25, 0])

    /// Password-based schemes (RFC 8018, appendix A).
    static let pbkdf2 = pkcs(5, 12)
    static let pbes2 = pkcs(5, 13)
    static let pbmac1 = pkcs(5, 14)
    /// The arc of PBES1 (RFC 8018, appendix A.3).
    static let pbes1 = pkcs(5)
    /// pkcs-12PbeIds (RFC 7292, appendix C).
    static let pkcs12Schemes = pkcs(12, 1)
    /// scrypt (RFC 7914, section 7).
    static let scrypt = OID(octets: [0x2B, 6, 1, 4, 1, 0xDA, 0x47, 4, 11])

    /// HMAC functions (RFC 8018, appendix B.1.2).
    static let hmacSHA1 = digest(7)
    static let hmacSHA256 = digest(9)
    /// AES-256 in CBC mode (NIST).
    static let aes256CBC = OID(octets: [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 42])
    /// RC2 in CBC mode (RFC 8018, appendix B.2.3).
    static let rc2CBC = OID(octets: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 3, 2])
    static let md5 = OID(octets: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 2, 5])
    static let sha1 = OID(octets: [0x2B, 0x0E, 3, 2, 26])
    static let sha256 = OID(octets: [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1])

    /// Below `1.2.840.113549.1`, the arc of the PKCS standards.
    private static func pkcs(_ arcs: UInt8...) -> OID { OID(octets: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1] + arcs) }

    /// Below `1.2.840.113549.2`, the arc of digests.
    private static func digest(_ arc: UInt8) -> OID { OID(octets: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 2, arc]) }

    /// Below `1.2.840.113549.1.12.10.1`.
    private static func bag(_ arc: UInt8) -> OID { pkcs(12, 10, 1, arc) }
}
