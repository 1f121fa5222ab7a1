import BelayLaboratory
import BelayTLS
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("belay get: where the time went")
struct GetTimeTests {
    @Test("--max-time over several exchanges names the phase of the one that it ended")
    func redirected() async throws {
        let server = try RawTLSServer { setup in
            // Slow enough for the second exchange, by itself, to be within the limit when the whole is not.
            setup.answer = { _, _ in
                try? await Task.sleep(for: .milliseconds(500))
                return .redirect(to: "/second").closing()
            }
        }
        let release = DispatchSemaphore(value: 0)
        // The second connection's handshake waits until the program has ended.
        let relay = try InterveningRelay(to: server.port) { number in if number > 0 { release.wait() } }
        let run = try await Program.run(
            "get", "https://\(RawTLSServer.host)/", "--connect-to", "127.0.0.1:\(relay.port)", "--no-system-anchors",
            "--anchor", try SharedWorld.anchorsFile(), "--no-proxy", "--location", "--max-time", "1",
            "--connect-timeout", "50")
        release.signal()
        #expect(run.status == 3 && run.errors.contains("no end after 1 s: still in the TLS handshake"), "\(run.errors)")
        relay.stop()
        await server.stop()
    }

    @Test(
        "A proxy of the environment's that never opens a tunnel, or never stops refusing one, is named as what takes the time"
    )
    func tunnel() async throws {
        let silent = try TunnellingProxy(.none)
        let endless = try TunnellingProxy(
            .init("HTTP/1.1 403 Forbidden\r\n", filling: "Filling: " + String(repeating: "x", count: 1_000) + "\r\n"))
        for (proxy, expected) in [(silent, "no end after 0.5 s: still waiting for the proxy"), (endless, "403")] {
            for variable in ["https_proxy", "all_proxy"] {
                let run = try await Program.run(
                    ["get", "https://\(RawTLSServer.host)/", "--connect-timeout", "0.5", "--no-system-anchors"],
                    environment: [variable: proxy.url])
                #expect(run.status == 3 && run.errors.contains(expected), "\(run.errors)")
                #expect(run.errors.contains(proxy === silent ? "--connect-timeout" : "--no-proxy"), "\(run.errors)")
            }
        }
        silent.stop()
        endless.stop()
    }
}
