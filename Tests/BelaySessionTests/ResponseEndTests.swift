import BelayLaboratory
import BelaySession
import BelayTLS
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
                _ = try await connection.read()
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
        switch seen.reason {
        case .truncated, .malformedResponse, .connectionLost: break
        default: Issue.record("\(String(describing: seen.reason))")
        }
        #expect(seen.requests == 1)
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
