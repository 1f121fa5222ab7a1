import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("Limits of single phases")
struct PhaseLimitTests {
    private static let limit = Duration.milliseconds(300)

    private static func expect(_ error: SessionError?, _ phase: SessionPhase, _ limit: Duration = limit) {
        guard case .timedOut(limit)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.phase == phase)
        #expect(error?.appleCode == -1001)
    }

    @Test("A name that nobody answers for ends with the limit on resolving, and holds up nobody else")
    func resolve() async throws {
        let server = try RawTLSServer()
        let session = try Session(
            configuration: .tests(at: nil) { configuration in
                configuration.timeouts.resolve = Self.limit
            }, policy: .tests { $0.expectedName = try ServerName(RawTLSServer.host) })
        let error = await session.refusal(.get("https://\(SlowResolver.name("resolve"))/"))
        Self.expect(error, .resolve)
        #expect(error?.remedy.contains("name servers") == true)
        // The resolver is asked still. The engine does not wait for it.
        #expect(SlowResolver.askers > 0)
        #expect(try await session.text("https://127.0.0.1:\(server.port)/") == "answer")
        let cancelled = Task { await session.refusal(.get("https://\(SlowResolver.name("cancelled"))/")) }
        cancelled.cancel()
        guard case .cancelled? = await cancelled.value?.reason else {
            Issue.record("not cancelled")
            return
        }
        #expect(try await session.text("https://127.0.0.1:\(server.port)/") == "answer")
        await server.stop()
    }

    @Test("A listener with a full queue ends with the limit on connecting", arguments: [false, true])
    func connect(isEncrypted: Bool) async throws {
        let full = try FullListener()
        let session = try Session(
            configuration: .tests(at: "127.0.0.1:\(full.port)") { $0.timeouts.tcpConnect = Self.limit },
            policy: .tests { $0.allowsCleartext = true })
        let error = await session.refusal(.get("\(isEncrypted ? "https" : "http")://server.test/"))
        Self.expect(error, .connect)
        #expect(error?.remedy.contains("firewall") == true)
    }

    @Test("A server that hangs in the handshake ends with the limit on handshakes")
    func handshake() async throws {
        let server = try RawTLSServer { $0.misbehaviour = .hangsInHandshake }
        let session = try Session.tests(server) { $0.timeouts.handshake = Self.limit }
        Self.expect(await session.refusal(), .handshake)
        await server.stop()
    }

    @Test("A server that says nothing ends with the limit on the first byte", arguments: [false, true])
    func firstByte(isHTTP2: Bool) async throws {
        let latch = Latch()
        let server = try RawTLSServer { setup in
            setup.protocols = isHTTP2 ? ["h2"] : ["http/1.1"]
            setup.answer = { _, _ in .text("late").waiting(for: latch) }
        }
        let session = try Session.tests(server) { $0.timeouts.firstByte = Self.limit }
        Self.expect(await session.refusal(), .wait)
        Self.expect(await session.refusal(.post("", body: .text("some"))), .wait)
        await latch.open()
        await server.stop()
    }

    @Test(
        "Silence in the middle of a response, or of what is sent, ends with the limit on silence, of session or request",
        arguments: [false, true])
    func silence(isRequests: Bool) async throws {
        // Enough for a busy machine to get to the silence that is meant.
        let limit = Duration.seconds(3)
        let stalled = try RawTLSServer { $0.script = HTTPFault.stalledBody.script }
        var request = Request.get("0")
        if isRequests { request.timeouts.idle = limit }
        let session = try Session.tests(stalled) { $0.timeouts.idle = isRequests ? .seconds(60) : limit }
        Self.expect(await session.refusal(request), .receive, limit)
        await stalled.stop()
        let latch = Latch()
        let deaf = try RawTLSServer { $0.script = { _ in await latch.wait() } }
        let sender = try Session.tests(deaf) { $0.timeouts.idle = isRequests ? .seconds(60) : limit }
        var large = Request.post("", body: .bytes([UInt8](repeating: 0x61, count: 16 << 20)))
        if isRequests { large.timeouts.idle = limit }
        Self.expect(await sender.refusal(large), .send, limit)
        await latch.open()
        await deaf.stop()
    }

    @Test("Each limit holds for its own phase alone: a slow body is none of them")
    func slow() async throws {
        let server = try RawTLSServer { $0.script = HTTPFault.slowBody.script }
        let session = try Session.tests(server) { configuration in
            configuration.timeouts.resolve = .seconds(30)
            configuration.timeouts.tcpConnect = .seconds(30)
            configuration.timeouts.handshake = .seconds(30)
            configuration.timeouts.firstByte = .seconds(30)
        }
        #expect(try await session.text("0") == HTTPFault.content)
        await server.stop()
    }

    @Test("Who waits for a connection that others use is told so, and nothing of name servers")
    func queue() async throws {
        let latch = Latch()
        let server = try RawTLSServer { setup in
            setup.answer = { _, _ in .text("answer").waiting(for: latch) }
        }
        let session = try Session.tests(server) { $0.maximumConnectionsPerHost = 1 }
        let first = Task { try await session.text() }
        #expect(await server.wait { $0.first?.requests.count == 1 })
        var request = Request.get("")
        request.timeouts.total = Self.limit
        let error = await session.refusal(request)
        Self.expect(error, .queue)
        #expect(error?.remedy.contains("connections") == true)
        #expect(error?.remedy.contains("name servers") == false)
        await latch.open()
        #expect(try await first.value == "answer")
        await server.stop()
    }
}
