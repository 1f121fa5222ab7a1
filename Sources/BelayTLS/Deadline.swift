import Glibc

/// A moment on the monotonic clock, in nanoseconds since the machine started.
struct Deadline: Sendable, Hashable, Comparable {
    let nanoseconds: Int64

    /// A moment by the clock's reading.
    init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment `duration` from now; durations below zero are over at once, and those beyond the clock's range never are.
    init(after duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else {
            nanoseconds = seconds < 0 ? 1 : Int64.max
            return
        }
        let (length, tooLong) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (moment, tooFar) = Deadline.now.addingReportingOverflow(length)
        if tooLong || tooFar {
            nanoseconds = seconds < 0 ? 1 : Int64.max
        } else {
            nanoseconds = max(1, moment)
        }
    }

    /// The monotonic clock's reading.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    var hasPassed: Bool { Deadline.now >= nanoseconds }

    static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }
}
