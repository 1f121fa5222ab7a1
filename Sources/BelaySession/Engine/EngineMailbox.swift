import BelayCertificates
import CSystem
import Glibc

/// How tasks reach an engine's thread: letters, and a descriptor that wakes it where it sleeps.
final class EngineMailbox: Sendable {
    enum Letter {
        case start(TransferLetter)
        case cancel(UInt64)
        /// A part of a task that runs on this thread.
        case run(UnownedJob, UnownedTaskExecutor)
        case stop
    }

    private struct Contents {
        var letters: [Letter] = []
        var isClosed = false
        /// Whether the thread waits, or is about to, and has to be woken.
        var isAsleep = false
    }

    /// Can be read when the thread is to wake.
    let descriptor: CInt
    private let contents = Protected(Contents())

    init() throws(EngineError) {
        descriptor = belay_eventfd_create()
        guard descriptor >= 0 else { throw EngineError(call: "eventfd", code: errno) }
    }

    deinit { Glibc.close(descriptor) }

    /// Puts a letter into the mailbox. False when the engine has stopped, and nobody will read it.
    func post(_ letter: Letter) -> Bool {
        let state = contents.withLock { contents -> (isOpen: Bool, mustWake: Bool) in
            guard !contents.isClosed else { return (false, false) }
            contents.letters.append(letter)
            defer { contents.isAsleep = false }
            return (true, contents.isAsleep)
        }
        if state.mustWake {
            var one: UInt64 = 1
            _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
        }
        return state.isOpen
    }

    /// Takes what is there. Where that is nothing, the thread counts as asleep from now on.
    func take(_ letters: inout [Letter]) {
        letters.removeAll(keepingCapacity: true)
        contents.withLock { contents in
            swap(&contents.letters, &letters)
            contents.isAsleep = letters.isEmpty
        }
    }

    /// The thread is awake, and will look by itself.
    func noteAwake() { contents.withLock { $0.isAsleep = false } }

    /// The thread has seen that it was woken.
    func clearWake() {
        var value: UInt64 = 0
        _ = read(descriptor, &value, MemoryLayout<UInt64>.size)
    }

    /// Takes no further letters; returns those that nobody has read.
    func close() -> [Letter] {
        contents.withLock { contents in
            contents.isClosed = true
            return contents.letters
        }
    }
}
