import BelayCertificates
import BelayTLS
import BelayTrust
import FoundationEssentials

/// The answer of `belay check`: see Documentation/json.md for its JSON.
struct CheckReport {
    /// The command that answers.
    let command: String
    /// The URL as it was given.
    let url: String
    let endpoint: TLSEndpoint
    let connectTo: TLSEndpoint?
    let verdict: Verdict
    let requirements: ConnectionRequirements
    let policy: SecurityPolicy
    /// Whether that is the policy asked for: its pins may be what could not be read.
    var isPolicyKnown = true
    /// Whether it is allowed in the clear, so that there was nothing to look at.
    var isCleartext = false
    /// Whether the moment was given with `--time`.
    let isMomentGiven: Bool
    /// The options that were given, but for the pins: what a command line needs that tries again.
    let words: [String]
    /// What the server showed; nil where nothing was reached, or nothing asked.
    var examination: TLSExamination?
    /// What the server showed to a connection of somebody else's.
    var evidence: PeerEvidence?
    /// The certificates as they were sent.
    var sent: [[UInt8]] = []
    var path: PathReport?
    /// The identity that was given, with what speaks against it; nil where none was given, or it was not read.
    var identity: GivenIdentity?
    /// What the Info.plist says about the server; nil where none is given.
    var decision: AppDecision?
    /// Why nothing was reached.
    var error: Failure?

    /// Why there is no answer.
    enum Failure {
        /// The server was not reached.
        case connection(TLSError)
        /// Something that was to be read was not.
        case input(InputError)

        /// Why, in a line.
        var summary: String {
            switch self {
            case .connection(let error): error.summary
            case .input(let error): error.message
            }
        }
    }
}

extension CheckReport: Encodable {
    private enum Key: String, CodingKey {
        case url, host, port, connectTo, trusted, result, summary, reasons, requirements, policy, weaknesses
        case transportSecurity, connection, sent, path, pathComplete, explanation, pins, identity, error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(url, forKey: .url)
        try container.encode(endpoint.host, forKey: .host)
        try container.encode(endpoint.port, forKey: .port)
        try container.encode(connectTo?.description, forKey: .connectTo)
        try container.encode(verdict.isTrusted, forKey: .trusted)
        try container.encode(verdict.result.rawValue, forKey: .result)
        try container.encode(
            error?.summary ?? (isCleartext ? VerdictText.cleartext : VerdictText.reason(verdict, policy)),
            forKey: .summary)
        try container.encode(verdict.findings, forKey: .reasons)
        try container.encode(
            Requirements(
                minimumVersion: requirements.minimumVersion.description,
                forwardSecrecy: requirements.requiresForwardSecrecy
            ), forKey: .requirements)
        try container.encode(decision, forKey: .transportSecurity)
        try container.encode(isPolicyKnown ? PolicyReport(policy) : nil, forKey: .policy)
        try container.encode(isPolicyKnown ? policy.weaknesses : [], forKey: .weaknesses)
        try container.encode(examination.map(Connection.init), forKey: .connection)
        try container.encode(sent.map { SHA256Digest(of: $0).hexadecimalText }, forKey: .sent)
        try container.encode(path?.elements ?? [], forKey: .path)
        try container.encode(verdict.isPathComplete, forKey: .pathComplete)
        try container.encode(verdict.explanation, forKey: .explanation)
        try container.encode(Pins(self), forKey: .pins)
        try container.encode(identity.map(IdentityReport.init), forKey: .identity)
        try container.encode(error.map(FailureReport.init), forKey: .error)
    }

    private struct Requirements: Encodable {
        let minimumVersion: String
        let forwardSecrecy: Bool
    }

    /// The pins of the path, and those of the policy.
    struct Pins: Encodable {
        let served: [String]
        let configured: [String]

        init(_ report: CheckReport) {
            served = report.verdict.servedPins.map(\.description)
            configured = report.policy.effectivePins.map(\.description).sorted()
        }
    }

    private struct Connection: Encodable {
        let address: String
        let version: String
        let cipherSuite: String
        let keyExchangeGroup: String?
        let stapledResponse: Bool
        let timestamps: Bool
        let clientCertificate: ClientCertificate
        let diagnostic: Bool
        let failure: String?
        let time: String

        struct ClientCertificate: Encodable {
            let requested: Bool
            let acceptableIssuers: [String]
            let sent: Bool
            let withheld: Bool
        }

        init(_ examination: TLSExamination) {
            let evidence = examination.evidence
            address = evidence.peerAddress
            version = evidence.version.description
            cipherSuite = evidence.cipherSuite.name
            keyExchangeGroup = evidence.keyExchangeGroup
            stapledResponse = evidence.stapledResponse != nil
            timestamps = evidence.timestampList != nil
            clientCertificate = ClientCertificate(
                requested: examination.certificateRequest != nil,
                acceptableIssuers: (examination.certificateRequest?.acceptableIssuers ?? []).map(issuerText),
                sent: examination.sentClientCertificate, withheld: examination.withheldIdentity)
            diagnostic = examination.failure != nil
            failure = (examination.failure ?? examination.ending)?.summary
            time = RFC3339.text(evidence.moment)
        }
    }

}

/// A client identity, and what a server will object to, in JSON.
struct IdentityReport: Encodable {
    let file: String
    let subject: String
    let sha256: String
    let findings: [Finding]

    init(_ given: GivenIdentity) {
        let certificate = given.identity.certificate
        file = given.file
        subject = certificate.subject.description
        sha256 = certificate.fingerprint.hexadecimalText
        findings = given.findings
    }
}

/// Why there is no answer, in JSON.
struct FailureReport: Encodable {
    let phase: String
    let message: String
    let remedy: String
    let address: String?
    let acceptableIssuers: [String]

    init(_ failure: CheckReport.Failure) {
        switch failure {
        case .connection(let error): self.init(error)
        case .input(let error): self.init(error)
        }
    }

    /// Something was not read.
    init(_ error: InputError) {
        phase = "input"
        message = error.message
        remedy = error.remedy
        address = nil
        acceptableIssuers = []
    }

    /// A server was not reached.
    init(_ error: TLSError) {
        phase = error.phase.rawValue
        message = error.summary
        remedy = error.remedy
        address = error.peerAddress
        switch error.reason {
        case .clientCertificateRequired(let issuers), .clientIdentityWithheld(let issuers),
            .clientCertificateRefused(_, let issuers):
            acceptableIssuers = issuers.map(issuerText)
        default: acceptableIssuers = []
        }
    }
}

/// A distinguished name that a server sent, in words.
func issuerText(_ der: [UInt8]) -> String {
    (try? DistinguishedName(der: der).description) ?? "#\(hexadecimal(der.prefix(64)))"
}
