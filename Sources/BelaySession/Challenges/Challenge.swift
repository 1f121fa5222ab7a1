import BelayCertificates
import BelayTLS
import BelayTrust

/// A question of a server that a handler may answer: whether it is to be trusted, who the client is, or a password.
///
/// ```swift
/// configuration.onChallenge = { challenge in
///     switch challenge.kind {
///     case .serverTrust(var trust, _, let verdict) where !verdict.isTrusted && challenge.host == .dns("nas.test"):
///         trust.anchors = try await anchors(for: "nas.test")
///         return .useCredential(.serverTrust(trust))
///     default:
///         return .performDefaultHandling
///     }
/// }
/// ```
public struct Challenge: Sendable {
    /// What is asked.
    public enum Kind: Sendable {
        /// Whether the server is to be trusted: what it is judged by (the handler may change a copy and evaluate it), what it
        /// showed, and what the session's policy says.
        case serverTrust(ServerTrust, PeerEvidence, Verdict)
        /// Who the client is: the issuers the server accepts (distinguished names in DER, RFC 5246, section 7.4.4), and the kinds
        /// of key. Either is empty where the server does not say.
        case clientCertificate(acceptableIssuers: [[UInt8]], keyTypes: Set<ClientKeyType>)
        /// A user name and password, which go to the server as they are (RFC 7617).
        case httpBasic(realm: String)
        /// A user name and password, which stay here; the server gets a digest (RFC 7616).
        case httpDigest(realm: String)
    }

    /// Who asks, in normal form.
    public let host: ServerName
    /// The port of who asks.
    public let port: UInt16
    /// Whether the connection is encrypted; where it is not, everybody on the way reads what is answered.
    public let isEncrypted: Bool
    /// What is asked.
    public let kind: Kind
    /// How many answers to this question the server has turned down already, for this request.
    public let previousFailureCount: Int
    /// What the session would use: from its store, or the configured identity; nil for nothing.
    public let proposed: Credential?

    /// Puts a challenge together.
    public init(
        host: ServerName, port: UInt16, isEncrypted: Bool = true, kind: Kind, previousFailureCount: Int = 0,
        proposed: Credential? = nil
    ) {
        self.host = host
        self.port = port
        self.isEncrypted = isEncrypted
        self.kind = kind
        self.previousFailureCount = previousFailureCount
        self.proposed = proposed
    }
}

/// A handler's answer to a challenge, with the names and meanings of Apple's systems.
public enum ChallengeDisposition: Sendable {
    /// What would happen without a handler: the policy decides, the configured identity is shown, the stored password is used.
    case performDefaultHandling
    /// Use this. One of another kind than was asked for refuses.
    case useCredential(Credential)
    /// Give the request up.
    case cancel
    /// Not this way of authentication: the next one the server offers is asked about, and without one its response is the
    /// answer. For the server's trust it refuses, as ``cancel`` does.
    case rejectProtectionSpace
}

/// Answers challenges. It may take its time; other requests go on.
public typealias ChallengeHandler = @Sendable (Challenge) async -> ChallengeDisposition

/// How long a credential is kept.
public enum CredentialPersistence: Sendable, Hashable, CaseIterable {
    /// For the request.
    case none
    /// For the session, in memory.
    case forSession
}

/// What a handler answers a challenge with.
public struct Credential: Sendable {
    /// The kinds of credential.
    public enum Kind: Sendable {
        /// The server is to be trusted: for exactly the evidence that the challenge showed. With a changed trust, its verdict
        /// counts.
        case serverTrust(ServerTrust?)
        /// Who the client is.
        case identity(TLSIdentity)
        /// A user name and password.
        case password(UserPassword)
    }

    /// What it is.
    public let kind: Kind
    /// How long it is kept.
    public let persistence: CredentialPersistence

    /// The server is to be trusted as it is.
    public static func serverTrust(persistence: CredentialPersistence = .none) -> Credential {
        Credential(kind: .serverTrust(nil), persistence: persistence)
    }

    /// The server is to be trusted if it is good under this changed trust, which must be about the same chain.
    public static func serverTrust(_ trust: ServerTrust, persistence: CredentialPersistence = .none) -> Credential {
        Credential(kind: .serverTrust(trust), persistence: persistence)
    }

    /// The client is this.
    public static func identity(_ identity: TLSIdentity, persistence: CredentialPersistence = .none) -> Credential {
        Credential(kind: .identity(identity), persistence: persistence)
    }

    /// A user name and password, whose memory is cleared once nobody needs it.
    public static func password(
        user: String, password: Secret, persistence: CredentialPersistence = .none
    ) -> Credential {
        Credential(kind: .password(UserPassword(user: user, password: password)), persistence: persistence)
    }

    /// A user name and password. The text that is given stays in memory as long as Swift lets it: use a `Secret` where you can.
    public static func password(
        user: String, password: String, persistence: CredentialPersistence = .none
    ) -> Credential {
        .password(user: user, password: Secret(text: password), persistence: persistence)
    }
}

extension Credential: CustomStringConvertible, CustomReflectable {
    /// The kind; never a password, a key or a certificate.
    public var description: String {
        switch kind {
        case .serverTrust(nil): "trust in the server as it is"
        case .serverTrust: "trust in the server if a changed trust says so"
        case .identity: "an identity"
        case .password(let password): password.description
        }
    }

    /// The credential as ``description`` has it, so that no dump shows more.
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}

/// A user name and password. No description or dump shows the password.
///
/// Here it is in memory that is cleared. libcurl keeps copies of its own while a request is made, one of them in the header that it
/// sends, and frees them without clearing.
public struct UserPassword: Sendable, Hashable {
    /// The user's name.
    public let user: String
    /// The password, in UTF-8 (RFC 7617) unless the server is known to want something else.
    public let password: Secret

    /// Puts both together.
    public init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }
}

extension UserPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That there is one; neither name nor password.
    public var description: String { "a user name and password" }

    /// As ``description``.
    public var debugDescription: String { description }

    /// Nothing of what it holds.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
