import BelayCertificates
import BelaySession
import BelayTLS
import BelayTrust
import Glibc
import SessionTestSupport
import TestSupport
import Testing

@Suite("A policy that changes in the middle of a handshake")
struct HandshakeChangeTests {
    /// Sends a request whose handshakes the policy changes in.
    ///
    /// - Parameters:
    ///   - change: gets the session and the number of the connection, before the server's first words on it reach the client.
    private static func request(
        _ protocols: [String], _ version: TLSVersion, total: Duration = .seconds(60),
        change: @escaping @Sendable (Session, Int) -> Void
    ) async throws -> (error: SessionError?, connections: Int, bytes: [Int], requests: Int) {
        let server = try RawTLSServer { setup in
            setup.protocols = protocols
            setup.versions = version...version
        }
        let session = Protected<Session?>(nil)
        let connections = Protected(0)
        let relay = try InterveningRelay(to: server.port) { number in
            connections.withLock { $0 = max($0, number + 1) }
            if let session = session.withLock({ $0 }) { change(session, number) }
        }
        let made = try Session(
            baseURL: "https://\(RawTLSServer.host)/",
            configuration: .tests(at: "127.0.0.1:\(relay.port)") { $0.timeouts.total = total },
            policy: .tests())
        session.withLock { $0 = made }
        let error = await made.refusal()
        session.withLock { $0 = nil }
        relay.stop()
        await server.stop()
        return (
            error, connections.withLock { $0 }, await server.connections.map(\.bytes), await server.requests.count
        )
    }

    private static let protocols = [["h2"], ["http/1.1"]]

    @Test(
        "the connection gets not one byte of HTTP, not HTTP/2's first words either, and the request goes out on another",
        arguments: protocols, [TLSVersion.tls12, .tls13])
    func replaced(_ protocols: [String], _ version: TLSVersion) async throws {
        let seen = try await Self.request(protocols, version) { session, number in
            guard number == 0 else { return }
            session.policy?.trust.explains = true
        }
        #expect(seen.error == nil && seen.connections == 2 && seen.requests == 1)
        #expect(seen.bytes.dropLast().allSatisfy { $0 == 0 }, "\(seen.bytes)")
    }

    @Test(
        "where the new policy refuses the server, it gets nothing at all", arguments: protocols,
        [TLSVersion.tls12, .tls13])
    func refused(_ protocols: [String], _ version: TLSVersion) async throws {
        let seen = try await Self.request(protocols, version) { session, number in
            if number == 0 { session.policy?.expectedName = try? ServerName("other.test") }
        }
        #expect(seen.error?.rules == ["name.mismatch"] && seen.connections == 2)
        #expect(seen.bytes.allSatisfy { $0 == 0 }, "\(seen.bytes)")
    }

    @Test("however often it changes, that is no fault of the server's", arguments: protocols)
    func often(_ protocols: [String]) async throws {
        let seen = try await Self.request(protocols, .tls13) { session, number in
            if number < 30 { session.policy?.trust.explains.toggle() }
        }
        #expect(seen.error == nil && seen.connections == 31 && seen.requests == 1)
    }

    @Test("a policy that changes without end is given up")
    func endless() async throws {
        let seen = try await Self.request(["http/1.1"], .tls13) { session, _ in
            session.policy?.trust.explains.toggle()
        }
        guard case .unjudged = seen.error?.reason else {
            Issue.record("\(String(describing: seen.error))")
            return
        }
        #expect(seen.connections == 101 && seen.requests == 0)
    }

    @Test("the limit on a request holds for all of its connections together")
    func limit() async throws {
        let seen = try await Self.request(["http/1.1"], .tls13, total: .seconds(1)) { session, _ in
            // A slow server.
            usleep(300_000)
            session.policy?.trust.explains.toggle()
        }
        guard case .timedOut(.seconds(1)) = seen.error?.reason else {
            Issue.record("\(String(describing: seen.error))")
            return
        }
        #expect(seen.connections <= 4 && seen.requests == 0)
    }
}
