import BelayTLS
import BelayTrust
import CCurl
import Glibc

/// One exchange in the engine: what libcurl's callbacks write to, and what its end means.
///
/// Only the engine's thread touches it.
final class Transfer {
    let letter: TransferLetter
    let order: TransferOrder
    let easy: EasyHandle
    private let limits: TransferLimits
    private var body: [UInt8] = []
    private var hasBody = false
    /// Undoes the compression of the body; nil where there is none.
    private var unpacker: ContentUnpacker?
    // Checking at run time that nobody else is at it costs more than taking a line. Nobody can be: nothing that is called meanwhile knows of
    // the transfer. The same holds for `sending`.
    @exclusivity(unchecked) private var head = ResponseHead()
    /// The guard of the newest connection that was made for the exchange, or of the one it was given.
    private(set) var connectionGuard: ConnectionGuard?
    private(set) var isFreshConnection = false
    /// Whether and where the request has gone out.
    @exclusivity(unchecked) var sending = Sending()
    /// Why a callback ended the exchange; it outweighs whatever libcurl says.
    var ending: TransferFailure?

    /// When it began, in nanoseconds of the monotonic clock.
    let began: Int64
    /// The phase before the request goes out that it is in, as far as callbacks tell, and since when; nil while it has no connection of
    /// its own in the making.
    var entered: (phase: SessionPhase, since: Int64)?
    /// How often libcurl has asked whether the exchange may go on while its connection was in the making: with each byte that a proxy
    /// answers to CONNECT, and a few times besides.
    var tunnelSteps = 0
    /// When the first byte of an answer came; 0 before that. libcurl takes the first byte of a long body that it sends for it.
    var answered: Int64 = 0
    /// Since when the whole request is out and nothing has come; 0 where that is not so.
    var awaitsAnswerSince: Int64 = 0
    /// How many bytes had moved when that was last looked at, and when there were more than before.
    var movedBytes: Int64 = -1
    var movedLast: Int64 = 0

    init(_ letter: TransferLetter, easy: EasyHandle, now: Int64) {
        self.letter = letter
        order = letter.order
        limits = letter.order.settings.limits
        self.easy = easy
        began = now
    }

    // MARK: - Callbacks

