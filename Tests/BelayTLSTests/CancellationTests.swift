import BelayCertificates
import BelayTrust
import Glibc
import Testing

@testable import BelayTLS

@Suite("Cancellation and leaks")
struct CancellationTests {
    @Test("a connection cancelled while the name is looked up ends at once")
    func whileResolving() async throws {
        let loop = try EventLoop()
        let resolver = StuckResolver(loop: loop)
        let client = TLSClient(loop: loop, resolver: resolver)
        let task = Task { () -> TLSError? in
            do throws(TLSError) {
                _ = try await client.handshake(with: TLSEndpoint(host: "server.test", port: 443))
                return nil
            } catch { return error }
        }
        await resolver.waitUntilAsked()
        task.cancel()
        let error = await task.value
        #expect(error?.phase == .resolve)
        #expect(error?.reason == .cancelled)
    }

    @Test("a name that is not found in time is a timeout of the lookup")
    func resolveTimeout() async throws {
        let loop = try EventLoop()
        let client = TLSClient(loop: loop, resolver: StuckResolver(loop: loop))
        var options = TLSOptions()
        options.timeouts.resolve = .milliseconds(30)
        do throws(TLSError) {
            _ = try await client.handshake(with: TLSEndpoint(host: "server.test", port: 443), options: options)
            Issue.record("connected to nothing")
        } catch {
            #expect(error.phase == .resolve)
            #expect(error.reason == .timedOut(.milliseconds(30)))
        }
    }

    @Test("a listener with a full queue is a timeout of the connection, and can be cancelled")
    func whileConnecting() async throws {
        let bench = try Bench()
        let full = try FullListener(loop: bench.loop)
        let endpoint = TLSEndpoint(host: "127.0.0.1", port: full.port)
        var options = bench.options
        options.timeouts.connect = .milliseconds(100)
        do throws(TLSError) {
            _ = try await bench.client.handshake(with: endpoint, options: options)
            Issue.record("connected to a full queue")
        } catch {
            #expect(error.phase == .connect)
            #expect(error.reason == .timedOut(.milliseconds(100)))
        }
        let patient = bench.options
        let task = Task { () -> TLSError? in
            do throws(TLSError) {
                _ = try await bench.client.handshake(with: endpoint, options: patient)
                return nil
            } catch { return error }
        }
        task.cancel()
        let error = await task.value
        #expect(error?.phase == .connect)
        #expect(error?.reason == .cancelled)
    }

