import BelayTrust

/// An open TLS connection, of which nothing has been used yet but the handshake.
///
/// `evidence` is what the server showed. Judge it first: not a byte of application data goes out before `write` is called, and a
/// connection that is closed or let go of instead has sent none.
///
/// ```swift
/// let connection = try await client.handshake(with: endpoint)
/// guard isAcceptable(connection.evidence) else {
///     await connection.close()
///     return
/// }
/// try await connection.write(request)
/// ```
///
/// One task may read while another writes. Letting go of the connection closes it.
public struct TLSConnection: Sendable {
    /// What the server showed in the handshake.
    public let evidence: PeerEvidence
    /// What the server wants to know of the client; nil when it did not ask for a certificate.
    public let certificateRequest: ClientCertificateRequest?
    /// Whether a client certificate was sent.
    public let sentClientCertificate: Bool
    /// Whether the server asked for a certificate and was not shown the one there is, because it was not accepted.
    public let withheldIdentity: Bool

    private let stream: TLSStream
    private let timeouts: TLSTimeouts

    init(
        evidence: PeerEvidence, certificateRequest: ClientCertificateRequest?, sentClientCertificate: Bool,
        withheldIdentity: Bool, stream: TLSStream, timeouts: TLSTimeouts
    ) {
        self.evidence = evidence
        self.certificateRequest = certificateRequest
        self.sentClientCertificate = sentClientCertificate
        self.withheldIdentity = withheldIdentity
        self.stream = stream
        self.timeouts = timeouts
    }

    /// Reads at least one byte and at most `count`. Empty when the peer has ended the connection in order.
    ///
    /// - Parameters:
    ///   - count: the most bytes to return.
    ///   - limit: how long it may take; the options' `transfer` when nil.
    public func read(upTo count: Int = 16_384, within limit: Duration? = nil) async throws(TLSError) -> [UInt8] {
        try await stream.read(upTo: count, within: limit ?? timeouts.transfer)
    }

    /// Writes all of `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: what to send, all of it.
    ///   - limit: how long it may take; the options' `transfer` when nil.
    public func write(_ bytes: [UInt8], within limit: Duration? = nil) async throws(TLSError) {
        try await stream.write(bytes, within: limit ?? timeouts.transfer)
    }

    /// Finds out whether the server accepts the client's identity, or the lack of one.
    ///
    /// Up to TLS 1.2 the handshake ends with the server's word on it. Under TLS 1.3 the client is done before the server has
    /// looked at its certificate, and a refusal comes afterwards (RFC 8446, section 4.4.2.4). This waits for the refusal, or for the
    /// first sign that there is none: a session ticket or application data (which the next `read` returns).
    ///
    /// - Parameter limit: how long to wait; a server need not say anything before it is asked.
    /// - Returns: `.notNeeded` when the handshake was the last word, `.accepted` after a sign, `.unknown` after silence.
    /// - Throws: `TLSError` with `.clientCertificateRequired`, `.clientIdentityWithheld` or `.clientCertificateRefused`, as in the handshake of older versions.
    public func confirm(within limit: Duration) async throws(TLSError) -> Confirmation {
        guard certificateRequest != nil, evidence.version >= .tls13 else { return .notNeeded }
        return try await stream.awaitAcceptance(within: limit) ? .accepted : .unknown
    }

    /// The server's word on the client's identity.
    public enum Confirmation: Sendable, Hashable {
        /// Nothing was asked, or the handshake has settled it.
        case notNeeded
        /// The server went on.
        case accepted
        /// The server has said nothing yet.
        case unknown
    }

    /// Says goodbye (`close_notify`) and closes. It never fails: the connection is closed either way.
    public func close() async {
        await stream.close(within: timeouts.close)
    }
}
