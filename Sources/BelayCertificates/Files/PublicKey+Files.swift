/// A file from which public keys are wanted, and what is wrong with it.
public typealias PublicKeyFileError = FileFailure<PublicKeyFileProblem>

/// Why a file gives no public key.
public enum PublicKeyFileProblem: Error, Sendable, Hashable {
    /// It could not be read.
    case unreadable(FileReadingError)
    /// There is nothing in it.
    case empty
    /// The text in PEM is damaged.
    case damagedText(PEMError)
    /// It holds something without a public key, which is said as after "found".
    case noKey(found: String)
    /// A certificate, request or public key is not well formed; which, and its place in the text, where it stands in one.
    case malformed(String, DERError, line: Int?)
    /// A private key cannot be read.
    case privateKey(PrivateKeyError)
    /// A key store cannot be opened.
    case keyStore(KeyStoreError)

    /// Whether a passphrase would help, and there was none.
    package var needsPassphrase: Bool {
        switch self {
        case .privateKey(.passphraseNeeded), .keyStore(.passphraseNeeded): true
        default: false
        }
    }
}

extension PublicKeyFileProblem: CustomStringConvertible {
    /// What is wrong, what was expected and found, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .empty: "is empty, expected a certificate or a key. Export it again"
        case .damagedText(let error): "is damaged: \(error). Copy the file again, whole"
        case .noKey(let found):
            "expected a certificate, a key or a certificate request in PEM or DER, found \(found). Name the file that holds it"
        case .malformed(let what, let error, let line):
            "holds \(what)\(line.map { " (line \($0))" } ?? "") that is malformed: \(error). Export it again"
        case .privateKey(let error): error.description
        case .keyStore(let error): error.description
        }
    }
}

extension PublicKey {
    /// A public key, and what it was found in.
    public struct Found: Sendable, Hashable {
        /// The key.
        public let key: PublicKey
        /// What holds it.
        public let holder: Holder

        /// Puts a finding together.
        public init(_ key: PublicKey, in holder: Holder) {
            self.key = key
            self.holder = holder
        }
    }

    /// What holds a public key.
    public enum Holder: Sendable, Hashable {
        /// A certificate.
        case certificate(Certificate)
        /// The key itself.
        case publicKey
        /// A private key, of which only the public half is looked at.
        case privateKey
        /// A certificate request (PKCS#10).
        case request
    }

