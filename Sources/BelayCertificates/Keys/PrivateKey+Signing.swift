import COpenSSL

extension PrivateKey {
    /// The algorithm that a key of this kind usually signs with: ECDSA with the hash of the curve's size, RSA with
    /// SHA-256, EdDSA.
    public var usualSignatureAlgorithm: SignatureAlgorithm {
        switch publicKey.kind {
        case .rsaPSS: .rsaPSS(hash: .sha256, mask: .sha256, saltLength: 32)
        case .ellipticCurve(let curve):
            switch curve.bits ?? 256 {
            case ...256: .ecdsa(.sha256)
            case ...384: .ecdsa(.sha384)
            default: .ecdsa(.sha512)
            }
        case .explicitEllipticCurve: .ecdsa(.sha256)
        case .ed25519: .ed25519
        case .ed448: .ed448
        case .rsa: .rsaPKCS1(.sha256)
        case .malformed, .other: .other(publicKey.algorithmIdentifier)
        }
    }

    /// Signs a message, which is hashed as the algorithm says.
    ///
    /// - Throws: ``PrivateKeyError/unsuitableAlgorithm(algorithm:key:)`` where the algorithm does not go with the key,
    ///   ``PrivateKeyError/signingFailed(_:)`` where OpenSSL refuses.
    public func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) throws(PrivateKeyError) -> [UInt8] {
        guard goes(with: algorithm) else {
            throw .unsuitableAlgorithm(algorithm: algorithm.description, key: publicKey.description)
        }
        ERR_clear_error()
        guard let signature = makeSignature(message, algorithm) else {
            throw .signingFailed(OpenSSLErrors.take().reason)
        }
        return signature
    }

    private func goes(with algorithm: SignatureAlgorithm) -> Bool {
        switch (algorithm, publicKey.kind) {
        case (.rsaPKCS1, .rsa), (.rsaPSS, .rsa), (.rsaPSS, .rsaPSS), (.ecdsa, .ellipticCurve),
            (.ecdsa, .explicitEllipticCurve), (.ed25519, .ed25519), (.ed448, .ed448):
            true
        default:
            false
        }
    }

    private func makeSignature(_ message: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        let digest = algorithm.hash?.digestFunction
        guard withKey({ EVP_DigestSignInit(context, &keyContext, digest, nil, $0) }) == 1 else { return nil }
        if case .rsaPSS(_, let mask, let saltLength) = algorithm {
            guard EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_mgf1_md(keyContext, mask.digestFunction) == 1,
                EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, Int32(clamping: saltLength)) == 1
            else { return nil }
        }
        var count = 0
        guard EVP_DigestSign(context, nil, &count, message, message.count) == 1 else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
        // ECDSA signatures are often shorter than their bound.
        return Array(signature.prefix(count))
    }
}

extension SignatureAlgorithm.Hash {
    /// OpenSSL's function.
    var digestFunction: OpaquePointer? {
        switch self {
        case .md5: EVP_md5()
        case .sha1: EVP_sha1()
        case .sha224: EVP_sha224()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }
}
