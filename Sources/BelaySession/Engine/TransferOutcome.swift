import BelayTLS
import BelayTrust

/// What came of an exchange.
///
/// An object: it goes from thread to thread and along with the response, and each copy of its parts would count a dozen
/// references.
final class TransferOutcome: Sendable {
    /// nil where there is no failure.
    let failure: TransferFailure?
    let status: Int
    /// 10, 11, 20: the version times ten.
    let version: Int
    /// The lines of the last header block, without the status line; then those of the trailer.
    let headers: HeaderBlock
    let body: [UInt8]
    let timings: TransferTimings
    /// What is known of the server; nil for cleartext.
    private let peer: JudgedPeer?
    private let ownAddress: String?
    /// Whether the connection was made for this exchange.
    let isFreshConnection: Bool

    init(
        failure: TransferFailure?, status: Int = 0, version: Int = 0, headers: HeaderBlock = HeaderBlock(),
        body: [UInt8] = [], timings: TransferTimings = TransferTimings(), peer: JudgedPeer? = nil,
        peerAddress: String? = nil, isFreshConnection: Bool = false
    ) {
        self.failure = failure
        self.status = status
        self.version = version
        self.headers = headers
        self.body = body
        self.timings = timings
        self.peer = peer
        ownAddress = peerAddress
        self.isFreshConnection = isFreshConnection
    }
}

extension TransferOutcome {
    /// What the server showed; nil for cleartext, and where it showed nothing.
    var evidence: PeerEvidence? { peer?.evidence }
    /// Where the connection went, for example `192.0.2.1:443`.
    var peerAddress: String? { ownAddress ?? peer?.address }
    /// What came of it.
    var verdict: Verdict? { peer?.verdict }
    /// Whether the TLS session was resumed.
    var isResumed: Bool { peer?.isResumed ?? false }
    /// The server's question who the client is; nil where it did not ask.
    var certificateRequest: ClientCertificateRequest? { peer?.certificateRequest }
    /// Whether a client certificate was sent.
    var sentClientCertificate: Bool { peer?.sentClientCertificate ?? false }
}

extension TransferOutcome: CustomReflectable {
    /// What a response tells of it, so that no dump of a response shows its header unredacted.
    var customMirror: Mirror { Mirror(self, children: ["metrics": ExchangeMetrics(self)]) }
}

/// Moments of an exchange, in microseconds after its start; 0 for what did not happen.
struct TransferTimings: Sendable, Hashable {
    var nameLookup: Int64 = 0
    var connect: Int64 = 0
    var handshake: Int64 = 0
    var requestSent: Int64 = 0
    var firstByte: Int64 = 0
    var total: Int64 = 0
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
}

/// Why an exchange failed.
enum TransferFailure: Error, Sendable, Hashable {
    case refused(Verdict)
    /// Somebody has to be asked about what the server showed.
    case undecided(PeerEvidence, Verdict)
    /// Somebody has to be asked who the client is.
    case identityUndecided(ClientCertificateRequest, PeerEvidence)
    /// The policies changed while the request waited for its connection. Nothing was sent.
    case superseded
    /// The connection carries no verdict under these terms. Nothing was sent.
    case unjudged
    case tls(TLSError.Reason)
    case unusable(String)
    case notResolved(String)
    case notConnected(String)
    case proxy(String)
    case timedOut(SessionPhase, Duration)
    case lost(String)
    /// It ended, or was broken, in the middle of the response.
    case brokenOff(String)
    case truncated(received: Int)
    case malformed(String)
    case contentCoding(ContentCodingError)
    case bodyTooLarge(limit: Int)
    case headersTooLarge(limit: Int)
    case tooManyInformational(limit: Int)
    case cancelled(SessionPhase)
    case other(code: Int32, String)
}

/// The phases of an exchange, in their order.
public enum SessionPhase: String, Sendable, Hashable, CaseIterable {
    /// Checking what was asked for, before anything is sent.
    case prepare
    /// Waiting for one of the connections to the host, which other requests use or make.
    case queue
    /// Finding the host's addresses.
    case resolve
    /// Making the connection, to the server or the proxy.
    case connect
    /// Having the proxy open a tunnel to the server (CONNECT).
    case tunnel
    /// The TLS handshake.
    case handshake
    /// Sending the request.
    case send
    /// Waiting for the first byte of the response.
    case wait
    /// Reading the response.
    case receive
}
