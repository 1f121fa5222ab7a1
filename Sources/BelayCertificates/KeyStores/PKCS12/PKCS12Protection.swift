import COpenSSL

/// How a PKCS#12 file that is written here is encrypted, and what shows that nobody changed it.
///
/// That a file has no passphrase is a decision, never what is left when one was forgotten: an empty passphrase is refused,
/// and the two cases that need none are named.
public enum PKCS12Protection: Sendable {
    /// AES-256-CBC with PBKDF2 over HMAC-SHA-256, and an HMAC-SHA-256 code: what OpenSSL 3, Java 17 and Windows Server 2019
    /// write and open.
    case modern(Secret)
    /// Triple DES and an HMAC-SHA-1 code (RFC 7292), for systems that know nothing better, as macOS 10.15, Windows Server
    /// 2016 and Java before 8u301: certificates too are encrypted with Triple DES, so that RC2 is not needed to open them.
    case legacy(Secret)
    /// As modern or legacy, with the empty passphrase: everybody can open it. Some devices take nothing else.
    case emptyPassphrase(isLegacy: Bool)
    /// Neither encrypted nor with a code: for certificates, and for what another tool will encrypt.
    case none

    /// Rounds of derivation where a key comes from a passphrase: what OWASP's password storage page asks of HMAC-SHA-256.
    static let modernRounds = Int(PrivateKey.iterations)
    /// The same for old devices, which are slow, too.
    static let legacyRounds = 100_000
}

/// What writes with a protection.
struct PKCS12Sealer {
    private let passphrase: PKCS12Passphrase?
    private let isLegacy: Bool
    private var tools = PasswordTools()

    /// Prepares to write.
    ///
    /// - Throws: ``KeyStoreError/unusablePassphrase(_:)`` for an empty passphrase or one with a zero byte.
    init(_ protection: PKCS12Protection) throws(KeyStoreError) {
        switch protection {
        case .modern(let secret), .legacy(let secret):
            guard !secret.isEmpty else {
                throw .unusablePassphrase("it is empty. Say that the file shall have an empty one, or no protection")
            }
            passphrase = try PKCS12Passphrase(secret)
        case .emptyPassphrase: passphrase = try PKCS12Passphrase(nil)
        case .none: passphrase = nil
        }
        switch protection {
        case .legacy, .emptyPassphrase(isLegacy: true): isLegacy = true
        case .modern, .emptyPassphrase(isLegacy: false), .none: isLegacy = false
        }
    }

    /// Whether anything is encrypted.
    var isSealing: Bool { passphrase != nil }

    /// Encrypts: the AlgorithmIdentifier of the scheme, and what comes of the data.
    mutating func seal(_ data: [UInt8]) throws(KeyStoreError) -> (algorithm: [UInt8], data: [UInt8]) {
        guard let passphrase else { return ([], data) }
        let scheme: PasswordScheme
        let algorithm: [UInt8]
        if isLegacy {
            let salt = try Self.random(8)
            let identifier = OID(octets: PKCS12OID.pkcs12Schemes.octets + [3])
            scheme = PasswordScheme(
                derivation: .pkcs12(PKCS12OID.sha1, salt, rounds: PKCS12Protection.legacyRounds),
                cipher: PasswordCipher(name: "3DES-CBC", fetched: "DES-EDE3-CBC", keyLength: 24, blockLength: 8))
            algorithm = DERWriter.sequence(
                DERWriter.objectIdentifier(identifier),
                DERWriter.sequence(
                    DERWriter.element(.octetString, salt), DERWriter.integer(PKCS12Protection.legacyRounds)))
        } else {
            let salt = try Self.random(16)
            let vector = try Self.random(16)
            scheme = PasswordScheme(
                derivation: .pbkdf2(
                    PKCS12OID.hmacSHA256, salt, rounds: PKCS12Protection.modernRounds, keyLength: nil),
                cipher: PasswordCipher(
                    name: "AES-256-CBC", fetched: "AES-256-CBC", keyLength: 32, vector: vector))
            algorithm = Self.pbes2(salt, vector)
        }
        return (algorithm, try scheme.encrypt(data, passphrase, &tools))
    }

    /// PBES2 with PBKDF2 over HMAC-SHA-256 and AES-256-CBC (RFC 8018, appendix A.4).
    private static func pbes2(_ salt: [UInt8], _ vector: [UInt8]) -> [UInt8] {
        let function = DERWriter.sequence(
            DERWriter.objectIdentifier(PKCS12OID.hmacSHA256), DERWriter.element(.null, []))
        let derivation = DERWriter.sequence(
            DERWriter.objectIdentifier(PKCS12OID.pbkdf2),
            DERWriter.sequence(
                DERWriter.element(.octetString, salt), DERWriter.integer(PKCS12Protection.modernRounds), function))
        let cipher = DERWriter.sequence(
            DERWriter.objectIdentifier(PKCS12OID.aes256CBC), DERWriter.element(.octetString, vector))
        return DERWriter.sequence(
            DERWriter.objectIdentifier(PKCS12OID.pbes2), DERWriter.sequence(derivation, cipher))
    }

    /// The MacData for what a file holds (RFC 7292, section 4); nil where there is to be none.
    ///
    /// The salt has eight bytes, as OpenSSL 3.0 writes it: macOS is reported to refuse longer ones.
    mutating func code(for content: [UInt8]) throws(KeyStoreError) -> [UInt8]? {
        guard let secret = passphrase?.wide.first else { return nil }
        let hash = isLegacy ? PKCS12OID.sha1 : PKCS12OID.sha256
        let rounds = isLegacy ? PKCS12Protection.legacyRounds : PKCS12Protection.modernRounds
        let salt = try Self.random(8)
        let code = try PKCS12Integrity.compute(
            hash, .pkcs12(hash, salt, rounds: rounds), keyLength: nil, content, secret, &tools)
        let algorithm = DERWriter.sequence(DERWriter.objectIdentifier(hash), DERWriter.element(.null, []))
        return DERWriter.sequence(
            DERWriter.sequence(algorithm, DERWriter.element(.octetString, code)),
            DERWriter.element(.octetString, salt), DERWriter.integer(rounds))
    }

    private static func random(_ count: Int) throws(KeyStoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, Int32(clamping: count)) == 1 else {
            throw .encodingFailed(.pkcs12, OpenSSLErrors.take().reason)
        }
        return bytes
    }
}
