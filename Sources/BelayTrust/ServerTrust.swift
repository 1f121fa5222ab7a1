import BelayCertificates
import FoundationEssentials

/// A chain that a peer presented, and what it is to be judged by: the counterpart of Apple's `SecTrust`.
///
/// It is a plain value; ``evaluate()`` is a pure function of it (and of the clock, where no ``evaluationTime`` is set). It
/// needs no connection of Belay's, so that any program that has a chain can ask:
///
/// ```swift
/// var trust = ServerTrust(chain: chain, policies: [.tlsServer(name: try ServerName("www.example.com"))])
/// trust.systemAnchors = try SystemAnchors.load()
/// let verdict = trust.evaluate()
/// ```
///
/// Nothing is trusted until anchors are given.
public struct ServerTrust: Sendable {
    /// The certificates as the peer sent them: DER, leaf first, the rest in any order, extras allowed.
    public var chain: [[UInt8]]
    /// What the leaf must be good for; all of them must hold. Without any, basic X.509 is judged.
    public var policies: [TrustPolicy]
    /// The anchors given for this evaluation.
    public var anchors: AnchorStore
    /// The machine's anchors, where they count too; nil for the given anchors only.
    public var systemAnchors: AnchorStore?
    /// The rules that judge the path.
    public var rules: RuleSet
    /// The moment to evaluate at; nil for now.
    public var evaluationTime: Date?
    /// Revocation lists. Where some are given, every certificate below the anchor is looked up in those that apply.
    public var revocationLists: [RevocationList]
    /// Whether every certificate below the anchor must be covered by one of ``revocationLists``, as OpenSSL's
    /// `X509_V_FLAG_CRL_CHECK_ALL` has it. Without it, one that is not is reported as a warning.
    public var requiresRevocationLists: Bool
    /// The most intermediates between leaf and anchor, self-issued ones not counted; nil for any number.
    public var maximumChainDepth: Int?
    /// What the evaluation may cost.
    public var limits: EvaluationLimits
    /// What evaluations may remember; nil for nothing.
    public var cache: TrustCache?
    /// Whether verdicts tell the story of the search (``Verdict/explanation``), which costs a second search.
    public var explains: Bool
    /// The logs of Certificate Transparency whose timestamps count where they are demanded; nil where they are not checked. A chain's
    /// own evaluation does not ask for them: who makes connections does.
    public var logList: LogList?
}

extension ServerTrust {
    /// Takes a chain as a peer sent it.
    public init(chain: [[UInt8]], policies: [TrustPolicy], anchors: AnchorStore = .empty) {
        // At once, by the memberwise initializer: property by property the compiler copies the whole value once more.
        self.init(
            chain: chain, policies: policies, anchors: anchors, systemAnchors: nil, rules: .standard,
            evaluationTime: nil, revocationLists: [], requiresRevocationLists: false, maximumChainDepth: nil,
            limits: EvaluationLimits(), cache: nil,
            explains: false)
    }

    /// Takes the chain and the moment of a handshake's evidence, and the name of its host.
    ///
    /// - Throws: ``ServerNameError`` where the evidence's host is none.
    public init(evidence: PeerEvidence, anchors: AnchorStore = .empty) throws(ServerNameError) {
        self.init(
            chain: evidence.chain, policies: [.tlsServer(name: try ServerName(evidence.host))], anchors: anchors)
        evaluationTime = evidence.moment
    }

    /// Judges the chain by its policies and anchors alone, without pins.
    public func evaluate() -> Verdict {
        let chain: PreparedChain
        do throws(PreparedChain.Unusable) {
            chain = try PreparedChain(self)
        } catch {
            return Verdict(refusedFor: error.findings, path: [], isPathComplete: false, checkedNames: checkedNames)
        }
        let judgement = PathJudgement(chain, Demand(self))
        guard judgement.isValid else {
            return Verdict(
                refusedFor: judgement.findings, path: judgement.certificates,
                isPathComplete: judgement.reachesAnchor, checkedNames: checkedNames,
                explanation: judgement.explanation)
        }
        return Verdict(
            result: .unspecified, findings: judgement.findings, path: judgement.certificates, isPathComplete: true,
            checkedNames: checkedNames, explanation: judgement.explanation)
    }

    /// The names that the policies compare.
    var checkedNames: [ServerName] { policies.compactMap(\.name) }

    /// The anchors that count.
    var anchorStores: [AnchorStore] { systemAnchors.map { [anchors, $0] } ?? [anchors] }
}
