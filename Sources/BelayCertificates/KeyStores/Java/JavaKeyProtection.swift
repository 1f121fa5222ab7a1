/// A private key as Java's own key stores protect it: an EncryptedPrivateKeyInfo (RFC 5958, section 3) with one of two schemes that
/// only Java has.
struct JavaKeyProtection {
    private let format: KeyStore.Format
    private let scheme: Scheme
    private let data: ArraySlice<UInt8>

    private enum Scheme {
        /// A stream from SHA-1, of JKS.
        case stream
        /// PBEWithMD5AndTripleDES, of JCEKS.
        case tripleDES(salt: [UInt8], rounds: Int)
    }

    init(_ bytes: [UInt8], in range: Range<Int>, format: KeyStore.Format) throws(KeyStoreError) {
        self.format = format
        let info: (identifier: OID, parameters: Range<Int>, data: Range<Int>)
        do throws(DERError) { info = try Self.read(bytes, range) } catch {
            throw .malformed(format, "a protected key: \(error.reason)", at: error.offset)
        }
        switch info.identifier {
        case Self.stream: scheme = .stream
        case Self.tripleDES:
            do throws(DERError) { scheme = try Self.readTripleDES(bytes, info.parameters) } catch {
                throw .malformed(format, "the parameters of a protected key: \(error.reason)", at: error.offset)
            }
        default: throw .unsupportedCipher(format, "the scheme \(info.identifier)")
        }
        data = bytes[info.data]
    }

    private static func read(
        _ bytes: [UInt8], _ range: Range<Int>
    ) throws(DERError) -> (identifier: OID, parameters: Range<Int>, data: Range<Int>) {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        let algorithm = try reader.enter(.sequence)
        let identifier = OID(octets: bytes[try reader.readObjectIdentifier()])
        let parameters = reader.isAtEnd ? reader.position..<reader.position : try reader.readAny().element
        try reader.leave(algorithm)
        let data = try reader.read(.octetString)
        try reader.leave(outer)
        try reader.finish()
        return (identifier, parameters, data)
    }

    private static func readTripleDES(_ bytes: [UInt8], _ range: Range<Int>) throws(DERError) -> Scheme {
        var reader = DERReader(bytes, in: range)
        let parameters = try reader.enter(.sequence)
        let salt = try reader.read(.octetString)
        let rounds = try reader.readSmallInteger()
        try reader.leave(parameters)
        guard salt.count == 8 else { throw DERError(.other("a salt of \(salt.count) bytes"), at: salt.lowerBound) }
        return .tripleDES(salt: Array(bytes[salt]), rounds: rounds)
    }

    /// Opens the key with the first passphrase that does.
    func open(_ passphrases: [Secret], _ work: inout KeyStoreWork) throws(KeyStoreError) -> PrivateKey {
        guard !passphrases.isEmpty else { throw .passphraseNeeded(format) }
        if case .tripleDES = scheme, !passphrases.contains(where: \.isPrintableASCII) {
            throw .unusablePassphrase(
                "Java takes nothing but ASCII for the keys of a \(format) file, and it has other characters. "
                    + "Give the passphrase of the key itself")
        }
        for passphrase in passphrases {
            guard var der = try decrypt(with: passphrase, &work) else { continue }
            defer { der.wipe() }
            do throws(PrivateKeyError) { return try PrivateKey(der: der) } catch { throw .privateKey(error) }
        }
        throw .wrongKeyPassphrase(format)
    }

    /// The PKCS#8 PrivateKeyInfo; nil where the passphrase is wrong.
    private func decrypt(with passphrase: Secret, _ work: inout KeyStoreWork) throws(KeyStoreError) -> [UInt8]? {
        switch scheme {
        case .stream: return try decryptStream(with: passphrase)
        case .tripleDES(let salt, let rounds):
            for halves in Self.halves(of: salt) {
                try work.add(rounds)
                guard var der = decryptTripleDES(with: passphrase, halves, rounds) else { continue }
                // A wrong key leaves valid padding once in 256 times; what it leaves is no PrivateKeyInfo then.
                if BinaryKind(der) == .privateKey { return der }
                der.wipe()
            }
            return nil
        }
    }

    /// Salt, the key combined with a stream of digests, and a digest that shows whether the passphrase is right.
    private func decryptStream(with passphrase: Secret) throws(KeyStoreError) -> [UInt8]? {
        let length = data.count - 40
        guard length > 0 else {
            throw .malformed(format, "a protected key of \(data.count) bytes", at: data.startIndex)
        }
        guard var secret = passphrase.utf16BigEndian(isTerminated: false) else { return nil }
        var stream = Array(data.prefix(20))
        var key = Array(data.dropFirst(20).prefix(length))
        defer {
            secret.wipe()
            stream.wipe()
        }
        for start in stride(from: 0, to: length, by: 20) {
            stream = secret.withUnsafeBytes { secret in stream.withUnsafeBytes { StoreDigest.sha1(secret, $0) } }
            for index in start..<min(start + 20, length) { key[index] ^= stream[index - start] }
        }
        let check = secret.withUnsafeBytes { secret in key.withUnsafeBytes { StoreDigest.sha1(secret, $0) } }
        guard areEqual(check, Array(data.suffix(20))) else {
            key.wipe()
            return nil
        }
        return key
    }

    private func decryptTripleDES(with passphrase: Secret, _ halves: [[UInt8]], _ rounds: Int) -> [UInt8]? {
        // Java takes nothing but ASCII here, so that no other passphrase can be the right one.
        guard passphrase.isPrintableASCII else { return nil }
        var derived = passphrase.withArray { Self.derive($0, halves, rounds) }
        var key = Array(derived.prefix(24))
        var vector = Array(derived.suffix(8))
        defer {
            derived.wipe()
            key.wipe()
            vector.wipe()
        }
        return StoreDigest.decryptTripleDES(data, key: key, vector: vector)
    }

    /// Key and initialization vector: MD5 over each half of the salt by itself.
    static func derive(_ passphrase: [UInt8], _ halves: [[UInt8]], _ rounds: Int) -> [UInt8] {
        halves.flatMap { StoreDigest.md5($0, then: passphrase, rounds: rounds) }
    }

    /// The salt as it is derived from. Where both halves are the same, Java turns the first round, which Java up to 8 did with a
    /// slip of an index: then it is one of two.
    static func halves(of salt: [UInt8]) -> [[[UInt8]]] {
        let (first, second) = (Array(salt.prefix(4)), Array(salt.dropFirst(4)))
        guard first == second, first.count == 4 else { return [[first, second]] }
        return [[first.reversed(), second], [[first[3], first[0], first[1], first[3]], second]]
    }

    private static let stream = OID(octets: [0x2B, 6, 1, 4, 1, 0x2A, 2, 17, 1, 1])
    private static let tripleDES = OID(octets: [0x2B, 6, 1, 4, 1, 0x2A, 2, 19, 1])
}
