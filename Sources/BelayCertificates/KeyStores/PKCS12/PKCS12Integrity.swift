import COpenSSL

/// The code that shows that nobody changed a PKCS#12 file (RFC 7292, section 5.1; RFC 9579).
struct PKCS12Integrity {
    /// How it is computed; nil for a way that is not known here, whose name is in `name`.
    let way: Way?
    /// Its name, for example `HMAC-SHA-256`.
    let name: String
    /// The code.
    let code: [UInt8]

    /// How a code is computed.
    enum Way {
        /// An HMAC with a digest; its key comes from the passphrase by PKCS#12's own derivation.
        case hmac(OID, PasswordDerivation)
        /// PBMAC1 with an HMAC function's digest; its key of so many bytes comes by PBKDF2.
        case pbmac1(OID, PasswordDerivation, keyLength: Int)
    }

    /// Reads a MacData.
    ///
    /// - Throws: `DERError` where it is not well formed, `KeyStoreError` where it asks for too much work.
    init(_ reader: inout DERReader) throws {
        let outer = try reader.enter(.sequence)
        let info = try reader.enter(.sequence)
        let algorithm = try reader.enter(.sequence)
        let identifier = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
        var pbmac1: (way: Way?, name: String)?
        if identifier == PKCS12OID.pbmac1 {
            pbmac1 = try Self.readPBMAC1(&reader)
        } else if !reader.isAtEnd {
            _ = try reader.readAny()
        }
        try reader.leave(algorithm)
        code = Array(reader.bytes[try reader.read(.octetString)])
        try reader.leave(info)
        let salt = Array(reader.bytes[try reader.read(.octetString)])
        // A file without the field means one round.
        let rounds = reader.isAtEnd ? 1 : try PasswordDerivation.readRounds(&reader)
        try reader.leave(outer)
        if let pbmac1 {
            (way, name) = pbmac1
        } else {
            let digest = AlgorithmNames.fetchDigest(identifier)
            defer { EVP_MD_free(digest) }
            let hash = AlgorithmNames.name(identifier)
            name = digest == nil ? hash : "HMAC-\(hash)"
            way = digest == nil ? nil : .hmac(identifier, .pkcs12(identifier, salt, rounds: rounds))
        }
    }

    /// PBMAC1-params (RFC 9579, section 4): salt and rounds of MacData mean nothing then.
    private static func readPBMAC1(_ reader: inout DERReader) throws -> (Way?, String) {
        let parameters = try reader.enter(.sequence)
        let place = reader.position
        let derivation: PasswordDerivation
        do { derivation = try PasswordDerivation(pbes2: &reader) } catch KeyStoreError.unsupportedCipher(_, let name) {
            throw KeyStoreError.unsupportedIntegrityCode(.pkcs12, "PBMAC1 with \(name)")
        }
        let scheme = try reader.enter(.sequence)
        let function = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
        if !reader.isAtEnd { _ = try reader.readAny() }
        try reader.leave(scheme)
        try reader.leave(parameters)
        let name = "PBMAC1 with \(AlgorithmNames.name(function))"
        guard let digest = AlgorithmNames.digest(ofHMAC: function), case .pbkdf2(_, _, _, let keyLength) = derivation
        else { return (nil, name) }
        // The length of the key must be there and be sensible, or a code could be forged by a short one.
        guard let keyLength, keyLength >= 20 else {
            throw DERError(.other("PBMAC1 with a key of \(keyLength.map(String.init) ?? "no stated") bytes"), at: place)
        }
        return (.pbmac1(digest, derivation, keyLength: keyLength), name)
    }

    /// Whether the code is right for one of the passphrase's forms; that form alone is kept then.
    ///
    /// - Throws: ``KeyStoreError/unsupportedIntegrityCode(_:_:)``, ``KeyStoreError/tooMuchWork(_:rounds:limit:)``.
    func isRight(
        for content: [UInt8], _ passphrase: inout PKCS12Passphrase, _ tools: inout PasswordTools
    ) throws(KeyStoreError) -> Bool {
        switch way {
        case nil:
            throw .unsupportedIntegrityCode(.pkcs12, name)
        case .hmac(let digest, let derivation):
            for (index, secret) in passphrase.wide.enumerated() {
                if try Self.compute(digest, derivation, keyLength: nil, content, secret, &tools) == code {
                    passphrase.keepWide(index)
                    return true
                }
            }
        case .pbmac1(let digest, let derivation, let keyLength):
            for secret in passphrase.plain {
                if try Self.compute(digest, derivation, keyLength: keyLength, content, secret, &tools) == code {
                    return true
                }
            }
        }
        return false
    }

    /// Computes a code.
    static func compute(
        _ hash: OID, _ derivation: PasswordDerivation, keyLength: Int?, _ content: [UInt8], _ secret: Secret,
        _ tools: inout PasswordTools
    ) throws(KeyStoreError) -> [UInt8] {
        guard let digest = AlgorithmNames.fetchDigest(hash) else {
            throw .unsupportedIntegrityCode(.pkcs12, AlgorithmNames.name(hash))
        }
        defer { EVP_MD_free(digest) }
        let size = Int(EVP_MD_get_size(digest))
        var key = try derivation.derive(keyLength ?? size, for: .code, from: secret, within: &tools.work)
        defer { key.wipe() }
        var output = [UInt8](repeating: 0, count: size)
        guard HMAC(digest, key, Int32(clamping: key.count), content, content.count, &output, nil) != nil else {
            throw .unsupportedIntegrityCode(.pkcs12, AlgorithmNames.name(hash))
        }
        return output
    }
}
