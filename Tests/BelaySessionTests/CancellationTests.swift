import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("The end of a request before its answer")
struct CancellationTests {
    /// Moments at which a server holds a request up.
    enum Moment: String, CaseIterable, Sendable {
        case handshake
        case answer
        case head
        case content
        case endlessContent

        func server(_ latch: Latch) throws -> RawTLSServer {
            try RawTLSServer { setup in
                switch self {
                case .handshake: setup.misbehaviour = .hangsInHandshake
                case .answer: setup.answer = { _, _ in .text("late").waiting(for: latch) }
                case .head: setup.script = HTTPFault.stalledHeaders.script
                case .content: setup.script = HTTPFault.stalledBody.script
                case .endlessContent: setup.script = HTTPFault.endlessBody.script
                }
            }
        }

        /// Waits until the server has got that far.
        func isReached(by server: RawTLSServer) async -> Bool {
            let isBefore = self == .handshake
            return await server.waitForStatistics {
                isBefore ? $0.rawBytesReceived > 0 : $0.applicationBytesReceived > 0
            }
        }
    }

    @Test(
        "cancelling ends it at once, whatever the server is about, and leaves no socket behind",
        arguments: Moment.allCases)
    func cancelling(_ moment: Moment) async throws {
        let latch = Latch()
        let server = try moment.server(latch)
        let session = try Session.tests(server) { $0.maximumBodySize = .max }
        let request = Task { await session.refusal() }
        #expect(await moment.isReached(by: server))
        #expect(SocketTable.held(toPort: server.port) == 1)
        request.cancel()
        guard case .cancelled = await request.value?.reason else {
            Issue.record("not cancelled")
            return
        }
        // The session lives; what is left of the request does not.
        #expect(SocketTable.held(toPort: server.port) == 0)
        await latch.open()
        await server.stop()
        withExtendedLifetime(session) {}
    }

    @Test("a request that is cancelled before it begins is never made")
    func cancelledBefore() async throws {
        let server = try RawTLSServer()
        let session = try Session.tests(server)
        let latch = Latch()
        let request = Task {
            await latch.wait()
            return await session.refusal()
        }
        request.cancel()
        await latch.open()
        guard case .cancelled = await request.value?.reason else {
            Issue.record("not cancelled")
            return
        }
        #expect(server.statistics.connections == 0)
        await server.stop()
    }

