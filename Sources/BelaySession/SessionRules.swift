import BelayCertificates
import BelayTLS
import BelayTransportSecurity
import BelayTrust
import FoundationEssentials
import Synchronization

/// The policies of a session at one moment, and the terms that its connections were made under since the last change.
///
/// Whatever is changed, all terms are made anew, with identifiers that were never used before. Connections and TLS sessions
/// are found by these, so that nothing made under other rules is ever used again.
struct SessionRules: Sendable {
    private(set) var policies: HostPolicies
    private var terms: [Key: Terms] = [:]
    private var nextIdentifier: UInt64 = 0
    /// How often the policies have changed; what waits for a connection looks at it.
    private let generation = Generation()
    private var systemAnchors: AnchorStore?
    private let asks: Bool
    private let transportSecurity: TransportSecurityEnforcement?
    private let keyLog: (@Sendable (String) -> Void)?
    private let verdicts = VerdictCache()
    private let cache = TrustCache()

    /// More hosts than this are not kept.
    private static let capacity = 4_096

    private struct Key: Hashable {
        let hostLiteral: String
        let port: UInt16
        let isSecure: Bool
        let keepsIdentity: Bool

        init(_ url: SessionURL, keepsIdentity: Bool) {
            hostLiteral = url.hostLiteral
            port = url.port
            isSecure = url.isSecure
            self.keepsIdentity = keepsIdentity
        }
    }

    /// What holds for connections to one host. An object, since every request takes it along.
    final class Terms: Sendable {
        let policy: ConnectionPolicy
        let judge: Judge
        let connection: ConnectionTerms
        /// Who the client is without a handler's word.
        let configuredIdentity: @Sendable (ClientCertificateRequest) -> TLSIdentity?

        init(
            policy: ConnectionPolicy, judge: Judge, connection: ConnectionTerms,
            configuredIdentity: @escaping @Sendable (ClientCertificateRequest) -> TLSIdentity?
        ) {
            self.policy = policy
            self.judge = judge
            self.connection = connection
            self.configuredIdentity = configuredIdentity
        }
    }

    init(
        policies: HostPolicies, transportSecurity: TransportSecurityEnforcement?, asks: Bool,
        keyLog: (@Sendable (String) -> Void)?
    ) {
        self.policies = policies
        self.transportSecurity = transportSecurity
        self.asks = asks
        self.keyLog = keyLog
    }

    /// Changes the policies; nothing that was made under the old ones is used any more.
    mutating func change(_ body: (inout HostPolicies) -> Void) {
        body(&policies)
        generation.advance()
        terms.removeAll(keepingCapacity: true)
    }

    /// What holds for connections to a URL's host.
    ///
    /// - Parameter keepsIdentity: whether the session's own identity may be shown. After a redirect from another origin it may not;
    ///   one that a host's own rule names may.
    /// - Throws: where no connection may be made at all.
    mutating func terms(for url: SessionURL, keepsIdentity: Bool) throws(SessionError.Reason) -> Terms {
        let key = Key(url, keepsIdentity: keepsIdentity)
        let known = terms[key]
        let found: Terms
        if let known { found = known } else { found = try makeTerms(for: url, keepsIdentity: keepsIdentity) }
        guard url.isSecure || found.policy.admitsCleartext else {
            throw .cleartext(ConnectionRequirements.cleartext(host: url.host.description))
        }
        if known == nil { keep(found, for: key) }
        return found
    }

    /// Terms like these that no other request will ever have.
    mutating func terms(like terms: Terms) -> Terms {
        makeTerms(terms.policy, terms.judge, terms.connection.endpoint, terms.configuredIdentity)
    }

    /// From now on the client is this to a URL's host. Connections on which it was somebody else are not used any more.
    ///
    /// - Returns: the terms that say so. They are kept only where those they come from still hold.
    mutating func keep(
        _ identity: TLSIdentity, for url: SessionURL, keepsIdentity: Bool, _ given: Terms
    ) -> Terms {
        let made = makeTerms(
            given.policy, given.judge, given.connection.endpoint, { _ in identity }, asksForIdentity: false)
        let key = Key(url, keepsIdentity: keepsIdentity)
        if terms[key]?.connection.identifier == given.connection.identifier { keep(made, for: key) }
        return made
    }

