import COpenSSL

extension KeyStore {
    /// A store of identities with their chains, to be written.
    public init(identities: [(name: String?, identity: Identity)]) {
        self.init(
            format: .pkcs12, integrity: .none,
            entries: identities.map { Entry(name: $0.name, content: .identity($0.identity)) })
    }

    /// A store of certificates alone, to be written. Java takes those that are marked as trusted for anchors, and shows no
    /// others.
    public init(certificates: [Certificate], areTrusted: Bool = true) {
        self.init(
            format: .pkcs12, integrity: .none,
            entries: certificates.map { Entry(name: nil, content: .certificate($0, isTrusted: areTrusted)) })
    }

    /// The store as a PKCS#12 file (RFC 7292) in DER: certificates first, each identity's own and then its chain, then the
    /// keys; each certificate once. A key and its certificate have a localKeyID in common, the SHA-1 of the certificate,
    /// and the entry's name.
    ///
    /// ```swift
    /// let store = KeyStore(identities: [(name: "client", identity: identity)])
    /// let file = try store.pkcs12(.modern(passphrase))
    /// ```
    ///
    /// - Throws: ``KeyStoreError/unusablePassphrase(_:)``; ``KeyStoreError/encodingFailed(_:_:)`` where an entry is neither
    ///   certificate nor open key, or OpenSSL refuses.
    public func pkcs12(_ protection: PKCS12Protection) throws(KeyStoreError) -> [UInt8] {
        var sealer = try PKCS12Sealer(protection)
        var bags = PKCS12BagWriter()
        for entry in entries { try bags.add(entry, &sealer) }

        var safes: [[UInt8]] = []
        if !bags.certificates.isEmpty {
            safes.append(try Self.safe(DERWriter.element(.sequence, bags.certificates), &sealer))
        }
        if !bags.keys.isEmpty {
            // Each key is encrypted in its own bag already.
            safes.append(
                Self.content(PKCS12OID.data, DERWriter.element(.octetString, DERWriter.element(.sequence, bags.keys))))
        }
        let content = DERWriter.element(.sequence, safes.flatMap(\.self))
        return DERWriter.sequence(
            DERWriter.integer(3), Self.content(PKCS12OID.data, DERWriter.element(.octetString, content)),
            try sealer.code(for: content) ?? [])
    }

    /// A ContentInfo (RFC 2315, section 7).
    private static func content(_ type: OID, _ content: [UInt8]) -> [UInt8] {
        DERWriter.sequence(
            DERWriter.objectIdentifier(type), DERWriter.element(.contextConstructed(0), content))
    }

    /// SafeContents in a ContentInfo, encrypted where anything is.
    private static func safe(_ contents: [UInt8], _ sealer: inout PKCS12Sealer) throws(KeyStoreError) -> [UInt8] {
        guard sealer.isSealing else { return content(PKCS12OID.data, DERWriter.element(.octetString, contents)) }
        let sealed = try sealer.seal(contents)
        return content(
            PKCS12OID.encryptedData,
            DERWriter.sequence(
                DERWriter.integer(0),
                DERWriter.sequence(
                    DERWriter.objectIdentifier(PKCS12OID.data), sealed.algorithm,
                    DERWriter.element(.contextPrimitive(0), sealed.data))))
    }
}

extension Identity {
    /// The identity as a PKCS#12 file, its chain included.
    ///
    /// - Parameters:
    ///   - protection: how it is encrypted.
    ///   - friendlyName: a name that programs show to people.
    /// - Throws: ``KeyStoreError``.
    public func pkcs12(_ protection: PKCS12Protection, friendlyName: String? = nil) throws(KeyStoreError) -> [UInt8] {
        try KeyStore(identities: [(name: friendlyName, identity: self)]).pkcs12(protection)
    }
}

/// Collects the bags of a file that is written.
private struct PKCS12BagWriter {
    /// Certificate bags, one after the other.
    private(set) var certificates: [UInt8] = []
    /// Key bags, one after the other.
    private(set) var keys: [UInt8] = []
    private var written: Set<Certificate> = []

