import FoundationEssentials

/// Reads Java's own key stores, JKS and JCEKS, in both versions.
///
/// No document describes them; what is known comes from files that `keytool` makes. After magic number, version and count stand
/// the entries one after the other, and at the end a SHA-1 digest over passphrase, a fixed text and everything before it.
struct JavaKeyStore {
    private let bytes: [UInt8]
    private let format: KeyStore.Format
    private let items: [Item]
    /// Where the digest begins.
    private let end: Int

    private struct Item {
        let name: String
        let created: Date?
        let kind: Kind
    }

    private enum Kind {
        case key(protected: Range<Int>, [StoredCertificate])
        case certificate(StoredCertificate)
        case secretKey(cipher: String?)
    }

    /// The format of a file that begins with one of the two magic numbers.
    static func format(of bytes: [UInt8]) -> KeyStore.Format? {
        if bytes.starts(with: [0xFE, 0xED, 0xFE, 0xED]) { return .jks }
        return bytes.starts(with: [0xCE, 0xCE, 0xCE, 0xCE]) ? .jceks : nil
    }

    /// Walks the whole file; decrypts nothing.
    init(_ bytes: [UInt8]) throws(KeyStoreError) {
        guard let format = Self.format(of: bytes) else { throw .notAKeyStore(found: "no Java key store") }
        var reader = JavaDataReader(bytes, format: format)
        _ = try reader.take(4)
        let version = try reader.readInt32()
        guard version == 1 || version == 2 else { throw .unsupportedVersion(format, version) }
        let count = try reader.readInt32()
        guard count >= 0 else { throw .malformed(format, "\(count) entries", at: 8) }
        var items: [Item] = []
        for _ in 0..<count { items.append(try Self.readItem(&reader, version: version)) }
        end = reader.position
        _ = try reader.take(Self.digestLength)
        guard reader.remaining == 0 else {
            throw .malformed(format, "bytes after the end", at: reader.position)
        }
        (self.bytes, self.format, self.items) = (bytes, format, items)
    }

    /// Checks the digest, where there is a passphrase, and opens what the passphrases open.
    func opened(passphrase: Secret?, keyPassphrase: Secret?) throws(KeyStoreError) -> KeyStore {
        var integrity = KeyStore.Integrity.unchecked("SHA-1")
        if let passphrase {
            guard passphrase.javaReadings.contains(where: isIntact) else { throw .wrongPassphrase(format) }
            integrity = .verified("SHA-1")
        }
        let passphrases = [passphrase, keyPassphrase].compactMap(\.self).flatMap(\.javaReadings)
        var work = KeyStoreWork(format)
        let entries = items.map { item in
            KeyStore.Entry(name: item.name, created: item.created, content: content(of: item, passphrases, &work))
        }
        return KeyStore(format: format, integrity: integrity, entries: entries)
    }

    private func content(
        of item: Item, _ passphrases: [Secret], _ work: inout KeyStoreWork
    ) -> KeyStore.Content {
        switch item.kind {
        case .certificate(let stored): return stored.content(in: bytes, isTrusted: true)
        case .secretKey(let cipher):
            return .other("a secret key" + (cipher.map { " (sealed with \(printable($0)))" } ?? ""))
        case .key(let range, let chain):
            let key = Result { () throws(KeyStoreError) in
                try JavaKeyProtection(bytes, in: range, format: format).open(passphrases, &work)
            }
            return KeyStore.Content(key: key, chain: chain.decoded(in: bytes, of: format))
        }
    }

    private static func readItem(_ reader: inout JavaDataReader, version: Int) throws(KeyStoreError) -> Item {
        let start = reader.position
        let tag = try reader.readInt32()
        let name = try reader.readText()
        let created = try reader.readDate()
        let kind: Kind
        switch tag {
        case 1:
            let key = try reader.readBlock()
            let count = try reader.readInt32()
            guard count >= 0 else {
                throw .malformed(reader.format, "a chain of \(count) certificates", at: reader.position - 4)
            }
            var chain: [StoredCertificate] = []
            for _ in 0..<count { chain.append(try StoredCertificate(&reader, hasType: version == 2)) }
            kind = .key(protected: key, chain)
        case 2:
            kind = .certificate(try StoredCertificate(&reader, hasType: version == 2))
        case 3 where reader.format == .jceks:
            var object = JavaSerializedObject(reader)
            kind = .secretKey(cipher: try object.skip())
            reader = object.reader
        default:
            throw .malformed(reader.format, "an entry of the unknown kind \(tag)", at: start)
        }
        return Item(name: name, created: created, kind: kind)
    }

    private static let digestLength = 20

    /// Whether the digest at the end was made with this passphrase.
    private func isIntact(under passphrase: Secret) -> Bool {
        guard var secret = passphrase.utf16BigEndian(isTerminated: false) else { return false }
        defer { secret.wipe() }
        let digest = secret.withUnsafeBytes { secret in
            Self.whitener.withUnsafeBytes { whitener in
                bytes.withUnsafeBytes {
                    StoreDigest.sha1(secret, whitener, UnsafeRawBufferPointer(rebasing: $0[..<end]))
                }
            }
        }
        return areEqual(digest, Array(bytes[end...]))
    }

    /// What Java puts between the passphrase and the contents.
    private static let whitener = Array("Mighty Aphrodite".utf8)
}

/// How much key derivation a file has asked for so far, all of its entries together.
struct KeyStoreWork {
    private let format: KeyStore.Format
    private var rounds = 0

    init(_ format: KeyStore.Format) {
        self.format = format
    }

    /// Four keys with the most that one may ask for.
    static let mostRounds = 4 * KeyDerivation.mostRounds

    /// Counts rounds before they are done.
    mutating func add(_ more: Int) throws(KeyStoreError) {
        guard more > 0 else { throw .malformed(format, "\(more) rounds of key derivation", at: nil) }
        guard more <= KeyDerivation.mostRounds else {
            throw .tooMuchWork(format, rounds: more, limit: KeyDerivation.mostRounds)
        }
        guard rounds + more <= Self.mostRounds else {
            throw .tooMuchWork(format, rounds: rounds + more, limit: Self.mostRounds)
        }
        rounds += more
    }
}