    @Test("while a connection is being made, a request can be cancelled, and leaves no socket behind")
    func connecting() async throws {
        let full = try FullListener()
        let mine = SocketTable.held(toPort: full.port)
        let session = try Session(configuration: .tests(at: "127.0.0.1:\(full.port)"), policy: .tests())
        let request = Task { await session.refusal(.get("https://server.test/")) }
        // Nobody tells of a connection that is being made; the kernel's list is looked at, and not too often.
        for _ in 0..<3_000 {
            if SocketTable.held(toPort: full.port) > mine { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(SocketTable.held(toPort: full.port) == mine + 1)
        request.cancel()
        guard case .cancelled = await request.value?.reason else {
            Issue.record("not cancelled")
            return
        }
        #expect(SocketTable.held(toPort: full.port) == mine)
        withExtendedLifetime(session) {}
    }

    @Test("while its body goes out, a request can be cancelled", arguments: [false, true])
    func sending(isHTTP2: Bool) async throws {
        let latch = Latch()
        let server = try RawTLSServer { setup in
            setup.protocols = isHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
            // Nothing is read, so that no more goes out than the system holds.
            setup.script = { _ in await latch.wait() }
        }
        let session = try Session.tests(server)
        let body = [UInt8](repeating: 0x61, count: 16 << 20)
        let request = Task { await session.refusal(.post("", body: .bytes(body))) }
        #expect(await server.wait { $0.count == 1 })
        request.cancel()
        guard case .cancelled = await request.value?.reason else {
            Issue.record("not cancelled")
            return
        }
        #expect(SocketTable.held(toPort: server.port) == 0)
        await latch.open()
        await server.stop()
        withExtendedLifetime(session) {}
    }

    @Test(
        "while a challenge handler thinks, a request can be cancelled, and what the handler says then is not used",
        arguments: ["server trust", "client certificate", "password"])
    func asking(kind: String) async throws {
        let (asked, answer) = (Latch(), Latch())
        let server = try RawTLSServer { setup in
            if kind == "client certificate" { setup.clients = .require(try SharedWorld.demand()) }
            setup.answer = { _, _ in
                kind == "password" ? HTTPAnswer(401, [("WWW-Authenticate", "Basic realm=r")]) : .text("answer")
            }
        }
        let identity = try TLSIdentity(SharedWorld.client("alice"))
        let session = try Session.tests(server) { configuration in
            configuration.onChallenge = { challenge in
                let (name, credential): (String, Credential) =
                    switch challenge.kind {
                    case .serverTrust: ("server trust", .serverTrust())
                    case .clientCertificate: ("client certificate", .identity(identity))
                    case .httpBasic, .httpDigest: ("password", .password(user: "ada", password: "x"))
                    }
                guard name == kind else { return .performDefaultHandling }
                await asked.open()
                await answer.wait()
                return .useCredential(credential)
            }
        }
        let request = Task { await session.refusal() }
        await asked.wait()
        let requests = await server.requests.count
        request.cancel()
        await answer.open()
        guard case .cancelled = await request.value?.reason else {
            Issue.record("not cancelled")
            return
        }
        await server.stop()
        #expect(await server.requests.count == requests)
    }

    @Test("one of many on an HTTP/2 connection is cancelled, and the others are answered on it")
    func multiplexed() async throws {
        let latch = Latch()
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.answer = { _, _ in .text("answer").waiting(for: latch) }
        }
        let session = try Session.tests(server)
        let requests = (0..<8).map { _ in Task { try await session.text() } }
        #expect(await server.wait { $0.map(\.requests.count).reduce(0, +) == 8 })
        requests[3].cancel()
        _ = await requests[3].result
        await latch.open()
        for (number, request) in requests.enumerated() where number != 3 {
            #expect(try await request.value == "answer")
        }
        #expect(try await session.text() == "answer")
        await server.stop()
        #expect(await server.connections.count == 1)
    }

    @Test("a session that is let go of ends its connections and gives back its descriptors")
    func sessions() async throws {
        let server = try RawTLSServer()
        let before = Descriptors.open("anon_inode:[eventpoll]").count
        for _ in 0..<100 {
            let session = try Session.tests(server)
            #expect(try await session.text() == "answer")
        }
        // The server has seen the end of each.
        #expect(await server.waitUntilServed(100))
        // It has by TLS's goodbye, a moment before the socket is closed.
        for _ in 0..<1_000 {
            if SocketTable.held(toPort: server.port) == 0 { break }
            await Task.yield()
        }
        #expect(SocketTable.held(toPort: server.port) == 0)
        // Each held an epoll. Other tests run meanwhile, and have some of their own.
        #expect(Descriptors.open("anon_inode:[eventpoll]").count < before + 100)
        await server.stop()
    }

    @Test("refused and failing requests leave no connection behind", arguments: [false, true])
    func refusals(isHTTP2: Bool) async throws {
        let server = try RawTLSServer { $0.protocols = isHTTP2 ? ["h2"] : ["http/1.1"] }
        let session = try Session.tests(server, policy: .tests { $0.expectedName = try ServerName("other.test") })
        await withDiscardingTaskGroup { group in
            for _ in 0..<50 { group.addTask { #expect(await session.refusal()?.rules == ["name.mismatch"]) } }
        }
        #expect(SocketTable.held(toPort: server.port) == 0)
        await server.stop()
        #expect(server.bytes == 0)
    }
}
