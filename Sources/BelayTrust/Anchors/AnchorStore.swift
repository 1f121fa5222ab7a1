import BelayCertificates

/// Certificates that are trusted, indexed by their subjects. A path that reaches one of them ends there.
///
/// A store never changes. Making one costs about a microsecond a certificate, so that programs keep it.
public final class AnchorStore: Sendable {
    /// The certificates, in the order in which they were given, without duplicates.
    public let certificates: [Certificate]
    /// Findings from loading, for example malformed certificates of the machine's store that were passed over.
    public let findings: [Finding]
    /// Where the certificates came from, for people; for example a path.
    public let origin: String?

    private let entries: [UInt64: [Entry]]

    /// A store without certificates: nothing is trusted.
    public static let empty = AnchorStore([])

    /// Indexes certificates.
    ///
    /// - Parameters:
    ///   - certificates: the anchors.
    ///   - origin: where they came from, for people.
    ///   - findings: what was noticed while they were read.
    ///   - isShipped: whether an anchor came with the system, as opposed to one that somebody added; Apple's rules on
    ///     lifetimes ask. By default none did.
    public init(
        _ certificates: [Certificate], origin: String? = nil, findings: [Finding] = [],
        isShipped: @escaping @Sendable (Certificate) -> Bool = { _ in false }
    ) {
        var unique: [Certificate] = []
        var entries: [UInt64: [Entry]] = [:]
        unique.reserveCapacity(certificates.count)
        entries.reserveCapacity(certificates.count)
        for certificate in certificates {
            let key = certificate.subject.canonicalHash
            if entries[key]?.contains(where: { $0.certificate == certificate }) == true { continue }
            entries[key, default: []].append(Entry(certificate, isShipped: isShipped))
            unique.append(certificate)
        }
        self.certificates = unique
        self.entries = entries
        self.origin = origin
        self.findings = findings
    }

    /// Whether a certificate is one of the anchors, byte for byte.
    public func contains(_ certificate: Certificate) -> Bool {
        entry(for: certificate, hash: certificate.subject.canonicalHash) != nil
    }

    /// Whether a certificate is one of the anchors and came with the system.
    func isShipped(_ certificate: Certificate) -> Bool {
        entry(for: certificate, hash: certificate.subject.canonicalHash)?.isShipped ?? false
    }

    func entry(for certificate: Certificate, hash: UInt64) -> Entry? {
        entries[hash]?.first { $0.certificate == certificate }
    }

    /// The anchors with a subject of this hash; the caller compares the names.
    func entries(subjectHash: UInt64) -> [Entry] {
        entries[subjectHash] ?? []
    }

    /// An anchor and its decoded key.
    final class Entry: Sendable {
        let certificate: Certificate
        private let wasShipped: @Sendable (Certificate) -> Bool
        // Decoded at first use: a machine has some 150 anchors, and a program meets two or three of them.
        private let key = Protected<VerificationKey??>(nil)

        init(_ certificate: Certificate, isShipped: @escaping @Sendable (Certificate) -> Bool) {
            self.certificate = certificate
            wasShipped = isShipped
        }

        /// Whether the anchor came with the system.
        var isShipped: Bool { wasShipped(certificate) }

        var verificationKey: VerificationKey? {
            key.withLock { stored in
                if let known = stored { return known }
                let made = VerificationKey(certificate.publicKey)
                stored = .some(made)
                return made
            }
        }
    }
}
