import BelayCertificates
import BelayTLS
import BelayTrust
import FoundationEssentials

/// Everything that decides whether a connection may be used, and who the client is on it.
///
/// ```swift
/// var policy = ConnectionPolicy()
/// policy.securityPolicy = .pinned(to: PinnedKeys(current, backup))
/// policy.trust.anchors = AnchorStore(try Certificate.read(contentsOf: "company-ca.pem"))
/// ```
///
/// A session without an Info.plist holds App Transport Security's requirements for connections (TLS 1.2, forward secrecy, no
/// cleartext) and leaves trust to ``securityPolicy``.
public struct ConnectionPolicy: Sendable {
    /// Which pins, and which checks hold.
    public var securityPolicy: SecurityPolicy
    /// Against which anchors, and by which rules, chains are judged.
    public var trust: TrustSettings
    /// What a connection must be, whatever certificates it shows.
    public var requirements: ConnectionRequirements
    /// Who the client is, for a server that asks and is accepted, whatever issuers it names; nil for nobody in particular.
    public var identity: TLSIdentity?
    /// Whom the client may be where ``identity`` names nobody: the first that the server says it accepts is shown.
    public var identities: [ClientIdentity]
    /// Whether `http` is allowed. A policy that pins never allows it, whatever this says.
    public var allowsCleartext: Bool
    /// The name that the certificate must be for, instead of the URL's host: the safe way to connect by address.
    public var expectedName: ServerName?

    /// The machine's anchors, no pins, TLS 1.2 with forward secrecy, no cleartext, no identity.
    public init(securityPolicy: SecurityPolicy = .default, identity: TLSIdentity? = nil) {
        self.securityPolicy = securityPolicy
        self.identity = identity
        identities = []
        trust = TrustSettings()
        requirements = .transportSecurity
        allowsCleartext = false
        expectedName = nil
    }
}

extension ConnectionPolicy {
    /// The machine's anchors under Apple's rules for certificates.
    public static var apple: ConnectionPolicy {
        var policy = ConnectionPolicy()
        policy.trust.rules = .apple
        return policy
    }
}

/// Against which anchors, and by which rules, chains are judged.
public struct TrustSettings: Sendable {
    /// Where the machine's own anchors come in.
    public enum SystemAnchorsUse: Sendable {
        /// They are loaded when the first chain is judged.
        case machine
        /// These are used in their place.
        case store(AnchorStore)
        /// They do not count.
        case none
    }

    /// Anchors beside the machine's.
    public var anchors: AnchorStore = .empty
    /// Where the machine's own anchors come in.
    public var systemAnchors: SystemAnchorsUse = .machine
    /// The rules that judge paths.
    public var rules: RuleSet = .standard
    /// Revocation lists. Where some are given, every certificate below the anchor is looked up in those that apply.
    public var revocationLists: [RevocationList] = []
    /// The logs of Certificate Transparency whose timestamps count: those that Apple's systems demand of public authorities. nil: they are
    /// not checked, which is said where an Info.plist demands them.
    public var logList: LogList?
    /// What one evaluation may cost.
    public var limits = EvaluationLimits()
    /// The moment that chains are judged as of; nil for that of the connection.
    public var evaluationTime: Date?
    /// Whether verdicts tell the story of the path search, in `Verdict.explanation`.
    public var explains = false

    /// The machine's anchors under the standard rules.
    public init() {}
}
