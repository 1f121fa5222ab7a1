/// What a PKCS#12 file is made of: how it is protected, what is in it, and which systems open it.
///
/// Most of it needs no passphrase; the names of what lies in an encrypted safe do.
///
/// ```swift
/// let description = try PKCS12Description(bytes)
/// for support in description.support where support.answer == .refuses { print(support) }
/// ```
public struct PKCS12Description: Sendable {
    /// The integrity code; nil where the file has none.
    public let integrity: Integrity?
    /// The safes, in order.
    public let safes: [Safe]
    /// Whether the file is BER and not DER: lengths that are indefinite or too long, strings in pieces.
    public let isBER: Bool
    /// The size of the file in bytes.
    public let byteCount: Int
    /// Whether a passphrase was given that is not all of printable ASCII, of which some systems make nothing.
    public let hasPassphraseBeyondASCII: Bool
    /// What the passphrase has opened; nil where none was given.
    public let store: KeyStore?
    /// Certificates that an identity's chain needs and the file has not; empty where no passphrase was given.
    public let gaps: [ChainGap]

    /// The integrity code.
    public struct Integrity: Sendable, Hashable {
        /// Its kind, for example `HMAC-SHA-256` or `PBMAC1 with HMAC-SHA-256`.
        public let name: String
        /// Rounds of derivation; nil where the kind is not known here.
        public let rounds: Int?
        /// The salt, in bytes; nil where the kind is not known here.
        public let saltLength: Int?
    }

    /// A part of the file that is encrypted as a whole, or not.
    public struct Safe: Sendable, Hashable {
        /// How it is encrypted; nil where it is not.
        public let protection: Protection?
        /// Its bags; nil where they cannot be seen without the passphrase.
        public let bags: [Bag]?
    }

    /// How a safe or a key is encrypted.
    public struct Protection: Sendable, Hashable {
        /// The cipher, for example `AES-256-CBC`; what stands there where it is not known here.
        public let cipher: String
        /// The derivation of the key, for example `PBKDF2 with HMAC-SHA-256, 600000 rounds`; nil where it is not known here.
        public let derivation: String?
        /// Its rounds; nil for scrypt and where they are not known here.
        public let rounds: Int?
        /// Its salt, in bytes.
        public let saltLength: Int?
        /// Whether OpenSSL 3 needs its legacy provider for it.
        public let needsLegacyProvider: Bool
        /// What kind of scheme it is.
        public let scheme: Scheme
    }

    /// Kinds of encryption schemes.
    public enum Scheme: String, Sendable, Hashable {
        /// RFC 8018, section 6.2, with PBKDF2.
        case pbes2 = "PBES2"
        /// RFC 8018, section 6.2, with scrypt (RFC 7914).
        case pbes2Scrypt = "PBES2 with scrypt"
        /// RFC 8018, section 6.1.
        case pbes1 = "PBES1"
        /// RFC 7292, appendix C.
        case pkcs12 = "PKCS#12"
        /// Not known here.
        case unknown
    }

    /// A bag.
    public struct Bag: Sendable, Hashable {
        /// What is in it: `certificate`, `encrypted private key`, `private key`, or other words.
        public let kind: String
        /// The subject of a certificate.
        public let subject: String?
        /// How it is encrypted by itself; nil where it is not.
        public let protection: Protection?
        /// The name that programs show to people.
        public let friendlyName: String?
        /// What a key and its certificate have in common, in hexadecimal.
        public let localKeyID: String?
        /// Whether Java takes it for an anchor.
        public let isTrusted: Bool
    }

    /// A certificate that is missing.
    public struct ChainGap: Sendable, Hashable {
        /// The subject of the certificate whose issuer is missing.
        public let certificate: String
        /// The issuer that is missing.
        public let issuer: String
        /// Whether the certificate is the identity's own: then servers that know only the root cannot find the way.
        public let isLeaf: Bool
    }

    /// Takes a file apart and describes it.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - passphrase: its passphrase; nil to describe what can be seen without.
    ///   - keyPassphrase: that of the keys and certificates where it is another.
    /// - Throws: ``KeyStoreError``: it is no such file or is damaged, or a passphrase was given and does not open it.
    public init(
        _ bytes: [UInt8], passphrase: Secret? = nil, keyPassphrase: Secret? = nil
    ) throws(KeyStoreError) {
        let file = try PKCS12File(bytes)
        byteCount = bytes.count
        isBER = file.isBER
        integrity = file.integrity.map(Integrity.init)
        hasPassphraseBeyondASCII = passphrase.map { !$0.isPrintableASCII } ?? false
        var opener = PKCS12Opener(tools: PasswordTools())
        if passphrase == nil {
            store = nil
            gaps = []
            var safes: [Safe] = []
            for (index, safe) in file.safes.enumerated() { safes.append(try Safe(safe, index, opened: nil)) }
            self.safes = safes
        } else {
            let opened = try opener.openSafes(file, passphrase, keyPassphrase)
            store = opened.store
            gaps = ChainGap.find(in: opened.store)
            var safes: [Safe] = []
            for (index, safe) in file.safes.enumerated() {
                safes.append(try Safe(safe, index, opened: opened.bags[index]))
            }
            self.safes = safes
        }
    }

