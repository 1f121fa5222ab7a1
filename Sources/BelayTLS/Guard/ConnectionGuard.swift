import BelayTrust
import COpenSSL
import FoundationEssentials
import Glibc

/// Judges the peer of one connection that another library makes with OpenSSL.
///
/// The library lends its SSL_CTX while it sets a connection up (libcurl does so for each); the guard is installed in it and
/// lives as long as the context does. From then on nothing of the handshake goes on unless the guard's terms accept what the
/// peer shows: a fresh handshake is judged when the certificates arrive, before anything is proved or sent; a resumed one,
/// in which no certificates are sent, when it ends, by the certificates of the session.
///
/// Not for sharing: only the thread that runs the library's loop touches it.
package final class ConnectionGuard {
    private let terms: ConnectionTerms
    private let answers: ConnectionAnswers
    private let record = HandshakeRecord()
    /// The address that was dialled, as the library tells it.
    private let peerAddress: String

    /// What the peer has shown.
    package private(set) var evidence: PeerEvidence? { didSet { known = nil } }
    /// What came of it; nil while nothing was judged.
    package private(set) var ruling: ConnectionRuling? { didSet { known = nil } }
    /// Whether the session was resumed.
    package private(set) var isResumed = false { didSet { known = nil } }
    private var known: JudgedPeer?
    /// The server's question who the client is, where it needs an answer that is not there yet.
    package private(set) var undecidedRequest: ClientCertificateRequest?
    /// Whether the handshake was given up because its terms no longer hold.
    package private(set) var isSuperseded = false
    /// Which request has the connection for itself until the peer has said something; nil for none.
    package var pioneer: UInt64?
    /// The socket; nil where it is not known which one is the connection's, or it is gone.
    package private(set) var socket: CInt?
    private weak var bufferOwner: (any RecordBuffer.Owner)?
    private var buffer: RecordBuffer?
    private var wasIntactAtItsEnd: Bool?
    private var wasReset = false
    private var withheldIdentity = false
    private var sentIdentity = false
    private var judgedSecond: Int64 = .min

    package init(terms: ConnectionTerms, answers: ConnectionAnswers, peerAddress: String) {
        self.terms = terms
        self.answers = answers
        self.peerAddress = peerAddress
        record.limit = TLSContext.maximumHandshake
    }

    /// The peer as it is known at this moment, for those who take it to other threads.
    package var peer: JudgedPeer {
        if let known { return known }
        let peer = JudgedPeer(
            evidence: evidence, verdict: ruling?.verdict, isResumed: isResumed,
            certificateRequest: record.certificateRequest,
            sentClientCertificate: record.sentCertificateCount.map { $0 > 0 } ?? false)
        known = peer
        return peer
    }

    // MARK: - Installing

    /// Puts the guard into a context; it stays there as long as the context lives.
    ///
    /// - Throws: where the terms cannot be set; the connection must not be made then.
    package func install(in context: OpaquePointer) throws(ConnectionGuardError) {
        ERR_clear_error()
        let options = terms.options
        let key = TLSContext.Key(
            minimumVersion: options.minimumVersion, maximumVersion: options.maximumVersion,
            cipherSuites: options.cipherSuites)
        do {
            try TLSContext.apply(key, securityLevel: key.clientSecurityLevel, to: context)
        } catch {
            throw ConnectionGuardError(detail: error.text)
        }
        belay_tls_harden(context, TLSContext.maximumCertificateList)
        guard belay_tls_request_staple(context) == 1, belay_tls_request_timestamps(context) == 1 else {
            throw ConnectionGuardError(detail: OpenSSLError.drain().text)
        }
        if key.minimumVersion < .tls12 { belay_tls_allow_legacy_servers(context) }
        let held = Unmanaged.passRetained(self)
        guard SSL_CTX_set_ex_data(context, contextIndex, held.toOpaque()) == 1 else {
            held.release()
            throw ConnectionGuardError(detail: OpenSSLError.drain().text)
        }
        SSL_CTX_set_msg_callback(context, HandshakeRecord.callback)
        belay_tls_set_context_message_argument(context, Unmanaged.passUnretained(record).toOpaque())
        SSL_CTX_set_cert_verify_callback(context, verifyCallback, held.toOpaque())
        SSL_CTX_set_cert_cb(context, certificateCallback, held.toOpaque())
        SSL_CTX_set_info_callback(context, progressCallback)
        // The library would write the keys of all connections to the file that SSLKEYLOGFILE names, unasked.
        SSL_CTX_set_keylog_callback(context, terms.keyLog == nil ? nil : keyLogCallback)
    }

    /// The guard of a live connection; nil where it has none.
    package static func of(_ session: OpaquePointer) -> ConnectionGuard? {
        guard let context = SSL_get_SSL_CTX(session), let held = SSL_CTX_get_ex_data(context, contextIndex) else {
            return nil
        }
        return Unmanaged<ConnectionGuard>.fromOpaque(held).takeUnretainedValue()
    }

    // MARK: - Judging

    /// Says whether a request that came under these terms may be sent over the connection.
    ///
    /// The chain is judged anew where a second has passed since the last time: certificates expire while connections live.
    package func admits(_ terms: ConnectionTerms) -> Bool {
        guard terms.identifier == self.terms.identifier, let evidence, case .accepted = ruling else { return false }
        let now = Date()
        let second = Int64(now.timeIntervalSince1970.rounded(.down))
        if second != judgedSecond { judge(evidence, at: now) }
        if case .accepted = ruling { return true }
        return false
    }

    private func judge(_ evidence: PeerEvidence, at moment: Date) {
        // The verdict uses OpenSSL as well: what it leaves in this thread's queue of errors is not the handshake's.
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        judgedSecond = Int64(moment.timeIntervalSince1970.rounded(.down))
        ruling = terms.judge(evidence, moment, answers)
    }

    /// The certificates have arrived.
    fileprivate func verify(_ session: OpaquePointer) -> Bool {
        guard let negotiated = Negotiated(session, record), record.receivedCertificateMessage else { return false }
        let evidence = evidence(negotiated, chain: record.certificates)
        self.evidence = evidence
        judge(evidence, at: evidence.moment)
        if case .accepted = ruling { return true }
        return false
    }

    /// The handshake has ended. One that resumed a session has called nothing of the above.
    fileprivate func finish(_ session: OpaquePointer) {
        if SSL_session_reused(session) == 1, evidence == nil, let negotiated = Negotiated(session, record) {
            isResumed = true
            let evidence = evidence(negotiated, chain: Self.chain(of: session))
            self.evidence = evidence
            judge(evidence, at: evidence.moment)
        } else if let seen = evidence, let negotiated = Negotiated(session, record), ruling != nil {
            // What was not there yet in the middle: the group of TLS 1.2, the staple.
            evidence = PeerEvidence(
                chain: seen.chain, version: negotiated.version, cipherSuite: negotiated.cipherSuite,
                keyExchangeGroup: negotiated.group, applicationProtocol: negotiated.applicationProtocol,
                stapledResponse: record.stapledResponse, timestampList: record.timestampList,
                hasExtendedMasterSecret: record.hasExtendedMasterSecret, moment: seen.moment,
                hostLiteral: seen.hostLiteral, host: seen.host, peerAddress: seen.peerAddress)
        }
        // Over HTTP/1.1 nothing is written before the last answer has come.
        buffer?.gathers = evidence?.applicationProtocol == "h2"
        if case .accepted = ruling {
            if terms.isCurrent() { return }
            isSuperseded = true
        }
        // Nothing can be written any more: HTTP/2 would send its preface before anybody asks whether it may.
        SSL_set_shutdown(session, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    }

    private func evidence(_ negotiated: Negotiated, chain: [[UInt8]]) -> PeerEvidence {
        PeerEvidence(
            chain: chain, version: negotiated.version, cipherSuite: negotiated.cipherSuite,
            keyExchangeGroup: negotiated.group, applicationProtocol: negotiated.applicationProtocol,
            stapledResponse: record.stapledResponse, timestampList: record.timestampList,
            hasExtendedMasterSecret: record.hasExtendedMasterSecret, moment: Date(),
            hostLiteral: terms.endpoint.hostLiteral, host: terms.endpoint.host, peerAddress: peerAddress)
    }

    /// The chain that a session remembers, leaf first.
    private static func chain(of session: OpaquePointer) -> [[UInt8]] {
        guard let stack = SSL_get_peer_cert_chain(session) else { return [] }
        return (0..<max(0, belay_x509_stack_count(stack))).compactMap { index in
            guard let certificate = belay_x509_stack_at(stack, index) else { return nil }
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = i2d_X509(certificate, &bytes)
            guard count > 0, let bytes else { return nil }
            defer { belay_openssl_free(bytes) }
            return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
    }

    // MARK: - Identity

    /// The server, accepted and proved by now, asks who the client is. False ends the handshake.
    fileprivate func present(in session: OpaquePointer) -> Bool {
        guard case .accepted = ruling else {
            withheldIdentity = true
            return false
        }
        guard terms.isCurrent() else {
            isSuperseded = true
            return false
        }
        let request = record.certificateRequest ?? ClientCertificateRequest(acceptableIssuers: [])
        switch terms.identity(request, answers) {
        case .nothing: return true
        case .undecided:
            undecidedRequest = request
            return false
        case .present(let identity):
            ERR_set_mark()
            defer { ERR_pop_to_mark() }
            sentIdentity = identity.material.use(in: session)
            return sentIdentity
        }
    }

    fileprivate func log(_ line: String) { terms.keyLog?(line) }

    // MARK: - Failures

    /// Whether the peer has said that it will send no more. Without that, anybody on the way may have ended the connection.
    package var saidGoodbye: Bool { record.receivedAlert == .closeNotify }

    /// Whether the peer has sent anything after the handshake: with HTTP/2 its settings come first (RFC 9113, section 3.4).
    package var hasReceivedData: Bool { record.receivedData }

    /// Whether the peer has broken the connection off. False as well where nobody knows.
    package var peerHasReset: Bool { wasReset || buffer?.failure == ECONNRESET }

    /// Remembers the socket, so that ``isIntact`` can be told.
    ///
    /// - Parameters:
    ///   - socket: what the handshake, which has not begun, will go over, with nothing in between.
    ///   - owner: is told of the buffer that spares it system calls, and closes the socket.
    package func watch(_ socket: CInt, for owner: any RecordBuffer.Owner) {
        self.socket = socket
        bufferOwner = owner
    }

    /// The handshake begins: nothing was written yet.
    fileprivate func start(_ session: OpaquePointer) {
        guard buffer == nil, let socket, let bufferOwner else { return }
        buffer = RecordBuffer.install(in: session, socket: socket, owner: bufferOwner)
        if let buffer { bufferOwner.isBuffered(socket, by: buffer) }
    }

    /// Whether nothing has gone wrong with the connection, up to its end on this side where that has come: the peer has not ended it,
    /// and no record of it was broken. False as well where nobody knows.
    package var isIntact: Bool {
        guard record.receivedAlert == nil, record.sentAlert == nil || record.sentAlert == .closeNotify else {
            return false
        }
        return wasIntactAtItsEnd ?? isSocketOpen
    }

    /// The library is about to close the connection.
    fileprivate func end() {
        wasIntactAtItsEnd = isSocketOpen
        wasReset = peerHasReset
        socket = nil
        buffer = nil
    }

    private var isSocketOpen: Bool {
        guard let socket else { return false }
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT))
        return count > 0 || count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
    }

    /// What a failed connection means; nil where TLS is not to blame.
    ///
    /// - Parameters:
    ///   - opensslCode: OpenSSL's packed error, where the library tells it; 0 for none.
    ///   - session: the live SSL, where there still is one.
    package func failure(opensslCode: UInt, session: OpaquePointer? = nil) -> TLSError.Reason? {
        if record.exceededLimit { return .handshakeTooLong(limit: TLSContext.maximumHandshake) }
        let offered = terms.options.minimumVersion...terms.options.maximumVersion
        if let alert = record.receivedAlert, alert != .closeNotify {
            return record.reason(
                for: alert, sentIdentity: sentIdentity, withheldIdentity: withheldIdentity, offered: offered,
                isStaticKeyExchange: session.map(isStaticKeyExchange) ?? false)
        }
        if record.refusedRenegotiation { return .renegotiationRefused }
        guard opensslCode != 0 else { return nil }
        let error = OpenSSLError(code: opensslCode)
        // An end without a goodbye: what it cut off is for the caller to say.
        if error.contains(SSL_R_UNEXPECTED_EOF_WHILE_READING) { return nil }
        if error.contains(
            SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH,
            SSL_R_UNSUPPORTED_SSL_VERSION, SSL_R_UNKNOWN_SSL_VERSION, SSL_R_NO_PROTOCOLS_AVAILABLE)
        {
            return .protocolVersion(
                minimum: offered.lowerBound, maximum: offered.upperBound, found: record.serverVersion)
        }
        if error.contains(SSL_R_UNSAFE_LEGACY_RENEGOTIATION_DISABLED) { return .insecureRenegotiation }
        if error.contains(SSL_R_NO_SHARED_CIPHER, SSL_R_NO_CIPHERS_AVAILABLE) { return .noSharedCipher(nil) }
        if error.contains(SSL_R_EXCESSIVE_MESSAGE_SIZE) {
            return .certificateMessageTooLarge(limit: TLSContext.maximumCertificateList)
        }
        if !record.sawServerHello, error.contains(SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST) {
            return .notTLS(.unknown(""))
        }
        if record.receivedCertificateMessage {
            if record.certificates.isEmpty { return .noCertificate }
            if error.contains(SSL_R_BAD_SIGNATURE, SSL_R_WRONG_SIGNATURE_SIZE) {
                return .keyDoesNotMatchCertificate(chain: record.certificates)
            }
            if error.contains(SSL_R_DIGEST_CHECK_FAILED) { return .badFinished }
            if error.contains(library: ERR_LIB_ASN1, ERR_LIB_X509) {
                return .unreadableCertificate(chain: record.certificates, detail: error.text)
            }
        }
        return .protocolViolation(error.text)
    }

    /// Whether the server had asked for a client certificate and none was sent, for connections that it just drops.
    package var demandedIdentity: ClientCertificateRequest? {
        sentIdentity ? nil : record.certificateRequest
    }

    /// Whether the server may want a client certificate, none was sent, and it has not said since that it goes without: before TLS 1.3 the end
    /// of its handshake says so, with TLS 1.3 a ticket.
    package var mayMissIdentity: Bool {
        demandedIdentity != nil && evidence?.version == .tls13 && !record.receivedTicket
    }

    /// Whether the peer was given up because it asked for new keys over and over, and sent nothing.
    package var changesKeysForNothing: Bool { record.exceededKeyUpdates }
}

