import FoundationEssentials

/// Puts bags together: each key with its certificate, found by the key and then by what both have in common, never by the
/// order; and each certificate with those that issued it.
struct PKCS12Entries {
    private struct Key {
        let bag: PKCS12Bag
        /// The key, or why there is none.
        let content: Result<PrivateKey, KeyStoreError>
    }

    private struct Issued {
        let bag: PKCS12Bag
        let certificate: Certificate
    }

    /// A bag's place among all, by kind.
    private enum Place {
        case key(Int)
        case certificate(Int)
        case entry(KeyStore.Entry)
    }

    /// Keys that are read at most, since OpenSSL takes a while for each.
    static let mostKeys = 512

    private var keys: [Key] = []
    private var certificates: [Issued] = []
    private var places: [Place] = []

    /// Takes a bag; `decrypt` opens an encrypted key, from its AlgorithmIdentifier and data.
    mutating func add(
        _ bag: PKCS12Bag, decrypt: ([UInt8], [UInt8]) throws(KeyStoreError) -> [UInt8]
    ) throws(KeyStoreError) {
        switch bag.content {
        case .key(let secret):
            try addKey(bag) { () throws(KeyStoreError) in
                try secret.withArray { encoded throws(KeyStoreError) in try Self.decode(encoded) }
            }
        case .shroudedKey(let algorithm, let data):
            try addKey(bag) { () throws(KeyStoreError) in
                var encoded = try decrypt(algorithm, data)
                defer { encoded.wipe() }
                return try Self.decode(encoded)
            }
        case .certificate(let der):
            do throws(DERError) {
                certificates.append(Issued(bag: bag, certificate: try Certificate(der: der)))
                places.append(.certificate(certificates.count - 1))
            } catch {
                places.append(.entry(KeyStore.Entry(name: bag.friendlyName, content: .malformedCertificate(error))))
            }
        case .other(let name):
            places.append(.entry(KeyStore.Entry(name: bag.friendlyName, content: .other(name))))
        }
    }

    private mutating func addKey(
        _ bag: PKCS12Bag, _ open: () throws(KeyStoreError) -> PrivateKey
    ) throws(KeyStoreError) {
        guard keys.count < Self.mostKeys else {
            throw .malformed(.pkcs12, "there are more than \(Self.mostKeys) private keys", at: nil)
        }
        do throws(KeyStoreError) {
            keys.append(Key(bag: bag, content: .success(try open())))
        } catch {
            keys.append(Key(bag: bag, content: .failure(error)))
        }
        places.append(.key(keys.count - 1))
    }

    private static func decode(_ encoded: [UInt8]) throws(KeyStoreError) -> PrivateKey {
        do throws(PrivateKeyError) { return try PrivateKey(der: encoded) } catch { throw .privateKey(error) }
    }

    /// The entries, each where the first of its own bags is: a key's, or that of its certificate.
    func assembled() -> [KeyStore.Entry] {
        var comparisons = 500
        var taken: Set<Int> = []
        let index = makeIndex()
        let contents = keys.map { key in content(of: key, index, &taken, &comparisons) }
        var inIdentities: Set<Certificate> = []
        for case .identity(let identity) in contents.map(\.content) { inIdentities.formUnion(identity.certificates) }
        var leafOwner: [Int: Int] = [:]
        for (index, content) in contents.enumerated() {
            if let leaf = content.leaf { leafOwner[leaf] = index }
        }

        var entries: [KeyStore.Entry] = []
        var isEmitted: Set<Int> = []
        func emit(_ index: Int) {
            guard isEmitted.insert(index).inserted else { return }
            let bag = keys[index].bag
            let leafName = contents[index].leaf.flatMap { certificates[$0].bag.friendlyName }
            entries.append(
                KeyStore.Entry(
                    name: bag.friendlyName ?? leafName, created: Self.created(bag), content: contents[index].content))
        }
        for place in places {
            switch place {
            case .entry(let entry): entries.append(entry)
            case .key(let index): emit(index)
            case .certificate(let index):
                let issued = certificates[index]
                if let owner = leafOwner[index] {
                    emit(owner)
                } else if issued.bag.isTrusted || !(taken.contains(index) || inIdentities.contains(issued.certificate))
                {
                    entries.append(
                        KeyStore.Entry(
                            name: issued.bag.friendlyName,
                            content: .certificate(issued.certificate, isTrusted: issued.bag.isTrusted)))
                }
            }
        }
        return entries
    }