    /// Every way in which something in the file is encrypted, as far as it can be seen.
    public var protections: [Protection] {
        safes.flatMap { safe in
            [safe.protection].compactMap(\.self) + (safe.bags ?? []).compactMap(\.protection)
        }
    }
}

extension PKCS12Description.Integrity {
    fileprivate init(_ code: PKCS12Integrity) {
        name = code.name
        let derivation: PasswordDerivation? =
            switch code.way {
            case .hmac(_, let derivation), .pbmac1(_, let derivation, _): derivation
            case nil: nil
            }
        rounds = derivation?.rounds
        saltLength = derivation?.saltLength
    }
}

extension PKCS12Description.Safe {
    fileprivate init(_ safe: PKCS12File.Safe, _ index: Int, opened: [PKCS12Bag]?) throws(KeyStoreError) {
        switch safe {
        case .plain(let contents):
            protection = nil
            if let opened {
                bags = opened.map(PKCS12Description.Bag.init)
            } else {
                bags = try PKCS12Bag.read(contents, safe: index).map(PKCS12Description.Bag.init)
            }
        case .encrypted(let algorithm, _):
            protection = PKCS12Description.Protection(algorithm: algorithm)
            bags = opened?.map(PKCS12Description.Bag.init)
        case .unsupported(let name):
            protection = PKCS12Description.Protection(unknown: name)
            bags = nil
        }
    }
}

extension PKCS12Description.Protection {
    fileprivate init(algorithm: [UInt8]) {
        var reader = DERReader(algorithm)
        do {
            let scheme = try PasswordScheme(&reader)
            let kind: PKCS12Description.Scheme =
                switch scheme.derivation {
                case .pkcs12: .pkcs12
                case .pbkdf1: .pbes1
                case .pbkdf2: .pbes2
                case .scrypt: .pbes2Scrypt
                }
            self.init(
                cipher: scheme.cipher.name, derivation: scheme.derivation.description, rounds: scheme.derivation.rounds,
                saltLength: scheme.derivation.saltLength, needsLegacyProvider: scheme.cipher.isLegacy, scheme: kind)
        } catch KeyStoreError.unsupportedCipher(_, let name) {
            self.init(unknown: name)
        } catch {
            self.init(unknown: "\(error)")
        }
    }

    fileprivate init(unknown name: String) {
        self.init(
            cipher: name, derivation: nil, rounds: nil, saltLength: nil, needsLegacyProvider: false, scheme: .unknown)
    }
}

extension PKCS12Description.Bag {
    fileprivate init(_ bag: PKCS12Bag) {
        var protection: PKCS12Description.Protection?
        var subject: String?
        switch bag.content {
        case .key: kind = "private key"
        case .shroudedKey(let algorithm, _):
            kind = "encrypted private key"
            protection = PKCS12Description.Protection(algorithm: algorithm)
        case .certificate(let der):
            let certificate = try? Certificate(der: der)
            kind = certificate == nil ? "a certificate that cannot be read" : "certificate"
            subject = certificate?.nameInErrors
        case .other(let name): kind = name
        }
        self.protection = protection
        self.subject = subject
        friendlyName = bag.friendlyName
        localKeyID = bag.localKeyID.map { hexadecimal($0) }
        isTrusted = bag.isTrusted
    }
}

extension PKCS12Description.ChainGap {
    /// The ends of the identities' chains that are not self-issued.
    package static func find(in store: KeyStore) -> [PKCS12Description.ChainGap] {
        var seen: Set<PKCS12Description.ChainGap> = []
        return store.identities.flatMap { entry in
            let all = entry.identity.certificates
            let subjects = Set(all.map(\.subject))
            return all.filter { !$0.isSelfIssued && !subjects.contains($0.issuer) }.map {
                PKCS12Description.ChainGap(
                    certificate: $0.nameInErrors, issuer: $0.issuer.description,
                    isLeaf: $0 == entry.identity.certificate)
            }
        }
        .filter { seen.insert($0).inserted }
    }
}

extension PasswordDerivation {
    /// The rounds; nil for scrypt.
    var rounds: Int? {
        switch self {
        case .pkcs12(_, _, let rounds), .pbkdf1(_, _, let rounds), .pbkdf2(_, _, let rounds, _): rounds
        case .scrypt: nil
        }
    }

    /// The salt in bytes.
    var saltLength: Int {
        switch self {
        case .pkcs12(_, let salt, _), .pbkdf1(_, let salt, _), .pbkdf2(_, let salt, _, _), .scrypt(let salt, _, _, _):
            salt.count
        }
    }
}
