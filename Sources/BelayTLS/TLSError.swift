import BelayTrust

/// Why there is no connection, or no more of it: with whom, in which phase, and what the peer did.
public struct TLSError: Error, Sendable, Hashable {
    /// Whom the connection was meant for.
    public let endpoint: TLSEndpoint
    /// The address and port that was talked to, for example `192.0.2.1:443`; nil before one was reached.
    public let peerAddress: String?
    /// What was being done.
    public let phase: Phase
    /// What went wrong.
    public let reason: Reason

    /// Puts an error together.
    public init(endpoint: TLSEndpoint, peerAddress: String? = nil, phase: Phase, reason: Reason) {
        self.endpoint = endpoint
        self.peerAddress = peerAddress
        self.phase = phase
        self.reason = reason
    }

    /// The phases of a connection, in their order.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Checking what was asked for, before anything is sent.
        case prepare
        /// Finding the host's addresses.
        case resolve
        /// Making the TCP connection.
        case connect
        /// Having the server change to TLS, where it begins in the clear.
        case startTLS
        /// The TLS handshake.
        case handshake
        /// Waiting for the server's word on the client's identity.
        case confirm
        /// Reading application data.
        case read
        /// Writing application data.
        case write
        /// Saying goodbye.
        case close
    }

    /// What went wrong.
    public enum Reason: Sendable, Hashable {
        /// The options contradict themselves or OpenSSL does not know what they name.
        case unusableOptions(String)
        /// The name has no address; the text is the resolver's.
        case notResolved(String)
        /// Nothing listens on the port.
        case refused
        /// No route, or the network is down; the text is the system's.
        case unreachable(String)
        /// The peer broke the connection off (RST).
        case reset
        /// The phase took longer than this.
        case timedOut(Duration)
        /// The server, which begins in the clear, did not change to TLS.
        case startTLS(StartTLSFailure)
        /// The peer does not speak TLS.
        case notTLS(OtherProtocol)
        /// No version is acceptable to both sides. `found` is the server's choice by its number on the wire, where it made one.
        case protocolVersion(minimum: TLSVersion, maximum: TLSVersion, found: UInt16?)
        /// The server speaks the version but none of the suites (or groups, or signature algorithms) offered.
        case noSharedCipher(TLSAlert?)
        /// The server speaks none of the protocols offered by ALPN.
        case noSharedApplicationProtocol
        /// The peer ended the handshake with another alert.
        case alert(TLSAlert)
        /// The peer closed the connection in the middle, after so many bytes.
        case closedEarly(bytesReceived: Int)
        /// The peer's certificates are larger than the limit, in bytes.
        case certificateMessageTooLarge(limit: Int)
        /// The handshake did not end within the limit, in bytes.
        case handshakeTooLong(limit: Int)
        /// The server presented no certificate.
        case noCertificate
        /// OpenSSL cannot read a certificate of the server's. `chain` is what was sent.
        case unreadableCertificate(chain: [[UInt8]], detail: String)
        /// The server presents a certificate whose key it does not have. `chain` is what was sent.
        case keyDoesNotMatchCertificate(chain: [[UInt8]])
        /// The server cannot prove that a second handshake belongs to the first (RFC 5746), so not even a first one is made.
        case insecureRenegotiation
        /// The server wanted a second handshake on the connection, which is refused, and then ended it.
        case renegotiationRefused
        /// The check over the whole handshake failed: something changed it on the way.
        case badFinished
        /// The server demands a client certificate and none was given. `acceptableIssuers` as in `ClientCertificateRequest`.
        case clientCertificateRequired(acceptableIssuers: [[UInt8]])
        /// The server demands a client certificate. One was given and not shown, because the server was not accepted.
        case clientIdentityWithheld(acceptableIssuers: [[UInt8]])
        /// The server does not accept the client certificate that was sent. `acceptableIssuers` as in `ClientCertificateRequest`.
        case clientCertificateRefused(TLSAlert, acceptableIssuers: [[UInt8]])
        /// The client identity cannot be used; the text says why.
        case identityUnusable(String)
        /// The peer broke the rules of TLS; the text is OpenSSL's.
        case protocolViolation(String)
        /// A system call failed for a reason of this machine's.
        case system(call: String, code: Int32)
        /// The task was cancelled.
        case cancelled
        /// The connection is closed already.
        case closed
        /// Two tasks read, or two tasks wrote, at the same time.
        case concurrentUse
    }

    /// What a peer speaks instead of TLS.
    public enum OtherProtocol: Sendable, Hashable {
        /// HTTP; the text is its first line.
        case http(String)
        /// SSH; the text is its banner.
        case ssh(String)
        /// Another protocol of text lines (SMTP, FTP, IMAP, POP3…); the text is the first line.
        case text(String)
        /// Bytes that are neither TLS nor text: the first ones, in hexadecimal.
        case unknown(String)
    }
}
