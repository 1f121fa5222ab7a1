import CSystem
import Glibc

/// A connection before TLS: lines and bytes of a server that nobody has any reason to trust, within limits.
struct CleartextChannel {
    let socket: Socket
    let name: StartTLSProtocol
    private let limit: Duration
    private let deadline: Deadline
    private var buffer: [UInt8] = []
    private var received = 0

    /// The longest line: what RFC 9051 recommends to servers, and four times what SMTP allows.
    static let longestLine = 8_192
    /// The most that a server may say before it changes to TLS.
    static let longestDialogue = 65_536

    /// Why the dialogue ended without TLS.
    struct Stop: Error {
        let reason: TLSError.Reason

        init(_ reason: TLSError.Reason) {
            self.reason = reason
        }

        init(_ failure: StartTLSFailure) {
            reason = .startTLS(failure)
        }
    }

    /// All waits together take at most `limit`.
    init(socket: Socket, name: StartTLSProtocol, within limit: Duration) {
        self.socket = socket
        self.name = name
        self.limit = limit
        deadline = Deadline(after: limit)
    }

    /// Sends a line, and its end.
    mutating func send(_ line: String) async throws(Stop) { try await send(Array("\(line)\r\n".utf8)) }

    /// Sends bytes, all of them.
    mutating func send(_ bytes: [UInt8]) async throws(Stop) {
        var position = 0
        while position < bytes.count {
            let (sent, failure) = bytes.withUnsafeBytes { buffer in
                let sent = Glibc.send(
                    socket.descriptor, buffer.baseAddress.map { $0 + position }, buffer.count - position,
                    CInt(MSG_NOSIGNAL))
                return (sent, errno)
            }
            if sent >= 0 {
                position += sent
            } else if failure == EAGAIN {
                try await wait(for: .write)
            } else if failure != EINTR {
                throw Stop(SystemError(call: "send", code: failure).reason)
            }
        }
    }

    /// Reads a line, without its end (CR LF, or LF alone).
    mutating func line() async throws(Stop) -> [UInt8] {
        var searched = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                var line = buffer[..<end]
                if line.last == 0x0D { line.removeLast() }
                buffer.removeSubrange(...end)
                return Array(line)
            }
            searched = buffer.count
            guard buffer.count < Self.longestLine else {
                throw Stop(.answerTooLong(name, limit: Self.longestLine))
            }
            try await receive()
        }
    }

    /// Reads exactly so many bytes, at most the length of a dialogue.
    mutating func bytes(_ count: Int) async throws(Stop) -> [UInt8] {
        guard count <= Self.longestDialogue else {
            throw Stop(.answerTooLong(name, limit: Self.longestDialogue))
        }
        while buffer.count < count { try await receive() }
        let head = Array(buffer.prefix(count))
        buffer.removeFirst(count)
        return head
    }

    /// What has arrived and was not read, for the text of an error.
    var rest: [UInt8] { buffer }

    /// Ends the dialogue after the server's consent. The next byte from the server answers the client's first message of TLS, so nothing
    /// may have arrived yet: it would be taken for a part of the protected conversation (as in CVE-2011-0411 and CVE-2021-23222).
    mutating func finish() throws(Stop) {
        if buffer.isEmpty { _ = try receiveNow() }
        guard buffer.isEmpty else { throw Stop(.plaintextAfterConsent(name, found: said(buffer))) }
    }

    // MARK: -

    private mutating func receive() async throws(Stop) {
        while try !receiveNow() { try await wait(for: .read) }
    }

    /// Takes what is there; false where nothing is.
    private mutating func receiveNow() throws(Stop) -> Bool {
        let room = min(4_096, Self.longestDialogue - received)
        guard room > 0 else { throw Stop(.answerTooLong(name, limit: Self.longestDialogue)) }
        var count = 0
        var failure: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, initialized in
            repeat {
                count = recv(socket.descriptor, buffer.baseAddress, buffer.count, 0)
                failure = errno
            } while count < 0 && failure == EINTR
            initialized = max(0, count)
        }
        if count > 0 {
            received += count
            buffer += bytes
            return true
        }
        if count == 0 { throw Stop(TLSError.Reason.closedEarly(bytesReceived: received)) }
        guard failure == EAGAIN else { throw Stop(SystemError(call: "recv", code: failure).reason) }
        return false
    }

    private func wait(for direction: EventLoop.Direction) async throws(Stop) {
        let outcome =
            deadline.hasPassed
            ? .timedOut : await socket.loop.readiness(of: socket, for: direction, until: deadline)
        switch outcome {
        case .ready: return
        case .timedOut: throw Stop(TLSError.Reason.timedOut(limit))
        case .cancelled: throw Stop(TLSError.Reason.cancelled)
        case .failed(let code): throw Stop(TLSError.Reason.system(call: "epoll_ctl", code: code))
        }
    }
}
