import BelayCertificates
import Glibc
import Testing

@testable import BelayTLS

@Suite("Event loop")
struct EventLoopTests {
    @Test("a deadline in the past is over at once, and one beyond the clock never")
    func deadlines() async throws {
        let loop = try EventLoop()
        for past in [Duration.zero, .seconds(-5), .seconds(Int64.min)] {
            guard case .timedOut = await loop.sleep(until: Deadline(after: past)) else {
                Issue.record("\(past) is not over")
                return
            }
        }
        #expect(Deadline(after: .seconds(Int64.max)).nanoseconds == Int64.max)
        #expect(Deadline(after: .seconds(Int64.min)).nanoseconds == 1)
    }

    @Test("deadlines are met in their order, whatever the order of the waits")
    func order() async throws {
        let loop = try EventLoop()
        let finished = Protected<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for milliseconds in [90, 30, 60, 1] {
                group.addTask {
                    _ = await loop.sleep(until: Deadline(after: .milliseconds(milliseconds)))
                    finished.withLock { $0.append(milliseconds) }
                }
            }
        }
        #expect(finished.withLock { $0.first } == 1)
        #expect(finished.withLock { $0.last } == 90)
    }

    @Test("a task cancelled before it waits does not wait")
    func cancelledBefore() async throws {
        let loop = try EventLoop()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await loop.sleep(until: Deadline(after: .seconds(600)))
        }
        task.cancel()
        guard case .cancelled = await task.value else {
            Issue.record("it waited")
            return
        }
    }

    @Test("both directions of a socket are waited for apart")
    func directions() async throws {
        let loop = try EventLoop()
        var pair: [CInt] = [0, 0]
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &pair) == 0)
        let one = Socket(adopting: pair[0], loop: loop)
        let other = Socket(adopting: pair[1], loop: loop)
        let far = Deadline(after: .seconds(60))
        async let readable = loop.readiness(of: one, for: .read, until: far)
        for _ in 0..<100 {
            guard case .ready = await loop.readiness(of: one, for: .write, until: far) else {
                Issue.record("an empty socket cannot be written")
                return
            }
        }
        #expect(write(other.descriptor, "x", 1) == 1)
        guard case .ready = await readable else {
            Issue.record("a byte did not wake its reader")
            return
        }
        guard case .timedOut = await loop.readiness(of: other, for: .read, until: Deadline(after: .milliseconds(5)))
        else {
            Issue.record("an empty socket is readable")
            return
        }
    }

    @Test("a descriptor that cannot be watched is an error, not a wait")
    func unwatchable() async throws {
        let loop = try EventLoop()
        let file = Socket(adopting: open("/dev/null", O_RDONLY), loop: loop)
        guard case .failed(EPERM) = await loop.readiness(of: file, for: .read, until: Deadline(after: .seconds(60)))
        else {
            Issue.record("epoll watches /dev/null")
            return
        }
    }

    @Test("the heap of timers gives the nearest first and forgets the dead")
    func heap() {
        var heap = TimerHeap()
        var generator = SystemRandomNumberGenerator()
        let numbers = (0..<500).map { _ in Int64.random(in: 1...1_000_000, using: &generator) }
        for (index, number) in numbers.enumerated() {
            heap.insert(Deadline(nanoseconds: number), UInt64(index), liveCount: 500) { _ in true }
        }
        var sorted: [Int64] = []
        while let first = heap.first {
            sorted.append(first.deadline.nanoseconds)
            heap.removeFirst()
        }
        #expect(sorted == numbers.sorted())

        for index in 0..<10_000 {
            heap.insert(Deadline(nanoseconds: Int64(index)), UInt64(index), liveCount: 1) { $0 == UInt64(index - 1) }
        }
        #expect(heap.count < 200)
    }
}