    /// What becomes of a key: with its own certificate, with one that the file calls its own, or alone.
    private func content(
        of key: Key, _ index: Index, _ taken: inout Set<Int>, _ comparisons: inout Int
    ) -> (content: KeyStore.Content, leaf: Int?) {
        // A handful at most in any real file.
        let linked = Array((key.bag.localKeyID.flatMap { index.byLocalKeyID[$0] } ?? []).prefix(32))
        let privateKey: PrivateKey
        switch key.content {
        case .failure(let error):
            taken.formUnion(linked)
            return (.closedKey(error, linked.map { certificates[$0].certificate }), linked.first)
        case .success(let opened): privateKey = opened
        }
        let own = matches(of: privateKey, index, &comparisons)
        // Several certificates of one key: the one that the file links to it, else the first.
        if let leaf = own.first(where: { linked.contains($0) }) ?? own.first,
            let identity = try? Identity(
                certificate: certificates[leaf].certificate, chain: issuers(of: leaf, index), privateKey: privateKey)
        {
            taken.insert(leaf)
            return (.identity(identity), leaf)
        }
        // The certificates that somebody took for this key's: those that the file links to it, or those of no authority
        // where it is the only key.
        let candidates =
            linked.isEmpty && keys.count == 1
            ? Array(certificates.indices.filter { !isAuthority(certificates[$0].certificate) }.prefix(32)) : linked
        guard !candidates.isEmpty else { return (.privateKey(privateKey), nil) }
        taken.formUnion(candidates)
        return (.mismatch(privateKey, candidates.map { certificates[$0].certificate }), candidates.first)
    }

    private func isAuthority(_ certificate: Certificate) -> Bool {
        (try? certificate.basicConstraints)?.isAuthority == true
    }

    /// The certificates of a key, by comparing the encodings first; decoding them is slow, so that is bounded.
    private func matches(of key: PrivateKey, _ index: Index, _ comparisons: inout Int) -> [Int] {
        if let equal = index.byKey[key.publicKey] { return equal }
        return certificates.indices.filter { place in
            guard comparisons > 0 else { return false }
            comparisons -= 1
            return key.matches(certificates[place].certificate.publicKey)
        }
    }

    /// Every certificate that may have issued this one, or one of those, as far as names tell; those first whose key
    /// identifiers tell it too. No chain has more than 32 of them.
    private func issuers(of leaf: Int, _ index: Index) -> [Certificate] {
        var found: [Int] = []
        var seen: Set<Int> = [leaf]
        var rest = [leaf]
        while let current = rest.popLast(), found.count < 32 {
            let certificate = certificates[current].certificate
            guard !certificate.isSelfIssued else { continue }
            let identifier = (try? certificate.authorityKeyIdentifier)?.keyIdentifier
            let candidates = (index.byName[certificate.issuer] ?? []).prefix(256).filter { !seen.contains($0) }
            let isNamed = { (place: Int) in
                identifier != nil && (try? certificates[place].certificate.subjectKeyIdentifier) == identifier
            }
            for issuer in (candidates.filter(isNamed) + candidates.filter { !isNamed($0) }).prefix(32 - found.count) {
                seen.insert(issuer)
                found.append(issuer)
                rest.append(issuer)
            }
        }
        return found.map { certificates[$0].certificate }
    }

    /// Where certificates are, by what is asked for.
    private struct Index {
        var byKey: [PublicKey: [Int]] = [:]
        var byName: [DistinguishedName: [Int]] = [:]
        var byLocalKeyID: [[UInt8]: [Int]] = [:]
    }

    private func makeIndex() -> Index {
        var index = Index()
        for (place, issued) in certificates.enumerated() {
            index.byKey[issued.certificate.publicKey, default: []].append(place)
            index.byName[issued.certificate.subject, default: []].append(place)
            if let identifier = issued.bag.localKeyID { index.byLocalKeyID[identifier, default: []].append(place) }
        }
        return index
    }

    /// Java writes the moment of a key's entry as its localKeyID: `Time` and milliseconds since 1970.
    private static func created(_ bag: PKCS12Bag) -> Date? {
        guard let octets = bag.localKeyID, octets.starts(with: "Time ".utf8),
            let text = String(validating: octets.dropFirst(5), as: UTF8.self), let milliseconds = Int64(text)
        else { return nil }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
