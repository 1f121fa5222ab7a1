import COpenSSL

extension PrivateKey {
    /// Reads a private key from a file, by content: PEM or DER; PKCS#8, encrypted or not, PKCS#1, SEC1.
    ///
    /// Nothing is ever asked on a terminal: an encrypted key without a passphrase is an error.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - passphrase: the passphrase; not used where the key is not encrypted.
    /// - Throws: ``PrivateKeyFileError``, which names the file.
    public static func read(
        contentsOf path: String, passphrase: Secret? = nil
    ) throws(PrivateKeyFileError) -> PrivateKey {
        do throws(PrivateKeyError) {
            var bytes: [UInt8]
            do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: path) } catch {
                throw .unreadable(error)
            }
            defer { bytes.wipe() }
            return try PrivateKey(bytes: bytes, passphrase: passphrase)
        } catch {
            throw PrivateKeyFileError(file: path, problem: error)
        }
    }

    /// Reads a private key from the bytes of a file, by content: PEM or DER; PKCS#8, encrypted or not, PKCS#1, SEC1.
    ///
    /// - Throws: ``PrivateKeyError``.
    public init(bytes: [UInt8], passphrase: Secret? = nil) throws(PrivateKeyError) {
        let content: FileContent
        do throws(PEMError) { content = try FileContent(bytes) } catch { throw .damagedText(error) }
        switch content {
        case .text(let blocks):
            let keys = blocks.filter { PEMKind($0.label).isPrivateKey }
            guard let key = keys.first else { throw .notAPrivateKey(found: FileContent.text(blocks).description) }
            guard keys.count == 1 else { throw .severalKeys(count: keys.count) }
            try self.init(block: key, passphrase: passphrase)
        case .binary(let kind, let der):
            try self.init(der: der, kind: kind, passphrase: passphrase)
        default:
            throw .notAPrivateKey(found: content.description)
        }
    }

    /// Reads a private key in DER.
    ///
    /// - Throws: ``PrivateKeyError``.
    public init(der: [UInt8], passphrase: Secret? = nil) throws(PrivateKeyError) {
        try self.init(der: der, kind: BinaryKind(der), passphrase: passphrase)
    }

    /// Reads the block of a private key.
    init(block: PEM.Block, passphrase: Secret?) throws(PrivateKeyError) {
        if block.headers.contains(where: { $0.name == "Proc-Type" && $0.value.contains("ENCRYPTED") }) {
            guard let passphrase else { throw .passphraseNeeded }
            var der = try Self.decryptTraditional(block, passphrase)
            defer { der.wipe() }
            let kind = BinaryKind(der)
            // A wrong passphrase can leave valid padding by chance; what it leaves is no key then.
            guard kind.isPlainPrivateKey else { throw .wrongPassphrase }
            try self.init(der: der, kind: kind, passphrase: nil)
        } else if PEMKind(block.label) == .opensshKey {
            throw .notAPrivateKey(found: "a key in OpenSSH's own form, to be converted with ssh-keygen -p -m PKCS8")
        } else {
            try self.init(der: block.der, kind: BinaryKind(block.der), passphrase: passphrase)
        }
    }

    private init(der: [UInt8], kind: BinaryKind, passphrase: Secret?) throws(PrivateKeyError) {
        ERR_clear_error()
        if kind.isPrivateKey, let expected = der.missingLength {
            throw .malformed("the end is cut off: \(der.count) bytes of \(expected)")
        }
        let pointer: OpaquePointer?
        switch kind {
        case .privateKey: pointer = Self.decodePKCS8(der)
        case .rsaPrivateKey: pointer = Self.decode(der, type: NID_rsaEncryption)
        case .ellipticCurvePrivateKey:
            pointer = EllipticCurveScalar.key(sec1: der) ?? Self.decode(der, type: NID_X9_62_id_ecPublicKey)
        case .dsaPrivateKey: pointer = Self.decode(der, type: NID_dsa)
        case .encryptedPrivateKey:
            guard let passphrase else { throw .passphraseNeeded }
            pointer = try Self.decryptPKCS8(der, passphrase)
        default:
            throw .notAPrivateKey(found: kind.description)
        }
        guard let pointer else { throw .malformed(OpenSSLErrors.take().reason) }
        try self.init(owning: pointer)
    }

    private static func decode(_ der: [UInt8], type: Int32) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_PrivateKey(type, nil, &position, buffer.count)
        }
    }

    static func decodePKCS8(_ der: [UInt8]) -> OpaquePointer? {
        let info = der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_PKCS8_PRIV_KEY_INFO(nil, &position, buffer.count)
        }
        guard let info else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        return EllipticCurveScalar.key(info) ?? EVP_PKCS82PKEY(info)
    }

    private static func decryptPKCS8(_ der: [UInt8], _ passphrase: Secret) throws(PrivateKeyError) -> OpaquePointer? {
        let encrypted = der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_X509_SIG(nil, &position, buffer.count)
        }
        guard let encrypted else { return nil }
        defer { X509_SIG_free(encrypted) }
        do throws(DERError) { try KeyDerivation.checkRounds(ofEncryptedKey: der) } catch {
            throw .malformed(error.description)
        }
        guard let info = passphrase.withCharacters({ PKCS8_decrypt(encrypted, $0, $1) }) else {
            let errors = OpenSSLErrors.take()
            if let cipher = errors.unavailableAlgorithm { return try decryptLegacyPKCS8(der, passphrase, cipher) }
            throw .wrongPassphrase
        }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        return EllipticCurveScalar.key(info) ?? EVP_PKCS82PKEY(info)
    }

    /// Opens a block that is encrypted as RFC 1421 has it, the traditional form of OpenSSL.
    private static func decryptTraditional(
        _ block: PEM.Block, _ passphrase: Secret
    ) throws(PrivateKeyError) -> [UInt8] {
        guard passphrase.count <= PEM_BUFSIZE else {
            throw .unusablePassphrase("it is longer than \(PEM_BUFSIZE) bytes, the most this kind of file allows")
        }
        ERR_clear_error()
        let lines = block.headers.map { "\($0.name): \($0.value)\n" }.joined()
        var header = Array(lines.utf8CString)
        var cipher = EVP_CIPHER_INFO()
        guard PEM_get_EVP_CIPHER_INFO(&header, &cipher) == 1, cipher.cipher != nil else {
            let info = block.headers.first { $0.name == "DEK-Info" }?.value ?? "no cipher named"
            throw .unsupportedEncryption(printable(info))
        }
        var data = block.der
        var count = data.count
        let isOpen = passphrase.withUnsafeBytes { secret in
            var secret: UnsafeRawBufferPointer = secret
            // The callback is always given: without one OpenSSL would ask on the terminal.
            return PEM_do_header(&cipher, &data, &count, copyPassphrase, &secret) == 1
        }
        guard isOpen else {
            data.wipe()
            let errors = OpenSSLErrors.take()
            if let name = errors.unavailableAlgorithm { return try decryptLegacyTraditional(block, passphrase, name) }
            throw .wrongPassphrase
        }
        return Array(data.prefix(count))
    }
}

/// A private key's file and what is wrong with it.
public typealias PrivateKeyFileError = FileFailure<PrivateKeyError>

/// Answers OpenSSL's question for a passphrase with the one behind `context`.
private func copyPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isForWriting: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer, let secret = context?.assumingMemoryBound(to: UnsafeRawBufferPointer.self).pointee,
        secret.count <= Int(size)
    else { return -1 }
    UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)).copyBytes(from: secret)
    return Int32(secret.count)
}

extension [UInt8] {
    /// Overwrites the bytes with zeros in a way that the compiler cannot leave out.
    package mutating func wipe() {
        withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
