import COpenSSL

extension KeyMaterial {
    /// The certificates with a key that passes for the leaf's and is not: what somebody has who copied a public certificate.
    ///
    /// OpenSSL refuses a key whose public half differs from the certificate's. So this one has the certificate's public half, and
    /// a private half made up on the spot: everything fits until the signature is checked.
    static func impostor(presenting certificates: [[UInt8]]) throws(KeyMaterialError) -> KeyMaterial {
        ERR_clear_error()
        guard let first = certificates.first else { throw .noCertificate }
        let leaf = first.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_X509(nil, &position, buffer.count)
        }
        guard let leaf else { throw .unreadableCertificate(index: 0, detail: OpenSSLError.drain().text) }
        defer { X509_free(leaf) }
        guard let genuine = X509_get0_pubkey(leaf), let forged = forgedKey(for: genuine) else {
            throw .unusable("no key can be made up for it: \(OpenSSLError.drain().text)")
        }
        defer { EVP_PKEY_free(forged) }
        return try KeyMaterial(certificates: certificates, key: forged)
    }

    private static func forgedKey(for genuine: OpaquePointer) -> OpaquePointer? {
        var publicHalf: UnsafeMutablePointer<OSSL_PARAM>?
        guard EVP_PKEY_todata(genuine, belay_evp_pkey_public_key, &publicHalf) == 1, let publicHalf else { return nil }
        defer { OSSL_PARAM_free(publicHalf) }
        guard let builder = OSSL_PARAM_BLD_new(), let number = BN_secure_new() else { return nil }
        defer {
            OSSL_PARAM_BLD_free(builder)
            BN_free(number)
        }
        // One bit less than the field or the modulus, so that the number is within the range.
        guard BN_priv_rand(number, max(8, EVP_PKEY_get_bits(genuine) - 1), 0, 0) == 1 else { return nil }
        // The builder keeps pointers to what is pushed until it is asked for the list.
        let secret = UnsafeMutablePointer<UInt8>.allocate(capacity: 57)
        defer { secret.deallocate() }
        guard RAND_priv_bytes(secret, 57) == 1 else { return nil }
        let isPushed =
            switch EVP_PKEY_get_base_id(genuine) {
            case EVP_PKEY_RSA, EVP_PKEY_RSA_PSS: belay_push_rsa_exponent(builder, number)
            case EVP_PKEY_EC: belay_push_private_number(builder, number)
            case EVP_PKEY_ED25519: belay_push_private_octets(builder, secret, 32)
            case EVP_PKEY_ED448: belay_push_private_octets(builder, secret, 57)
            default: CInt(0)
            }
        guard isPushed == 1, let privateHalf = OSSL_PARAM_BLD_to_param(builder) else { return nil }
        defer { OSSL_PARAM_free(privateHalf) }
        guard let both = OSSL_PARAM_merge(publicHalf, privateHalf) else { return nil }
        // The merged list borrows from both; only the list itself is its own.
        defer { belay_openssl_free(both) }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, genuine, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var forged: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &forged, belay_evp_pkey_keypair, both) == 1
        else { return nil }
        return forged
    }
}
