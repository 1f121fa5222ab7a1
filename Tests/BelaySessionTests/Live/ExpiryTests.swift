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
    @Test(
        "the next request is refused, whether its connection is there still or its TLS session is resumed",
        arguments: ConnectionKind.all.filter { $0.way != .fresh })
    func expiry(kind: ConnectionKind) async throws {
        let latch = Latch()
        // Long enough for a handshake on a busy machine; the last second counts as valid.
        let end = Date().addingTimeInterval(12)
        let server = try kind.server(latch) { setup in
            setup.identity = try SharedWorld.get().authorities.publicIntermediate.issueIdentity(
                .server(
                    names: [RawTLSServer.host], validity: Validity(from: end.addingTimeInterval(-3_600), through: end)),
                key: .generate(.p256))
        }
        let before = try await kind.withSession(server, latch, policy: .tests()) { session in
            let before = await server.connections.map(\.bytes).reduce(0, +)
            // Time itself is what is tested; nothing else tells that it has passed.
            try await Task.sleep(for: .seconds(max(0, end.timeIntervalSinceNow) + 2.1))
            let error = try #require(await session.refusal())
            #expect(error.rules == ["validity.expired"], "\(error)")
            #expect(error.appleCode == -1201)
            return before
        }
        #expect(await server.waitUntilServed(server.statistics.connections))
        await server.stop()
        #expect(await server.requests.count == 1)
        // On the HTTP/2 connection from before, the end may be announced (as in TrustPerRequestTests).
        let allowed = kind.isHTTP2 ? 9 + 17 : 0
        #expect((before...(before + allowed)).contains(server.bytes), "\(before), then \(server.bytes)")
    }
}
