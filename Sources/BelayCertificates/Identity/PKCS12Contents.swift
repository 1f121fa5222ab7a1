import COpenSSL

/// What a PKCS#12 file holds (RFC 7292), opened.
struct PKCS12Contents {
    /// The private key; nil where there is none.
    let privateKey: PrivateKey?
    /// The certificates in the order of the file, but that of the key, where OpenSSL found it, first.
    let certificates: [Certificate]

    /// Opens a file.
    init(_ bytes: [UInt8], passphrase: [UInt8]?) throws(IdentityError) {
        guard BinaryKind(bytes) == .pkcs12 else {
            throw .notAnIdentity(found: (try? FileContent(bytes).description) ?? "damaged text")
        }
        if let expected = bytes.missingLength { throw .truncated(bytes: bytes.count, expected: expected) }
        ERR_clear_error()
        let decoded = bytes.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_PKCS12(nil, &position, buffer.count)
        }
        guard let file = decoded else { throw .malformed(OpenSSLErrors.take().reason) }
        defer { PKCS12_free(file) }

        var secret = try passphrase.map { passphrase throws(IdentityError) in try Self.terminated(passphrase) }
        defer { secret?.wipe() }
        try Self.checkIntegrity(of: file, secret)
        (privateKey, certificates) = try Self.open(file, secret)
    }

    /// The passphrase as C takes it, with a zero at its end.
    static func terminated(_ passphrase: [UInt8]) throws(IdentityError) -> [UInt8] {
        guard !passphrase.contains(0) else {
            throw .unusablePassphrase("it holds a zero byte, which PKCS#12 has no place for")
        }
        return passphrase + [0]
    }

    /// Checks the MAC before anything else, so that a wrong passphrase is told from a damaged file.
    private static func checkIntegrity(of file: OpaquePointer, _ secret: [UInt8]?) throws(IdentityError) {
        guard PKCS12_mac_present(file) == 1 else { throw .noIntegrityCode }
        var algorithm: UnsafePointer<X509_ALGOR>?
        var iterations: UnsafePointer<ASN1_INTEGER>?
        PKCS12_get0_mac(nil, &algorithm, nil, &iterations, file)

        // A file without the field means one round.
        let rounds = iterations.map { ASN1_INTEGER_get($0) } ?? 1
        guard rounds > 0, rounds <= KeyDerivation.mostRounds else {
            throw .malformed(
                "the MAC asks for \(rounds) rounds of key derivation, at most \(KeyDerivation.mostRounds) are done")
        }
        let digest = OBJ_obj2nid(algorithm?.pointee.algorithm)
        guard EVP_get_digestbyname(OBJ_nid2sn(digest)) != nil else {
            throw .unsupportedIntegrityCode(OBJ_nid2ln(digest).map { String(cString: $0) } ?? "unknown")
        }

        ERR_clear_error()
        let isEmpty = (secret?.count ?? 1) == 1
        let isRight =
            secret.map { secret in
                secret.withCharacters { characters, count in PKCS12_verify_mac(file, characters, count - 1) == 1 }
            } ?? false
        // "No passphrase" and "an empty one" are two things in PKCS#12, and programs mean either by both.
        if isRight || (isEmpty && (PKCS12_verify_mac(file, nil, 0) == 1 || PKCS12_verify_mac(file, "", 0) == 1)) {
            return
        }
        ERR_clear_error()
        throw secret == nil ? .passphraseNeeded : .wrongPassphrase
    }

    private static func open(
        _ file: OpaquePointer, _ secret: [UInt8]?
    ) throws(IdentityError) -> (PrivateKey?, [Certificate]) {
        var key: OpaquePointer?
        var leaf: OpaquePointer?
        var others: OpaquePointer?
        ERR_clear_error()
        let isOpen = (secret ?? [0]).withCharacters { characters, _ in
            PKCS12_parse(file, characters, &key, &leaf, &others) == 1
        }
        defer {
            X509_free(leaf)
            if let others { freeCertificates(others) }
        }
        guard isOpen else {
            let errors = OpenSSLErrors.take()
            if let cipher = errors.unavailableAlgorithm { throw .legacyCipher(cipher) }
            throw .malformed(errors.reason)
        }
        // The key first: whatever is thrown after this, it has an owner.
        let privateKey = try key.map { key throws(IdentityError) in
            do throws(PrivateKeyError) { return try PrivateKey(owning: key) } catch { throw .privateKey(error) }
        }
        var pointers = leaf.map { [$0] } ?? []
        if let others {
            for index in 0..<OPENSSL_sk_num(others) {
                if let pointer = OPENSSL_sk_value(others, index) { pointers.append(OpaquePointer(pointer)) }
            }
        }
        var certificates: [Certificate] = []
        for pointer in pointers {
            do throws(DERError) {
                certificates.append(try Certificate(der: opensslDER { i2d_X509(pointer, $0) } ?? []))
            } catch {
                throw .malformedCertificate(index: certificates.count, error)
            }
        }
        return (privateKey, certificates)
    }
}

/// Frees a stack of certificates with what it holds.
func freeCertificates(_ stack: OpaquePointer) {
    while let certificate = OPENSSL_sk_pop(stack) { X509_free(OpaquePointer(certificate)) }
    OPENSSL_sk_free(stack)
}
