import COpenSSL
import Glibc

/// What stands between OpenSSL and the socket of one connection, so that records do not cost a system call each.
///
/// Another library's way to the socket asks the kernel twice for each record, once for its head and once for its content, and sends each record
/// by itself; over HTTP/2, where each request is a record, it wakes the server for each. A buffer in its place reads ahead, and gathers records
/// until the one who runs the loop says ``flush()``, before it waits for anything, or until they are many. The last words of a handshake go out
/// with the first request.
///
/// Whoever waits for the socket has to look at ``unread`` as well: what is here already makes no socket readable. And whoever closes it has to
/// flush it before: the last words of a connection are here too.
///
/// Not for sharing: only the thread that runs the library's loop touches it.
package final class RecordBuffer {
    /// What became of the records that were gathered.
    package enum Progress: Sendable, Hashable {
        /// None is left.
        case sent
        /// The socket takes no more for now; the rest follows when it does.
        case blocked
        /// The connection is gone. Who reads from it learns the same.
        case failed
    }

    /// Told what happens in a buffer.
    package protocol Owner: AnyObject {
        /// A socket has a buffer from now on.
        func isBuffered(_ socket: CInt, by buffer: RecordBuffer)
        /// The socket was read from: some of that may be left.
        func hasRead(_ socket: CInt)
        /// There is something to flush, and was nothing before.
        func hasGathered(_ socket: CInt)
    }

    /// A short response with its head. What is longer goes straight to OpenSSL.
    private static let readCapacity = 4 << 10
    private static let writeCapacity = 16 << 10
    /// So many bytes are sent at once, for the server not to wait until all others are ready: some ten requests.
    private static let enough = 1 << 10

    private var socket: CInt
    private unowned let owner: any Owner

    private let input = UnsafeMutableRawPointer.allocate(byteCount: RecordBuffer.readCapacity, alignment: 16)
    private var inputStart = 0
    private var inputEnd = 0

    private var output: UnsafeMutableRawPointer?
    private var outputStart = 0
    private var outputEnd = 0
    private var cannotSend = false
    /// `errno` of the last call that failed, 0 where none did.
    private(set) var failure: CInt = 0

    private init(socket: CInt, owner: any Owner) {
        self.socket = socket
        self.owner = owner
    }

    deinit {
        input.deallocate()
        output?.deallocate()
    }

    /// Puts a buffer into a connection, before its handshake or after it.
    ///
    /// - Parameters:
    ///   - session: has the socket for itself, with nothing in between.
    ///   - socket: does not block.
    ///   - owner: lives longer than the connection.
    /// - Returns: nil where there is no memory; the connection is as it was then.
    package static func install(in session: OpaquePointer, socket: CInt, owner: any Owner) -> RecordBuffer? {
        guard let method = RecordBufferMethod.shared, let bio = method.makeBIO() else { return nil }
        let buffer = RecordBuffer(socket: socket, owner: owner)
        BIO_set_data(bio, Unmanaged.passRetained(buffer).toOpaque())
        BIO_set_init(bio, 1)
        // One reference serves both directions.
        SSL_set_bio(session, bio, bio)
        return buffer
    }

    /// Whether records wait for ``flush()``. What waits already does so still when this changes.
    package var gathers = true

    /// The socket is about to be closed, and its number may be another's afterwards.
    package func close() { socket = -1 }

    // MARK: - Reading

    /// How many bytes were read from the socket and not taken yet.
    package var unread: Int { inputEnd - inputStart }

    fileprivate func read(into destination: UnsafeMutableRawPointer, _ count: Int) -> Outcome {
        if unread == 0 {
            guard count < RecordBuffer.readCapacity else { return receive(into: destination, count) }
            let outcome = receive(into: input, RecordBuffer.readCapacity)
            guard case .moved(let received) = outcome else { return outcome }
            inputStart = 0
            inputEnd = received
            owner.hasRead(socket)
        }
        let taken = min(count, unread)
        destination.copyMemory(from: input + inputStart, byteCount: taken)
        inputStart += taken
        return .moved(taken)
    }

    /// Whether the socket had nothing more when it was last read from.
    package private(set) var isDrained = false

    private func receive(into destination: UnsafeMutableRawPointer, _ count: Int) -> Outcome {
        let outcome = repeated { recv(socket, destination, count, 0) }
        switch outcome {
        case .moved(let received): isDrained = received < count
        case .wouldBlock: isDrained = true
        case .end, .failed: isDrained = false
        }
        return outcome
    }

    // MARK: - Writing

    /// How many bytes wait to be sent.
    fileprivate var pending: Int { outputEnd - outputStart }

    /// Sends what waits, as far as the socket takes it.
    package func flush() -> Progress {
        guard !cannotSend else { return .failed }
        guard let output else { return .sent }
        while pending > 0 {
            switch transmit(output + outputStart, pending) {
            case .moved(let count): outputStart += count
            case .wouldBlock: return .blocked
            case .end, .failed: return .failed
            }
        }
        outputStart = 0
        outputEnd = 0
        if !gathers {
            output.deallocate()
            self.output = nil
        }
        return .sent
    }

    fileprivate func write(_ bytes: UnsafeRawPointer, _ count: Int) -> Outcome {
        let outcome = put(bytes, count)
        // What a peer says before it hangs up, an alert or an early answer, can still be read, but not by who gives up because it writes in
        // vain. Who reads learns that the peer is gone.
        return outcome == .failed && peerIsGone ? .moved(count) : outcome
    }

    private var peerIsGone: Bool { cannotSend && (failure == EPIPE || failure == ECONNRESET) }

    private func put(_ bytes: UnsafeRawPointer, _ count: Int) -> Outcome {
        // What waits goes first.
        guard gathers || pending > 0 else { return transmit(bytes, count) }
        if count > RecordBuffer.writeCapacity - outputEnd {
            switch flush() {
            case .sent: break
            case .blocked: return .wouldBlock
            case .failed: return .failed
            }
        }
        guard !cannotSend else { return .failed }
        guard count <= RecordBuffer.writeCapacity else { return transmit(bytes, count) }
        let output = output ?? .allocate(byteCount: RecordBuffer.writeCapacity, alignment: 16)
        self.output = output
        if pending == 0 { owner.hasGathered(socket) }
        (output + outputEnd).copyMemory(from: bytes, byteCount: count)
        outputEnd += count
        if pending >= RecordBuffer.enough { _ = flush() }
        return .moved(count)
    }

    private func transmit(_ bytes: UnsafeRawPointer, _ count: Int) -> Outcome {
        let outcome = repeated { send(socket, bytes, count, CInt(MSG_NOSIGNAL)) }
        if outcome == .failed { cannotSend = true }
        return outcome
    }

    // MARK: - Calls

    fileprivate enum Outcome: Equatable {
        case moved(Int)
        case end
        case wouldBlock
        case failed
    }

    private func repeated(_ call: () -> Int) -> Outcome {
        while true {
            let count = call()
            if count > 0 { return .moved(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default:
                failure = errno
                return .failed
            }
        }
    }
}

/// The table of functions through which OpenSSL reaches a buffer.
private final class RecordBufferMethod: Sendable {
    /// The process has one: OpenSSL looks at it as long as there are connections.
    static let shared = RecordBufferMethod()

    // Safe to share: nothing changes it once it is made.
    nonisolated(unsafe) private let method: OpaquePointer

    private init?() {
        guard let method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "belay records") else { return nil }
        self.method = method
        BIO_meth_set_read(method) { bio, destination, count in
            guard let bio, let destination, count > 0, let buffer = buffer(of: bio) else { return -1 }
            belay_bio_clear_retry(bio)
            switch buffer.read(into: destination, Int(count)) {
            case .moved(let count): return CInt(truncatingIfNeeded: count)
            case .end: return 0
            case .wouldBlock:
                belay_bio_retry_read(bio)
                return -1
            case .failed: return -1
            }
        }
        BIO_meth_set_write(method) { bio, bytes, count in
            guard let bio, let bytes, count > 0, let buffer = buffer(of: bio) else { return -1 }
            belay_bio_clear_retry(bio)
            switch buffer.write(bytes, Int(count)) {
            case .moved(let count): return CInt(truncatingIfNeeded: count)
            case .wouldBlock:
                belay_bio_retry_write(bio)
                return -1
            case .end, .failed: return -1
            }
        }
        BIO_meth_set_ctrl(method) { bio, command, _, _ in
            guard let bio, let buffer = buffer(of: bio) else { return 0 }
            switch command {
            // The loop does that, or who closes the socket.
            case CInt(BIO_CTRL_FLUSH): return 1
            // Not BIO_CTRL_EOF: OpenSSL would make an error of an end without a goodbye. What that means depends on how much has come, and
            // is said by whoever knows; see ConnectionGuard.saidGoodbye.
            case CInt(BIO_CTRL_PENDING): return buffer.unread
            case CInt(BIO_CTRL_WPENDING): return buffer.pending
            default: return 0
            }
        }
        BIO_meth_set_destroy(method) { bio in
            guard let bio, let data = BIO_get_data(bio) else { return 0 }
            BIO_set_data(bio, nil)
            Unmanaged<RecordBuffer>.fromOpaque(data).release()
            return 1
        }
    }

    func makeBIO() -> OpaquePointer? { BIO_new(method) }
}

private func buffer(of bio: OpaquePointer) -> RecordBuffer? {
    guard let data = BIO_get_data(bio) else { return nil }
    return Unmanaged<RecordBuffer>.fromOpaque(data).takeUnretainedValue()
}
