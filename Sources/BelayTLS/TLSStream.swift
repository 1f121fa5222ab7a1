import BelayTrust
import COpenSSL
import FoundationEssentials

/// The engine of one connection, either side: turns OpenSSL's "not now" into suspension.
///
/// Each operation is tried first, and only when OpenSSL cannot go on does the task wait for the socket. The session, and with
/// it the descriptor, is let go of at the first failure and on closing.
actor TLSStream {
    private var session: TLSSession?
    private let subject: Subject
    private var isReading = false
    private var isWriting = false
    /// What arrived while the server's word was awaited.
    private var early: [UInt8] = []

    /// Whom the stream is with; for its errors.
    struct Subject: Sendable {
        let endpoint: TLSEndpoint
        let peerAddress: String
        let offered: ClosedRange<TLSVersion>
        let hasIdentity: Bool

        /// What the peer has shown by now.
        func evidence(_ negotiated: Negotiated, _ record: HandshakeRecord) -> PeerEvidence {
            PeerEvidence(
                chain: record.certificates, version: negotiated.version, cipherSuite: negotiated.cipherSuite,
                keyExchangeGroup: negotiated.group, applicationProtocol: negotiated.applicationProtocol,
                stapledResponse: record.stapledResponse, timestampList: record.timestampList,
                hasExtendedMasterSecret: record.hasExtendedMasterSecret, moment: Date(),
                hostLiteral: endpoint.hostLiteral, host: endpoint.host, peerAddress: peerAddress)
        }

        func error(_ phase: TLSError.Phase, _ reason: TLSError.Reason) -> TLSError {
            TLSError(endpoint: endpoint, peerAddress: peerAddress, phase: phase, reason: reason)
        }
    }

    /// Takes over a connected socket; `prepare` sets up the side.
    init(
        context: TLSContext, socket: Socket, subject: Subject,
        prepare: (TLSSession) throws(Unprepared) -> Void
    ) throws(TLSError) {
        let session: TLSSession
        do {
            session = try TLSSession(context: context, socket: socket)
        } catch {
            throw subject.error(.prepare, .unusableOptions(error.text))
        }
        do {
            try prepare(session)
        } catch {
            throw subject.error(.prepare, error.reason)
        }
        self.session = session
        self.subject = subject
    }

    /// Everything the handshake showed.
    struct Handshake: Sendable {
        let negotiated: Negotiated
        let evidence: PeerEvidence
        let certificateRequest: ClientCertificateRequest?
        let sentCertificateCount: Int
        let withheldIdentity: Bool
        let requestedServerName: String?
        let isResumed: Bool
    }

    /// Makes the handshake.
    func handshake(within limit: Duration) async throws(TLSError) -> Handshake {
        guard try await run(.handshake, within: limit, { SSL_do_handshake($0) }) != nil else {
            throw end(.handshake, .closedEarly(bytesReceived: session?.transport.bytesRead ?? 0))
        }
        guard let session, let negotiated = session.negotiated else {
            throw end(.handshake, .protocolViolation("the handshake ended without a cipher suite"))
        }
        session.transport.readLimit = nil
        let record = session.record
        return Handshake(
            negotiated: negotiated, evidence: subject.evidence(negotiated, record),
            certificateRequest: record.certificateRequest, sentCertificateCount: record.sentCertificateCount ?? 0,
            withheldIdentity: session.answer?.withheldIdentity ?? false,
            requestedServerName: session.requestedServerName, isResumed: session.isResumed)
    }

    /// Reads at least one byte and at most `count`; none when the peer has said goodbye.
    func read(upTo count: Int, within limit: Duration) async throws(TLSError) -> [UInt8] {
        guard !isReading else { throw subject.error(.read, .concurrentUse) }
        guard count > 0 else { return [] }
        if !early.isEmpty {
            let head = Array(early.prefix(count))
            early.removeFirst(head.count)
            return head
        }
        isReading = true
        defer { isReading = false }
        return try await receive(.read, upTo: count, within: limit)
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8], within limit: Duration) async throws(TLSError) {
        guard !isWriting else { throw subject.error(.write, .concurrentUse) }
        isWriting = true
        defer { isWriting = false }
        let deadline = Deadline(after: limit)
        var position = 0
        while position < bytes.count {
            let start = position
            let end = try await run(.write, within: limit, until: deadline) { handle in
                bytes.withUnsafeBytes { buffer in
                    let rest = buffer.count - start
                    return SSL_write(handle, buffer.baseAddress.map { $0 + start }, CInt(clamping: rest))
                }
            }
            guard let written = end else { throw self.end(.write, .closedEarly(bytesReceived: 0)) }
            position += written
        }
    }

    /// Waits for the first sign that the server accepts the client: a session ticket or application data, which is kept.
    func awaitAcceptance(within limit: Duration) async throws(TLSError) -> Bool {
        guard !isReading else { throw subject.error(.confirm, .concurrentUse) }
        isReading = true
        defer { isReading = false }
        let deadline = Deadline(after: limit)
        do throws(TLSError) {
            while true {
                guard let session else { throw subject.error(.confirm, .closed) }
                if !early.isEmpty || session.record.receivedTicket { return true }
                switch session.step(until: deadline, into: &early, upTo: 16_384) {
                case .done: continue
                case .ended: throw end(.confirm, .closedEarly(bytesReceived: session.transport.bytesRead))
                case .failed(let error): throw fail(.confirm, error)
                case .waits(let direction):
                    // A ticket is no data: OpenSSL waits for more although the word has been spoken.
                    if session.record.receivedTicket { return true }
                    try await wait(session.transport.socket, direction, .confirm, limit, deadline)
                }
            }
        } catch {
            // Silence is an answer here: the server has said neither yes nor no.
            if case .timedOut = error.reason { return false }
            throw error
        }
    }

    /// Says goodbye and closes. Bytes that lie unread are taken off the socket first, so that the goodbye is not overtaken
    /// by a reset.
    func close(within limit: Duration) async {
        guard let session else { return }
        let socket = session.transport.socket
        let deadline = Deadline(after: limit)
        while !isWriting {
            guard self.session === session else { return }
            let step = session.step(until: deadline) { handle in
                // Once sent, 0 means that the peer has not answered yet; nobody waits for that.
                let result = SSL_shutdown(handle)
                return result == 0 ? 1 : result
            }
            guard case .waits(.write) = step else { break }
            let outcome = await socket.loop.readiness(of: socket, for: .write, until: deadline)
            guard case .ready = outcome else { break }
        }
        session.transport.discardPending(atMost: 1 << 16)
        abandon()
    }

    /// Breaks the connection off (RST).
    func reset() {
        session?.transport.socket.resetOnClose()
        abandon()
    }

    /// Closes without goodbye, and without the reset that unread bytes would make of it.
    func cut() {
        session?.transport.discardPending(atMost: 1 << 16)
        abandon()
    }

    /// Closes at once, without goodbye.
    func abandon() {
        guard let session else { return }
        let socket = session.transport.socket
        self.session = nil
        socket.loop.wakeAll(on: socket)
    }

    // MARK: -

    private func receive(_ phase: TLSError.Phase, upTo count: Int, within limit: Duration) async throws(TLSError)
        -> [UInt8]
    {
        let deadline = Deadline(after: limit)
        var bytes: [UInt8] = []
        while true {
            guard let session else { throw subject.error(phase, .closed) }
            switch session.step(until: deadline, into: &bytes, upTo: count) {
            case .done: return bytes
            case .ended: return []
            case .failed(let error): throw fail(phase, error)
            case .waits(let direction):
                try await wait(session.transport.socket, direction, phase, limit, deadline)
            }
        }
    }

    /// Runs an operation to its end; nil when the peer has said goodbye.
    private func run(
        _ phase: TLSError.Phase, within limit: Duration, until given: Deadline? = nil,
        _ operation: (OpaquePointer) -> CInt
    ) async throws(TLSError) -> Int? {
        let deadline = given ?? Deadline(after: limit)
        while true {
            guard let session else { throw subject.error(phase, .closed) }
            switch session.step(until: deadline, operation) {
            case .done(let result): return result
            case .ended: return nil
            case .failed(let error): throw fail(phase, error)
            case .waits(let direction):
                try await wait(session.transport.socket, direction, phase, limit, deadline)
            }
        }
    }

    private func wait(
        _ socket: Socket, _ direction: EventLoop.Direction, _ phase: TLSError.Phase, _ limit: Duration,
        _ deadline: Deadline
    ) async throws(TLSError) {
        // A peer that never stops sending must not keep a socket ready beyond the deadline.
        let outcome =
            deadline.hasPassed
            ? .timedOut : await socket.loop.readiness(of: socket, for: direction, until: deadline)
        switch outcome {
        case .ready: return
        case .timedOut:
            // Silence is no failure of the connection where only a sign was awaited.
            throw phase == .confirm ? subject.error(phase, .timedOut(limit)) : end(phase, .timedOut(limit))
        case .cancelled: throw end(phase, .cancelled)
        case .failed(let code): throw end(phase, .system(call: "epoll_ctl", code: code))
        }
    }

    /// Lets go of the session after an operation failed, and says why it did.
    private func fail(_ phase: TLSError.Phase, _ error: OpenSSLError) -> TLSError {
        guard let session else { return subject.error(phase, .closed) }
        var error = error
        if phase == .write, session.record.receivedAlert == nil {
            // A server that refuses the client says so and closes: its alert may lie before the broken pipe.
            var discarded: [UInt8] = []
            if case .failed(let read) = session.step(until: Deadline(after: .zero), into: &discarded, upTo: 16_384),
                session.record.receivedAlert != nil
            {
                error = read
            }
        }
        return end(
            phase, session.reason(for: error, sentIdentity: subject.hasIdentity, offered: subject.offered))
    }

    private func end(_ phase: TLSError.Phase, _ reason: TLSError.Reason) -> TLSError {
        abandon()
        return subject.error(phase, reason)
    }
}

extension TLSSession {
    /// Reads application data to the end of `bytes`.
    fileprivate func step(until deadline: Deadline, into bytes: inout [UInt8], upTo count: Int) -> Step {
        var result = Step.ended
        bytes += [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            result = step(until: deadline) { SSL_read($0, buffer.baseAddress, CInt(clamping: buffer.count)) }
            if case .done(let received) = result { initialized = received }
        }
        return result
    }
}
