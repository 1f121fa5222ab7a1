import BelayTrust
import FoundationEssentials

/// What a guard holds the connections to one host to.
///
/// An object, since every request takes it along.
package final class ConnectionTerms: Sendable {
    /// Tells these terms from all others of a session: connections and TLS sessions made under other terms are not used.
    package let identifier: UInt64
    /// Whom the connections are for.
    package let endpoint: TLSEndpoint
    /// Versions and suites that are offered.
    package let options: TLSOptions
    /// Judges what a peer showed, as of a moment.
    package let judge: @Sendable (PeerEvidence, Date, ConnectionAnswers) -> ConnectionRuling
    /// Says who the client is, to a server that was accepted and asks.
    package let identity: @Sendable (ClientCertificateRequest, ConnectionAnswers) -> IdentityAnswer
    /// Whether these are still what holds: no request is sent under terms that were replaced while it waited.
    package let isCurrent: @Sendable () -> Bool
    /// Where the keys of the connections go, for those who read them off the network; nil for nowhere.
    package let keyLog: (@Sendable (String) -> Void)?

    package init(
        identifier: UInt64, endpoint: TLSEndpoint, options: TLSOptions,
        judge: @escaping @Sendable (PeerEvidence, Date, ConnectionAnswers) -> ConnectionRuling,
        identity: @escaping @Sendable (ClientCertificateRequest, ConnectionAnswers) -> IdentityAnswer,
        isCurrent: @escaping @Sendable () -> Bool = { true }, keyLog: (@Sendable (String) -> Void)? = nil
    ) {
        self.identifier = identifier
        self.endpoint = endpoint
        self.options = options
        self.judge = judge
        self.identity = identity
        self.isCurrent = isCurrent
        self.keyLog = keyLog
    }
}

/// What came of judging a peer.
package enum ConnectionRuling: Sendable {
    /// The connection may be used.
    case accepted(Verdict)
    /// It may not.
    case refused(Verdict)
    /// Somebody has to be asked first. The connection ends, and another is made with the answer.
    case undecided(Verdict)

    /// The verdict on the chain.
    package var verdict: Verdict {
        switch self {
        case .accepted(let verdict), .refused(let verdict), .undecided(let verdict): verdict
        }
    }
}

/// Who the client is.
package enum IdentityAnswer: Sendable {
    /// This one.
    case present(TLSIdentity)
    /// Nobody: an empty list is sent.
    case nothing
    /// Somebody has to be asked first.
    case undecided
}

/// Answers that were given for one request while its earlier attempts were undecided.
package struct ConnectionAnswers: Sendable {
    /// Chains that were accepted, or refused, with the verdict that counts then.
    package var chains: [[[UInt8]]: ConnectionRuling] = [:]
    /// Chains about which the policy is to decide, as if nobody had been asked.
    package var undisputed: Set<[[UInt8]]> = []
    /// Who the client is; nil while nobody has said.
    package var identity: IdentityAnswer?

    package init() {}
}
