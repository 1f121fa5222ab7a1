import BelayLaboratory
import BelaySession
import BelayCertificates
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("The end of a response")
struct ResponseEndTests {
    /// Why a response fails that is sent once the request has come; the connection ends behind it.
    private static func refusal(
        of response: String, withGoodbye: Bool = false
    ) async throws -> (reason: SessionError.Reason?, requests: Int) {
        let requests = Journal(0)
        let server = try RawTLSServer { setup in
            setup.script = { connection throws(TLSError) in
                // The whole of it: what is left unread would make a reset of the end.
                var reader = HTTPRequestReader(connection: connection) { _ in }
                _ = try await reader.next()
                await requests.update { $0 += 1 }
                try await connection.write(Array(response.utf8))
                if withGoodbye { await connection.close() } else { await connection.cut() }
            }
        }
        let session = try Session.tests(server)
        let reason = await session.refusal(.post("", body: .bytes([1])))?.reason
        await server.stop()
        return (reason, await requests.value)
    }

    @Test(
        "what ends with its connection was cut short where TLS says no goodbye, whatever the head claims",
        arguments: [
            "HTTP/1.1 200 OK\r\n\r\nhello", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Identity\r\nContent-Length: 50\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\r\nhello", "HTTP/2 200 OK\r\n\r\nhello",
        ])
    func cutShort(_ response: String) async throws {
        let seen = try await Self.refusal(of: response)
        guard case .truncated(received: 5) = seen.reason else {
            Issue.record("\(String(describing: seen.reason))")
            return
        }
        #expect(seen.requests == 1)
    }

    @Test(
        "a server that may have done what it was asked for is never said to have refused the client in the handshake",
        arguments: [TLSVersion.tls12, .tls13])
    func asksForCertificate(_ version: TLSVersion) async throws {
        let server = try RawTLSServer { setup in
            setup.versions = version...version
            setup.clients = .request(.init { _ in true })
            setup.script = { connection throws(TLSError) in _ = try await connection.read() }
        }
        let session = try Session(configuration: .tests(at: "127.0.0.1:\(server.port)"), policy: .tests())
        let refusal = await session.refusal(.post("https://\(RawTLSServer.host)/", body: .text("order")))
        let error = try #require(refusal)
        guard case .connectionLost(let text) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.phase == .wait)
        // Under TLS 1.2 the server has gone without, or it would have said so before its end of the handshake.
        #expect(text.contains("certificate") == (version == .tls13))
        await server.stop()
    }

    @Test("a record that is broken in the middle of a response is not said to be the handshake's fault")
    func brokenRecord() async throws {
        let stage = Protected(0)
        let hasPassed = Latch()
        let server = try RawTLSServer { setup in
            setup.script = { connection throws(TLSError) in
                _ = try await connection.read()
                stage.withLock { $0 = 1 }
                try await connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello".utf8))
                await hasPassed.wait()
                try await connection.write(Array("world".utf8))
                _ = try await connection.read()
            }
        }
        let relay = try InterveningRelay(
            to: server.port,
            alter: { bytes in
                let now = stage.withLock { stage in
                    defer { if stage == 1 { stage = 2 } }
                    return stage
                }
                if now == 1 { Task { await hasPassed.open() } }
                if now == 2 { bytes[bytes.count - 1] ^= 1 }
            })
        let session = try Session(
            configuration: .tests(at: "127.0.0.1:\(relay.port)"), policy: .tests())
        let error = try #require(await session.refusal(.get("https://\(RawTLSServer.host)/")))
        guard case .connectionLost(let text) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.phase == .receive && text.contains("bad record mac"), "\(error)")
        #expect(!error.description.contains("handshake"), "\(error)")
        relay.stop()
        await server.stop()
    }

    // MARK: What comes unasked

    private static let second = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

    /// Answers each request, and sends another answer behind the first one on each connection.
    private static func eager(
        _ hasSent: Latch
    ) -> @Sendable (TLSServerConnection) async throws(TLSError) -> Void {
        { connection throws(TLSError) in
            var reader = HTTPRequestReader(connection: connection) { _ in }
            var isFirst = true
            while try await reader.next() != nil {
                try await connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright".utf8))
                if isFirst {
                    // In a record of its own.
                    try await connection.write(Array(second.utf8))
                    await hasSent.open()
                }
                isFirst = false
            }
        }
    }

    @Test("an answer that came before its request is none over http either")
    func unaskedInTheClear() async throws {
        let server = try TunnellingProxy(
            .init("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright", more: Self.second))
        let session = try Session(
            configuration: .tests(at: nil), policy: .tests { $0.allowsCleartext = true })
        #expect(try await session.text(server.url) == "right")
        server.sayMore()
        #expect(try await session.text(server.url) == "right")
        #expect(server.asked == 2)
        server.stop()
    }

    @Test(
        "an answer that came before its request is no answer: another connection is used, on whatever thread the task runs",
        arguments: [false, true])
    func unasked(isOnSessionThread: Bool) async throws {
        let hasSent = Latch()
        let server = try RawTLSServer { $0.script = Self.eager(hasSent) }
        let session = try Session.tests(server)
        let work = { @Sendable () async throws -> [String] in
            let first = try await session.text()
            await hasSent.wait()
            return [first, try await session.text()]
        }
        let texts = try await withTaskExecutorPreference(isOnSessionThread ? session.executor : nil) {
            try await work()
        }
        #expect(texts == ["right", "right"])
        #expect(server.statistics.connections == 2)
        await server.stop()
    }

    @Test("the same ends in order with TLS's goodbye")
    func goodbye() async throws {
        #expect(try await Self.refusal(of: "HTTP/1.1 200 OK\r\n\r\nhello", withGoodbye: true).reason == nil)
    }

    @Test("a head that nobody can read is the response's fault, and it is not said that nothing was sent")
    func unreadableHead() async throws {
        let seen = try await Self.refusal(
            of: "HTTP/1.1 200 OK\r\n folded: x\r\nContent-Length: 2\r\n\r\nok", withGoodbye: true)
        guard case .malformedResponse = seen.reason else {
            Issue.record("\(String(describing: seen.reason))")
            return
        }
        #expect(seen.requests == 1)
    }
}
