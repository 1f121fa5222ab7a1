import COpenSSL

extension Identity {
    /// Reads a PKCS#12 file (RFC 7292).
    ///
    /// Files made today (AES-256, HMAC-SHA-256) and those with Triple DES are opened. The certificate of the key is found
    /// by the key, not by the order.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - passphrase: the bytes of the passphrase, UTF-8 by convention; nil for a file that was made without one.
    /// - Throws: ``IdentityError``.
    public init(pkcs12 bytes: [UInt8], passphrase: [UInt8]? = nil) throws(IdentityError) {
        let contents = try PKCS12Contents(bytes, passphrase: passphrase)
        guard let privateKey = contents.privateKey else { throw .noPrivateKey }
        try self.init(certificates: contents.certificates, privateKey: privateKey)
    }

    /// The identity as a PKCS#12 file: AES-256-CBC, PBKDF2 and a MAC with SHA-256, as OpenSSL 3 makes it.
    ///
    /// - Parameters:
    ///   - passphrase: the bytes of the passphrase that shall open it.
    ///   - friendlyName: a name that programs show to people.
    /// - Throws: ``IdentityError/unusablePassphrase(_:)``, ``IdentityError/malformed(_:)`` where OpenSSL refuses.
    public func pkcs12(passphrase: [UInt8], friendlyName: String? = nil) throws(IdentityError) -> [UInt8] {
        var secret = try PKCS12Contents.terminated(passphrase)
        defer { secret.wipe() }
        ERR_clear_error()
        let leaf = Self.opensslCertificate(certificate)
        let others = OPENSSL_sk_new_null()
        defer {
            X509_free(leaf)
            if let others { freeCertificates(others) }
        }
        for other in chain {
            guard let pointer = Self.opensslCertificate(other),
                OPENSSL_sk_push(others, UnsafeRawPointer(pointer)) > 0
            else { throw .malformed(OpenSSLErrors.take().reason) }
        }
        let file = privateKey.withKey { key in
            secret.withCharacters { characters, _ in
                PKCS12_create(
                    characters, friendlyName, key, leaf, others, NID_aes_256_cbc, NID_aes_256_cbc,
                    PrivateKey.iterations, PrivateKey.iterations, 0)
            }
        }
        defer { PKCS12_free(file) }
        guard let file, let der = opensslDER({ i2d_PKCS12(file, $0) }) else {
            throw .malformed(OpenSSLErrors.take().reason)
        }
        return der
    }

    private static func opensslCertificate(_ certificate: Certificate) -> OpaquePointer? {
        certificate.der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_X509(nil, &position, buffer.count)
        }
    }
}
