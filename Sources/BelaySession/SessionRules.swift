import BelayCertificates
import BelayTLS
import BelayTrust
import FoundationEssentials

/// The policies of a session at one moment, and the terms that its connections were made under since the last change.
///
/// Whatever is changed, all terms are made anew, with identifiers that were never used before. Connections and TLS sessions
/// are found by these, so that nothing made under other rules is ever used again.
struct SessionRules: Sendable {
    private(set) var policies: HostPolicies
    private var terms: [Key: Terms] = [:]
    private var nextIdentifier: UInt64 = 0
    private var systemAnchors: AnchorStore?
    private let asks: Bool
    private let keyLog: (@Sendable (String) -> Void)?
    private let verdicts = VerdictCache()
    private let cache = TrustCache()

    /// More hosts than this are not kept.
    private static let capacity = 4_096

    private struct Key: Hashable {
        let hostLiteral: String
        let port: UInt16
    }

    /// What holds for connections to one host.
    struct Terms: Sendable {
        let policy: ConnectionPolicy
        let judge: Judge
        let connection: ConnectionTerms
    }

    init(policies: HostPolicies, asks: Bool, keyLog: (@Sendable (String) -> Void)?) {
        self.policies = policies
        self.asks = asks
        self.keyLog = keyLog
    }

    /// Changes the policies; nothing that was made under the old ones is used any more.
    mutating func change(_ body: (inout HostPolicies) -> Void) {
        body(&policies)
        terms.removeAll(keepingCapacity: true)
    }

    /// What holds for connections to a URL's host.
    ///
    /// - Throws: where no connection may be made at all.
    mutating func terms(for url: SessionURL) throws(SessionError.Reason) -> Terms {
        let key = Key(hostLiteral: url.hostLiteral, port: url.port)
        let known = terms[key]
        let found: Terms
        if let known { found = known } else { found = try makeTerms(for: url) }
        guard url.isSecure || found.policy.admitsCleartext else {
            throw .cleartext(ConnectionRequirements.cleartext(host: url.host.description))
        }
        if known == nil {
            if terms.count >= SessionRules.capacity { terms.removeAll(keepingCapacity: true) }
            terms[key] = found
        }
        return found
    }

    private mutating func makeTerms(for url: SessionURL) throws(SessionError.Reason) -> Terms {
        let policy: ConnectionPolicy
        switch policies.match(url.host).decision {
        case .use(let found): policy = found
        case .refuse(let denial): throw .hostDenied(denial.description)
        }
        let name = policy.expectedName ?? url.host
        let contradictions = policy.securityPolicy.contradictions()
        guard contradictions.isEmpty else {
            throw .configuration(contradictions.map(\.message).joined(separator: "; "))
        }
        let judge = Judge(
            policy: policy, name: name, systemAnchors: try anchors(for: policy), verdicts: verdicts, cache: cache,
            asks: asks, remembered: Protected([:]))
        nextIdentifier += 1
        let asks = asks
        let identity = policy.identity
        let connection = ConnectionTerms(
            identifier: nextIdentifier, endpoint: url.endpoint,
            options: TLSOptions(requirements: policy.requirements),
            judge: { judge.rule($0, at: $1, $2) },
            identity: { _, answers in
                if let answer = answers.identity { return answer }
                if let identity { return .present(identity) }
                return asks ? .undecided : .nothing
            }, keyLog: keyLog)
        return Terms(policy: policy, judge: judge, connection: connection)
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

extension ConnectionPolicy {
    /// Whether `http` may be spoken. Pins would mean nothing there.
    var admitsCleartext: Bool { allowsCleartext && securityPolicy.pinningMode == .none }
}
