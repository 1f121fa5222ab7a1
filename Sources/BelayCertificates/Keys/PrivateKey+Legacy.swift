import COpenSSL

/// Keys that are encrypted with what only OpenSSL's legacy provider has (DES, RC2 and others of their age): it is loaded into a
/// library context of its own, where nothing else sees it.
extension PrivateKey {
    /// Opens an EncryptedPrivateKeyInfo (RFC 5958, section 3).
    static func decryptLegacyPKCS8(
        _ der: [UInt8], _ passphrase: Secret, _ cipher: String
    ) throws(PrivateKeyError) -> OpaquePointer? {
        let scheme: PasswordScheme
        let data: [UInt8]
        do {
            var reader = DERReader(der)
            _ = try reader.enter(.sequence)
            scheme = try PasswordScheme(&reader)
            data = Array(der[try reader.read(.octetString)])
        } catch let error as DERError {
            throw .malformed(error.description)
        } catch {
            throw .unsupportedEncryption(cipher)
        }
        var info = try decrypt(data, scheme, passphrase, cipher)
        defer { info.wipe() }
        // A wrong passphrase can leave valid padding and something like an element by chance.
        guard BinaryKind(info) == .privateKey else { throw .wrongPassphrase }
        return decodePKCS8(info)
    }

    /// Opens a block of OpenSSL's traditional form: the key is one MD5 over passphrase and the beginning of the vector, which is
    /// PBKDF1 (RFC 8018, section 5.1) with one round.
    static func decryptLegacyTraditional(
        _ block: PEM.Block, _ passphrase: Secret, _ cipher: String
    ) throws(PrivateKeyError) -> [UInt8] {
        let fields = (block.headers.first { $0.name == "DEK-Info" }?.value ?? "").split(separator: ",")
        guard fields.count == 2, let vector = bytes(hexadecimal: fields[1]), vector.count >= 8 else {
            throw .unsupportedEncryption(cipher)
        }
        let scheme = PasswordScheme(
            derivation: .pbkdf1(PKCS12OID.md5, Array(vector.prefix(8)), rounds: 1),
            cipher: PasswordCipher(
                name: cipher, fetched: String(fields[0]), keyLength: nil, vector: vector, isLegacy: true))
        return try decrypt(block.der, scheme, passphrase, cipher)
    }

    private static func decrypt(
        _ data: [UInt8], _ scheme: PasswordScheme, _ passphrase: Secret, _ cipher: String
    ) throws(PrivateKeyError) -> [UInt8] {
        var tools = PasswordTools()
        let opened: [UInt8]?
        do throws(KeyStoreError) {
            opened = try scheme.decrypt(data, PKCS12Passphrase(passphrase), &tools)
        } catch {
            switch error {
            case .unusablePassphrase(let reason): throw .unusablePassphrase(reason)
            case .tooMuchWork, .malformed: throw .malformed(error.description)
            default: throw .unsupportedEncryption(cipher)
            }
        }
        guard let opened else { throw .wrongPassphrase }
        return opened
    }
}
