import FoundationEssentials

/// Reads Bouncy Castle's key stores, BKS in its versions 1 and 2 (and 0, which is the same as 1).
///
/// After version, salt and rounds stand the entries one after the other, a zero, and an HMAC-SHA-1 over them whose key is derived
/// from the passphrase as in PKCS#12. Certificates and keys that the store only holds are in the clear; keys with a passphrase
/// of their own are sealed.
struct BouncyCastleStore {
    private let bytes: [UInt8]
    private let version: Int
    private let salt: Range<Int>
    private let rounds: Int
    private let body: Range<Int>
    private let code: Range<Int>
    private let items: [Item]

    private struct Item {
        let name: String
        let created: Date?
        let chain: [StoredCertificate]
        let kind: Kind
    }

    private enum Kind {
        case certificate(StoredCertificate)
        case key(BouncyCastleKey)
        /// A key that whoever put it in had protected already, in a way that the store does not tell.
        case foreign
        case sealed(Range<Int>)
    }

    /// What a file is, told by how it begins: version, a short salt, rounds. Then a BKS has the kind of its first entry, where a
    /// store of the kind UBER has whole blocks of a cipher.
    static func recognises(_ bytes: [UInt8]) -> Recognition? {
        var reader = JavaDataReader(bytes, format: .bks)
        do throws(KeyStoreError) {
            let version = try reader.readInt32()
            guard (0...2).contains(version) else { return nil }
            let salt = try reader.readInt32()
            guard (8...64).contains(salt) else { return nil }
            _ = try reader.take(salt)
            guard try reader.readInt32() > 0 else { return nil }
            let rest = reader.remaining
            guard try looksLikeEntry(&reader) else { return rest % 16 == 0 ? .uber : nil }
            return .bks
        } catch {
            // Cut off so early that only the length of the salt tells: that of Bouncy Castle's own stores.
            return bytes.count >= 8 && bytes.starts(with: [0, 0, 0]) && bytes[4..<8].elementsEqual([0, 0, 0, 20])
                ? .bks : nil
        }
    }

    /// What a file may be.
    enum Recognition {
        case bks
        /// Encrypted as a whole with Twofish, which OpenSSL does not have.
        case uber
    }

    private static func looksLikeEntry(_ reader: inout JavaDataReader) throws(KeyStoreError) -> Bool {
        let kind = try reader.readByte()
        if kind == 0 { return reader.remaining <= codeLength }
        guard kind <= 4 else { return false }
        do throws(KeyStoreError) {
            _ = try reader.readText()
            return try reader.readDate() != nil
        } catch {
            // A name that ends after the file is one that was cut off, or no name: short ones are.
            if case .truncated = error { return reader.remaining < 1_024 }
            return false
        }
    }

    /// Walks the whole file; decrypts nothing.
    init(_ bytes: [UInt8]) throws(KeyStoreError) {
        var reader = JavaDataReader(bytes, format: .bks)
        version = try reader.readInt32()
        guard (0...2).contains(version) else { throw .unsupportedVersion(.bks, version) }
        salt = try reader.readBlock()
        guard !salt.isEmpty else { throw .malformed(.bks, "no salt", at: 4) }
        rounds = try reader.readInt32()
        let start = reader.position
        var items: [Item] = []
        while true {
            let place = reader.position
            let kind = try reader.readByte()
            if kind == 0 { break }
            items.append(try Self.readItem(&reader, kind: kind, at: place))
        }
        body = start..<reader.position
        code = try reader.take(Self.codeLength)
        guard reader.remaining == 0 else { throw .malformed(.bks, "bytes after the end", at: reader.position) }
        (self.bytes, self.items) = (bytes, items)
    }

    private static let codeLength = 20

    private static func readItem(
        _ reader: inout JavaDataReader, kind: UInt8, at place: Int
    ) throws(KeyStoreError) -> Item {
        let name = try reader.readText()
        let created = try reader.readDate()
        let count = try reader.readInt32()
        guard count >= 0 else {
            throw .malformed(.bks, "a chain of \(count) certificates", at: reader.position - 4)
        }
        var chain: [StoredCertificate] = []
        for _ in 0..<count { chain.append(try StoredCertificate(&reader)) }
        let content: Kind
        switch kind {
        case 1: content = .certificate(try StoredCertificate(&reader))
        case 2: content = .key(try BouncyCastleKey(&reader))
        case 3:
            _ = try reader.readBlock()
            content = .foreign
        case 4: content = .sealed(try reader.readBlock())
        default: throw .malformed(.bks, "an entry of the unknown kind \(kind)", at: place)
        }
        return Item(name: name, created: created, chain: chain, kind: content)
    }

    /// Checks the code, where there is a passphrase, and opens what the passphrases open.
    func opened(passphrase: Secret?, keyPassphrase: Secret?) throws(KeyStoreError) -> KeyStore {
        var work = KeyStoreWork(.bks)
        var integrity = KeyStore.Integrity.unchecked("HMAC-SHA-1")
        if let passphrase {
            guard try isIntact(underOneOf: passphrase.javaReadings, &work) else { throw .wrongPassphrase(.bks) }
            integrity = .verified("HMAC-SHA-1")
        }
        let passphrases = [passphrase, keyPassphrase].compactMap(\.self).flatMap(\.javaReadings)
        let entries = items.map { item in
            KeyStore.Entry(name: item.name, created: item.created, content: content(of: item, passphrases, &work))
        }
        return KeyStore(format: .bks, integrity: integrity, entries: entries)
    }