    /// Finds the public keys of a file, by content and whatever its name: those of certificates, of certificate requests, of private
    /// keys, and public keys themselves (SubjectPublicKeyInfo or PKCS#1); PEM with any number of them, DER, or any key store that
    /// ``KeyStore`` reads.
    ///
    /// A private key beside certificates is passed over: it belongs to one of them.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - passphrase: for a private key that is encrypted.
    /// - Returns: the keys in the order of the file, at least one.
    /// - Throws: ``PublicKeyFileError``, which names the file.
    public static func findAll(
        contentsOf path: String, passphrase: Secret? = nil
    ) throws(PublicKeyFileError) -> [Found] {
        var bytes: [UInt8]
        do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: path) } catch {
            throw PublicKeyFileError(file: path, problem: .unreadable(error))
        }
        defer { bytes.wipe() }
        return try findAll(bytes: bytes, name: path, passphrase: passphrase)
    }

    /// Finds the public keys of a file that is in memory; see ``findAll(contentsOf:passphrase:)``.
    ///
    /// - Parameters:
    ///   - bytes: the contents of the file.
    ///   - name: what errors shall call it.
    ///   - passphrase: for a private key that is encrypted.
    /// - Throws: ``PublicKeyFileError``.
    public static func findAll(
        bytes: [UInt8], name: String, passphrase: Secret? = nil
    ) throws(PublicKeyFileError) -> [Found] {
        do throws(PublicKeyFileProblem) { return try findAll(bytes, passphrase) } catch {
            throw PublicKeyFileError(file: name, problem: error)
        }
    }

    private static func findAll(
        _ bytes: [UInt8], _ passphrase: Secret?
    ) throws(PublicKeyFileProblem) -> [Found] {
        let content: FileContent
        do throws(PEMError) { content = try FileContent(bytes) } catch { throw .damagedText(error) }
        switch content {
        case .empty: throw .empty
        case .other: throw .noKey(found: content.description)
        case .store, .binary(.pkcs12, _), .binary(.pkcs7, _): return try findAll(inStore: bytes, passphrase)
        case .binary(let kind, let der):
            if kind.isPrivateKey {
                return [
                    Found(
                        try privateHalf { () throws(PrivateKeyError) in
                            try PrivateKey(der: der, passphrase: passphrase)
                        }, in: .privateKey)
                ]
            }
            guard let found = try find(kind, der, line: nil) else { throw .noKey(found: kind.description) }
            return [found]
        case .text(let blocks):
            var found: [Found] = []
            for block in blocks {
                if let one = try find(PEMKind(block.label).binaryKind(block), block.der, line: block.line) {
                    found.append(one)
                }
            }
            if !found.isEmpty { return found }
            if blocks.contains(where: { PEMKind($0.label) == .pkcs7 }) {
                return try findAll(inStore: bytes, passphrase)
            }
            guard let block = blocks.first(where: { PEMKind($0.label).isPrivateKey }) else {
                throw .noKey(found: content.description)
            }
            return [
                Found(
                    try privateHalf { () throws(PrivateKeyError) in
                        try PrivateKey(block: block, passphrase: passphrase)
                    }, in: .privateKey)
            ]
        }
    }

    private static func findAll(
        inStore bytes: [UInt8], _ passphrase: Secret?
    ) throws(PublicKeyFileProblem) -> [Found] {
        let store: KeyStore
        do throws(KeyStoreError) { store = try KeyStore(bytes: bytes, passphrase: passphrase) } catch {
            throw .keyStore(error)
        }
        let found = store.entries.flatMap { entry in
            if case .privateKey(let key) = entry.content { return [Found(key.publicKey, in: .privateKey)] }
            return entry.certificates.map { Found($0.publicKey, in: .certificate($0)) }
        }
        guard !found.isEmpty else { throw .noKey(found: "a key store (\(store.format)) without one") }
        return found
    }

    private static func privateHalf(
        _ read: () throws(PrivateKeyError) -> PrivateKey
    ) throws(PublicKeyFileProblem) -> PublicKey {
        do throws(PrivateKeyError) { return try read().publicKey } catch { throw .privateKey(error) }
    }

    /// The key of something that is no private key; nil where it has none.
    private static func find(
        _ kind: BinaryKind, _ der: [UInt8], line: Int?
    ) throws(PublicKeyFileProblem) -> Found? {
        do throws(DERError) {
            switch kind {
            case .certificate:
                let certificate = try Certificate(der: der)
                return Found(certificate.publicKey, in: .certificate(certificate))
            case .request: return Found(try requestedKey(der), in: .request)
            case .publicKey: return Found(try PublicKey(der: der), in: .publicKey)
            case .rsaPublicKey: return Found(try PublicKey(pkcs1: der), in: .publicKey)
            default: return nil
            }
        } catch {
            throw .malformed(kind.description, error, line: line)
        }
    }

    /// The key of a PKCS#10 request (RFC 2986, section 4): version, subject, then the key. A request of an algorithm that cannot be checked
    /// has one all the same; where its signature is wrong, the request was changed, and perhaps in its key.
    private static func requestedKey(_ der: [UInt8]) throws(DERError) -> PublicKey {
        var reader = DERReader(der)
        _ = try reader.enter(.sequence)
        _ = try reader.enter(.sequence)
        _ = try reader.readSmallInteger()
        _ = try reader.read(.sequence)
        let key = PublicKey(der, in: try PublicKeyLayout(&reader))
        do throws(CertificateRequestError) { _ = try CertificateRequest(der: der) } catch {
            switch (error, key.kind) {
            case (.unusableKey, .other), (.unknownAlgorithm, _): break
            default: throw DERError(.other("\(error)"), at: 0)
            }
        }
        return key
    }

    /// A key in PKCS#1's own form (RFC 8017, appendix A.1.1), put into a SubjectPublicKeyInfo (RFC 3279, section 2.3.1).
    private init(pkcs1 der: [UInt8]) throws(DERError) {
        var reader = DERReader(der)
        let outer = try reader.enter(.sequence)
        _ = try reader.readInteger()
        _ = try reader.readInteger()
        try reader.leave(outer)
        try reader.finish()
        let algorithm = DERWriter.sequence(
            DERWriter.element(.objectIdentifier, Self.rsaEncryption), DERWriter.element(.null, []))
        try self.init(der: DERWriter.sequence(algorithm, DERWriter.bitString(der)))
    }

    /// 1.2.840.113549.1.1.1.
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
}

extension PEMKind {
    /// What a block holds whose label says that it has a public key; anything else is what its bytes are.
    fileprivate func binaryKind(_ block: PEM.Block) -> BinaryKind {
        switch self {
        case .certificate: .certificate
        case .request: .request
        case .publicKey: block.label == "RSA PUBLIC KEY" ? .rsaPublicKey : .publicKey
        default: .notDER
        }
    }
}
