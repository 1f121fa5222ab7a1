import BelayTLS
import BelayTrust
import CCurl
import Glibc

/// Whether a request has gone out, and where: what may not be sent twice, and what has to wait.
struct Sending {
    /// Whether it went out and not a byte of an answer came.
    var isUnanswered = false
    /// How often it went out.
    var count = 0
    /// How often it went out since an answer came last.
    var unanswered = 0
    /// Whether it has to look for another connection, since it was given one that holds something the server has sent unasked.
    var leavesConnection = false
    /// Sockets that were opened for a connection of its own.
    var sockets: [CInt] = []
    /// How often the engine, not libcurl, has sent it again.
    var repeats = 0
    /// The connection it went out on last; nil for cleartext.
    var connection: ConnectionGuard?
    /// What the server says of the stream, where that matters.
    var fate: StreamFate?
    /// The connection whose server has not said yet how much it takes; nil while the request does not wait for that.
    var awaited: ConnectionGuard?
    /// Since when the request waits, by the monotonic clock in nanoseconds; nil where it does not.
    var waitingSince: Int64?
    /// When it looked for a connection again after it had waited; 0 where it never did.
    var resumed: Int64 = 0
}

extension Transfer {
    // MARK: - Waiting

    /// Whether the request has to wait before it may go out on a connection.
    ///
    /// On a new connection of HTTP/2 nobody knows how many requests the server takes at a time. It says so first of all, but libcurl does
    /// not wait for it: it sends a hundred, has most of them refused by a server that takes few, closes the connection because of
    /// that, and gives up after a few rounds. So one request goes out, and the others follow once the server has said something.
    func mustWait(for connection: ConnectionGuard) -> Bool {
        guard !connection.hasReceivedData, connection.evidence?.applicationProtocol == "h2" else { return false }
        guard let pioneer = connection.pioneer, pioneer != letter.identifier else {
            connection.pioneer = letter.identifier
            return false
        }
        sending.awaited = connection
        return true
    }

    /// Whether the request, which waits for a server's word, need not wait any more.
    var hasWaited: Bool {
        guard let awaited = sending.awaited else { return true }
        return awaited.hasReceivedData || awaited.pioneer == nil
    }

    /// Has the request look for a connection again.
    func resume(at now: Int64) {
        // Where the server has said nothing, all of this is one wait.
        if sending.awaited?.hasReceivedData == true { sending.waitingSince = nil }
        sending.awaited = nil
        sending.resumed = now
        entered = nil
        leaveConnection()
    }

    // MARK: - Sockets

    /// Opens a socket for a connection of the exchange's; it may try several addresses at once.
    func openSocket(_ address: curl_sockaddr) -> CInt {
        // No child of the process has any business with it.
        enter(.connect)
        let made = socket(address.family, address.socktype | CInt(SOCK_CLOEXEC.rawValue), address.protocol)
        if made >= 0 {
            sending.sockets.append(made)
            easy.sockets.opened(made, by: letter.identifier)
        }
        return made
    }

    /// The socket of the connection that is being made for the exchange: those that lost against it are closed. Nil where that is not certain.
    private func takeOwnSocket() -> CInt? {
        let open = sending.sockets.filter { easy.sockets.isOpen($0, by: letter.identifier) }
        sending.sockets = []
        return open.count == 1 ? open.first : nil
    }

    /// Tells a new connection, before its handshake, which socket is its own.
    func watch(_ connection: ConnectionGuard) {
        if let own = takeOwnSocket() { connection.watch(own, for: easy.sockets) }
    }

    /// Notes that an answer comes.
    func noteAnswer() {
        sending.isUnanswered = false
        sending.unanswered = 0
        awaitsAnswerSince = 0
        answered = EngineCore.now
    }

    // MARK: - What comes unasked

