import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("A session's own thread")
struct SessionThreadTests {
    /// The name of the thread that calls it.
    private static func threadName() -> String {
        let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return text.map { String($0.dropLast()) } ?? "?"
    }

    @Test("tasks with the preference for its executor run there, before a request and after it, and others do not")
    func executor() async throws {
        let server = try RawTLSServer()
        let session = try Session.tests(server)
        let names = try await withTaskExecutorPreference(session.executor) {
            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let before = Self.threadName()
                        let text = try await session.text()
                        return [before, text, Self.threadName()]
                    }
                }
                return try await group.reduce(into: Set<[String]>()) { $0.insert($1) }
            }
        }
        #expect(names == [["belay-session", "answer", "belay-session"]])
        let other = Task { Self.threadName() }
        #expect(await other.value != "belay-session")
        await server.stop()
    }

    @Test("a request that is cancelled there ends like any other")
    func cancelling() async throws {
        let latch = Latch()
        let server = try RawTLSServer { $0.answer = { _, _ in .text("late").waiting(for: latch) } }
        let session = try Session.tests(server)
        let request = Task(executorPreference: session.executor) { await session.refusal() }
        #expect(await server.wait { $0.first?.requests.count == 1 })
        request.cancel()
        guard case .cancelled = await request.value?.reason else {
            Issue.record("not cancelled")
            return
        }
        await latch.open()
        await server.stop()
    }

    @Test("a task goes on there when the session is gone, and the thread ends with it")
    func outlivesSession() async throws {
        let (latch, hasBegun) = (Latch(), Latch())
        var session: Session? = try Session(policy: .tests())
        let executor = session?.executor
        let task = Task(executorPreference: executor) {
            await hasBegun.open()
            await latch.wait()
            return Self.threadName()
        }
        await hasBegun.wait()
        session = nil
        await latch.open()
        #expect(await task.value == "belay-session")
        withExtendedLifetime(executor) {}
        #expect(session == nil)
    }

    @Test("a program that ends while the thread has something to do ends in order", arguments: ["traffic", "idle"])
    func exits(_ mode: String) async throws {
        let server = try RawTLSServer()
        let program = try Program.executable().deletingLastPathComponent().appendingPathComponent("exit-probe").path
        let arguments = [
            "https://\(RawTLSServer.host)/", try SharedWorld.anchorsFile(), "127.0.0.1:\(server.port)",
        ]
        // Of a hundred such ends seven went wrong while OpenSSL was taken to pieces under the thread.
        try await withThrowingTaskGroup(of: (Int, Tool.Result).self) { group in
            for run in 0..<(mode == "idle" ? 4 : 24) {
                group.addTask {
                    let count = run % 20 + 1
                    return (count, try await Tool.finish(program, arguments + [String(count), mode]))
                }
            }
            for try await (count, run) in group { #expect(run.status == 0, "\(mode) \(count): \(run.all)") }
        }
        await server.stop()
    }

    @Test("memory that a response leaves free is kept for the next one: the kernel is not asked for it again and again")
    func keepsMemory() async throws {
        let body = [UInt8](repeating: 0x78, count: 100 << 10)
        let server = try RawTLSServer { $0.answer = { _, _ in HTTPAnswer(content: body) } }
        let program = try Program.executable().deletingLastPathComponent().appendingPathComponent("exit-probe").path
        let run = try await Tool.finish(
            program,
            [
                "https://\(RawTLSServer.host)/", try SharedWorld.anchorsFile(), "127.0.0.1:\(server.port)", "400",
                "memory",
            ])
        await server.stop()
        let faults = try #require(Int(run.text.filter(\.isNumber)), "\(run.all)")
        // A body is 25 pages of 4 KiB.
        #expect(faults < 400 * 2)
    }

    @Test("SSLKEYLOGFILE in the environment makes no file, not even an empty one")
    func keyLog() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try RawTLSServer()
        let program = try Program.executable().deletingLastPathComponent().appendingPathComponent("exit-probe").path
        let run = try await Tool.finish(
            program,
            [
                "https://\(RawTLSServer.host)/", try SharedWorld.anchorsFile(), "127.0.0.1:\(server.port)", "1", "idle",
            ], environment: ProcessInfo.processInfo.environment.merging(["SSLKEYLOGFILE": folder("keys")]) { $1 })
        #expect(run.status == 0, "\(run.all)")
        #expect(await server.requests.count == 1)
        #expect(!FileManager.default.fileExists(atPath: folder("keys")))
        await server.stop()
    }
}

@Suite("Bytes that lie ready")
struct ReadAheadTests {
    /// Holds up a session's thread until told otherwise, so that all that servers send meanwhile lies ready in the sockets.
    private final class Hold: Sendable {
        private let release = DispatchSemaphore(value: 0)
        private let task: Task<Void, Never>

        init(_ session: Session) async {
            let holds = Latch()
            let release = release
            task = Task(executorPreference: session.executor) {
                // On a thread of its own, since this one waits.
                Task.detached { await holds.open() }
                Self.wait(for: release)
            }
            await holds.wait()
        }