    private mutating func keep(_ made: Terms, for key: Key) {
        if terms.count >= SessionRules.capacity { terms.removeAll(keepingCapacity: true) }
        terms[key] = made
    }

    private mutating func makeTerms(for url: SessionURL, keepsIdentity: Bool) throws(SessionError.Reason) -> Terms {
        let match = policies.match(url.host)
        var policy: ConnectionPolicy
        switch match.decision {
        case .use(let found): policy = found
        case .refuse(let denial): throw .hostDenied(denial.description)
        }
        let demands = try transportSecurity?.demands(for: url)
        if let demands {
            policy.requirements = demands.connection
            // What the decision allows is allowed, but for pins, which mean nothing there.
            policy.allowsCleartext = true
        }
        let contradictions = policy.securityPolicy.contradictions()
        guard contradictions.isEmpty else {
            throw .configuration(contradictions.map(\.message).joined(separator: "; "))
        }
        let judge = Judge(
            policy: policy, demands: demands, name: policy.expectedName ?? url.host,
            systemAnchors: try anchors(for: policy), verdicts: verdicts, cache: cache, asks: asks,
            remembered: Protected([:]))
        let isWithheld = !keepsIdentity && match.rule == .fallback
        let selection =
            isWithheld
            ? IdentitySelection()
            : policy.identity.map { IdentitySelection(explicit: $0) } ?? IdentitySelection(amongst: policy.identities)
        let host = url.host
        return makeTerms(policy, judge, url.endpoint) { request in
            let choice = selection.choice(
                for: host, acceptableIssuers: request.acceptableIssuers, keyTypes: request.keyTypes, at: Date())
            guard case .present(let identity) = choice else { return nil }
            return identity
        }
    }

    private mutating func makeTerms(
        _ policy: ConnectionPolicy, _ judge: Judge, _ endpoint: TLSEndpoint,
        _ configuredIdentity: @escaping @Sendable (ClientCertificateRequest) -> TLSIdentity?,
        asksForIdentity: Bool = true
    ) -> Terms {
        nextIdentifier += 1
        let asks = asks && asksForIdentity
        let generation = generation
        let made = generation.number
        let connection = ConnectionTerms(
            identifier: nextIdentifier, endpoint: endpoint, options: judge.options,
            judge: { judge.rule($0, at: $1, $2) },
            identity: { request, answers in
                if let answer = answers.identity { return answer }
                if asks { return .undecided }
                return configuredIdentity(request).map { .present($0) } ?? .nothing
            }, isCurrent: { generation.number == made }, keyLog: keyLog)
        return Terms(
            policy: policy, judge: judge, connection: connection, configuredIdentity: configuredIdentity)
    }

    private mutating func anchors(for policy: ConnectionPolicy) throws(SessionError.Reason) -> AnchorStore? {
        switch policy.trust.systemAnchors {
        case .none: return nil
        case .store(let store): return store
        case .machine:
            if let systemAnchors { return systemAnchors }
            do throws(SystemAnchorsError) {
                let loaded = try SystemAnchors.load()
                systemAnchors = loaded
                return loaded
            } catch {
                // Where pins alone may decide, a machine without a store is none the worse.
                guard policy.securityPolicy.allowInvalidCertificates else { throw .configuration("\(error)") }
                return nil
            }
        }
    }
}

/// How often the policies have changed: looked at by threads that hold no lock of theirs.
private final class Generation: Sendable {
    private let count = Atomic<UInt64>(0)

    var number: UInt64 { count.load(ordering: .acquiring) }

    func advance() { count.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}

extension ConnectionPolicy {
    /// Whether `http` may be spoken. Pins would mean nothing there.
    var admitsCleartext: Bool { allowsCleartext && securityPolicy.pinningMode == .none }
}

extension ClientCertificateRequest {
    /// The kinds of key that the server accepts; empty where it does not say.
    var keyTypes: Set<ClientKeyType> {
        if !signatureSchemes.isEmpty { return ClientKeyType.allowed(bySignatureSchemes: signatureSchemes) }
        return ClientKeyType.allowed(byCertificateTypes: certificateTypes)
    }
}