    /// Whether a connection that was used before holds something that the server has sent since, and so before it was asked anything.
    ///
    /// Over HTTP/1.1 it would be taken for the answer to this request, and this request's answer for that to the next (RFC 9112, section
    /// 9.2). libcurl sees it and takes it for a sign of life. A server that gives a connection up with a last word (408) does the same.
    func holdsUnasked(_ connection: ConnectionGuard) -> Bool {
        guard !isFreshConnection || sending.count > 0, connection.evidence?.applicationProtocol != "h2",
            let socket = connection.socket, !easy.sockets.isQuiet(socket)
        else { return false }
        sending.leavesConnection = true
        return true
    }

    /// The same for cleartext, where the local port tells the connection.
    func holdsUnasked(_ localPort: CInt) -> Bool {
        guard !isFreshConnection || sending.count > 0 else {
            if let own = takeOwnSocket() { easy.sockets.note(own, localPort: localPort) }
            return false
        }
        guard let socket = easy.sockets.socket(localPort: localPort), !easy.sockets.isQuiet(socket) else {
            return false
        }
        sending.leavesConnection = true
        return true
    }

    // MARK: - Repeating

    static let refusedAlways =
        "the server has refused the request, or ended the connection, \(maximumUnanswered) times without an answer"

    /// Methods that mean the same once and twice (RFC 9110, section 9.2.2).
    private static let idempotentMethods: Set = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]

    private var isIdempotent: Bool { Transfer.idempotentMethods.contains(order.content.method) }

    /// Whether the request may go out, where it has gone out before without an answer.
    ///
    /// libcurl sends a request again, up to five times, whose connection was used before and ended without a byte of an answer. That is
    /// wrong for what the server may have done already.
    var mayBeRepeated: Bool {
        !sending.isUnanswered || isIdempotent || wasTurnedDown
    }

    /// Whether the server has said that it has not looked at the request.
    private var wasTurnedDown: Bool {
        guard let fate = sending.fate else { return false }
        return fate.isBeyondLast || fate.isRefused && sending.connection?.isIntact == true
    }

    /// Whether it matters what the server says of a stream that it does not answer.
    var mayBeTurnedDown: Bool { order.isEncrypted && !isIdempotent && order.settings.protocols == .automatic }

    /// How often the engine sends a request again that libcurl has given up.
    private static let maximumRepeats = 5
    /// How often a request goes out at most without an answer, whoever sends it again. libcurl stops there by itself where nobody else has.
    static let maximumUnanswered = 6

    /// Whether a request that failed is to be sent again.
    ///
    /// libcurl does so by itself, but not with HTTP/2 when the connection ends. A connection that nobody had used before is no reason: the
    /// next one would hardly be better.
    func mayBeTriedAgain(_ result: CURLcode) -> Bool {
        guard ending == nil, sending.isUnanswered, mayBeRepeated, sending.repeats < Transfer.maximumRepeats,
            sending.unanswered < Transfer.maximumUnanswered,
            !isFreshConnection || endsUnexplained(result), easy.number(CURLINFO_RESPONSE_CODE) == 0
        else { return false }
        switch result {
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2:
            guard order.terms.isCurrent() else {
                // It goes on under the policy of the moment, as a new exchange.
                ending = .superseded
                return false
            }
            sending.repeats += 1
            return true
        default: return false
        }
    }

    /// Whether HTTP/2's session is over, and libcurl has no word for why: mostly since the server has said GOAWAY.
    ///
    /// The stream may have been one that the server never looked at (RFC 9113, section 6.8), or one that it ended for another reason
    /// just before: this is no licence to repeat what may have been done.
    func endsUnexplained(_ result: CURLcode) -> Bool {
        result == CURLE_HTTP2 && easy.errorMessage.isEmpty && sending.isUnanswered
    }

    /// Notes that the request goes out.
    func noteSending(on connection: ConnectionGuard?) {
        leavePhases()
        sending.isUnanswered = true
        sending.count += 1
        sending.unanswered += 1
        sending.connection = connection
        guard mayBeTurnedDown, connection?.evidence?.applicationProtocol == "h2" else { return }
        sending.fate = StreamFate()
        easy.tell()
    }
}