    /// Adds an entry.
    mutating func add(_ entry: KeyStore.Entry, _ sealer: inout PKCS12Sealer) throws(KeyStoreError) {
        switch entry.content {
        case .identity(let identity):
            try addKey(identity.privateKey, identity.certificates, entry.name, &sealer)
        case .mismatch(let key, let certificates): try addKey(key, certificates, entry.name, &sealer)
        case .privateKey(let key): try addKey(key, [], entry.name, &sealer)
        case .certificate(let certificate, let isTrusted):
            addCertificate(certificate, name: entry.name, localKeyID: nil, isTrusted: isTrusted)
        case .closedKey: throw Self.refusal(entry, "a private key that was not opened")
        case .malformedCertificate: throw Self.refusal(entry, "a certificate that cannot be read")
        case .revocationList: throw Self.refusal(entry, "a revocation list (CRL)")
        case .other(let kind): throw Self.refusal(entry, kind)
        }
    }

    private static func refusal(_ entry: KeyStore.Entry, _ what: String) -> KeyStoreError {
        .encodingFailed(.pkcs12, "the entry \"\(printable(entry.name ?? "without a name"))\" is \(what)")
    }

    private mutating func addKey(
        _ key: PrivateKey, _ chain: [Certificate], _ name: String?, _ sealer: inout PKCS12Sealer
    ) throws(KeyStoreError) {
        let localKeyID = chain.first.map { Self.sha1($0.der) }
        if let leaf = chain.first { addCertificate(leaf, name: name, localKeyID: localKeyID, isTrusted: false) }
        for certificate in chain.dropFirst() {
            addCertificate(certificate, name: nil, localKeyID: nil, isTrusted: false)
        }
        var encoded: [UInt8]
        do throws(PrivateKeyError) { encoded = try key.pkcs8DER().withUnsafeBytes { Array($0) } } catch {
            throw .privateKey(error)
        }
        defer { encoded.wipe() }
        let attributes = Self.attributes(name: name, localKeyID: localKeyID, isTrusted: false)
        if sealer.isSealing {
            let sealed = try sealer.seal(encoded)
            let content = DERWriter.sequence(sealed.algorithm, DERWriter.element(.octetString, sealed.data))
            keys += Self.bag(PKCS12OID.shroudedKeyBag, content, attributes)
        } else {
            keys += Self.bag(PKCS12OID.keyBag, encoded, attributes)
        }
    }

    private mutating func addCertificate(
        _ certificate: Certificate, name: String?, localKeyID: [UInt8]?, isTrusted: Bool
    ) {
        // A certificate that other entries need too, as an authority's own identity is written in its own place as well.
        guard written.insert(certificate).inserted || localKeyID != nil || isTrusted else { return }
        let content = DERWriter.sequence(
            DERWriter.objectIdentifier(PKCS12OID.x509Certificate),
            DERWriter.element(.contextConstructed(0), DERWriter.element(.octetString, certificate.der)))
        certificates += Self.bag(
            PKCS12OID.certificateBag, content,
            Self.attributes(name: name, localKeyID: localKeyID, isTrusted: isTrusted))
    }

    private static func bag(_ type: OID, _ content: [UInt8], _ attributes: [[UInt8]]) -> [UInt8] {
        DERWriter.sequence(
            DERWriter.objectIdentifier(type), DERWriter.element(.contextConstructed(0), content),
            attributes.isEmpty ? [] : DERWriter.set(of: attributes))
    }

    private static func attributes(name: String?, localKeyID: [UInt8]?, isTrusted: Bool) -> [[UInt8]] {
        var result: [[UInt8]] = []
        func add(_ type: OID, _ value: [UInt8]) {
            result.append(DERWriter.sequence(DERWriter.objectIdentifier(type), DERWriter.set(of: [value])))
        }
        if let name {
            let units = name.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            add(PKCS12OID.friendlyName, DERWriter.element(.bmpString, units))
        }
        if let localKeyID { add(PKCS12OID.localKeyID, DERWriter.element(.octetString, localKeyID)) }
        if isTrusted {
            add(PKCS12OID.javaTrustedKeyUsage, DERWriter.objectIdentifier(PKCS12OID.anyExtendedKeyUsage))
        }
        return result
    }

    private static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        SHA1(bytes, bytes.count, &digest)
        return digest
    }
}
