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
