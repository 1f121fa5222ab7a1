import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("A policy that changes while a request is on its way")
struct PolicyChangeTests {
    /// A session that the handler of its own challenges can reach.
    private final class Holder: Sendable {
        let session = Protected<Session?>(nil)
        func refuseEverybody() {
            session.withLock { $0 }?.policy?.trust.anchors = .empty
        }
    }

    @Test("a password that is given after the policy has changed does not go to a server that is refused by now")
    func password() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { request, _ in
                request["authorization"] == nil
                    ? HTTPAnswer(401, [("WWW-Authenticate", "Basic realm=\"r\"")]) : .text("welcome")
            }
        }
        let holder = Holder()
        let session = try Session.tests(server) { configuration in
            configuration.onChallenge = { challenge in
                guard case .httpBasic = challenge.kind else { return .performDefaultHandling }
                holder.refuseEverybody()
                return .useCredential(.password(user: "ada", password: "secret", persistence: .forSession))
            }
        }
        holder.session.withLock { $0 = session }
        let error = await session.refusal()
        holder.session.withLock { $0 = nil }
        #expect(error?.rules.contains("anchor.unknown") == true, "\(String(describing: error))")
        await server.stop()
        #expect(await server.requests.allSatisfy { $0["authorization"] == nil })
    }

    @Test(
        "a request that waits for its handshake is sent under the new policy or not at all", arguments: [true, false])
    func handshake(refuses: Bool) async throws {
        let server = try RawTLSServer()
        let holder = Holder()
        let asked = Journal(0)
        let session = try Session.tests(server) { configuration in
            configuration.onChallenge = { challenge in
                let isFirst = await asked.value == 0
                await asked.update { $0 += 1 }
                // In the middle of the first connection's trust the policy changes, to something else or to the same.
                if isFirst, refuses { holder.refuseEverybody() }
                if isFirst, !refuses { holder.session.withLock { $0 }?.identity = nil }
                return .performDefaultHandling
            }
        }
        holder.session.withLock { $0 = session }
        let error = await session.refusal()
        holder.session.withLock { $0 = nil }
        #expect((error == nil) == !refuses, "\(String(describing: error))")
        await server.stop()
        #expect((server.bytes == 0) == refuses)
        // The answer was about the policy of before, so that it is asked for again.
        #expect(await asked.value == 2)
    }

    @Test("texts that only Swift takes for equal are different requests")
    func canonicalEquivalence() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { request, _ in .text("\(request.target) \(request["x-v"] ?? "")") }
        }
        let session = try Session.tests(server)
        // U+00E9, and U+0065 U+0301: the bytes of RFC 3629 differ.
        #expect(try await session.text("caf\u{E9}") == "/caf%C3%A9 ")
        #expect(try await session.text("cafe\u{301}") == "/cafe%CC%81 ")
        var sent: [[UInt8]] = []
        for value in ["caf\u{E9}", "cafe\u{301}"] {
            let response = try await session.send(.get("x", headers: ["X-V": value]))
            sent.append(Array(response.body.dropFirst(3)))
        }
        #expect(sent == [[0x63, 0x61, 0x66, 0xC3, 0xA9], [0x63, 0x61, 0x66, 0x65, 0xCC, 0x81]])
        await server.stop()
    }

    @Test(
        "a body that ends with the connection needs TLS's goodbye, or anybody on the way could cut it",
        arguments: [true, false])
    func truncation(saysGoodbye: Bool) async throws {
        let server = try RawTLSServer { setup in
            setup.script = { connection throws(TLSError) in
                _ = try await connection.read(upTo: 4_096)
                try await connection.write(Array("HTTP/1.1 200 OK\r\n\r\nallow: alice\nallow: bob".utf8))
                if saysGoodbye { await connection.close() } else { await connection.cut() }
            }
        }
        let session = try Session.tests(server)
        let error = await session.refusal()
        if saysGoodbye {
            #expect(error == nil, "\(String(describing: error))")
        } else {
            guard case .truncated? = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        await server.stop()
    }
}
