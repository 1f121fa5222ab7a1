/// A value that changes elsewhere, and tests that wait for it.
package actor Journal<Value: Sendable> {
    package private(set) var value: Value
    private var waiting: [Int: (isMet: @Sendable (Value) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = [:]
    private var count = 0

    package init(_ value: Value) {
        self.value = value
    }

    package func update(_ change: @Sendable (inout Value) -> Void) {
        change(&value)
        for (number, waiter) in waiting where waiter.isMet(value) {
            waiting[number] = nil
            waiter.continuation.resume(returning: true)
        }
    }

    /// Waits until the value is as wanted; whether that was so within the limit.
    package func wait(within limit: Duration = .seconds(30), until isMet: @escaping @Sendable (Value) -> Bool) async
        -> Bool
    {
        if isMet(value) { return true }
        count += 1
        let number = count
        let watch = Task {
            try await Task.sleep(for: limit)
            giveUp(number)
        }
        defer { watch.cancel() }
        return await withCheckedContinuation { waiting[number] = (isMet, $0) }
    }

    private func giveUp(_ number: Int) {
        waiting.removeValue(forKey: number)?.continuation.resume(returning: false)
    }
}
