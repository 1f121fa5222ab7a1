/// A way to encrypt with a passphrase: PBES2 and PBES1 (RFC 8018) and PKCS#12's own (RFC 7292, appendix C).
struct PasswordScheme: Hashable {
    /// How the key comes from the passphrase.
    let derivation: PasswordDerivation
    /// What it is encrypted with.
    let cipher: PasswordCipher

    /// Makes a scheme.
    init(derivation: PasswordDerivation, cipher: PasswordCipher) {
        self.derivation = derivation
        self.cipher = cipher
    }

    /// Reads an AlgorithmIdentifier.
    ///
    /// - Throws: `DERError` where it is not well formed, `KeyStoreError` where the scheme is not known here.
    init(_ reader: inout DERReader) throws {
        let outer = try reader.enter(.sequence)
        let scheme = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
        if scheme == PKCS12OID.pbes2 {
            let parameters = try reader.enter(.sequence)
            let derivation = try PasswordDerivation(pbes2: &reader)
            cipher = try PasswordCipher(pbes2: &reader)
            self.derivation = derivation
            try reader.leave(parameters)
        } else if let (hash, cipher) = Self.schemeOfPKCS12(scheme) ?? Self.schemeOfPBES1(scheme) {
            let parameters = try reader.enter(.sequence)
            let salt = Array(reader.bytes[try reader.read(.octetString)])
            let rounds = try PasswordDerivation.readRounds(&reader)
            try reader.leave(parameters)
            let isPKCS12 = scheme.octets.dropLast() == PKCS12OID.pkcs12Schemes.octets[...]
            derivation = isPKCS12 ? .pkcs12(hash, salt, rounds: rounds) : .pbkdf1(hash, salt, rounds: rounds)
            self.cipher = cipher
        } else {
            throw KeyStoreError.unsupportedCipher(.pkcs12, AlgorithmNames.name(scheme))
        }
        try reader.leave(outer)
    }

    /// The schemes of RFC 7292, appendix C.
    private static func schemeOfPKCS12(_ scheme: OID) -> (OID, PasswordCipher)? {
        guard scheme.octets.dropLast() == PKCS12OID.pkcs12Schemes.octets[...] else { return nil }
        let cipher: PasswordCipher? =
            switch scheme.octets.last {
            case 1: PasswordCipher(name: "RC4-128", fetched: "RC4", keyLength: 16, isLegacy: true)
            case 2: PasswordCipher(name: "RC4-40", fetched: "RC4-40", keyLength: 5, isLegacy: true)
            case 3: PasswordCipher(name: "3DES-CBC", fetched: "DES-EDE3-CBC", keyLength: 24, blockLength: 8)
            case 4:
                PasswordCipher(name: "3DES-CBC with two keys", fetched: "DES-EDE-CBC", keyLength: 16, blockLength: 8)
            case 5:
                PasswordCipher(name: "RC2-128-CBC", fetched: "RC2-CBC", keyLength: 16, blockLength: 8, isLegacy: true)
            case 6:
                PasswordCipher(name: "RC2-40-CBC", fetched: "RC2-40-CBC", keyLength: 5, blockLength: 8, isLegacy: true)
            default: nil
            }
        return cipher.map { (PKCS12OID.sha1, $0) }
    }

    /// The schemes of RFC 8018, appendix A.3; those with MD2 are not among them.
    private static func schemeOfPBES1(_ scheme: OID) -> (OID, PasswordCipher)? {
        guard scheme.octets.dropLast() == PKCS12OID.pbes1.octets[...] else { return nil }
        let des = PasswordCipher(name: "DES-CBC", fetched: "DES-CBC", keyLength: 8, blockLength: 8, isLegacy: true)
        let rc2 = PasswordCipher(
            name: "RC2-64-CBC", fetched: "RC2-64-CBC", keyLength: 8, blockLength: 8, isLegacy: true)
        return switch scheme.octets.last {
        case 3: (PKCS12OID.md5, des)
        case 6: (PKCS12OID.md5, rc2)
        case 10: (PKCS12OID.sha1, des)
        case 11: (PKCS12OID.sha1, rc2)
        default: nil
        }
    }
}

extension PasswordScheme: CustomStringConvertible {
    /// For example `AES-256-CBC, key by PBKDF2 with HMAC-SHA-256, 600000 rounds`.
    var description: String { "\(cipher.name), key by \(derivation)" }
}

/// A cipher by OpenSSL's name, and what it takes.
struct PasswordCipher: Hashable {
    /// The name that people use.
    let name: String
    /// OpenSSL's name for it.
    let fetched: String
    /// The key in bytes; nil where OpenSSL knows it.
    let keyLength: Int?
    /// The initialization vector where the file says it.
    let vector: [UInt8]?
    /// The initialization vector in bytes where it comes from the passphrase.
    let blockLength: Int
    /// Whether only OpenSSL's legacy provider has it.
    let isLegacy: Bool

    /// Names a cipher.
    init(
        name: String, fetched: String, keyLength: Int?, vector: [UInt8]? = nil, blockLength: Int = 0,
        isLegacy: Bool = false
    ) {
        self.name = name
        self.fetched = fetched
        self.keyLength = keyLength
        self.vector = vector
        self.blockLength = blockLength
        self.isLegacy = isLegacy
    }

