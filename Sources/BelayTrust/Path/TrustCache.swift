import BelayCertificates

/// What evaluations may remember: decoded keys of issuers, and edges (issuer's key, certificate) whose signature held.
///
/// Both are facts that no policy, time or anchor can change, so that a cache can serve any number of evaluations. It is
/// bounded: when a table is full it is emptied, which costs one round of signature checks and needs no bookkeeping.
public final class TrustCache: Sendable {
    /// The most entries of each table.
    public let capacity: Int

    private struct Edge: Hashable {
        let issuerKey: SPKIPin
        let certificate: SHA256Digest
    }

    private struct Tables {
        var keys: [SPKIPin: VerificationKey] = [:]
        var edges: Set<Edge> = []
    }

    private let tables = Protected(Tables())
    private let anchorLists = Protected([AnchorList: AnchorStore]())

    /// Makes an empty cache with room for `capacity` keys and as many edges; 4,096 take about 3 MB when full.
    public init(capacity: Int = 4_096) {
        self.capacity = max(capacity, 1)
    }

    /// Whether the issuer's signature on a certificate is known to be good.
    func knows(issuer: PathCertificate, of child: PathCertificate) -> Bool {
        let edge = Edge(issuerKey: issuer.pin, certificate: child.fingerprint)
        return tables.withLock { $0.edges.contains(edge) }
    }

    /// Remembers that the issuer's signature on a certificate is good.
    func remember(issuer: PathCertificate, of child: PathCertificate) {
        let edge = Edge(issuerKey: issuer.pin, certificate: child.fingerprint)
        let capacity = capacity
        tables.withLock { tables in
            if tables.edges.count >= capacity { tables.edges.removeAll(keepingCapacity: true) }
            tables.edges.insert(edge)
        }
    }

    /// The decoded key of an issuer; nil where it cannot be used.
    func verificationKey(of issuer: PathCertificate) -> VerificationKey? {
        let pin = issuer.pin
        if let known = tables.withLock({ $0.keys[pin] }) { return known }
        guard let made = VerificationKey(issuer.certificate.publicKey) else { return nil }
        let capacity = capacity
        tables.withLock { tables in
            if tables.keys.count >= capacity { tables.keys.removeAll(keepingCapacity: true) }
            tables.keys[pin] = made
        }
        return made
    }

    /// The anchors of a list as a case writes it, if it was read before: the lines of a batch mostly name the same few.
    func anchors(in octets: ArraySlice<UInt8>) -> AnchorStore? {
        guard let list = AnchorList(octets) else { return nil }
        return anchorLists.withLock { $0[list] }
    }

    /// Remembers the anchors of a list.
    func remember(_ store: AnchorStore, for octets: ArraySlice<UInt8>) {
        guard let list = AnchorList(octets) else { return }
        anchorLists.withLock { lists in
            if lists.count >= Self.mostAnchorLists { lists.removeAll(keepingCapacity: true) }
            lists[list] = store
        }
    }

    /// A list of anchors as it was written; only those of ordinary size, since a line may have anything in it.
    private struct AnchorList: Hashable {
        private let octets: [UInt8]

        init?(_ octets: ArraySlice<UInt8>) {
            guard !octets.isEmpty, octets.count <= TrustCache.longestAnchors else { return nil }
            self.octets = Array(octets)
        }

        static func == (left: AnchorList, right: AnchorList) -> Bool { areEqual(left.octets, right.octets) }

        func hash(into hasher: inout Hasher) {
            // Of so few lists an end tells them apart well enough.
            octets.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0.suffix(128))) }
        }
    }

    private static let mostAnchorLists = 16
    private static let longestAnchors = 65_536
}
