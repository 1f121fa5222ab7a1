import COpenSSL

/// PKCS#8 written here, from the key's numbers.
///
/// OpenSSL 3.0 has functions for it (`EVP_PKEY2PKCS8`, the encoders), but they free the memory in which they put a key together
/// without clearing it. So the numbers are fetched straight into secret pages, and put together there.
extension PrivateKey {
    /// The PrivateKeyInfo in DER (RFC 5958, section 2); nil for a kind of key that is left to OpenSSL.
    func encodedInPages() -> Secret? {
        let inner: Secret?
        switch publicKey.kind {
        case .rsa: inner = rsaPrivateKey()
        case .ellipticCurve: inner = ellipticCurvePrivateKey()
        case .ed25519, .ed448: inner = rawPrivateKey().map { Secret.element(.octetString, [$0]) }
        case .rsaPSS, .explicitEllipticCurve, .malformed, .other: inner = nil
        }
        guard let inner else {
            ERR_clear_error()
            return nil
        }
        return Secret.element(
            .sequence,
            [Secret(DERWriter.integer(0)), Secret(publicKey.algorithmDER), Secret.element(.octetString, [inner])])
    }

    /// RSAPrivateKey (RFC 8017, appendix A.1.2).
    private func rsaPrivateKey() -> Secret? {
        // The names of OpenSSL's parameters, in the order of the fields.
        let names = [
            "n", "e", "d", "rsa-factor1", "rsa-factor2", "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1",
        ]
        var parts = [Secret(DERWriter.integer(0))]
        for name in names {
            guard let number = number(name) else { return nil }
            parts.append(Secret.integer(number))
        }
        // More than two factors are written by nobody, and mean version 1.
        return number("rsa-factor3") == nil ? Secret.element(.sequence, parts) : nil
    }

    /// ECPrivateKey (RFC 5915, section 3), with the public key and without the curve, which the algorithm names.
    private func ellipticCurvePrivateKey() -> Secret? {
        guard let scalar = number("priv") else { return nil }
        // As long as the order of the group; the field's length is the same for every curve that is named here.
        let length = withKey { (Int(EVP_PKEY_get_bits($0)) + 7) / 8 }
        guard scalar.count <= length else { return nil }
        let padded = Secret(count: length) { output in
            scalar.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: output[(length - scalar.count)...]).copyMemory(from: $0)
            }
        }
        return Secret.element(
            .sequence,
            [
                Secret(DERWriter.integer(1)), Secret.element(.octetString, [padded]),
                Secret(DERWriter.element(.contextConstructed(1), DERWriter.bitString(publicKey.keyBytes))),
            ])
    }

    /// The octets of an EdDSA key (RFC 8410, section 7).
    private func rawPrivateKey() -> Secret? {
        var isRead = false
        var count = 0
        guard withKey({ EVP_PKEY_get_raw_private_key($0, nil, &count) }) == 1, count > 0 else { return nil }
        let secret = Secret(count: count) { output in
            isRead = withKey { EVP_PKEY_get_raw_private_key($0, output.baseAddress, &count) } == 1
        }
        return isRead ? secret : nil
    }

    /// A number of the key, big-endian without leading zeros; nil where it has none of that name.
    private func number(_ name: String) -> Secret? {
        var count = 0
        // Long enough for any number of the largest key that OpenSSL has.
        let little = Secret(count: Int(OPENSSL_RSA_MAX_MODULUS_BITS) / 8) { output in
            count = withKey { belay_key_number($0, name, output.baseAddress, output.count) }
        }
        guard count > 0 else { return nil }
        return little.withUnsafeBytes { little in
            let length = max(1, count - little[..<count].reversed().prefix { $0 == 0 }.count)
            return Secret(count: length) { output in
                for index in 0..<length { output[length - 1 - index] = little[index] }
            }
        }
    }
}

extension Secret {
    /// An element of DER: tag, length, and the parts one after the other.
    fileprivate static func element(_ tag: DERTag, _ parts: [Secret]) -> Secret {
        let length = parts.reduce(0) { $0 + $1.count }
        let header = DERWriter.element(tag, repeatElement(0, count: length)).dropLast(length)
        return Secret(count: header.count + length) { output in
            UnsafeMutableRawBufferPointer(rebasing: output[..<header.count]).copyBytes(from: header)
            var position = header.count
            for part in parts {
                part.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: output[position...]).copyMemory(from: $0)
                }
                position += part.count
            }
        }
    }

    /// An INTEGER from big-endian octets without leading zeros.
    fileprivate static func integer(_ magnitude: Secret) -> Secret {
        let isNegative = magnitude.withUnsafeBytes { $0.first.map { $0 & 0x80 != 0 } ?? true }
        return element(.integer, isNegative ? [Secret([0]), magnitude] : [magnitude])
    }
}
