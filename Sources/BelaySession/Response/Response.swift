import BelayTrust

/// What a server answered: status, header and the whole body.
public struct Response: Sendable {
    /// The URL that answered, after redirects.
    public let url: String
    /// The status code (RFC 9110, section 15), for example 200.
    public let statusCode: Int
    /// The version of HTTP, for example `HTTP/1.1` or `HTTP/2`.
    public let httpVersion: String
    /// The header fields, in order.
    public let headers: HTTPHeaders
    /// The body, decompressed.
    public let body: [UInt8]

    /// What the exchange brought; nil for a response that came from no server.
    private let outcome: TransferOutcome?

    /// What the exchange was like; nil for a response that came from no server.
    public var metrics: ExchangeMetrics? { outcome.map { ExchangeMetrics($0) } }
    /// What the server showed when the connection was made; nil for cleartext.
    public var evidence: PeerEvidence? { outcome?.evidence }
    /// Why the connection was used; nil for cleartext.
    public var verdict: Verdict? { outcome?.verdict }

    /// A response with its parts, for interceptors and tests.
    public init(
        url: String, statusCode: Int, httpVersion: String = "HTTP/1.1", headers: HTTPHeaders = [:], body: [UInt8] = []
    ) {
        self.url = url
        self.statusCode = statusCode
        self.httpVersion = httpVersion
        self.headers = headers
        self.body = body
        outcome = nil
    }

    /// What an exchange brought.
    init(_ outcome: TransferOutcome, url: String) {
        self.url = url
        statusCode = outcome.status
        httpVersion = outcome.httpVersion
        headers = HTTPHeaders(received: outcome.headers)
        body = outcome.body
        self.outcome = outcome
    }
}
