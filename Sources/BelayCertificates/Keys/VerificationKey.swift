import COpenSSL

/// A public key ready to verify signatures: the one owner of its `EVP_PKEY`.
///
/// Making one costs about as much as a signature check does on a small RSA key, so that evaluators keep them.
package final class VerificationKey: @unchecked Sendable {
    // Safe to share: the EVP_PKEY is complete when `init` returns, is never changed after it, and OpenSSL guards the
    // caches inside it with locks and atomic counts. Every verification uses a context of its own.
    private let key: OpaquePointer
    private let kind: PublicKey.Kind

    deinit {
        EVP_PKEY_free(key)
    }

    /// Decodes a key; nil where it is malformed or of a kind that verifies nothing here.
    package init?(_ publicKey: PublicKey) {
        kind = publicKey.kind
        let octets = publicKey.keyBytes
        let made: OpaquePointer?
        switch kind {
        case .ellipticCurve(let curve):
            guard let group = curve.groupName else { return nil }
            made =
                CurveParameters.usual(curve).map { belay_ec_public_key($0.handle, octets, octets.count) }
                ?? belay_ec_key(group, octets, octets.count)
        case .rsa:
            guard let (modulus, exponent) = publicKey.rsaNumbers else { return nil }
            made = belay_rsa_public_key(modulus, modulus.count, exponent, exponent.count)
        case .rsaPSS:
            // It may restrict hash and salt in its parameters, which only the whole element carries.
            made = Self.decode(publicKey.der)
        case .ed25519:
            made = EVP_PKEY_new_raw_public_key(NID_ED25519, nil, octets, octets.count)
        case .ed448:
            made = EVP_PKEY_new_raw_public_key(NID_ED448, nil, octets, octets.count)
        case .explicitEllipticCurve, .malformed, .other:
            made = nil
        }
        guard let made else {
            ERR_clear_error()
            return nil
        }
        key = made
    }

    /// Whether `signature` is this key's signature over a part of `bytes`.
    package func verifies(
        _ signature: [UInt8], over bytes: [UInt8], in range: Range<Int>, with algorithm: SignatureAlgorithm
    ) -> Bool {
        guard let digest = Self.digest(for: algorithm, with: kind) else { return false }
        let range = range.clamped(to: 0..<bytes.count)
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        guard EVP_DigestVerifyInit(context, &keyContext, digest.function, nil, key) == 1 else {
            ERR_clear_error()
            return false
        }
        if case .rsaPSS(_, let mask, let saltLength) = algorithm {
            guard EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_mgf1_md(keyContext, Self.pointer(for: mask)) == 1,
                EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, Int32(clamping: saltLength)) == 1
            else {
                ERR_clear_error()
                return false
            }
        }
        let result = bytes.withUnsafeBufferPointer { buffer in
            let part = UnsafeBufferPointer(rebasing: buffer[range])
            return EVP_DigestVerify(context, signature, signature.count, part.baseAddress, part.count)
        }
        if result != 1 { ERR_clear_error() }
        return result == 1
    }

    /// How a message is digested before its signature is checked; the function is nil where the scheme has its own.
    private struct Digest {
        let function: OpaquePointer?
    }

    /// The digest for an algorithm, where that algorithm goes with this kind of key.
    private static func digest(for algorithm: SignatureAlgorithm, with kind: PublicKey.Kind) -> Digest? {
        switch (algorithm, kind) {
        case (.rsaPKCS1(let hash), .rsa), (.rsaPSS(let hash, _, _), .rsa), (.rsaPSS(let hash, _, _), .rsaPSS),
            (.ecdsa(let hash), .ellipticCurve):
            pointer(for: hash).map { Digest(function: $0) }
        case (.ed25519, .ed25519), (.ed448, .ed448):
            Digest(function: nil)
        default:
            nil
        }
    }

    private static func pointer(for hash: SignatureAlgorithm.Hash) -> OpaquePointer? {
        switch hash {
        case .md5: EVP_md5()
        case .sha1: EVP_sha1()
        case .sha224: EVP_sha224()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }

    private static func decode(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_PUBKEY(nil, &position, buffer.count)
        }
    }
}

/// A curve as OpenSSL has it set up, to copy keys from.
private final class CurveParameters: @unchecked Sendable {
    // Safe to share: never changed after `init`, only copied from.
    let handle: OpaquePointer

    init?(_ group: String) {
        guard let made = belay_ec_key(group, nil, 0) else { return nil }
        handle = made
    }

    deinit {
        EVP_PKEY_free(handle)
    }

    /// The curves that nearly all keys on curves are on; constants, each set up at first use.
    static func usual(_ curve: PublicKey.NamedCurve) -> CurveParameters? {
        switch curve.groupName {
        case "prime256v1": p256
        case "secp384r1": p384
        default: nil
        }
    }

    private static let p256 = CurveParameters("prime256v1")
    private static let p384 = CurveParameters("secp384r1")
}

extension Certificate {
    /// Whether the certificate's signature was made with this key.
    package func isSigned(by key: VerificationKey) -> Bool {
        key.verifies(signature, over: der, in: layout.signedPart, with: signatureAlgorithm)
    }
}
