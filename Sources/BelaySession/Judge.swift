import BelayCertificates
import BelayTLS
import BelayTransportSecurity
import BelayTrust
import FoundationEssentials

/// Judges what servers show to one host's connections: the one function that says yes or no, whether the evidence comes
/// from a fresh handshake, a resumed one, or a connection that has been idle.
struct Judge: Sendable {
    let policy: ConnectionPolicy
    /// What the app's Info.plist demands of the host; nil where none is enforced.
    let demands: TransportSecurityRequirements?
    /// The name that the certificate must be for.
    let name: ServerName
    /// The machine's anchors, where they count.
    let systemAnchors: AnchorStore?
    let verdicts: VerdictCache
    let cache: TrustCache
    /// Whether a handler is asked about every server that has not been answered for.
    let asks: Bool
    /// What handlers have said for the whole session.
    let remembered: Protected<[[[UInt8]]: ConnectionRuling]>
    /// What servers have delivered of Certificate Transparency beside their chains.
    let delivered = DeliveredTimestamps()

    /// What comes of the evidence, as of a moment.
    func rule(
        _ evidence: PeerEvidence, at moment: Date, _ answers: ConnectionAnswers
    ) -> ConnectionRuling {
        var verdict = verdict(on: evidence, at: moment)
        var shortcomings = policy.requirements.findings(for: evidence)
        let evidence = policy.trust.logList == nil ? evidence : delivered.complete(evidence)
        if let demands {
            let held = demands.hold(verdict, evidence, trust(for: evidence, at: moment))
            verdict = held.verdict
            shortcomings += held.shortcomings
        } else if policy.trust.logList != nil, verdict.isTrusted {
            verdict = verdict.adding(trust(for: evidence, at: moment).transparencyFindings(for: verdict, evidence))
        }
        // Nobody is asked, and nobody may overrule, what the connection itself must be.
        guard shortcomings.isEmpty else { return .refused(verdict.adding(shortcomings)) }
        if asks, !answers.undisputed.contains(evidence.chain) {
            return answers.chains[evidence.chain] ?? remembered.withLock { $0[evidence.chain] } ?? .undecided(verdict)
        }
        return verdict.isTrusted ? .accepted(verdict) : .refused(verdict)
    }

    /// Keeps what a handler has said about a chain, as long as the policy does not change.
    func remember(_ ruling: ConnectionRuling, for chain: [[UInt8]]) {
        remembered.withLock { remembered in
            // Servers that show ever new chains must not fill the memory.
            if remembered.count >= 64 { remembered.removeAll() }
            remembered[chain] = ruling
        }
    }

    /// What is offered in handshakes.
    var options: TLSOptions {
        var options = TLSOptions(requirements: policy.requirements)
        if let offer = demands?.offer { options.cipherSuites = offer }
        return options
    }

    /// The verdict on the chain alone.
    func verdict(on evidence: PeerEvidence, at moment: Date) -> Verdict {
        verdicts.evaluate(trust(for: evidence, at: moment), under: policy.securityPolicy)
    }

    /// What is judged.
    func trust(for evidence: PeerEvidence, at moment: Date) -> ServerTrust {
        var trust = ServerTrust(
            chain: evidence.chain, policies: [.tlsServer(name: name)], anchors: policy.trust.anchors)
        trust.systemAnchors = systemAnchors
        trust.rules = policy.trust.rules
        trust.revocationLists = policy.trust.revocationLists
        trust.limits = policy.trust.limits
        trust.cache = cache
        trust.evaluationTime = policy.trust.evaluationTime ?? moment
        trust.explains = policy.trust.explains
        trust.logList = policy.trust.logList
        return trust
    }
}

/// Keeps the timestamps that came by TLS and OCSP, since a resumed session brings neither. They are signed by their logs and are about the
/// leaf, whichever connection brings them; those of one chain are never used for another.
final class DeliveredTimestamps: Sendable {
    private let known = Protected<[[[UInt8]]: Lists]>([:])

    private struct Lists {
        let timestampList: [UInt8]?
        let stapledResponse: [UInt8]?
    }

    /// The evidence, with what was delivered earlier for the same chain where it brings nothing itself.
    func complete(_ evidence: PeerEvidence) -> PeerEvidence {
        known.withLock { known in
            guard evidence.timestampList == nil, evidence.stapledResponse == nil else {
                // Servers that show ever new chains must not fill the memory.
                if known.count >= 64 { known.removeAll() }
                known[evidence.chain] = Lists(
                    timestampList: evidence.timestampList, stapledResponse: evidence.stapledResponse)
                return evidence
            }
            guard let lists = known[evidence.chain] else { return evidence }
            return evidence.with(timestampList: lists.timestampList, stapledResponse: lists.stapledResponse)
        }
    }
}
