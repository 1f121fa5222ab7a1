import CSystem

/// Work that blocks for as long as somebody else likes, such as writing to a pipe: it has a thread of its own, so that none of those that
/// Swift's tasks share stands still.
enum PatientWork {
    /// Does the work; nil where the time was over first. The thread is then left to itself, since nothing ends a call that blocks but the
    /// program's own end.
    static func run(within limit: Duration?, _ body: @escaping @Sendable () -> Int32) async -> Int32? {
        let (results, continuation) = AsyncStream.makeStream(of: Int32?.self)
        let job = Job {
            continuation.yield(body())
            continuation.finish()
        }
        let held = Unmanaged.passRetained(job)
        let failure = belay_start_detached_thread(
            { argument in
                guard let argument else { return nil }
                Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, held.toOpaque())
        guard failure == 0 else {
            held.release()
            return failure
        }
        let clock = limit.map { limit in
            Task {
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                continuation.yield(nil)
            }
        }
        defer { clock?.cancel() }
        for await result in results { return result }
        return nil
    }

    private final class Job: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
