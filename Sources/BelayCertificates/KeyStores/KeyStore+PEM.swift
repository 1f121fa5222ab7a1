extension KeyStore {
    /// What a text in PEM holds: each private key with its certificate and those that lead on from it, then everything else.
    ///
    /// - Throws: ``KeyStoreError/notAKeyStore(found:)`` where nothing of that is in it, a request alone for example;
    ///   ``KeyStoreError/malformed(_:_:at:)`` where there are more keys than any file has: each may ask for seconds of key
    ///   derivation, and is compared with each certificate.
    init(blocks: [PEM.Block], passphrases: [Secret]) throws(KeyStoreError) {
        guard blocks.contains(where: { PEMKind($0.label).isOfKeyStore }) else {
            throw .notAKeyStore(found: FileContent.text(blocks).description)
        }
        let count = blocks.count { PEMKind($0.label).isPrivateKey }
        guard count <= Self.mostKeys else {
            throw .malformed(.pem, "\(count) private keys, at most \(Self.mostKeys) are read", at: nil)
        }
        var entries: [Entry] = []
        var others: [Entry] = []
        var certificates: [Certificate] = []
        var keys: [Result<PrivateKey, KeyStoreError>] = []
        var bundle: KeyStore?
        for block in blocks {
            switch PEMKind(block.label) {
            case .privateKey, .opensshKey: keys.append(Self.key(block, passphrases))
            case .certificate:
                do throws(DERError) { certificates.append(try Certificate(der: block.der)) } catch {
                    others.append(Entry(name: nil, content: .malformedCertificate(error)))
                }
            case .revocationList: others.append(Entry(name: nil, content: Self.revocationList(block.der)))
            case .pkcs7:
                do throws(KeyStoreError) {
                    let read = try PKCS7.read(block.der)
                    bundle = read
                    others += read.entries
                } catch {
                    others.append(Entry(name: nil, content: .other("a PKCS#7 bundle that cannot be read: \(error)")))
                }
            case .parameters: continue
            case .trustedCertificate, .request, .publicKey, .other:
                others.append(Entry(name: nil, content: .other(PEMKind(block.label).description)))
            }
        }
        for key in keys {
            switch key {
            case .success(let key):
                let chain = Self.chain(of: key, among: certificates)
                entries.append(Entry(name: nil, content: Content(privateKey: key, certificates: chain)))
            case .failure(let error): entries.append(Entry(name: nil, content: .closedKey(error, [])))
            }
        }
        let used = Set(entries.flatMap(\.certificates))
        entries += certificates.filter { !used.contains($0) }.map {
            Entry(name: nil, content: .certificate($0, isTrusted: false))
        }
        entries += others
        if let bundle, blocks.count == 1 {
            self = bundle
        } else {
            self.init(format: .pem, integrity: .none, entries: entries)
        }
    }

    /// The most private keys in a file.
    private static let mostKeys = 32

    /// A key that stands alone in a file.
    static func key(der: [UInt8], _ passphrases: [Secret]) -> Result<PrivateKey, KeyStoreError> {
        key(passphrases) { passphrase throws(PrivateKeyError) in try PrivateKey(der: der, passphrase: passphrase) }
    }

    static func revocationList(_ der: [UInt8]) -> Content {
        do throws(DERError) { return .revocationList(try RevocationList(der: der)) } catch {
            return .other("a revocation list (CRL) that cannot be read: \(error)")
        }
    }

    private static func key(_ block: PEM.Block, _ passphrases: [Secret]) -> Result<PrivateKey, KeyStoreError> {
        key(passphrases) { passphrase throws(PrivateKeyError) in try PrivateKey(block: block, passphrase: passphrase) }
    }

    /// Tries without a passphrase, then each.
    private static func key(
        _ passphrases: [Secret], _ open: (Secret?) throws(PrivateKeyError) -> PrivateKey
    ) -> Result<PrivateKey, KeyStoreError> {
        var failure: PrivateKeyError
        do throws(PrivateKeyError) { return .success(try open(nil)) } catch { failure = error }
        for passphrase in passphrases where failure == .passphraseNeeded || failure == .wrongPassphrase {
            do throws(PrivateKeyError) {
                return .success(try open(passphrase))
            } catch {
                failure = error
            }
        }
        return .failure(.privateKey(failure))
    }

    /// The certificate of a key and those that lead on from it, as far as names and key identifiers tell.
    private static func chain(of key: PrivateKey, among certificates: [Certificate]) -> [Certificate] {
        guard let leaf = certificates.first(where: { key.matches($0.publicKey) }) else { return [] }
        var chain = [leaf]
        var current = leaf
        // No chain is as long; a file with thousands of certificates of one name must not cost a comparison of each with each.
        while !current.isSelfIssued, chain.count < 32 {
            let wanted = (try? current.authorityKeyIdentifier)?.keyIdentifier
            let issuer = certificates.first { candidate in
                guard candidate.subject == current.issuer, !chain.contains(candidate) else { return false }
                guard let wanted, let found = try? candidate.subjectKeyIdentifier else { return true }
                return wanted == found
            }
            guard let issuer else { break }
            chain.append(issuer)
            current = issuer
        }
        return chain
    }
}

extension PEMKind {
    /// Whether it is something that key stores hold.
    fileprivate var isOfKeyStore: Bool {
        switch self {
        case .certificate, .privateKey, .opensshKey, .revocationList, .pkcs7: true
        case .trustedCertificate, .request, .publicKey, .parameters, .other: false
        }
    }
}
