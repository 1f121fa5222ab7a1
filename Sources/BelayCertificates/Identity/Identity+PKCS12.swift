extension Identity {
    /// Reads a PKCS#12 file (RFC 7292), as ``KeyStore/read(pkcs12:passphrase:keyPassphrase:)`` does.
    ///
    /// The certificate of the key is found by the key, not by the order. A file without an integrity code is refused: an
    /// identity that anybody could have put there is none. Read the file as a ``KeyStore`` to open it all the same.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - passphrase: the passphrase, UTF-8 by convention; nil for a file that was made without one.
    ///   - keyPassphrase: that of the key where it is another than that of the file.
    ///   - name: which identity is meant, where the file has several: its friendly name, or the subject of its certificate.
    /// - Throws: ``IdentityError``.
    public init(
        pkcs12 bytes: [UInt8], passphrase: Secret? = nil, keyPassphrase: Secret? = nil, named name: String? = nil
    ) throws(IdentityError) {
        let store: KeyStore
        do throws(KeyStoreError) {
            var opener = PKCS12Opener(tools: PasswordTools(), demandsCode: true)
            store = try opener.open(PKCS12File(bytes), passphrase, keyPassphrase)
        } catch {
            if case .notAKeyStore(let found) = error { throw .notAnIdentity(found: found) }
            throw .keyStore(error)
        }
        self = try store.identity(named: name)
    }

    /// The identity as a PKCS#12 file, protected as ``PKCS12Protection/modern(_:)`` says.
    ///
    /// - Parameters:
    ///   - passphrase: the passphrase that shall open it.
    ///   - friendlyName: a name that programs show to people.
    /// - Throws: ``IdentityError/keyStore(_:)``.
    public func pkcs12(passphrase: Secret, friendlyName: String? = nil) throws(IdentityError) -> [UInt8] {
        do throws(KeyStoreError) {
            return try pkcs12(.modern(passphrase), friendlyName: friendlyName)
        } catch {
            throw .keyStore(error)
        }
    }
}
