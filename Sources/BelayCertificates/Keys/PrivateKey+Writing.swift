import COpenSSL

extension PrivateKey {
    /// The key as an unencrypted PKCS#8 PrivateKeyInfo in DER (RFC 5958).
    ///
    /// - Throws: ``PrivateKeyError/encodingFailed(_:)`` where OpenSSL refuses, ``PrivateKeyError/staysOnToken`` where it is on a token.
    public func pkcs8DER() throws(PrivateKeyError) -> Secret {
        // OpenSSL would write a key without its private half, on elliptic curves.
        guard !isOnToken else { throw .staysOnToken }
        if let encoded = encodedInPages() { return encoded }
        var der = try encoded { opensslInfo in opensslDER { i2d_PKCS8_PRIV_KEY_INFO(opensslInfo, $0) } }
        return Secret(taking: &der)
    }

    /// The key as an unencrypted PKCS#8 PrivateKeyInfo in PEM.
    ///
    /// - Throws: ``PrivateKeyError/encodingFailed(_:)`` where OpenSSL refuses, ``PrivateKeyError/staysOnToken`` where it is on a token.
    public func pkcs8PEM() throws(PrivateKeyError) -> Secret {
        PEM.encode(label: "PRIVATE KEY", secret: try pkcs8DER())
    }

    /// The key as a PKCS#8 EncryptedPrivateKeyInfo in PEM: PBES2 with AES-256-CBC and PBKDF2 over HMAC-SHA-256.
    ///
    /// - Throws: ``PrivateKeyError/encodingFailed(_:)`` where OpenSSL refuses, ``PrivateKeyError/staysOnToken`` where it is on a token.
    public func encryptedPKCS8PEM(passphrase: Secret) throws(PrivateKeyError) -> String {
        PEM.encode(label: "ENCRYPTED PRIVATE KEY", der: try encryptedPKCS8DER(passphrase: passphrase))
    }

    /// The same in DER.
    ///
    /// - Throws: ``PrivateKeyError/encodingFailed(_:)`` where OpenSSL refuses, ``PrivateKeyError/staysOnToken`` where it is on a token.
    public func encryptedPKCS8DER(passphrase: Secret) throws(PrivateKeyError) -> [UInt8] {
        try encoded { info -> [UInt8]? in
            let encrypted = passphrase.withCharacters { characters, count in
                PKCS8_encrypt(-1, EVP_aes_256_cbc(), characters, count, nil, 0, PrivateKey.iterations, info)
            }
            guard let encrypted else { return nil }
            defer { X509_SIG_free(encrypted) }
            return opensslDER { i2d_X509_SIG(encrypted, $0) }
        }
    }

    /// Rounds of PBKDF2 for what is written here: what OWASP's password storage page asks of HMAC-SHA-256.
    static let iterations: Int32 = 600_000

    private func encoded(_ encode: (OpaquePointer) -> [UInt8]?) throws(PrivateKeyError) -> [UInt8] {
        guard !isOnToken else { throw .staysOnToken }
        ERR_clear_error()
        let info =
            encodedInPages().flatMap { encoded in
                encoded.withUnsafeBytes { bytes in
                    var position = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    // Cleared by OpenSSL when it is freed.
                    return d2i_PKCS8_PRIV_KEY_INFO(nil, &position, bytes.count)
                }
            } ?? withKey { EVP_PKEY2PKCS8($0) }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        guard let info, let der = encode(info) else { throw .encodingFailed(OpenSSLErrors.take().reason) }
        return der
    }
}

extension Secret {
    /// Lends the bytes as C characters with their count.
    func withCharacters<Result>(_ body: (UnsafePointer<CChar>?, Int32) -> Result) -> Result {
        withUnsafeBytes { raw in
            body(raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: raw.count))
        }
    }
}

extension [UInt8] {
    /// Lends the bytes as C characters with their count.
    func withCharacters<Result>(_ body: (UnsafePointer<CChar>?, Int32) -> Result) -> Result {
        withUnsafeBytes { raw in
            body(raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: raw.count))
        }
    }
}
