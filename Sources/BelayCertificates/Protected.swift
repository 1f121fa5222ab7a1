import Glibc

/// A value behind a lock.
///
/// A POSIX mutex rather than `Synchronization.Mutex`: the thread sanitizer follows it, and reports false races for the
/// other.
package final class Protected<Value>: @unchecked Sendable {
    // `value` is touched only between lock and unlock, so that threads see it one after the other. `mutex` has a stable
    // address of its own, as POSIX demands, and is initialised before anybody can see this object.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Protects a value.
    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Runs `body` while no other thread sees the value. `body` must not come back here.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
