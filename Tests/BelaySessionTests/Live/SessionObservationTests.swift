import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("Watching a session")
struct SessionObservationTests {
    /// Events in the order in which they came.
    private final class Log: Sendable {
        private let events = Protected<[SessionEvent]>([])
        func add(_ event: SessionEvent) { events.withLock { $0.append(event) } }
        var all: [SessionEvent] { events.withLock { $0 } }
        var names: [String] {
            all.map { event in
                switch event {
                case .began: "began"
                case .redirected(_, let status, _): "redirected \(status)"
                case .challenged(_, let kind, _): "challenged \(kind)"
                case .retried(_, let attempt): "retried \(attempt)"
                case .exchanged(_, let metrics): "exchanged \(metrics.statusCode)"
                case .succeeded(_, let status): "succeeded \(status)"
                case .failed: "failed"
                case .keysAreLogged: "keys"
                default: "other"
                }
            }
        }
    }

    @Test("a redirect with a challenge tells its story in order, with moments that follow one another")
    func story() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { request, _ in
                request.target == "/old" ? .redirect(301, to: "/new?token=secret") : .text("new")
            }
        }
        let log = Log()
        let session = try Session.tests(server) { configuration in
            configuration.onEvent = { log.add($0) }
            configuration.onChallenge = { _ in .performDefaultHandling }
        }
        #expect(try await session.text("old") == "new")
        await server.stop()
        // The first exchange is undecided until the handler has spoken.
        #expect(
            log.names == [
                "began", "exchanged 0", "challenged server trust", "exchanged 301", "redirected 301", "exchanged 200",
                "succeeded 200",
            ])
        #expect(!"\(log.all)".contains("secret"))
        let metrics = log.all.compactMap { event -> ExchangeMetrics? in
            guard case .exchanged(_, let metrics) = event else { return nil }
            return metrics
        }
        #expect(metrics.map(\.isNewConnection) == [true, true, false])
        let second = try #require(metrics.dropFirst().first)
        #expect(second.tlsVersion == .tls13 && second.httpVersion == "HTTP/1.1")
        #expect(second.peerAddress == "127.0.0.1:\(server.port)")
        #expect(second.nameLookup <= second.connect && second.connect <= second.handshake)
        #expect(second.handshake <= second.requestStart && second.requestStart <= second.firstByte)
        #expect(second.firstByte <= second.total && second.connect > .zero)
    }

    @Test("the first byte is that of the response, also where what was sent took its time", arguments: [false, true])
    func firstByteOfUploads(isHTTP2: Bool) async throws {
        let latch = Latch()
        let server = try RawTLSServer { setup in
            setup.protocols = isHTTP2 ? ["h2"] : ["http/1.1"]
            setup.answer = { _, _ in .text("late").waiting(for: latch) }
        }
        let session = try Session.tests(server)
        let body = [UInt8](repeating: 0x61, count: isHTTP2 ? 60_000 : 4 << 20)
        async let response = session.send(.post("", body: .bytes(body)))
        #expect(await server.wait { $0.first?.requests.count == 1 })
        // Time that has to be seen in what is measured.
        let arrived = ContinuousClock.now
        try await Task.sleep(for: .milliseconds(300))
        let held = ContinuousClock.now - arrived
        await latch.open()
        let metrics = try #require(try await response.metrics)
        await server.stop()
        #expect(metrics.firstByte - metrics.requestStart >= held && metrics.firstByte <= metrics.total)
    }

    @Test("a response tells how its connection was judged")
    func verdict() async throws {
        let server = try RawTLSServer()
        let response = try await Session.tests(server).get("")
        await server.stop()
        let expected = try SharedWorld.anchors().certificates.first
        #expect(response.verdict?.anchor == expected && response.verdict?.isTrusted == true)
        #expect(response.evidence?.host == RawTLSServer.host)
        #expect(response.metrics?.statusCode == 200)
    }

    private struct Adapter: RequestInterceptor {
        let tries: Int
        func adapt(_ request: Request) async throws -> Request {
            var request = request
            try request.headers.set("X-Adapted", "yes")
            return request
        }
        func retries(_ request: Request, after error: SessionError, attempt: Int) async -> Bool {
            guard case .rejected(let rejection) = error.reason else { return false }
            return rejection.response.statusCode == 503 && attempt < tries
        }
    }

    @Test("interceptors change what goes out, and have a failure tried again as long as they say")
    func interceptors() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { request, connection in
                guard request["x-adapted"] == "yes" else { return HTTPAnswer(400) }
                return connection.requests.count < 3 ? HTTPAnswer(503) : .text("at last")
            }
        }
        let log = Log()
        let session = try Session.tests(server) { configuration in
            configuration.interceptors = [Adapter(tries: 3)]
            configuration.onEvent = { log.add($0) }
        }
        #expect(try await session.text() == "at last")
        #expect(log.names.filter { $0.hasPrefix("retried") } == ["retried 2", "retried 3"])
        let impatient = try Session.tests(server) { $0.interceptors = [Adapter(tries: 1)] }
        let error = await impatient.refusal()
        guard case .rejected? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        await server.stop()
    }

    private struct Stop: RequestInterceptor {
        struct Reason: Error {}
        func adapt(_ request: Request) async throws -> Request { throw Reason() }
    }

    @Test("an interceptor that throws stops the request before a socket is opened")
    func stopping() async throws {
        let server = try RawTLSServer()
        let session = try Session.tests(server) { $0.interceptors = [Stop()] }
        guard case .interceptor(let error)? = await session.refusal()?.reason else {
            Issue.record("it was sent")
            return
        }
        #expect(error is Stop.Reason)
        await server.stop()
        #expect(server.statistics.connections == 0)
    }

    @Test("the key log is announced, is for its owner alone, and holds the keys of the connection")
    func keyLog() async throws {
        let server = try RawTLSServer()
        let folder = try TemporaryFolder()
        let log = Log()
        let session = try Session.tests(server) { configuration in
            configuration.keyLogFile = folder("keys")
            configuration.onEvent = { log.add($0) }
        }
        guard case .keysAreLogged(let file)? = log.all.first else {
            Issue.record("nothing was announced")
            return
        }
        #expect(file == folder("keys"))
        _ = try await session.text()
        await server.stop()
        let attributes = try FileManager.default.attributesOfItem(atPath: folder("keys"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let lines = String(decoding: try folder.read("keys"), as: UTF8.self).split(separator: "\n")
        // The labels of the NSS key log format for TLS 1.3.
        let labels = Set(lines.map { $0.prefix { $0 != " " } })
        #expect(labels.isSuperset(of: ["CLIENT_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0"]))
        #expect(lines.allSatisfy { $0.split(separator: " ").count == 3 })
    }

    @Test("a key log that cannot be written refuses the session")
    func badKeyLog() throws {
        var configuration = SessionConfiguration()
        configuration.keyLogFile = "/nonexistent/keys"
        #expect(throws: ConfigurationError.self) { try Session(configuration: configuration) }
    }
}
