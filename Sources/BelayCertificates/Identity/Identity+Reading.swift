extension Identity {
    /// Reads an identity from one file, by content: PKCS#12, JKS, JCEKS, BKS, or PEM with a private key and certificates in any
    /// order.
    ///
    /// The certificate of the key is found by the key, not by the order. Nothing is ever asked on a terminal.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - passphrase: the passphrase that opens the file or the key in it.
    ///   - keyPassphrase: that of the key, where a key store has another for it.
    ///   - name: which identity is meant, where a key store has several: its friendly name or alias, or its certificate's
    ///     subject.
    /// - Throws: ``IdentityFileError``, which names the file.
    public static func read(
        contentsOf path: String, passphrase: Secret? = nil, keyPassphrase: Secret? = nil, named name: String? = nil
    ) throws(IdentityFileError) -> Identity {
        do throws(IdentityError) {
            var bytes: [UInt8]
            do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: path) } catch {
                throw .unreadable(error)
            }
            defer { bytes.wipe() }
            return try Identity(bytes: bytes, passphrase: passphrase, keyPassphrase: keyPassphrase, named: name)
        } catch {
            throw IdentityFileError(file: path, problem: error)
        }
    }

    /// Reads an identity from two files, as web servers have it: certificates in one, the private key in the other.
    ///
    /// - Parameters:
    ///   - certificatePath: a file of certificates, in any order.
    ///   - keyPath: a file with the private key.
    ///   - passphrase: the passphrase that opens the key.
    /// - Throws: ``IdentityFileError``, which names the file that is at fault.
    public static func read(
        certificates certificatePath: String, privateKey keyPath: String, passphrase: Secret? = nil
    ) throws(IdentityFileError) -> Identity {
        let certificates: [Certificate]
        do throws(CertificateFileError) { certificates = try Certificate.read(contentsOf: certificatePath) } catch {
            throw IdentityFileError(file: error.file, problem: .certificates(error.problem))
        }
        let privateKey: PrivateKey
        do throws(PrivateKeyFileError) {
            privateKey = try PrivateKey.read(contentsOf: keyPath, passphrase: passphrase)
        } catch {
            throw IdentityFileError(file: error.file, problem: .privateKey(error.problem))
        }
        do throws(IdentityError) {
            return try Identity(certificates: certificates, privateKey: privateKey)
        } catch {
            throw IdentityFileError(file: keyPath, problem: error)
        }
    }

    /// Reads an identity from the bytes of a file, by content; see ``read(contentsOf:passphrase:keyPassphrase:named:)``.
    ///
    /// - Throws: ``IdentityError``.
    public init(
        bytes: [UInt8], passphrase: Secret? = nil, keyPassphrase: Secret? = nil, named name: String? = nil
    ) throws(IdentityError) {
        let content: FileContent
        do throws(PEMError) { content = try FileContent(bytes) } catch { throw .damagedText(error) }
        switch content {
        case .binary(.pkcs12, let der):
            try self.init(pkcs12: der, passphrase: passphrase, keyPassphrase: keyPassphrase, named: name)
        case .store(_, let store): try self.init(store: store, passphrase, keyPassphrase, name)
        case .binary(let kind, _) where kind.isPrivateKey: throw .noCertificate
        case .binary(.certificate, _): throw .noPrivateKey
        case .text(let blocks): try self.init(blocks: blocks, passphrase: passphrase)
        default: throw .notAnIdentity(found: content.description)
        }
    }

    private init(
        store bytes: [UInt8], _ passphrase: Secret?, _ keyPassphrase: Secret?, _ name: String?
    ) throws(IdentityError) {
        let store: KeyStore
        do throws(KeyStoreError) {
            store = try KeyStore(
                bytes: bytes, passphrase: passphrase, keyPassphrase: keyPassphrase)
        } catch {
            throw .keyStore(error)
        }
        self = try store.identity(named: name)
    }

    private init(blocks: [PEM.Block], passphrase: Secret?) throws(IdentityError) {
        let keys = blocks.filter { PEMKind($0.label).isPrivateKey }
        var certificates: [Certificate] = []
        for block in blocks where PEMKind(block.label) == .certificate {
            do throws(DERError) { certificates.append(try Certificate(der: block.der)) } catch {
                throw .malformedCertificate(index: certificates.count, error)
            }
        }
        guard let key = keys.first else {
            guard !certificates.isEmpty else { throw .notAnIdentity(found: FileContent.text(blocks).description) }
            throw .noPrivateKey
        }
        let privateKey: PrivateKey
        do throws(PrivateKeyError) {
            guard keys.count == 1 else { throw .severalKeys(count: keys.count) }
            privateKey = try PrivateKey(block: key, passphrase: passphrase)
        } catch {
            throw .privateKey(error)
        }
        try self.init(certificates: certificates, privateKey: privateKey)
    }
}
