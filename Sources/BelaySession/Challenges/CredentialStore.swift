import BelayTrust

/// What a credential is for: an origin, and what is asked there.
public struct ProtectionSpace: Sendable, Hashable {
    /// What is asked.
    public enum Question: Sendable, Hashable {
        /// Who the client is.
        case clientCertificate
        /// A password, in this realm (RFC 9110, section 11.5). Whether as Basic or as Digest makes two: a password that was given
        /// for a digest must not go over the line because somebody asks for it that way.
        case password(realm: String, isDigest: Bool)
    }

    /// Who asks.
    public let origin: Origin
    /// What is asked.
    public let question: Question

    /// Names a protection space.
    public init(_ origin: Origin, _ question: Question) {
        self.origin = origin
        self.question = question
    }
}

/// Credentials that are kept for a session, in memory: a bounded value. The one that was not used for the longest time makes
/// room.
public struct CredentialStore: Sendable {
    /// The most credentials that are kept.
    public let capacity: Int

    private var credentials: [ProtectionSpace: (credential: Credential, use: UInt64)] = [:]
    /// The newest challenges of Digest, for credentials that are kept.
    private var challenges: [ProtectionSpace: DigestChallenge] = [:]
    private var uses: UInt64 = 0

    /// Makes an empty store.
    public init(capacity: Int = 256) { self.capacity = max(capacity, 1) }

    /// How many credentials are kept.
    public var count: Int { credentials.count }

    /// The credential for a protection space, which counts as a use; nil where there is none.
    public mutating func credential(for space: ProtectionSpace) -> Credential? {
        guard let entry = credentials[space] else { return nil }
        uses &+= 1
        credentials[space] = (entry.credential, uses)
        return entry.credential
    }

    /// A password for an origin, whatever the realm: the one that was used last.
    func password(for origin: Origin) -> (space: ProtectionSpace, password: UserPassword, isDigest: Bool)? {
        var found: (space: ProtectionSpace, password: UserPassword, isDigest: Bool, use: UInt64)?
        for (space, entry) in credentials where space.origin == origin {
            guard case .password(_, let isDigest) = space.question,
                case .password(let password) = entry.credential.kind, entry.use >= found?.use ?? 0
            else { continue }
            found = (space, password, isDigest, entry.use)
        }
        return found.map { ($0.space, $0.password, $0.isDigest) }
    }

    /// Keeps a credential in the place of the one that is there, if it is to be kept for the session; otherwise does nothing.
    public mutating func keep(_ credential: Credential, for space: ProtectionSpace) {
        guard credential.persistence == .forSession else { return }
        uses &+= 1
        if credentials[space] == nil && credentials.count >= capacity,
            let oldest = credentials.min(by: { $0.value.use < $1.value.use })?.key
        {
            remove(for: oldest)
        }
        credentials[space] = (credential, uses)
    }

    /// Forgets a credential, for example because the server turned it down.
    public mutating func remove(for space: ProtectionSpace) {
        credentials[space] = nil
        challenges[space] = nil
    }

    /// Forgets everything.
    public mutating func removeAll() {
        credentials.removeAll()
        challenges.removeAll()
    }

    /// The challenge of Digest that the next answer for a space is made with; kept only beside a credential.
    subscript(challenge space: ProtectionSpace) -> DigestChallenge? {
        get { challenges[space] }
        set { if newValue == nil || credentials[space] != nil { challenges[space] = newValue } }
    }
}

extension CredentialStore: CustomStringConvertible, CustomReflectable {
    /// How many credentials are kept; nothing of what they are.
    public var description: String { "\(count) credentials" }

    /// As ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
}