    private func isIntact(
        underOneOf passphrases: [Secret], _ work: inout KeyStoreWork
    ) throws(KeyStoreError) -> Bool {
        for passphrase in passphrases {
            try work.add(rounds)
            if isIntact(under: passphrase) { return true }
        }
        return false
    }

    private func isIntact(under passphrase: Secret) -> Bool {
        guard var secret = passphrase.isEmpty ? [] : passphrase.utf16BigEndian(isTerminated: true) else { return false }
        defer { secret.wipe() }
        // Version 1 takes the length of its key in bytes for one in bits: the key has 16 bits.
        let length = version == 2 ? Self.codeLength : 2
        guard
            var key = StoreDigest.pkcs12(secret, salt: bytes[salt], purpose: 3, rounds: rounds, count: length)
        else { return false }
        defer { key.wipe() }
        return areEqual(StoreDigest.hmacSHA1(key, bytes[body]), Array(bytes[code]))
    }

    private func content(
        of item: Item, _ passphrases: [Secret], _ work: inout KeyStoreWork
    ) -> KeyStore.Content {
        let chain = item.chain.decoded(in: bytes, of: .bks)
        switch item.kind {
        case .certificate(let stored): return stored.content(in: bytes, isTrusted: true)
        case .key(let key): return key.content(in: bytes, chain: chain)
        case .foreign: return .other("a protected key of a kind that the store does not tell")
        case .sealed(let range):
            do throws(KeyStoreError) {
                guard !passphrases.isEmpty else { throw .passphraseNeeded(.bks) }
                for passphrase in passphrases {
                    if let content = try open(range, with: passphrase, chain, &work) { return content }
                }
                throw .wrongKeyPassphrase(.bks)
            } catch {
                return .closedKey(error, chain.certificates)
            }
        }
    }

    /// Opens a sealed key: salt and rounds, then Triple DES with key and vector derived as in PKCS#12. Nil where the passphrase is
    /// wrong.
    private func open(
        _ range: Range<Int>, with passphrase: Secret, _ chain: (certificates: [Certificate], fault: KeyStoreError?),
        _ work: inout KeyStoreWork
    ) throws(KeyStoreError) -> KeyStore.Content? {
        var reader = JavaDataReader(bytes, in: range, format: .bks)
        let salt = bytes[try reader.readBlock()]
        let rounds = try reader.readInt32()
        try work.add(rounds)
        guard var secret = passphrase.utf16BigEndian(isTerminated: true) else { return nil }
        defer { secret.wipe() }
        guard
            var key = StoreDigest.pkcs12(secret, salt: salt, purpose: 1, rounds: rounds, count: 24),
            var vector = StoreDigest.pkcs12(secret, salt: salt, purpose: 2, rounds: rounds, count: 8)
        else { return nil }
        defer {
            key.wipe()
            vector.wipe()
        }
        guard
            var opened = StoreDigest.decryptTripleDES(
                bytes[reader.position..<range.upperBound], key: key, vector: vector)
        else { return nil }
        defer { opened.wipe() }
        var inner = JavaDataReader(opened, format: .bks)
        // A wrong key leaves valid padding once in 256 times; what it leaves is no key then.
        guard let sealed = try? BouncyCastleKey(&inner), inner.remaining == 0 else { return nil }
        return sealed.content(in: opened, chain: chain)
    }
}

/// A key as Bouncy Castle writes it: what it is, in which form, for which algorithm, and the form itself.
struct BouncyCastleKey {
    private let kind: UInt8
    private let form: String
    private let algorithm: String
    private let contents: Range<Int>

    init(_ reader: inout JavaDataReader) throws(KeyStoreError) {
        let start = reader.position
        kind = try reader.readByte()
        guard kind <= 2 else { throw .malformed(.bks, "a key of the unknown kind \(kind)", at: start) }
        form = try reader.readText()
        algorithm = try reader.readText()
        contents = try reader.readBlock()
    }

    /// What it is as an entry.
    func content(
        in bytes: [UInt8], chain: (certificates: [Certificate], fault: KeyStoreError?)
    ) -> KeyStore.Content {
        switch kind {
        case 0 where form == "PKCS#8" || form == "PKCS8":
            let key = Result { () throws(KeyStoreError) in
                var der = Array(bytes[contents])
                defer { der.wipe() }
                do throws(PrivateKeyError) { return try PrivateKey(der: der) } catch { throw .privateKey(error) }
            }
            return KeyStore.Content(key: key, chain: chain)
        case 0: return .other("a private key in the form \(printable(form))")
        case 1: return .other("a public key (\(printable(algorithm)))")
        default: return .other("a secret key (\(printable(algorithm)))")
        }
    }
}
