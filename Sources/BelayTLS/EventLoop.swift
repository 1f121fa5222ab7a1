import CSystem
import Glibc

/// One thread that turns the readiness of sockets, and deadlines, into the continuation of Swift tasks.
///
/// A loop is given explicitly to whatever waits: a client, a server, a resolver. Several may share one. Its thread starts
/// with it and ends when the last owner lets go of it.
///
/// ```swift
/// let loop = try EventLoop()
/// let client = TLSClient(loop: loop)
/// ```
public final class EventLoop: Sendable {
    private let core: EventLoopCore

    /// Starts the loop's thread.
    ///
    /// - Throws: `EventLoopError` where the machine has no descriptor or thread left for it.
    public init() throws(EventLoopError) {
        core = try EventLoopCore()
        try core.start()
    }

    deinit {
        core.stop()
    }

    /// Waits until a socket can be read or written, or has failed. At most one task may wait for each direction of a socket.
    ///
    /// It returns at once when the task is cancelled.
    func readiness(
        of socket: Socket, for direction: Direction, until deadline: Deadline,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Outcome {
        let identifier = core.makeIdentifier()
        return await wait(identifier) { continuation in
            core.register(
                identifier, continuation, deadline: deadline, descriptor: socket.descriptor, direction: direction)
        }
    }

    /// Waits until something calls `signal` with the token that `start` is given.
    func event(
        until deadline: Deadline, isolation: isolated (any Actor)? = #isolation, start: (EventToken) -> Void
    ) async -> Outcome {
        let identifier = core.makeIdentifier()
        return await wait(identifier) { continuation in
            core.register(identifier, continuation, deadline: deadline, descriptor: nil, direction: .read)
            start(EventToken(identifier: identifier))
        }
    }

    /// Ends the wait that the token stands for; without effect when it is over.
    func signal(_ token: EventToken) {
        core.finish(token.identifier, with: .ready)
    }

    /// Waits until the deadline or the task's cancellation.
    func sleep(until deadline: Deadline, isolation: isolated (any Actor)? = #isolation) async -> Outcome {
        await event(until: deadline) { _ in }
    }

    /// Wakes all who wait for a socket, as if it were ready.
    func wakeAll(on socket: Socket) {
        core.wakeAll(socket.descriptor)
    }

    /// Stops watching a descriptor that is about to be closed.
    func forget(_ descriptor: CInt) {
        core.forget(descriptor)
    }

    private func wait(
        _ identifier: UInt64, isolation: isolated (any Actor)? = #isolation,
        register: (CheckedContinuation<Outcome, Never>) -> Void
    ) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                register(continuation)
                // The handler below may have run before there was anything to finish.
                if Task.isCancelled { core.finish(identifier, with: .cancelled) }
            }
        } onCancel: {
            core.finish(identifier, with: .cancelled)
        }
    }

    /// A direction in which a socket can become ready.
    enum Direction: Sendable {
        case read
        case write
    }

    /// How a wait ended.
    enum Outcome: Sendable {
        case ready
        case timedOut
        case cancelled
        /// The kernel refused to watch the descriptor; the value is `errno`.
        case failed(CInt)
    }
}

/// Stands for one wait that something other than a socket will end.
struct EventToken: Sendable, Hashable {
    let identifier: UInt64
}

/// The machine could not give an event loop what it needs.
public struct EventLoopError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system call that failed, for example `epoll_create1`.
    public let call: String
    /// The value of `errno`.
    public let code: Int32

    /// What failed, and what to do.
    public var description: String {
        "The event loop could not start: \(call): \(systemErrorText(code)). "
            + "Raise the limit on open files or threads (ulimit -n, ulimit -u), or close what is not needed."
    }
}

/// The machine's words for an `errno` value.
func systemErrorText(_ code: CInt) -> String {
    // strerror_r comes in two shapes; the table of the C library is read through the one that is safe with threads.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else { return "error \(code)" }
        return String(cString: base)
    }
}
