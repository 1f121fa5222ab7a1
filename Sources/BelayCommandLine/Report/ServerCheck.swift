import BelayArguments
import BelayCertificates
import BelaySession
import BelayTLS
import BelayTransportSecurity
import BelayTrust
import FoundationEssentials

/// What a command asks about a server: which one, and by which options.
struct CheckSubject: Sendable {
    /// The command, as in `belay check`.
    let command: String
    /// The URL as it was given.
    let url: String
    let endpoint: TLSEndpoint
    /// The protocol in which the server is asked to change to TLS.
    var startTLS: StartTLSProtocol?
    let policyOptions: PolicyOptions
    let trustOptions: TrustOptions
    let connection: ConnectionOptions
    let transportSecurity: TransportSecurityOptions
    /// What the app's Info.plist demands; nil where none is given.
    var demands: TransportSecurityRequirements?
    /// Why, and which keys say so; nil where none is given.
    var decision: AppDecision?

    /// What a connection must be.
    var requirements: ConnectionRequirements { demands?.connection ?? .transportSecurity }

    /// An answer in which no certificate is looked at.
    func answer(_ verdict: Verdict, _ policy: SecurityPolicy) -> CheckReport {
        var report = CheckReport(
            command: command, url: printable(url), endpoint: endpoint, connectTo: connection.connectTo,
            verdict: verdict, requirements: requirements, policy: policy,
            isMomentGiven: trustOptions.time != nil,
            words: policyOptions.wordsWithoutPins + trustOptions.words + transportSecurity.words + connection.words
                + (FetchOptions.isServer(url) ? [] : startTLS.map { ["--starttls", $0.rawValue] } ?? []))
        report.decision = decision
        return report
    }
}

/// Judges what a server shows, by the options of a command.
struct ServerCheck: Sendable {
    let subject: CheckSubject
    let policy: SecurityPolicy
    let given: TrustOptions.Given
    let console: Console

    /// The name that the certificate must be for.
    private func name() throws -> ServerName {
        try subject.connection.expectName ?? ServerName(subject.endpoint.host)
    }

    private func trust(_ chain: [[UInt8]], _ moment: Date, _ name: ServerName) throws(InputError) -> ServerTrust {
        var trust = try subject.trustOptions.trust(
            chain: chain, name: name, given: given, policy: policy, console: console)
        trust.evaluationTime = trust.evaluationTime ?? moment
        if subject.demands != nil, subject.trustOptions.rules == nil { trust.rules = .apple }
        return trust
    }

    /// The verdict on a trust, within what an Info.plist demands.
    private func verdict(_ trust: ServerTrust, _ evidence: PeerEvidence?) -> Verdict {
        let verdict = policy.evaluate(trust)
        guard let demands = subject.demands else {
            guard given.logList != nil, verdict.isTrusted else { return verdict }
            return verdict.adding(trust.transparencyFindings(for: verdict, evidence))
        }
        let held = demands.hold(verdict, evidence, trust)
        return held.verdict.adding(held.shortcomings)
    }

    /// The answer for a chain.
    ///
    /// - Parameters:
    ///   - moment: when it was shown; options may set another.
    ///   - more: what else speaks against the server.
    ///   - evidence: what else the connection showed; nil where there was none in the end.
    func judged(
        _ chain: [[UInt8]], _ moment: Date, _ more: [Finding], _ evidence: PeerEvidence? = nil
    ) throws -> CheckReport {
        let trust = try trust(chain, moment, name())
        var report = subject.answer(verdict(trust, evidence).adding(more), policy)
        report.sent = chain
        report.path = PathReport(report.verdict, trust: trust, policy: policy, at: trust.evaluationTime ?? moment)
        return report
    }

    /// The answer for what a connection of somebody else's has shown.
    func judged(_ evidence: PeerEvidence) throws -> CheckReport {
        var report = try judged(
            evidence.chain, evidence.moment, subject.requirements.findings(for: evidence), evidence)
        report.evidence = evidence
        return report
    }

    /// The answer for a server that showed certificates and could not prove them: it is not out of reach, it is refused. Nil
    /// where it is not.
    func judged(unproven reason: TLSError.Reason) throws -> CheckReport? {
        guard let chain = reason.presentedChain else { return nil }
        var proof: [Finding] = []
        if case .keyDoesNotMatchCertificate = reason { proof = [ConnectionRequirements.keyNotProven()] }
        let report = try judged(chain, Date(), proof)
        return report.verdict.isTrusted ? nil : report
    }

    /// Makes a connection, sends nothing over it, and answers for what the server showed.
    func connect(identity: GivenIdentity?) async throws -> CheckReport {
        var identity = identity
        var report = try await examine(&identity)
        report.identity = identity
        return report
    }

    private func examine(_ given: inout GivenIdentity?) async throws -> CheckReport {
        let identity = given
        let name = try name()
        let client = TLSClient(loop: try console.reading { () throws(EventLoopError) in try EventLoop() })
        let examination: TLSExamination
        do throws(TLSError) {
            examination = try await client.examine(
                subject.endpoint, requirements: subject.requirements, cipherSuites: subject.demands?.offer,
                connectTo: subject.connection.connectTo, startTLS: subject.startTLS,
                timeouts: subject.connection.timeouts, identity: identity?.forTLS
            ) { evidence in
                // With nothing to show, the server is judged afterwards.
                guard identity != nil, let trust = try? trust(evidence.chain, evidence.moment, name) else {
                    return false
                }
                return verdict(trust, evidence).isTrusted
            }
        } catch {
            if case .clientCertificateRefused(_, let issuers) = error.reason {
                given = identity?.compared(with: issuers, console)
            }
            if let report = try judged(unproven: error.reason) { return report }
            // Nor is one out of reach that answers and speaks nothing that is allowed, nor anything else.
            if error.phase == .handshake, error.reason.isRefusalToAgree {
                return subject.answer(
                    Verdict(refusing: [subject.requirements.disagreement(error.summary)]), policy)
            }
            return failed(error)
        }
        var report = try judged(
            examination.evidence.chain, examination.evidence.moment, examination.findings, examination.evidence)
        if examination.sentClientCertificate, let request = examination.certificateRequest {
            given = identity?.compared(with: request.acceptableIssuers, console)
        }
        // A server that is not trusted is refused, whatever it demands.
        if let ending = examination.ending, report.verdict.isTrusted { return failed(ending) }
        report.examination = examination
        return report
    }

    private func failed(_ error: TLSError) -> CheckReport {
        var report = subject.answer(Verdict(refusing: []), policy)
        report.error = .connection(error)
        return report
    }

    /// Why there was no connection, in terms of the options.
    static func message(_ error: TLSError) -> String {
        guard case .clientCertificateRequired(let issuers) = error.reason else { return error.description }
        return "\(error.description)\(acceptedIssuers(issuers))\n  give an identity with --identity FILE"
    }

    /// A line that names the issuers a server accepts; nothing where it names none.
    static func acceptedIssuers(_ issuers: [[UInt8]]) -> String {
        issuers.isEmpty
            ? "" : "\n  it accepts issuers: " + Text.list(issuers.map(issuerText), limit: 5, separator: "; ")
    }
}