    /// Reads the encryption scheme of PBES2 (RFC 8018, appendix A.4): a block cipher in CBC mode.
    init(pbes2 reader: inout DERReader) throws {
        let outer = try reader.enter(.sequence)
        let identifier = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
        if identifier == PKCS12OID.rc2CBC {
            // RC2-CBC-Parameter (RFC 8018, appendix B.2.3): the effective bits by their odd codes, then the vector.
            let parameters = try reader.enter(.sequence)
            let code = reader.next(is: .integer) ? try reader.readSmallInteger() : 0
            let vector = Array(reader.bytes[try reader.read(.octetString)])
            try reader.leave(parameters)
            let bits = [160: 40, 120: 64, 58: 128][code]
            guard let bits else { throw KeyStoreError.unsupportedCipher(.pkcs12, "RC2 with parameter \(code)") }
            self.init(
                name: "RC2-\(bits)-CBC", fetched: bits == 128 ? "RC2-CBC" : "RC2-\(bits)-CBC", keyLength: bits / 8,
                vector: vector, isLegacy: true)
        } else {
            let name = AlgorithmNames.name(identifier)
            guard reader.next(is: .octetString) else { throw KeyStoreError.unsupportedCipher(.pkcs12, name) }
            let vector = Array(reader.bytes[try reader.read(.octetString)])
            self.init(
                name: name, fetched: identifier.description, keyLength: nil, vector: vector,
                isLegacy: name == "DES-CBC")
        }
        try reader.leave(outer)
    }
}

/// How a key comes from a passphrase, with its salt and its rounds.
enum PasswordDerivation: Hashable {
    /// PKCS#12's own way (RFC 7292, appendix B), with a digest.
    case pkcs12(OID, [UInt8], rounds: Int)
    /// PBKDF1 (RFC 8018, section 5.1), with a digest.
    case pbkdf1(OID, [UInt8], rounds: Int)
    /// PBKDF2 (RFC 8018, section 5.2), with an HMAC function; the length of the key where the file says it.
    case pbkdf2(OID, [UInt8], rounds: Int, keyLength: Int?)
    /// scrypt (RFC 7914): salt, cost, block size, parallelization.
    case scrypt([UInt8], cost: Int, blockSize: Int, parallelization: Int)

    /// Reads the key derivation function of PBES2 or PBMAC1 (RFC 8018, appendix A.2; RFC 7914, section 7).
    init(pbes2 reader: inout DERReader) throws {
        let outer = try reader.enter(.sequence)
        let identifier = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
        switch identifier {
        case PKCS12OID.pbkdf2:
            let parameters = try reader.enter(.sequence)
            let salt = Array(reader.bytes[try reader.read(.octetString)])
            let rounds = try Self.readRounds(&reader)
            let keyLength = reader.next(is: .integer) ? try reader.readSmallInteger(upTo: 1_024) : nil
            var function = PKCS12OID.hmacSHA1
            if !reader.isAtEnd {
                let inner = try reader.enter(.sequence)
                function = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
                if !reader.isAtEnd { try reader.readNull() }
                try reader.leave(inner)
            }
            try reader.leave(parameters)
            self = .pbkdf2(function, salt, rounds: rounds, keyLength: keyLength)
        case PKCS12OID.scrypt:
            let parameters = try reader.enter(.sequence)
            let salt = Array(reader.bytes[try reader.read(.octetString)])
            let numbers = [try Self.readRounds(&reader), try Self.readRounds(&reader), try Self.readRounds(&reader)]
            if reader.next(is: .integer) { _ = try reader.readSmallInteger() }
            try reader.leave(parameters)
            self = .scrypt(salt, cost: numbers[0], blockSize: numbers[1], parallelization: numbers[2])
        default:
            throw KeyStoreError.unsupportedCipher(.pkcs12, "a key by \(AlgorithmNames.name(identifier))")
        }
        try reader.leave(outer)
    }

    /// Reads a count of rounds: at least one, and no more than are done.
    static func readRounds(_ reader: inout DERReader) throws -> Int {
        let place = reader.position
        let octets = try reader.readInteger()
        guard reader.bytes[octets.lowerBound] & 0x80 == 0 else { throw DERError(.integerOutOfRange, at: place) }
        let rounds = octets.count > 7 ? Int.max : octets.reduce(0) { $0 << 8 | Int(reader.bytes[$1]) }
        guard rounds > 0 else { throw DERError(.integerOutOfRange, at: place) }
        guard rounds <= KeyDerivation.mostRounds else {
            throw KeyStoreError.tooMuchWork(.pkcs12, rounds: rounds, limit: KeyDerivation.mostRounds)
        }
        return rounds
    }
}

extension PasswordDerivation: CustomStringConvertible {
    /// For example `PBKDF2 with HMAC-SHA-256, 600000 rounds`.
    var description: String {
        switch self {
        case .pkcs12(let hash, _, let rounds):
            "PKCS#12's own derivation with \(AlgorithmNames.name(hash)), \(rounds) rounds"
        case .pbkdf1(let hash, _, let rounds): "PBKDF1 with \(AlgorithmNames.name(hash)), \(rounds) rounds"
        case .pbkdf2(let function, _, let rounds, _): "PBKDF2 with \(AlgorithmNames.name(function)), \(rounds) rounds"
        case .scrypt(_, let cost, let blockSize, let parallelization):
            "scrypt, cost \(cost), block size \(blockSize), parallelization \(parallelization)"
        }
    }
}