    @Test("a handshake cancelled in the middle ends at once, and the server sees the end of the connection")
    func whileShakingHands() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = .hangsInHandshake }
        let task = Task { await bench.failure(connectingTo: server) }
        await bench.waitUntil { server.statistics.rawBytesReceived > 0 }
        task.cancel()
        let error = await task.value
        #expect(error?.phase == .handshake)
        #expect(error?.reason == .cancelled)
        #expect(await server.waitUntilServed(1))
        await server.stop()
    }

    @Test("a read that is cancelled ends at once and closes the connection")
    func whileReading() async throws {
        let bench = try Bench()
        let server = try bench.server()
        let connection = try await bench.connect(to: server)
        let task = Task { () -> TLSError? in
            do throws(TLSError) {
                _ = try await connection.read()
                return nil
            } catch { return error }
        }
        task.cancel()
        #expect(await task.value?.reason == .cancelled)
        #expect(await server.waitUntilServed(1))
        await server.stop()
    }

    @Test("closing wakes a task that reads, also when the peer does not react")
    func closingWakesReader() async throws {
        let bench = try Bench()
        let server = try bench.server {
            $0.handler = { _ throws(TLSError) in try await bench.waitForCancellation() }
        }
        for round in 0..<30 {
            let connection = try await bench.connect(to: server)
            let reader = Task { () -> TLSError? in
                do throws(TLSError) {
                    _ = try await connection.read()
                    return nil
                } catch { return error }
            }
            // In some rounds the reader waits already, in some it has not begun: the answer is the same.
            for _ in 0..<round { await Task.yield() }
            await connection.close()
            #expect(await reader.value?.reason == .closed)
        }
        await server.stop()
    }

    // Tests in a process of their own came with Swift 6.2.
    #if compiler(>=6.2)
    @Test("hundreds of cancellations, failures and timeouts at random moments leave no descriptor behind")
    func noLeaks() async throws {
        // Descriptors are counted for a whole process, so this one has a process of its own.
        await #expect(processExitsWith: .success) { try await CancellationTests.cancelAtRandom() }
    }
    #endif

    private static func cancelAtRandom() async throws {
        let bench = try Bench()
        let servers = try [
            bench.server(),
            bench.server { $0.misbehaviour = .silence },
            bench.server { $0.misbehaviour = .hangsInHandshake },
            bench.server { $0.misbehaviour = .resets },
            bench.server { $0.misbehaviour = .truncates },
            bench.server { $0.clientAuthentication = .require(.init()) },
            bench.server { $0.misbehaviour = .drips(bytes: 50, pause: .microseconds(100)) },
        ]
        let before = openDescriptors("socket:")
        for round in 0..<60 {
            await withTaskGroup(of: Void.self) { group in
                for (index, server) in servers.enumerated() {
                    group.addTask {
                        let task = Task {
                            do throws(TLSError) {
                                let connection = try await bench.connect(to: server) {
                                    $0.timeouts.handshake = .milliseconds(Int64(5 + round))
                                }
                                _ = try await connection.fetch()
                            } catch {}
                        }
                        // From nothing to about two milliseconds: before, within and after each phase.
                        let moment = Deadline(after: .microseconds((round * 37 + index * 11) % 2000))
                        _ = await bench.loop.sleep(until: moment)
                        if round % 5 != 4 { task.cancel() }
                        await task.value
                    }
                }
            }
        }
        for server in servers {
            let connections = server.statistics.connections
            try #require(await server.waitUntilServed(connections))
        }
        try #require(servers.map(\.statistics.handshakes).reduce(0, +) > 0)
        // A connection cancelled before it was accepted may still be on its way through a server.
        await bench.waitUntil { openDescriptors("socket:") <= before }
        try #require(openDescriptors("socket:") == before, "\(before) were open before")
        for server in servers { await server.stop() }
        for server in servers {
            #expect(await bench.failure(connectingTo: server)?.reason == .refused)
        }
    }

    #if compiler(>=6.2)
    @Test("a loop that is let go of ends its thread and closes its descriptors")
    func loopEnds() async throws {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let before = openDescriptors("anon_inode:")
            for _ in 0..<100 { _ = await (try EventLoop()).sleep(until: Deadline(after: .zero)) }
            // Each loop has three; Swift's own runtime opens and closes one or two of this kind when it likes.
            await bench.waitUntil { openDescriptors("anon_inode:") < before + 10 }
            try #require(openDescriptors("anon_inode:") < before + 10)
        }
    }
    #endif
}

/// A resolver that never answers.
private final class StuckResolver: HostResolver {
    private let loop: EventLoop
    private let state = Protected<(isAsked: Bool, waiter: EventToken?)>((false, nil))

    init(loop: EventLoop) {
        self.loop = loop
    }

    func addresses(of host: String, port: UInt16, within limit: Duration) async throws(ResolutionError)
        -> [SocketAddress]
    {
        let waiter = state.withLock { state in
            state.isAsked = true
            return state.waiter
        }
        if let waiter { loop.signal(waiter) }
        switch await loop.sleep(until: Deadline(after: limit)) {
        case .cancelled: throw .cancelled
        default: throw .timedOut
        }
    }

    func waitUntilAsked() async {
        _ = await loop.event(until: Deadline(after: .seconds(60))) { token in
            let isAsked = state.withLock { state in
                state.waiter = token
                return state.isAsked
            }
            if isAsked { loop.signal(token) }
        }
    }
}
