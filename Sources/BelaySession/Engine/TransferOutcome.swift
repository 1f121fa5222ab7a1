import BelayTLS
import BelayTrust

/// What came of an exchange.
struct TransferOutcome: Sendable {
    /// nil where there is no failure.
    var failure: TransferFailure?
    var status = 0
    /// 10, 11, 20: the version times ten.
    var version = 0
    /// The lines of the last header block, without the status line; then those of the trailer.
    var headers = HeaderBlock()
    var body: [UInt8] = []
    var timings = TransferTimings()
    /// What the server showed; nil for cleartext, and where it showed nothing.
    var evidence: PeerEvidence?
    var verdict: Verdict?
    var isResumed = false
    /// Where the connection went, for example `192.0.2.1:443`.
    var peerAddress: String?
    /// Whether the connection was made for this exchange.
    var isFreshConnection = false
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
    /// The connection carries no verdict under these terms. Nothing was sent.
    case unjudged
    case tls(TLSError.Reason)
    case unusable(String)
    case notResolved(String)
    case notConnected(String)
    case proxy(String)
    case timedOut(SessionPhase, Duration)
    case lost(String)
    case truncated(received: Int)
    case malformed(String)
    case bodyTooLarge(limit: Int)
    case headersTooLarge(limit: Int)
    case tooManyInformational(limit: Int)
    case cancelled
    case other(code: Int32, String)
}

/// The phases of an exchange, in their order.
public enum SessionPhase: String, Sendable, Hashable, CaseIterable {
    /// Checking what was asked for, before anything is sent.
    case prepare
    /// Finding the host's addresses.
    case resolve
    /// Making the connection, to the server or the proxy.
    case connect
    /// The TLS handshake.
    case handshake
    /// Sending the request.
    case send
    /// Waiting for the first byte of the response.
    case wait
    /// Reading the response.
    case receive
}
