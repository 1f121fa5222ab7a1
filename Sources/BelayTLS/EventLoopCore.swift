import BelayCertificates
import CSystem
import Glibc

/// The part of an event loop that its thread holds: the descriptors, and the table of waits.
///
/// The thread keeps the core alive and the `EventLoop` does not appear here, so that letting go of the loop ends the thread.
final class EventLoopCore: Sendable {
    private let epoll: CInt
    private let wake: CInt
    private let timer: CInt
    private let state = Protected(State())

    typealias Continuation = CheckedContinuation<EventLoop.Outcome, Never>

    init() throws(EventLoopError) {
        epoll = belay_epoll_create()
        wake = epoll < 0 ? -1 : belay_eventfd_create()
        timer = wake < 0 ? -1 : belay_timerfd_create()
        let code = errno
        guard timer >= 0 else {
            let call = epoll < 0 ? "epoll_create1" : wake < 0 ? "eventfd" : "timerfd_create"
            throw EventLoopError(call: call, code: code)
        }
        guard
            belay_epoll_watch_always(epoll, wake, Token.wake) == 0,
            belay_epoll_watch_always(epoll, timer, Token.timer) == 0
        else { throw EventLoopError(call: "epoll_ctl", code: errno) }
    }

    deinit {
        for descriptor in [timer, wake, epoll] where descriptor >= 0 { close(descriptor) }
    }

    func start() throws(EventLoopError) {
        let held = Unmanaged.passRetained(self)
        let failure = belay_start_detached_thread(
            { argument in
                guard let argument else { return nil }
                belay_name_current_thread("belay-events")
                Unmanaged<EventLoopCore>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, held.toOpaque())
        guard failure == 0 else {
            held.release()
            throw EventLoopError(call: "pthread_create", code: failure)
        }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        var one: UInt64 = 1
        _ = write(wake, &one, MemoryLayout<UInt64>.size)
    }

    func makeIdentifier() -> UInt64 {
        state.withLock { state in
            state.nextIdentifier &+= 1
            return state.nextIdentifier
        }
    }

    /// Enters a wait; a descriptor that cannot be watched ends it at once.
    func register(
        _ identifier: UInt64, _ continuation: Continuation, deadline: Deadline, descriptor: CInt?,
        direction: EventLoop.Direction
    ) {
        let finished = state.withLock { state -> [Finished] in
            var finished: [Finished] = []
            state.waits[identifier] = Wait(continuation: continuation, descriptor: descriptor)
            if let descriptor {
                if let replaced = state.watch(descriptor, direction, identifier) {
                    state.remove(replaced, .ready, into: &finished)
                }
                if let code = arm(descriptor, in: &state) {
                    state.remove(identifier, .failed(code), into: &finished)
                    return finished
                }
            }
            state.timers.insert(deadline, identifier, liveCount: state.waits.count) { state.waits[$0] != nil }
            if state.armed.map({ deadline < $0 }) ?? true {
                state.armed = deadline
                _ = belay_timerfd_arm(timer, deadline.nanoseconds)
            }
            return finished
        }
        for wait in finished { wait.resume() }
    }

    /// Ends a wait from outside the loop's thread.
    func finish(_ identifier: UInt64, with outcome: EventLoop.Outcome) {
        let finished = state.withLock { state -> [Finished] in
            var finished: [Finished] = []
            state.remove(identifier, outcome, into: &finished)
            return finished
        }
        for wait in finished { wait.resume() }
    }

    func wakeAll(_ descriptor: CInt) {
        let finished = state.withLock { state -> [Finished] in
            var finished: [Finished] = []
            guard let watch = state.watches[descriptor] else { return finished }
            for waiting in [watch.reader, watch.writer].compactMap({ $0 }) {
                state.remove(waiting, .ready, into: &finished)
            }
            return finished
        }
        for wait in finished { wait.resume() }
    }

    func forget(_ descriptor: CInt) {
        state.withLock { _ = $0.watches.removeValue(forKey: descriptor) }
    }

    /// Tells the kernel which directions of the descriptor somebody waits for; returns `errno` when it refuses.
    private func arm(_ descriptor: CInt, in state: inout State) -> CInt? {
        guard var watch = state.watches[descriptor] else { return nil }
        let directions = (watch.reader == nil ? 0 : Direction.read) | (watch.writer == nil ? 0 : Direction.write)
        guard
            belay_epoll_watch_once(
                epoll, watch.isAdded ? 1 : 0, descriptor, directions, watch.token(for: descriptor)) == 0
        else { return errno }
        watch.isAdded = true
        state.watches[descriptor] = watch
        return nil
    }

    private func run() {
        var tokens = [UInt64](repeating: 0, count: 64)
        var directions = [UInt32](repeating: 0, count: 64)
        var finished: [Finished] = []
        while true {
            let count = belay_epoll_wait(epoll, &tokens, &directions, CInt(tokens.count))
            if count < 0 {
                // Nothing but EINTR can happen to a valid epoll descriptor; anything else would spin for ever.
                if errno == EINTR { continue }
                break
            }
            let isStopped = state.withLock { state in
                for index in 0..<Int(count) {
                    handle(tokens[index], directions[index], in: &state, into: &finished)
                }
                return state.isStopped
            }
            for wait in finished { wait.resume() }
            finished.removeAll(keepingCapacity: true)
            if isStopped { break }
        }
        // Whoever waits holds the loop, so nobody is left here; a wait must never be lost all the same.
        let abandoned = state.withLock { state -> [Finished] in
            var abandoned: [Finished] = []
            for identifier in Array(state.waits.keys) { state.remove(identifier, .cancelled, into: &abandoned) }
            return abandoned
        }
        for wait in abandoned { wait.resume() }
    }

    private func handle(_ token: UInt64, _ directions: UInt32, in state: inout State, into finished: inout [Finished]) {
        switch token {
        case Token.wake:
            drain(wake)
        case Token.timer:
            drain(timer)
            state.armed = nil
            let now = Deadline.now
            while let next = state.timers.first {
                guard next.deadline.nanoseconds <= now || state.waits[next.identifier] == nil else {
                    state.armed = next.deadline
                    _ = belay_timerfd_arm(timer, next.deadline.nanoseconds)
                    break
                }
                state.timers.removeFirst()
                state.remove(next.identifier, .timedOut, into: &finished)
            }
        default:
            let descriptor = CInt(truncatingIfNeeded: token & 0xFFFF_FFFF)
            guard let watch = state.watches[descriptor], watch.token(for: descriptor) == token else { return }
            if directions & Direction.read != 0, let reader = watch.reader {
                state.remove(reader, .ready, into: &finished)
            }
            if directions & Direction.write != 0, let writer = watch.writer {
                state.remove(writer, .ready, into: &finished)
            }
            // The watch was for one event: whoever still waits is watched anew.
            if let left = state.watches[descriptor], let waiting = left.reader ?? left.writer,
                let code = arm(descriptor, in: &state)
            {
                state.remove(waiting, .failed(code), into: &finished)
            }
        }
    }

    private func drain(_ descriptor: CInt) {
        var value: UInt64 = 0
        _ = read(descriptor, &value, MemoryLayout<UInt64>.size)
    }

    private enum Direction {
        static let read: UInt32 = 1
        static let write: UInt32 = 2
    }

    private enum Token {
        static let wake = UInt64.max
        static let timer = UInt64.max - 1
    }
}

/// A wait that is over, to be resumed outside the lock.
private struct Finished {
    let continuation: EventLoopCore.Continuation
    let outcome: EventLoop.Outcome

