import BelayCertificates

/// Which identities a host must show, by `NSPinnedDomains`. Where both lists are there, both must match.
public struct PinnedIdentities: Sendable, Hashable {
    /// The keys of which the leaf must have one; nil where leaves are not pinned, empty where no leaf will do.
    public var leaf: Set<SPKIPin>?
    /// The keys of which a certificate of the path other than the leaf must have one; nil and empty as above.
    public var authority: Set<SPKIPin>?

    /// Puts pins together.
    public init(leaf: Set<SPKIPin>? = nil, authority: Set<SPKIPin>? = nil) {
        self.leaf = leaf
        self.authority = authority
    }

    /// Whether no certificates at all can match: a list is there and has no pin.
    public var isUnsatisfiable: Bool { leaf?.isEmpty == true || authority?.isEmpty == true }

    /// Whether a verified path has the identities.
    ///
    /// - Parameter path: the pins of its certificates, the leaf's first.
    public func matches(path: [SPKIPin]) -> Bool {
        guard let first = path.first else { return false }
        if let leaf, !leaf.contains(first) { return false }
        if let authority, authority.isDisjoint(with: path.dropFirst()) { return false }
        return true
    }

    /// Both: of several entries for a host Apple's systems unite the pins of each list.
    func united(with other: PinnedIdentities) -> PinnedIdentities {
        func union(_ left: Set<SPKIPin>?, _ right: Set<SPKIPin>?) -> Set<SPKIPin>? {
            guard let left else { return right }
            return left.union(right ?? [])
        }
        return PinnedIdentities(leaf: union(leaf, other.leaf), authority: union(authority, other.authority))
    }
}

/// An entry of `NSPinnedDomains`.
public struct PinnedDomain: Sendable, Hashable {
    /// The key, exactly as it stands.
    public let key: String
    /// Where the key stands.
    public let position: PlistPosition
    /// Whether it covers hosts with one more label.
    public let includesSubdomains: Bool
    /// What is pinned.
    public let identities: PinnedIdentities
}

/// The pinned hosts of an app, found by hash.
public struct PinnedDomains: Sendable {
    /// The entries that pin something, in the order of the file.
    public private(set) var entries: [PinnedDomain] = []
    /// By the key in lower case; keys that differ in their case only are all for the same host.
    private var byKey: [LiteralKey: [PinnedDomain]] = [:]

    init() {}

    mutating func add(_ domain: PinnedDomain) {
        entries.append(domain)
        byKey[LiteralKey(lowercasedASCII(domain.key)), default: []].append(domain)
    }

    /// The entries for a host: those of its own name, and those of the name with one label less that cover it
    /// (`parseNSPinnedDomains`). A dot at the end of the host does not count; one at the end of a key does.
    func entries(for host: String) -> [PinnedDomain] {
        guard !byKey.isEmpty else { return [] }
        var host = lowercasedASCII(host)[...]
        if host.utf8.last == 0x2E { host = host.dropLast() }
        var found = byKey[LiteralKey(host)] ?? []
        if let dot = host.firstIndex(of: ".") {
            found += (byKey[LiteralKey(host[host.index(after: dot)...])] ?? []).filter(\.includesSubdomains)
        }
        return found
    }
}
