extension Certificate {
    /// Reads the certificates of a file, by content and whatever its name: PEM with any number of certificates, DER, the
    /// base64 of DER alone, a PKCS#7 bundle, the trusted entries of a JKS, JCEKS or BKS trust store, or a PKCS#12 file
    /// that holds no key and opens without a passphrase.
    ///
    /// A trust store is read without its passphrase, so that nothing shows whether somebody changed it, no more than with a file
    /// in PEM. ``KeyStore/read(contentsOf:passphrase:keyPassphrase:)`` checks it. Its keys and their chains are passed over.
    ///
    /// Text around the blocks of PEM is passed over, and so are private keys and key parameters, which servers' files
    /// hold beside their certificates. Anything else beside a certificate is an error, since it would be ignored.
    ///
    /// ```swift
    /// let pins = try Certificate.read(contentsOf: "pins/www.cer").map(\.pin)
    /// ```
    ///
    /// - Returns: the certificates in the order of the file, at least one.
    /// - Throws: ``CertificateFileError``, which names the file, what was found and the remedy.
    public static func read(contentsOf path: String) throws(CertificateFileError) -> [Certificate] {
        let bytes: [UInt8]
        do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: path) } catch {
            throw CertificateFileError(file: path, problem: .unreadable(error))
        }
        return try read(bytes: bytes, name: path)
    }

    /// Reads the certificates of a file that is in memory; see ``read(contentsOf:)``.
    ///
    /// - Parameters:
    ///   - bytes: the contents of the file.
    ///   - name: what errors shall call it.
    /// - Throws: ``CertificateFileError``.
    public static func read(bytes: [UInt8], name: String) throws(CertificateFileError) -> [Certificate] {
        do throws(CertificateFileProblem) { return try read(bytes) } catch {
            throw CertificateFileError(file: name, problem: error)
        }
    }

    /// Reads one certificate from text: PEM, or the base64 of DER alone.
    ///
    /// - Throws: ``CertificateFileProblem``, also where the text holds several certificates.
    public init(pemOrBase64 text: String) throws(CertificateFileProblem) {
        let certificates = try Self.read(Array(text.utf8))
        guard let first = certificates.first, certificates.count == 1 else {
            throw .notACertificate(found: "\(certificates.count) certificates where one is expected")
        }
        self = first
    }

    /// The certificate in PEM.
    public var pem: String { PEM.encode(label: "CERTIFICATE", der: der) }

    private static func read(_ bytes: [UInt8]) throws(CertificateFileProblem) -> [Certificate] {
        let content: FileContent
        do throws(PEMError) { content = try FileContent(bytes) } catch { throw .damagedText(error) }
        switch content {
        case .empty: throw .empty
        case .text(let blocks): return try read(blocks)
        case .binary(.certificate, let der), .binary(.unknownDER, let der): return [try read(der: der, line: nil)]
        case .binary(.pkcs12, let der): return try read(pkcs12: der)
        case .binary(.pkcs7, let der): return try read(bundle: der, line: nil)
        case .store(let format, _): return try read(store: bytes, format)
        case .binary, .other: throw .notACertificate(found: content.description)
        }
    }

    private static func read(_ blocks: [PEM.Block]) throws(CertificateFileProblem) -> [Certificate] {
        var certificates: [Certificate] = []
        var stranger: PEM.Block?
        for block in blocks {
            switch PEMKind(block.label) {
            case .certificate: certificates.append(try read(der: block.der, line: block.line))
            case .privateKey, .opensshKey, .parameters: continue
            case .pkcs7: certificates += try read(bundle: block.der, line: block.line)
            case .trustedCertificate, .request, .revocationList, .publicKey, .other: stranger = stranger ?? block
            }
        }
        guard !certificates.isEmpty else { throw .notACertificate(found: FileContent.text(blocks).description) }
        if let stranger { throw .alsoHolds(PEMKind(stranger.label).description, line: stranger.line) }
        return certificates
    }

    /// The certificates of a PKCS#7 bundle.
    private static func read(bundle der: [UInt8], line: Int?) throws(CertificateFileProblem) -> [Certificate] {
        let store: KeyStore
        do throws(KeyStoreError) { store = try PKCS7.read(der) } catch { throw .keyStore(error) }
        var certificates: [Certificate] = []
        for entry in store.entries {
            switch entry.content {
            case .certificate(let certificate, _): certificates.append(certificate)
            case .malformedCertificate(let error): throw .malformed(error, line: line)
            case .revocationList: throw .alsoHolds(BinaryKind.revocationList.description, line: line)
            case .other(let found): throw .alsoHolds(found, line: line)
            case .identity, .privateKey, .mismatch, .closedKey: continue
            }
        }
        guard !certificates.isEmpty else { throw .notACertificate(found: "a PKCS#7 bundle without certificates") }
        return certificates
    }

    /// The certificates of a PKCS#12 file without keys; one that needs a passphrase is an identity's.
    private static func read(pkcs12 der: [UInt8]) throws(CertificateFileProblem) -> [Certificate] {
        guard let store = try? KeyStore.read(pkcs12: der) else { throw .identityFile }
        var certificates: [Certificate] = []
        for entry in store.entries {
            switch entry.content {
            case .certificate(let certificate, _): certificates.append(certificate)
            case .malformedCertificate(let error): throw .malformed(error, line: nil)
            case .identity, .privateKey, .mismatch, .closedKey: throw .identityFile
            case .revocationList, .other: continue
            }
        }
        guard !certificates.isEmpty else { throw .notACertificate(found: "a PKCS#12 file without certificates") }
        return certificates
    }

    /// The trusted certificates of a store that shows them without a passphrase.
    private static func read(
        store bytes: [UInt8], _ format: KeyStore.Format
    ) throws(CertificateFileProblem) -> [Certificate] {
        let store: KeyStore
        do throws(KeyStoreError) { store = try KeyStore(bytes: bytes) } catch { throw .keyStore(error) }
        var certificates: [Certificate] = []
        for entry in store.entries {
            switch entry.content {
            case .certificate(let certificate, isTrusted: true): certificates.append(certificate)
            case .malformedCertificate(let error): throw .malformed(error, line: nil)
            default: continue
            }
        }
        guard !certificates.isEmpty else { throw .noTrustedCertificates(format) }
        return certificates
    }

    private static func read(der: [UInt8], line: Int?) throws(CertificateFileProblem) -> Certificate {
        do throws(DERError) { return try Certificate(der: der) } catch {
            if let expected = der.missingLength, line == nil {
                throw .truncated(bytes: der.count, expected: expected)
            }
            let kind = BinaryKind(der)
            if kind != .certificate, kind.isRecognised {
                throw .notACertificate(found: "\(kind) under the label of a certificate")
            }
            throw .malformed(error, line: line)
        }
    }
}
