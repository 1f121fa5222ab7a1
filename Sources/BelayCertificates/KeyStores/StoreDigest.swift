import COpenSSL

/// The digests and ciphers that old key stores are made with, by OpenSSL.
///
/// Digests by the low-level functions: key derivation runs them some hundred thousand times, and `EVP_Digest` would fetch
/// the algorithm and allocate each time.
enum StoreDigest {
    /// SHA-1 of several parts, one after the other.
    static func sha1(_ parts: UnsafeRawBufferPointer...) -> [UInt8] {
        var context = SHA_CTX()
        defer { withUnsafeMutableBytes(of: &context) { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        return [UInt8](unsafeUninitializedCapacity: Int(SHA_DIGEST_LENGTH)) { output, count in
            SHA1_Init(&context)
            for part in parts { SHA1_Update(&context, part.baseAddress, part.count) }
            SHA1_Final(output.baseAddress, &context)
            count = Int(SHA_DIGEST_LENGTH)
        }
    }

    /// MD5 run over its own result, with the same octets behind it each time.
    ///
    /// - Returns: 16 bytes, which the caller has to clear.
    static func md5(_ start: some Collection<UInt8>, then secret: [UInt8], rounds: Int) -> [UInt8] {
        var context = MD5_CTX()
        defer { withUnsafeMutableBytes(of: &context) { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        var state = Array(start)
        state.reserveCapacity(max(state.count, Int(MD5_DIGEST_LENGTH)))
        for _ in 0..<rounds {
            MD5_Init(&context)
            MD5_Update(&context, state, state.count)
            MD5_Update(&context, secret, secret.count)
            if state.count != Int(MD5_DIGEST_LENGTH) { state = [UInt8](repeating: 0, count: Int(MD5_DIGEST_LENGTH)) }
            MD5_Final(&state, &context)
        }
        return state
    }

    /// HMAC-SHA-1 (RFC 2104).
    static func hmacSHA1(_ key: [UInt8], _ message: ArraySlice<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SHA_DIGEST_LENGTH)) { output, count in
            var length: UInt32 = 0
            let result = message.withUnsafeBufferPointer {
                HMAC(EVP_sha1(), key, Int32(clamping: key.count), $0.baseAddress, $0.count, output.baseAddress, &length)
            }
            count = result == nil ? 0 : Int(length)
        }
    }

    /// The key derivation of PKCS#12 (RFC 7292, appendix B.2) with SHA-1.
    ///
    /// - Parameters:
    ///   - passphrase: UTF-16 with two zero bytes at its end.
    ///   - purpose: 1 for a key, 2 for an initialization vector, 3 for a MAC.
    /// - Returns: the bytes, which the caller has to clear; nil where OpenSSL refuses.
    static func pkcs12(
        _ passphrase: [UInt8], salt: ArraySlice<UInt8>, purpose: Int32, rounds: Int, count: Int
    ) -> [UInt8]? {
        ERR_clear_error()
        var passphrase = passphrase
        var salt = Array(salt)
        var output = [UInt8](repeating: 0, count: count)
        defer { passphrase.wipe() }
        let isDone = PKCS12_key_gen_uni(
            &passphrase, Int32(clamping: passphrase.count), &salt, Int32(clamping: salt.count), purpose,
            Int32(clamping: rounds), Int32(clamping: count), &output, EVP_sha1())
        ERR_clear_error()
        return isDone == 1 ? output : nil
    }

    /// Decrypts Triple DES in CBC mode and takes off the padding of PKCS#7.
    ///
    /// - Returns: the bytes, which the caller has to clear; nil where the padding is wrong, as with a wrong key.
    static func decryptTripleDES(_ data: ArraySlice<UInt8>, key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        guard key.count == 24, vector.count == 8, let context = EVP_CIPHER_CTX_new() else { return nil }
        defer {
            EVP_CIPHER_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_DecryptInit_ex(context, EVP_des_ede3_cbc(), nil, key, vector) == 1 else { return nil }
        var output = [UInt8](repeating: 0, count: data.count + 8)
        var count: Int32 = 0
        var last: Int32 = 0
        let isDone = data.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                guard let start = output.baseAddress,
                    EVP_DecryptUpdate(context, start, &count, input.baseAddress, Int32(clamping: input.count)) == 1
                else { return false }
                return EVP_DecryptFinal_ex(context, start + Int(count), &last) == 1
            }
        }
        guard isDone else {
            output.wipe()
            return nil
        }
        defer { output.wipe() }
        return Array(output.prefix(Int(count) + Int(last)))
    }
}
