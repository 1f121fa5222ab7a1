import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("Certificates that expire while connections live")
struct ExpiryTests {
    /// A server whose certificate is good for a few seconds more. Under `/hold` it answers once the latch is open.
    private static func server(_ kind: ConnectionKind, until end: Date, _ latch: Latch) throws -> RawTLSServer {
        try RawTLSServer { setup in
            setup.versions = kind.version...kind.version
            setup.resumption = kind.resumption
            setup.protocols = kind.isHTTP2 ? ["h2"] : ["http/1.1"]
            if kind.isHTTP2, kind.way == .resumed { setup.maximumStreams = 1 }
            // HTTP/2's heads are not decoded: what is held is the second request.
            setup.answer = { _, connection in
                guard kind.way == .resumed else { return .text("answer") }
                guard kind.isHTTP2 else { return .text("answer").closing() }
                return connection.requests.count == 2 ? .text("held").waiting(for: latch) : .text("answer")
            }
            setup.identity = try SharedWorld.get().authorities.publicIntermediate.issueIdentity(
                .server(
                    names: [RawTLSServer.host], validity: Validity(from: end.addingTimeInterval(-3_600), through: end)),
                key: .generate(.p256))
        }
    }

    @Test(
        "the next request is refused, whether its connection is there still or its TLS session is resumed",
        arguments: ConnectionKind.all.filter { $0.way != .fresh })
    func expiry(kind: ConnectionKind) async throws {
        // On a machine that is busy the first handshake may come too late; then there is more time.
        for seconds in [3.0, 6, 12, 24, 48, 96] where try await isShown(kind, within: seconds) { return }
        Issue.record("no handshake came in time")
    }

    /// Shows it, unless the certificate has expired before it was shown for the first time.
    private func isShown(_ kind: ConnectionKind, within seconds: Double) async throws -> Bool {
        let latch = Latch()
        let end = Date().addingTimeInterval(seconds)
        let server = try Self.server(kind, until: end, latch)
        let session = try Session.tests(server)
        guard await session.refusal() == nil else {
            await server.stop()
            return false
        }
        var requests = 1
        var held: Task<Void, Never>?
        if kind.isHTTP2, kind.way == .resumed {
            // Its only stream is busy from now on, so that the next request needs a connection of its own.
            held = Task { _ = await session.refusal() }
            requests = 2
            guard await server.wait(until: { $0.first?.requests.count == 2 }) else {
                await latch.open()
                await server.stop()
                return false
            }
        }
        let before = await server.connections.map(\.bytes).reduce(0, +)
        let connections = server.statistics.connections
        // Time itself is what is tested, and nothing else tells that it has passed. The last second counts as valid.
        try await Task.sleep(for: .seconds(max(0, end.timeIntervalSinceNow) + 2.1))
        let error = try #require(await session.refusal())
        #expect(error.rules == ["validity.expired"], "\(error)")
        #expect(error.appleCode == -1201)
        // A resumed session needs a connection of its own.
        if kind.way == .resumed { #expect(server.statistics.connections > connections) }
        await latch.open()
        await held?.value
        await server.stop()
        #expect(await server.requests.count == requests)
        // On the HTTP/2 connection from before, the end may be announced (as in TrustPerRequestTests).
        let allowed = kind.isHTTP2 ? 9 + 17 : 0
        #expect((before...(before + allowed)).contains(server.bytes), "\(before), then \(server.bytes)")
        return true
    }
}
