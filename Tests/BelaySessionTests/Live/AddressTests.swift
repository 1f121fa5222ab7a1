import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("Hosts by their addresses")
struct AddressTests {
    private static func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> Session {
        try Session(configuration: .tests(at: nil, change), policy: .tests())
    }

    @Test("a name that has IPv6 addresses alone is reached, and so is the address itself")
    func ipv6() async throws {
        let server = try RawTLSServer(["host.six.test", "::1"]) { $0.interfaces = .loopbackIPv6 }
        let session = try Self.session()
        for host in ["host.six.test", "[::1]"] {
            let response = try await session.get("https://\(host):\(server.port)/")
            #expect(try response.text() == "answer")
            #expect(response.metrics?.peerAddress == "[::1]:\(server.port)")
        }
        await server.stop()
    }

    @Test("where nobody answers under the IPv6 address of a name, its IPv4 address is used")
    func bothFamilies() async throws {
        let server = try RawTLSServer(["host.both.test"])
        let response = try await Self.session().get("https://host.both.test:\(server.port)/")
        #expect(try response.text() == "answer")
        #expect(response.metrics?.peerAddress == "127.0.0.1:\(server.port)")
        await server.stop()
    }
}
