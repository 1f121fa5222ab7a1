extension KeyStore {
    /// Reads a PKCS#12 file (RFC 7292), in DER or BER, whatever program made it.
    ///
    /// Opened are the schemes of PBES2 with every block cipher of OpenSSL, PBES1, and PKCS#12's own with Triple DES, RC2
    /// and RC4; those that only OpenSSL's legacy provider has are run in a library context of their own. The integrity code
    /// is an HMAC or PBMAC1 (RFC 9579). A passphrase that is not ASCII is tried in the encodings that programs have used.
    ///
    /// A file without an integrity code is read, and its ``KeyStore/integrity-swift.property`` is
    /// ``KeyStore/Integrity-swift.enum/none``: nothing shows then that nobody changed it, and whoever goes on has to say
    /// so. A key that does not open is an entry of its own, ``KeyStore/Content/closedKey(_:_:)``.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - passphrase: the passphrase, UTF-8 by convention; nil for a file that was made without one. An empty one and none
    ///     are tried alike.
    ///   - keyPassphrase: that of the keys and certificates where it is another than that of the file.
    /// - Throws: ``KeyStoreError``.
    public static func read(
        pkcs12 bytes: [UInt8], passphrase: Secret? = nil, keyPassphrase: Secret? = nil
    ) throws(KeyStoreError) -> KeyStore {
        var opener = PKCS12Opener(tools: PasswordTools())
        return try opener.open(PKCS12File(bytes), passphrase, keyPassphrase)
    }
}

/// Opens a file that was taken apart.
struct PKCS12Opener {
    /// The work that is left, and the ciphers.
    var tools: PasswordTools
    /// Whether a file without an integrity code is refused before anything is decrypted.
    var demandsCode = false

    /// Opens a file.
    mutating func open(
        _ file: PKCS12File, _ passphrase: Secret?, _ keyPassphrase: Secret?
    ) throws(KeyStoreError) -> KeyStore {
        try openSafes(file, passphrase, keyPassphrase).store
    }

    /// Opens a file, and gives the bags of each safe too.
    mutating func openSafes(
        _ file: PKCS12File, _ passphrase: Secret?, _ keyPassphrase: Secret?
    ) throws(KeyStoreError) -> (store: KeyStore, bags: [[PKCS12Bag]]) {
        var forms = try PKCS12Passphrase(passphrase)
        let integrity: KeyStore.Integrity
        if let code = file.integrity {
            // Before anything else, so that a wrong passphrase is told from a damaged file.
            guard try code.isRight(for: file.content, &forms, &tools) else {
                throw passphrase == nil ? .passphraseNeeded(.pkcs12) : .wrongPassphrase(.pkcs12)
            }
            integrity = .verified(code.name)
        } else {
            guard !demandsCode else { throw .noIntegrityCode(.pkcs12) }
            integrity = .none
        }
        let all = try [keyPassphrase.map { secret throws(KeyStoreError) in try PKCS12Passphrase(secret) }, forms]
            .compactMap(\.self)
        let failure: KeyStoreError =
            if file.integrity != nil { .wrongKeyPassphrase(.pkcs12) } else if passphrase == nil {
                .passphraseNeeded(.pkcs12)
            } else { .wrongPassphrase(.pkcs12) }

        var entries = PKCS12Entries()
        var opened: [[PKCS12Bag]] = []
        for (index, safe) in file.safes.enumerated() {
            let bags = try bags(of: safe, index, all, failure)
            opened.append(bags)
            for bag in bags {
                try entries.add(bag) { (algorithm, data) throws(KeyStoreError) in
                    guard let key = try decrypt(algorithm, data, all) else { throw failure }
                    return key
                }
            }
        }
        return (KeyStore(format: .pkcs12, integrity: integrity, entries: entries.assembled()), opened)
    }

    private mutating func bags(
        of safe: PKCS12File.Safe, _ index: Int, _ passphrases: [PKCS12Passphrase], _ failure: KeyStoreError
    ) throws(KeyStoreError) -> [PKCS12Bag] {
        switch safe {
        case .plain(let contents): return try PKCS12Bag.read(contents, safe: index)
        case .unsupported(let cipher): throw .unsupportedCipher(.pkcs12, cipher)
        case .encrypted(let algorithm, let data):
            guard var contents = try decrypt(algorithm, data, passphrases) else { throw failure }
            defer { contents.wipe() }
            return try PKCS12Bag.read(contents, safe: index)
        }
    }

    private mutating func decrypt(
        _ algorithm: [UInt8], _ data: [UInt8], _ passphrases: [PKCS12Passphrase]
    ) throws(KeyStoreError) -> [UInt8]? {
        let scheme = try readingPKCS12("in an encryption scheme") {
            var reader = DERReader(algorithm)
            return try PasswordScheme(&reader)
        }
        for passphrase in passphrases {
            if let contents = try scheme.decrypt(data, passphrase, &tools) { return contents }
        }
        return nil
    }
}