/// What a peer showed and what came of it.
///
/// An object that all responses of a connection share: with a copy for each, threads would fight over a dozen counts of
/// references.
package final class JudgedPeer: Sendable {
    /// What the peer has shown.
    package let evidence: PeerEvidence?
    /// What came of it; nil where nothing was judged.
    package let verdict: Verdict?
    /// Whether the session was resumed.
    package let isResumed: Bool
    /// Where the connection went; nil where that is not known.
    package let address: String?

    /// The peer's question who the client is; nil where it did not ask.
    package let certificateRequest: ClientCertificateRequest?
    /// Whether a client certificate was sent.
    package let sentClientCertificate: Bool

    init(
        evidence: PeerEvidence?, verdict: Verdict?, isResumed: Bool, certificateRequest: ClientCertificateRequest?,
        sentClientCertificate: Bool
    ) {
        self.evidence = evidence
        self.verdict = verdict
        self.isResumed = isResumed
        self.certificateRequest = certificateRequest
        self.sentClientCertificate = sentClientCertificate
        address = evidence.flatMap { $0.peerAddress.isEmpty ? nil : $0.peerAddress }
    }
}

/// A context that cannot be guarded.
package struct ConnectionGuardError: Error, Sendable {
    package let detail: String
}

/// The index of guards among the objects of a context. The process has one, made when the first guard is installed.
private let contextIndex = belay_tls_context_index { _, held, _, _, _, _ in
    guard let held else { return }
    let connection = Unmanaged<ConnectionGuard>.fromOpaque(held)
    connection.takeUnretainedValue().end()
    connection.release()
}

