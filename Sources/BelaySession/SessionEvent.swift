import BelayTLS
import BelayTrust

/// Something that happened in a session, for those who watch it.
///
/// Events hold no bodies and no query of a URL. Those with headers come only where ``SessionConfiguration/announcesHeads`` asks
/// for them, and what authenticates somebody is redacted in them.
public enum SessionEvent: Sendable {
    /// A request begins; the number tells its events from others'.
    case began(id: UInt64, method: String, url: String)
    /// There is a connection, it was accepted, and the request goes out on it next. Only with ``SessionConfiguration/announcesHeads``.
    case connected(id: UInt64, connection: SessionConnection)
    /// The head of a request went out: its first line, then its fields. Only with ``SessionConfiguration/announcesHeads``.
    case requestHead(id: UInt64, lines: [String])
    /// The head of a response came, an interim one perhaps. Only with ``SessionConfiguration/announcesHeads``.
    case responseHead(id: UInt64, lines: [String])
    /// A redirect is followed.
    case redirected(id: UInt64, status: Int, to: String)
    /// The challenge handler is asked.
    case challenged(id: UInt64, kind: String, host: String)
    /// A request is tried again, on an interceptor's word.
    case retried(id: UInt64, attempt: Int)
    /// One exchange with a server has ended, well or not.
    case exchanged(id: UInt64, metrics: ExchangeMetrics)
    /// A request has a response.
    case succeeded(id: UInt64, status: Int)
    /// A request has failed.
    case failed(id: UInt64, error: SessionError)
    /// The keys of all connections are written to a file: whoever has it can read everything.
    case keysAreLogged(file: String)
}

/// A connection that a request goes out on.
public struct SessionConnection: Sendable, Hashable {
    /// Where it goes, for example `192.0.2.1:443`.
    public var peerAddress: String?
    /// Whether it was made for this exchange, and was not in the pool.
    public var isNew: Bool
    /// Whether it resumed a TLS session.
    public var isResumedSession: Bool
    /// What the server showed; nil for cleartext.
    public var evidence: PeerEvidence?
    /// What came of it; nil for cleartext.
    public var verdict: Verdict?
}

/// What one exchange with a server was like.
public struct ExchangeMetrics: Sendable, Hashable {
    /// The status code; 0 where no response came.
    public var statusCode: Int
    /// The version of HTTP, for example `HTTP/2`; empty where no response came.
    public var httpVersion: String
    /// Where the connection went, for example `192.0.2.1:443`; nil where it went nowhere.
    public var peerAddress: String?
    /// Whether the connection was made for this exchange, and was not in the pool.
    public var isNewConnection: Bool
    /// Whether the connection resumed a TLS session.
    public var isResumedSession: Bool
    /// The negotiated version of TLS; nil for cleartext.
    public var tlsVersion: TLSVersion?
    /// The negotiated cipher suite; nil for cleartext.
    public var cipherSuite: CipherSuite?
    /// What the server showed; nil for cleartext, and where it showed nothing.
    public var evidence: PeerEvidence?
    /// What came of it; nil where nothing was judged.
    public var verdict: Verdict?
    /// What the server wanted to know of the client; nil where it did not ask for a certificate on this connection.
    public var certificateRequest: ClientCertificateRequest?
    /// Whether a client certificate was sent on this connection.
    public var sentClientCertificate: Bool
    /// When the name was resolved, after the start. Moments that did not happen are zero.
    public var nameLookup: Duration
    /// When the connection stood.
    public var connect: Duration
    /// When the TLS handshake was over.
    public var handshake: Duration
    /// When the request was about to be sent.
    public var requestStart: Duration
    /// When the first byte of the response came.
    public var firstByte: Duration
    /// When everything was over.
    public var total: Duration
    /// Bytes of the request, header and body.
    public var bytesSent: Int64
    /// Bytes of the response, header and body, as they came.
    public var bytesReceived: Int64

    init(_ outcome: TransferOutcome) {
        let timings = outcome.timings
        statusCode = outcome.status
        httpVersion = outcome.status == 0 ? "" : outcome.httpVersion
        peerAddress = outcome.peerAddress
        isNewConnection = outcome.isFreshConnection
        isResumedSession = outcome.isResumed
        tlsVersion = outcome.evidence?.version
        cipherSuite = outcome.evidence?.cipherSuite
        evidence = outcome.evidence
        verdict = outcome.verdict
        certificateRequest = outcome.certificateRequest
        sentClientCertificate = outcome.sentClientCertificate
        nameLookup = .microseconds(timings.nameLookup)
        connect = .microseconds(timings.connect)
        handshake = .microseconds(timings.handshake)
        requestStart = .microseconds(timings.requestSent)
        firstByte = .microseconds(timings.firstByte)
        total = .microseconds(timings.total)
        bytesSent = timings.bytesSent
        bytesReceived = timings.bytesReceived
    }
}
