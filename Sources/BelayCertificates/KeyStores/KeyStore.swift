import FoundationEssentials

/// What a file with several certificates and keys holds: PKCS#12, Java's JKS and JCEKS, Bouncy Castle's BKS, PKCS#7.
///
/// ```swift
/// let store = try KeyStore.read(contentsOf: "client.p12", passphrase: secret)
/// for entry in store.entries { print(entry.name ?? "(no name)", entry.content) }
/// ```
public struct KeyStore: Sendable {
    /// What kind of file it is.
    public let format: Format
    /// What showed that nobody changed it.
    public let integrity: Integrity
    /// What is in it, in the order of the file.
    public let entries: [Entry]

    /// Puts a store together.
    public init(format: Format, integrity: Integrity, entries: [Entry]) {
        self.format = format
        self.integrity = integrity
        self.entries = entries
    }

    /// Kinds of files.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// PKCS#12 (RFC 7292).
        case pkcs12
        /// Java's own, "JKS".
        case jks
        /// Java's with the stronger key protection, "JCEKS".
        case jceks
        /// Bouncy Castle's, "BKS".
        case bks
        /// A bundle of certificates, PKCS#7 SignedData (RFC 2315).
        case pkcs7
        /// PEM.
        case pem
        /// A single object in DER.
        case der
    }

    /// What showed that nobody changed the file.
    public enum Integrity: Sendable, Hashable {
        /// Its code was computed with the passphrase and is right; which code, for example `HMAC-SHA-256`.
        case verified(String)
        /// It has a code that was not checked, since there was no passphrase.
        case unchecked(String)
        /// A file of this kind, or this file, has none.
        case none
    }

    /// One thing in a store.
    public struct Entry: Sendable {
        /// Its alias or friendly name.
        public let name: String?
        /// When it was put in, where the format says so.
        public let created: Date?
        /// What it is.
        public let content: Content

        /// An entry.
        public init(name: String?, created: Date? = nil, content: Content) {
            self.name = name
            self.created = created
            self.content = content
        }
    }

    /// What an entry is.
    public enum Content: Sendable {
        /// A private key with its certificate and those that lead from it to an authority.
        case identity(Identity)
        /// A private key without a certificate of its own.
        case privateKey(PrivateKey)
        /// A private key whose certificates are not its own.
        case mismatch(PrivateKey, [Certificate])
        /// A certificate alone; whether the format marks it as trusted.
        case certificate(Certificate, isTrusted: Bool)
        /// A private key that the passphrase did not open or that cannot be read, with its certificates.
        case closedKey(KeyStoreError, [Certificate])
        /// A certificate that cannot be read.
        case malformedCertificate(DERError)
        /// A revocation list.
        case revocationList(RevocationList)
        /// Something that is neither certificate nor private key, in words, for example `a secret key (AES)`.
        case other(String)
    }

    /// The identities, with their names.
    public var identities: [(name: String?, identity: Identity)] {
        entries.compactMap { entry in
            if case .identity(let identity) = entry.content { (entry.name, identity) } else { nil }
        }
    }

    /// The revocation lists, in the order of the file.
    public var revocationLists: [RevocationList] {
        entries.compactMap { if case .revocationList(let list) = $0.content { list } else { nil } }
    }

    /// Every certificate once, those of identities included, in the order of the file.
    public var certificates: [Certificate] {
        var seen: Set<Certificate> = []
        return entries.flatMap(\.certificates).filter { seen.insert($0).inserted }
    }
}

extension KeyStore.Entry {
    /// The entry's certificates, that of the key first.
    public var certificates: [Certificate] {
        switch content {
        case .identity(let identity): identity.certificates
        case .mismatch(_, let certificates), .closedKey(_, let certificates): certificates
        case .certificate(let certificate, _): [certificate]
        case .privateKey, .malformedCertificate, .revocationList, .other: []
        }
    }
}

extension KeyStore.Format: CustomStringConvertible {
    /// The name people use, for example `PKCS#12`.
    public var description: String {
        switch self {
        case .pkcs12: "PKCS#12"
        case .jks: "JKS"
        case .jceks: "JCEKS"
        case .bks: "BKS"
        case .pkcs7: "PKCS#7"
        case .pem: "PEM"
        case .der: "DER"
        }
    }
}