        private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

        func end() async {
            release.signal()
            await task.value
        }
    }

    /// What a session makes of a response whose bytes all lie ready when it looks.
    private static func text(
        _ write: @escaping @Sendable (TLSServerConnection) async throws(TLSError) -> Void
    ) async throws -> String {
        let (mayWrite, hasWritten, mayEnd) = (Latch(), Latch(), Latch())
        let server = try RawTLSServer { setup in
            setup.script = { connection throws(TLSError) in
                _ = try await connection.read()
                await mayWrite.wait()
                // Whatever comes of it, the test goes on.
                do throws(TLSError) { try await write(connection) } catch {
                    await hasWritten.open()
                    throw error
                }
                await hasWritten.open()
                await mayEnd.wait()
            }
        }
        let session = try Session.tests(server) { $0.timeouts.total = .seconds(60) }
        let request = Task { try await session.text() }
        try #require(await server.waitForStatistics { $0.applicationBytesReceived > 0 })
        let hold = await Hold(session)
        await mayWrite.open()
        await hasWritten.wait()
        await hold.end()
        let text = try await request.value
        await mayEnd.open()
        await server.stop()
        return text
    }

    @Test(
        "a response of many records that came at once is read to its end, though nothing more comes",
        arguments: [1, 2, 40, 200])
    func records(_ count: Int) async throws {
        let text = try await Self.text { connection throws(TLSError) in
            try await connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(count * 10)\r\n\r\n".utf8))
            for _ in 0..<count { try await connection.write(Array("0123456789".utf8)) }
        }
        #expect(text == String(repeating: "0123456789", count: count))
    }

    @Test("a body that ends with its connection ends where the goodbye came with it")
    func goodbye() async throws {
        let text = try await Self.text { connection throws(TLSError) in
            try await connection.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            try await connection.write(Array("the whole".utf8))
            await connection.close()
        }
        #expect(text == "the whole")
    }

    @Test("of many responses on one HTTP/2 connection that came at once each is read to its end")
    func streams() async throws {
        let mayAnswer = Latch()
        let text = String(repeating: "answer ", count: 300)
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.answer = { _, _ in .text(text).waiting(for: mayAnswer) }
        }
        let session = try Session.tests(server) { $0.timeouts.total = .seconds(60) }
        let requests = (0..<20).map { _ in Task { try await session.text() } }
        try #require(await server.wait { $0.map(\.requests.count).reduce(0, +) == 20 })
        let before = server.statistics.applicationBytesSent
        let hold = await Hold(session)
        await mayAnswer.open()
        #expect(await server.waitForStatistics { $0.applicationBytesSent >= before + 20 * text.utf8.count })
        await hold.end()
        for request in requests { #expect(try await request.value == text) }
        await server.stop()
    }

    @Test("large responses on few HTTP/2 connections are all read to their end, however their frames lie")
    func largeStreams() async throws {
        let body = [UInt8](repeating: 0x78, count: 102_400)
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.answer = { _, _ in HTTPAnswer(200, [], content: body) }
        }
        let session = try Session.tests(server) { $0.maximumConnectionsPerHost = 2 }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<24 {
                group.addTask {
                    var count = 0
                    for _ in 0..<20 { count += try await session.send(.get("")).body.count }
                    return count
                }
            }
            for try await count in group { #expect(count == 20 * body.count) }
        }
        await server.stop()
    }

    @Test(
        "a response of HTTP/2 with long headers and hardly a body is read to its end",
        arguments: [10, 36, 80, 120])
    func longHeads(_ kibibytes: Int) async throws {
        let value = String(repeating: "x", count: 1_016)
        let fields = (0..<kibibytes).map { ("X-\($0)", value) }
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.answer = { _, _ in .text("ok", fields) }
        }
        let session = try Session.tests(server) { $0.maximumHeaderSize = 1 << 20 }
        for _ in 0..<4 {
            let response = try await session.send(.get(""))
            #expect(response.headers["X-\(kibibytes - 1)"] == value && response.body.count == 2)
        }
        await server.stop()
    }

    @Test("a server that sends without end leaves room for others")
    func endless() async throws {
        let other = try RawTLSServer(["127.0.0.1"])
        let server = try RawTLSServer(["127.0.0.1"]) { $0.script = HTTPFault.endlessBody.script }
        var configuration = SessionConfiguration.tests(at: nil)
        configuration.maximumBodySize = .max
        let session = try Session(configuration: configuration, policy: ConnectionPolicy.tests())
        let endless = Task { await session.refusal(.get("https://127.0.0.1:\(server.port)/")) }
        #expect(await server.waitForStatistics { $0.applicationBytesSent > 1 << 20 })
        for _ in 0..<50 {
            #expect(await session.refusal(.get("https://127.0.0.1:\(other.port)/")) == nil)
        }
        endless.cancel()
        _ = await endless.value
        await server.stop()
        await other.stop()
    }
}
