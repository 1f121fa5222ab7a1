extension KeyStore {
    /// Reads a key store from a file, by content and whatever its name.
    ///
    /// ```swift
    /// let store = try KeyStore.read(contentsOf: "server.jks", passphrase: secret)
    /// for (name, identity) in store.identities { print(name ?? "", identity) }
    /// ```
    ///
    /// Without a passphrase, what a file shows without one is read: the certificates of Java's stores, for example, with the
    /// integrity ``KeyStore/Integrity-swift.enum/unchecked(_:)`` and private keys as ``KeyStore/Content/closedKey(_:_:)``.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - passphrase: the passphrase of the file; also tried for the keys in it.
    ///   - keyPassphrase: the passphrase of the keys in it, where that is another.
    /// - Throws: ``KeyStoreFileError``, which names the file.
    public static func read(
        contentsOf path: String, passphrase: Secret? = nil, keyPassphrase: Secret? = nil
    ) throws(KeyStoreFileError) -> KeyStore {
        do throws(KeyStoreError) {
            var bytes: [UInt8]
            do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: path) } catch {
                throw .unreadable(error)
            }
            defer { bytes.wipe() }
            return try KeyStore(bytes: bytes, passphrase: passphrase, keyPassphrase: keyPassphrase)
        } catch {
            throw KeyStoreFileError(file: path, problem: error)
        }
    }

    /// Reads a key store from the bytes of a file, by content; see ``read(contentsOf:passphrase:keyPassphrase:)``.
    ///
    /// - Throws: ``KeyStoreError``.
    public init(bytes: [UInt8], passphrase: Secret? = nil, keyPassphrase: Secret? = nil) throws(KeyStoreError) {
        let content: FileContent
        do throws(PEMError) { content = try FileContent(bytes) } catch { throw .damagedText(error) }
        let passphrases = [passphrase, keyPassphrase].compactMap { $0 }
        switch content {
        case .store(.jks, let store), .store(.jceks, let store):
            self = try JavaKeyStore(store).opened(passphrase: passphrase, keyPassphrase: keyPassphrase)
        case .store(_, let store):
            self = try BouncyCastleStore(store).opened(passphrase: passphrase, keyPassphrase: keyPassphrase)
        case .text(let blocks): try self.init(blocks: blocks, passphrases: passphrases)
        case .binary(.pkcs12, let der):
            self = try KeyStore.read(pkcs12: der, passphrase: passphrase, keyPassphrase: keyPassphrase)
        case .binary(.pkcs7, let der): self = try PKCS7.read(der)
        case .binary(.certificate, let der):
            do throws(DERError) {
                let certificate = try Certificate(der: der)
                self.init(der: .certificate(certificate, isTrusted: false))
            } catch {
                if let expected = der.missingLength {
                    throw .truncated(.der, bytes: der.count, expected: expected)
                }
                throw .malformed(.der, error.reason.description, at: error.offset)
            }
        case .binary(.revocationList, let der): self.init(der: Self.revocationList(der))
        case .binary(let kind, let der) where kind.isPrivateKey:
            switch Self.key(der: der, passphrases) {
            case .success(let key): self.init(der: .privateKey(key))
            case .failure(let error): self.init(der: .closedKey(error, []))
            }
        default: throw .notAKeyStore(found: content.description)
        }
    }

    private init(der content: Content) {
        self.init(format: .der, integrity: .none, entries: [Entry(name: nil, content: content)])
    }
}