private let verifyCallback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> CInt = { store, held in
    guard let store, let held,
        let session = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())
    else { return 0 }
    let isAccepted = Unmanaged<ConnectionGuard>.fromOpaque(held).takeUnretainedValue().verify(OpaquePointer(session))
    // The peer is told no more than that its certificate was not accepted.
    X509_STORE_CTX_set_error(store, isAccepted ? X509_V_OK : X509_V_ERR_CERT_REJECTED)
    return isAccepted ? 1 : 0
}

private let certificateCallback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> CInt = { session, held in
    guard let session, let held else { return 0 }
    return Unmanaged<ConnectionGuard>.fromOpaque(held).takeUnretainedValue().present(in: session) ? 1 : 0
}

private let progressCallback: @convention(c) (OpaquePointer?, CInt, CInt) -> Void = { session, position, _ in
    guard position & (SSL_CB_HANDSHAKE_START | SSL_CB_HANDSHAKE_DONE) != 0, let session else { return }
    let connection = ConnectionGuard.of(session)
    if position & SSL_CB_HANDSHAKE_START != 0 { connection?.start(session) } else { connection?.finish(session) }
}

private let keyLogCallback: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Void = { session, line in
    guard let session, let line else { return }
    ConnectionGuard.of(session)?.log(String(cString: line))
}
