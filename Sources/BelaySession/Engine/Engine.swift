import Synchronization

/// One thread that makes many exchanges at once, by libcurl's multi interface over epoll.
///
/// Tasks hand it orders and are resumed with outcomes; none of them ever waits for the network itself. The thread ends when
/// the engine is let go of.
final class Engine: Sendable {
    private let core: EngineCore
    private let counter = Atomic<UInt64>(0)

    init(settings: EngineSettings) throws(EngineError) {
        core = try EngineCore(settings: settings)
        try core.start()
    }

    deinit {
        _ = core.post(.stop)
    }

    /// Makes an exchange. Cancelling the task ends it at once, in whatever phase it is.
    @inline(__always)
    func perform(_ order: TransferOrder, isolation: isolated (any Actor)? = #isolation) async -> TransferOutcome {
        let identifier = counter.wrappingAdd(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            // The engine answers every letter exactly once: when its exchange ends, or when the engine does.
            await withUnsafeContinuation { continuation in
                // A cancellation that came first has found nothing to end.
                guard !Task.isCancelled, core.post(.start(TransferLetter(identifier, order, continuation))) else {
                    continuation.resume(returning: TransferOutcome(failure: .cancelled(.prepare)))
                    return
                }
                // One that comes now finds the order in the mailbox, and its own letter behind it.
                if Task.isCancelled { _ = core.post(.cancel(identifier)) }
            }
        } onCancel: {
            _ = core.post(.cancel(identifier))
        }
    }
}

extension Engine: TaskExecutor {
    /// Runs a part of a task on the engine's thread, between two looks at the network.
    ///
    /// Whoever waits for the part holds the engine, which has not stopped then; should it have ended by itself, for want of
    /// something from the system, the task must still go on.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !core.post(.run(job, asUnownedTaskExecutor())) { globalConcurrentExecutor.enqueue(job) }
    }
}

/// An order on its way to the engine, and who waits for its outcome.
struct TransferLetter: Sendable {
    let identifier: UInt64
    let order: TransferOrder
    let continuation: UnsafeContinuation<TransferOutcome, Never>

    init(_ identifier: UInt64, _ order: TransferOrder, _ continuation: UnsafeContinuation<TransferOutcome, Never>) {
        self.identifier = identifier
        self.order = order
        self.continuation = continuation
    }
}