    func resume() { continuation.resume(returning: outcome) }
}

private struct Wait {
    let continuation: EventLoopCore.Continuation
    let descriptor: CInt?
}

/// What is known of one open descriptor; it lasts until the socket is closed.
private struct Watch {
    let generation: UInt32
    var isAdded = false
    var reader: UInt64?
    var writer: UInt64?

    /// Descriptors are used again after a close; the generation tells an event of the old one from the new one's.
    func token(for descriptor: CInt) -> UInt64 {
        UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }
}

private struct State {
    var waits: [UInt64: Wait] = [:]
    var watches: [CInt: Watch] = [:]
    var timers = TimerHeap()
    var armed: Deadline?
    var nextIdentifier: UInt64 = 0
    var nextGeneration: UInt32 = 0
    var isStopped = false

    /// Enters who waits for a direction; returns who waited before.
    mutating func watch(_ descriptor: CInt, _ direction: EventLoop.Direction, _ identifier: UInt64) -> UInt64? {
        if watches[descriptor] == nil {
            // Never all ones, which would look like the loop's own tokens.
            nextGeneration = nextGeneration >= 0x7FFF_FFFF ? 1 : nextGeneration + 1
            watches[descriptor] = Watch(generation: nextGeneration)
        }
        var replaced: UInt64?
        switch direction {
        case .read:
            replaced = watches[descriptor]?.reader
            watches[descriptor]?.reader = identifier
        case .write:
            replaced = watches[descriptor]?.writer
            watches[descriptor]?.writer = identifier
        }
        return replaced
    }

    /// Takes a wait out of every table but the timers, whose entry is skipped when its time comes.
    mutating func remove(_ identifier: UInt64, _ outcome: EventLoop.Outcome, into finished: inout [Finished]) {
        guard let wait = waits.removeValue(forKey: identifier) else { return }
        if let descriptor = wait.descriptor, var watch = watches[descriptor] {
            if watch.reader == identifier { watch.reader = nil }
            if watch.writer == identifier { watch.writer = nil }
            watches[descriptor] = watch
        }
        finished.append(Finished(continuation: wait.continuation, outcome: outcome))
    }
}
