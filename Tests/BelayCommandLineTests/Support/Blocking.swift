import Foundation

/// Does work that blocks in a thread of its own.
///
/// The laboratory's servers run in this process: a test that blocked a thread of Swift's pool would stop the very server that
/// it waits for.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}

/// Lets so many in at a time.
actor Gate {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// For programs that tests start: more of them than processors only slow each other down.
    static let programs = Gate(4)

    init(_ places: Int) { free = places }

    func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
