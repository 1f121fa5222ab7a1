import BelayCertificates
import BelaySession
import BelayTLS
import BelayTrust

/// The answer of `belay get` for programs: see Documentation/json.md.
struct GetReport {
    /// The URL as it was given.
    let url: String
    let method: String
    var response: Response?
    var told = GetStory.Told()
    /// The file that has the body; nil where the report has it.
    var file: String?
    /// What is to be said of the server's certificates.
    var check: CheckReport?
    /// The identity that was given, with what speaks against it; nil where none was given, or it was not read.
    var identity: GivenIdentity?
    var error: GetFailure?
}

/// Why there is no response, in JSON.
struct GetFailure: Encodable {
    let phase: String
    let url: String?
    let message: String
    let remedy: String
    let appleCode: Int?

    private enum Key: String, CodingKey { case phase, url, message, remedy, appleCode }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(phase, forKey: .phase)
        try container.encode(url, forKey: .url)
        try container.encode(message, forKey: .message)
        try container.encode(remedy, forKey: .remedy)
        try container.encode(appleCode, forKey: .appleCode)
    }

    init(_ error: SessionError) {
        phase = error.phase.rawValue
        url = printable(error.url)
        message = error.summary
        remedy = error.remedy
        appleCode = error.appleCode
    }

    /// A refusal that is known before anything is sent.
    init(_ refusals: [Finding], of place: String, _ policy: SecurityPolicy) {
        let verdict = Verdict(refusing: refusals)
        phase = SessionPhase.prepare.rawValue
        url = printable(place)
        message = VerdictText.reason(verdict, policy)
        remedy = verdict.findings.first?.remedy ?? ""
        appleCode = refusals.contains { $0.rule.identifier == "ats.cleartext" } ? -1022 : nil
    }

    init(_ error: InputError) {
        phase = "input"
        url = nil
        message = error.message
        remedy = error.remedy
        appleCode = nil
    }
}

extension GetReport: Encodable {
    private enum Key: String, CodingKey {
        case url, method, finalURL, status, httpVersion, headers, body, redirects, connection, trust, identity, metrics
        case error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(printable(url), forKey: .url)
        try container.encode(method, forKey: .method)
        try container.encode(response.map { printable($0.url) }, forKey: .finalURL)
        try container.encode(response?.statusCode, forKey: .status)
        try container.encode(response?.httpVersion, forKey: .httpVersion)
        try container.encode(
            response?.headers.fields.map { Field(name: $0.name, value: $0.value) } ?? [],
            forKey: .headers)
        try container.encode(response.map { Body($0, file: file) }, forKey: .body)
        try container.encode(told.redirects, forKey: .redirects)
        try container.encode(told.exchanges.last.flatMap(Connection.init), forKey: .connection)
        try container.encode(check.map(Trust.init), forKey: .trust)
        try container.encode(identity.map(IdentityReport.init), forKey: .identity)
        try container.encode(told.exchanges.last.map(Metrics.init), forKey: .metrics)
        try container.encode(error, forKey: .error)
    }

    private struct Field: Encodable {
        let name: String
        let value: String
    }

    private struct Body: Encodable {
        let length: Int
        let text: String?
        let base64: String?
        let file: String?

        init(_ response: Response, file: String?) {
            length = response.body.count
            self.file = file
            let readable = file == nil ? try? response.text() : nil
            text = readable
            base64 = file == nil && readable == nil ? Base64.encode(response.body) : nil
        }
    }

    private struct Connection: Encodable {
        let address: String
        let isNew: Bool
        let isResumed: Bool
        let version: String?
        let cipherSuite: String?
        let keyExchangeGroup: String?
        let applicationProtocol: String?

        private enum CodingKeys: String, CodingKey {
            case address, isNew = "new", isResumed = "resumed", version, cipherSuite, keyExchangeGroup
            case applicationProtocol
        }

        init?(_ metrics: ExchangeMetrics) {
            guard let address = metrics.peerAddress else { return nil }
            self.address = address
            isNew = metrics.isNewConnection
            isResumed = metrics.isResumedSession
            version = metrics.evidence?.version.description
            cipherSuite = metrics.evidence?.cipherSuite.name
            keyExchangeGroup = metrics.evidence?.keyExchangeGroup
            applicationProtocol = metrics.evidence?.applicationProtocol
        }
    }

    /// The part of a check's answer that is about trust, under the keys that it has there.
    private struct Trust: Encodable {
        let report: CheckReport

        private enum Key: String, CodingKey {
            case host, port, trusted, result, summary, reasons, policy, weaknesses, sent, path, pathComplete
            case explanation, pins
        }

        init(_ report: CheckReport) { self.report = report }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            let verdict = report.verdict
            try container.encode(report.endpoint.host, forKey: .host)
            try container.encode(report.endpoint.port, forKey: .port)
            try container.encode(verdict.isTrusted, forKey: .trusted)
            try container.encode(verdict.result.rawValue, forKey: .result)
            try container.encode(VerdictText.reason(verdict, report.policy), forKey: .summary)
            try container.encode(verdict.findings, forKey: .reasons)
            try container.encode(PolicyReport(report.policy), forKey: .policy)
            try container.encode(report.policy.weaknesses, forKey: .weaknesses)
            try container.encode(report.sent.map { SHA256Digest(of: $0).hexadecimalText }, forKey: .sent)
            try container.encode(report.path?.elements ?? [], forKey: .path)
            try container.encode(verdict.isPathComplete, forKey: .pathComplete)
            try container.encode(verdict.explanation, forKey: .explanation)
            try container.encode(CheckReport.Pins(report), forKey: .pins)
        }
    }

    /// Moments in microseconds after the start.
    private struct Metrics: Encodable {
        let nameLookup: Int64
        let connect: Int64
        let handshake: Int64
        let requestStart: Int64
        let firstByte: Int64
        let total: Int64
        let bytesSent: Int64
        let bytesReceived: Int64

        init(_ metrics: ExchangeMetrics) {
            nameLookup = metrics.nameLookup.microseconds
            connect = metrics.connect.microseconds
            handshake = metrics.handshake.microseconds
            requestStart = metrics.requestStart.microseconds
            firstByte = metrics.firstByte.microseconds
            total = metrics.total.microseconds
            bytesSent = metrics.bytesSent
            bytesReceived = metrics.bytesReceived
        }
    }
}
