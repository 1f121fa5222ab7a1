/// Holds those who wait until somebody opens it: what a server's answer waits for, so that a test decides when it comes.
package actor Latch {
    private var isOpen = false
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private var count = 0

    package init() {}

    /// Lets everybody go on, now and later.
    package func open() {
        isOpen = true
        for continuation in waiting.values { continuation.resume() }
        waiting = [:]
    }

    /// Waits until it is open, or the task is cancelled.
    package func wait() async {
        count += 1
        let number = count
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if isOpen || Task.isCancelled { continuation.resume() } else { waiting[number] = continuation }
            }
        } onCancel: {
            Task { await self.leave(number) }
        }
    }

    private func leave(_ number: Int) {
        waiting.removeValue(forKey: number)?.resume()
    }
}