    static let bodyCallback: belay_curl_data_callback = { bytes, size, count, argument in
        guard let argument, let bytes else { return 0 }
        let (length, overflow) = size.multipliedReportingOverflow(by: count)
        guard !overflow else { return 0 }
        guard let transfer = EasyHandle.transfer(argument) else { return 0 }
        return transfer.take(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    static let headerCallback: belay_curl_data_callback = { bytes, size, count, argument in
        guard let argument, let bytes else { return 0 }
        let (length, overflow) = size.multipliedReportingOverflow(by: count)
        guard !overflow else { return 0 }
        guard let transfer = EasyHandle.transfer(argument) else { return 0 }
        return transfer.takeHeader(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    static let contextCallback: belay_curl_context_callback = { _, context, argument in
        guard let argument, let context, let transfer = EasyHandle.transfer(argument) else {
            return CURLE_ABORTED_BY_CALLBACK
        }
        return transfer.guardConnection(in: OpaquePointer(context)) ? CURLE_OK : CURLE_ABORTED_BY_CALLBACK
    }

    static let resolverCallback: curl_resolver_start_callback = { _, _, argument in
        if let argument { EasyHandle.transfer(argument)?.enter(.resolve) }
        return 0
    }

    static let socketCallback: curl_opensocket_callback = { argument, _, address in
        guard let argument, let address, let transfer = EasyHandle.transfer(argument) else { return CURL_SOCKET_BAD }
        return transfer.openSocket(address.pointee)
    }

    static let closeCallback: curl_closesocket_callback = { argument, socket in
        guard let argument else { return close(socket) }
        return Unmanaged<EngineSockets>.fromOpaque(argument).takeUnretainedValue().close(socket)
    }

    static let prerequestCallback: curl_prereq_callback = { argument, _, _, _, localPort in
        guard let argument, let transfer = EasyHandle.transfer(argument) else { return CURL_PREREQFUNC_ABORT }
        return transfer.mayBeSent(localPort) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(ContentCodingError) {
            if !hasBody { try beginBody(bytes.count) }
            let fits: Bool
            if let unpacker {
                fits = try unpacker.unpack(bytes) { body.append(contentsOf: $0.bindMemory(to: UInt8.self)) }
            } else {
                fits = limits.body - body.count >= bytes.count
                if fits { body.append(contentsOf: bytes.bindMemory(to: UInt8.self)) }
            }
            if !fits { ending = .bodyTooLarge(limit: limits.body) }
            return fits
        } catch {
            ending = .contentCoding(error)
            return false
        }
    }

    private func beginBody(_ count: Int) throws(ContentCodingError) {
        hasBody = true
        // The announced length is only a hint: it may lie, and the body may grow when it is unpacked.
        let announced = easy.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        body.reserveCapacity(max(count, min(Int(clamping: announced), limits.body, 1 << 20)))
        // A part of a coded whole cannot be unpacked by itself (RFC 9110, section 14.2).
        guard order.settings.decompresses, easy.number(CURLINFO_RESPONSE_CODE) != 206 else { return }
        unpacker = try ContentUnpacker(head.fields, limit: limits.body)
    }

    private func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        if sending.isUnanswered { noteAnswer() }
        switch head.take(line, within: limits, keepsStatusLine: order.trace != nil) {
        case .goesOn: return true
        case .ends:
            traceResponseHead(head.statusLine, head.fields)
            return true
        case .fails:
            ending = head.fault
            return false
        }
    }

    private func guardConnection(in context: OpaquePointer) -> Bool {
        // HTTP/2 says its first words before anybody is asked whether the request may go out.
        guard order.terms.isCurrent() else {
            ending = .superseded
            return false
        }
        let made = ConnectionGuard(
            terms: order.terms, answers: order.answers, peerAddress: easy.peerAddress ?? "")
        do throws(ConnectionGuardError) {
            try made.install(in: context)
        } catch {
            ending = .unusable(error.detail)
            return false
        }
        watch(made)
        connectionGuard = made
        isFreshConnection = true
        enter(.handshake)
        return true
    }

    /// The last word before a request goes out, on a new connection or an old one.
    private func mayBeSent(_ localPort: CInt) -> Bool {
        guard mayBeRepeated else {
            ending = .lost(
                "the connection ended before an answer came, and the server may have done what \(order.content.method) asks for: it is not sent again"
            )
            return false
        }
        guard sending.unanswered < Transfer.maximumUnanswered else {
            ending = .lost(Transfer.refusedAlways)
            return false
        }
        guard order.terms.isCurrent() else {
            ending = .superseded
            return false
        }
        guard order.isEncrypted else {
            isFreshConnection = easy.number(CURLINFO_NUM_CONNECTS) > 0
            guard !holdsUnasked(localPort) else { return false }
            traceConnection(nil, isNew: isFreshConnection)
            noteSending(on: nil)
            return true
        }
        guard let session = easy.session, let found = ConnectionGuard.of(session) else {
            ending = .unjudged
            return false
        }
        if found !== connectionGuard {
            connectionGuard = found
            isFreshConnection = false
        }
        if found.admits(order.terms) {
            guard !mustWait(for: found), !holdsUnasked(found) else { return false }
            traceConnection(found, isNew: isFreshConnection)
            noteSending(on: found)
            return true
        }
        if case .refused(let verdict) = found.ruling { ending = .refused(verdict) } else { ending = .unjudged }
        return false
    }

    /// Forgets the connection that it had to leave, before it looks for one again.
    func leaveConnection() {
        if connectionGuard?.pioneer == letter.identifier { connectionGuard?.pioneer = nil }
        connectionGuard = nil
        isFreshConnection = false
    }

    // MARK: - The end

    /// What came of an exchange that is given up.
    func outcome(endedBy failure: TransferFailure) -> TransferOutcome {
        ending = failure
        return outcome(CURLE_OPERATION_TIMEDOUT)
    }

    /// What came of the exchange.
    func outcome(_ result: CURLcode) -> TransferOutcome {
        let status = easy.number(CURLINFO_RESPONSE_CODE)
        var failure = result == CURLE_OK && ending == nil ? nil : failure(result)
        if failure == nil, status != 0, !head.isComplete {
            failure = .lost("the connection ended in the middle of the response's head")
        }
        let version = Transfer.version(easy.number(CURLINFO_HTTP_VERSION))
        if failure == nil, endsWithConnection(status), connectionGuard?.saidGoodbye == false {
            // libcurl takes every end of a connection for the end of such a body, also one that somebody on the way has made.
            failure = .truncated(received: body.count)
        }
        if failure == nil, let unpacker {
            do throws(ContentCodingError) { try unpacker.finish() } catch { failure = .contentCoding(error) }
        }
        let timings = TransferTimings(
            nameLookup: moment(CURLINFO_NAMELOOKUP_TIME_T), connect: moment(CURLINFO_CONNECT_TIME_T),
            handshake: moment(CURLINFO_APPCONNECT_TIME_T), requestSent: moment(CURLINFO_PRETRANSFER_TIME_T),
            // The exchange began a moment before libcurl's did.
            firstByte: answered == 0 ? 0 : min((answered - began) / 1_000, moment(CURLINFO_TOTAL_TIME_T)),
            total: moment(CURLINFO_TOTAL_TIME_T),
            bytesSent: Int64(easy.number(CURLINFO_REQUEST_SIZE)) + easy.size(CURLINFO_SIZE_UPLOAD_T),
            bytesReceived: Int64(easy.number(CURLINFO_HEADER_SIZE)) + easy.size(CURLINFO_SIZE_DOWNLOAD_T))
        let peer = order.isEncrypted ? connectionGuard?.peer : nil
        // The address of an encrypted connection is with its evidence.
        return TransferOutcome(
            failure: failure, status: status, version: version, headers: head.fields, body: body, timings: timings,
            peer: peer, peerAddress: peer?.address == nil ? easy.peerAddress : nil, isFreshConnection: isFreshConnection
        )
    }

    /// A moment of libcurl's, in microseconds after the exchange began, which is earlier than libcurl knows where it had to wait.
    private func moment(_ info: CURLINFO) -> Int64 {
        let time = easy.size(info)
        return time == 0 || sending.resumed == 0 ? time : time + (sending.resumed - began) / 1_000
    }

    /// Whether the response has no end of its own (RFC 9112, section 6.3) and came by TLS.
    ///
    /// What counts is the connection's protocol and not the version that a status line claims; and a transfer coding other than chunked
    /// at the end leaves nothing but the end of the connection, whatever length is announced beside it.
    private func endsWithConnection(_ status: Int) -> Bool {
        guard order.isEncrypted, connectionGuard?.evidence?.applicationProtocol != "h2",
            order.content.method != "HEAD", status >= 200, status != 204, status != 304
        else { return false }
        guard let codings = head.fields.values(of: "transfer-encoding").last else {
            return easy.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) < 0
        }
        let last = codings.split(separator: UInt8(ascii: ",")).last ?? []
        return String(decoding: last, as: UTF8.self).lowercased().filter { $0 != " " && $0 != "\t" } != "chunked"
    }

    private static func version(_ number: Int) -> Int {
        switch number {
        case Int(CURL_HTTP_VERSION_1_0): 10
        case Int(CURL_HTTP_VERSION_1_1): 11
        case Int(CURL_HTTP_VERSION_2_0): 20
        default: 0
        }
    }

    private func failure(_ result: CURLcode) -> TransferFailure {
        if let ending { return ending }
        if let connectionGuard, isFreshConnection {
            if connectionGuard.isSuperseded { return .superseded }
            switch connectionGuard.ruling {
            case .refused(let verdict): return .refused(verdict)
            case .undecided(let verdict):
                if let evidence = connectionGuard.evidence { return .undecided(evidence, verdict) }
            case .accepted, nil: break
            }
            if let request = connectionGuard.undecidedRequest, let evidence = connectionGuard.evidence {
                return .identityUndecided(request, evidence)
            }
        }
        if connectionGuard?.changesKeysForNothing == true {
            return .lost("the server asks for new keys (KeyUpdate) over and over, and sends nothing under them")
        }
        let text = easy.errorMessage.isEmpty ? String(cString: curl_easy_strerror(result)) : easy.errorMessage
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST: return .notResolved(text)
        // libcurl repeats the proxy's whole URL, its password too.
        case CURLE_COULDNT_RESOLVE_PROXY where text.hasPrefix("Unsupported proxy"),
            CURLE_COULDNT_CONNECT where text.hasPrefix("Unsupported proxy"):
            return .proxy("its URL cannot be read")
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxy(text)
        case CURLE_COULDNT_CONNECT:
            return .notConnected(systemText(easy.number(CURLINFO_OS_ERRNO)) ?? text)
        case CURLE_OPERATION_TIMEDOUT: return timeout
        case CURLE_RECV_ERROR where text.hasPrefix("Too large response headers"):
            return .headersTooLarge(limit: min(limits.headers, Transfer.longestHead))
        case CURLE_RECV_ERROR where text.contains("nghttp2_session_mem_recv() returned -902"):
            // It is libcurl that stops nghttp2 then: there is no more room for the head, or for the trailer.
            return .headersTooLarge(limit: min(limits.headers, Transfer.longestHTTP2Head))
        case CURLE_RECV_ERROR where text.contains("nghttp2_session_mem_recv() returned -905"):
            return .malformed("its head comes in more than 8 CONTINUATION frames, as attacks do")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
            CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_AGAIN, CURLE_SSL_SHUTDOWN_FAILED:
            return connectionFailure(result, text)
        case CURLE_OUT_OF_MEMORY where order.content.headers.reduce(0, { $0 + $1.utf8.count }) > 1 << 20:
            return .unusable("the header of the request is longer than 1 MiB, and so long a one cannot be sent")
        case CURLE_OUT_OF_MEMORY where !head.isComplete && easy.number(CURLINFO_RESPONSE_CODE) != 0:
            // A line that is longer than libcurl's own limit is what it says so of.
            return .headersTooLarge(limit: min(limits.headers, Int(CURL_MAX_HTTP_HEADER)))
        // The connection ended before anything came; with HTTP/2 libcurl misses the content already.
        case CURLE_PARTIAL_FILE where easy.number(CURLINFO_RESPONSE_CODE) == 0 && head.fields.isEmpty:
            return .lost("the connection ended before an answer came")
        case CURLE_PARTIAL_FILE: return .truncated(received: body.count)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_UNSUPPORTED_PROTOCOL,
            CURLE_WRITE_ERROR:
            return .malformed(text)
        case CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
            // Once the request is out, it can only be the response that libcurl does not like.
            return sending.count > 0 ? .malformed(text) : .unusable(text)
        default: return .other(code: Int32(bitPattern: result.rawValue), text)
        }
    }

    /// What libcurl takes of a response's headers, all together, in bytes.
    private static let longestHead = 300 << 10
    /// The same over HTTP/2, for the head and the trailer each.
    private static let longestHTTP2Head = 128 << 10

    /// A connection that failed between its first byte and its last.
    private func connectionFailure(_ result: CURLcode, _ text: String) -> TransferFailure {
        // The proxy's answer to CONNECT; nothing of the server's own has come then.
        if let refusal = tunnelRefusal ?? Transfer.tunnelFailure(text) { return .proxy(refusal) }
        if result == CURLE_RECV_ERROR, text.hasSuffix("in chunked-encoding") { return .malformed(text) }
        if let connectionGuard {
            if let reason = connectionGuard.failure(opensslCode: Transfer.opensslCode(in: text), session: easy.session)
            {
                // A broken record in the middle of a response is none of the handshake's.
                if case .protocolViolation(let text) = reason, sending.count > 0 {
                    return sending.isUnanswered ? .lost(text) : .brokenOff(text)
                }
                return .tls(reason)
            }
            // Some servers say nothing to a client without a certificate, and hang up. Once the request is out, it may have been done.
            if sending.count == 0, isFreshConnection, let request = connectionGuard.demandedIdentity {
                return .tls(.clientCertificateRequired(acceptableIssuers: request.acceptableIssuers))
            }
        }
        if result == CURLE_SSL_CONNECT_ERROR || easy.size(CURLINFO_APPCONNECT_TIME_T) == 0, order.isEncrypted,
            isFreshConnection
        {
            let isReset = easy.number(CURLINFO_OS_ERRNO) == Int(ECONNRESET) || connectionGuard?.peerHasReset == true
            if isReset { return .tls(.reset) }
            return .tls(.closedEarly(bytesReceived: 0))
        }
        if sending.unanswered >= Transfer.maximumUnanswered { return .lost(Transfer.refusedAlways) }
        if endsUnexplained(result) { return .lost("the server ended the HTTP/2 connection before an answer came") }
        if result == CURLE_HTTP2 || result == CURLE_HTTP2_STREAM { return .malformed(text) }
        if sending.isUnanswered, isFreshConnection, connectionGuard?.mayMissIdentity == true {
            return .lost("\(text) (the server has asked for a client certificate, and none was sent: it may want one)")
        }
        return .lost(text)
    }

    /// libcurl puts OpenSSL's packed error into its message, as `error:` and eight hexadecimal digits.
    static func opensslCode(in text: String) -> UInt {
        let marker = Array("error:".utf8)
        let bytes = Array(text.utf8)
        guard bytes.count >= marker.count + 8 else { return 0 }
        for start in 0...(bytes.count - marker.count - 8) where bytes[start...].starts(with: marker) {
            let digits = bytes[(start + marker.count)..<(start + marker.count + 8)]
            if let code = UInt(String(decoding: digits, as: UTF8.self), radix: 16) { return code }
        }
        return 0
    }

    private func systemText(_ code: Int) -> String? {
        guard code != 0, let text = strerror(CInt(truncatingIfNeeded: code)) else { return nil }
        return String(cString: text)
    }
}
