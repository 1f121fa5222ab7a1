import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("Proxies that do not lead anywhere")
struct TunnelTests {
    private static func session(
        _ proxy: TunnellingProxy, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        try Session(
            baseURL: "https://server.test/",
            configuration: .tests(at: nil) { configuration in
                configuration.proxy = .url(proxy.url)
                change(&configuration)
            }, policy: .tests())
    }

    private static let chunk = "1000\r\n" + String(repeating: "x", count: 4_096) + "\r\n"
    private static let field = "Filling: " + String(repeating: "x", count: 1_000) + "\r\n"
    private static let demand = "HTTP/1.1 407 Asks\r\nProxy-Authenticate: Basic realm=\"proxy\"\r\n"

    @Test(
        "An answer to CONNECT without an end is given up soon, whatever it says",
        arguments: [
            (TunnellingProxy.Answer(demand + "Transfer-Encoding: chunked\r\n\r\n", filling: chunk), "407"),
            (.init(demand + "Content-Length: 1000000000000\r\n\r\n", filling: chunk), "407"),
            (.init(demand, filling: field), "407"),
            (.init("HTTP/1.1 200 Connected\r\n", filling: field), "64 KiB"),
            (.init("HTTP/1.1 403 Forbidden\r\n", filling: field), "403"),
            (.init("HTTP/1.1 502 Bad Gateway\r\n", filling: field), "502"),
            (.init("", filling: "\n"), "none of HTTP"),
        ])
    func endless(_ answer: TunnellingProxy.Answer, _ word: String) async throws {
        let proxy = try TunnellingProxy(answer)
        // No limit on time is near: what ends it is that it is too long.
        let error = try #require(await Self.session(proxy).refusal())
        guard case .proxy(let text) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(text.contains(word) && text.contains("CONNECT"), "\(text)")
        proxy.stop()
    }

    @Test("A refusal with a page of its own is told by its number")
    func refusal() async throws {
        for status in [403, 407, 502] {
            let page = String(repeating: "x", count: 8_192)
            let proxy = try TunnellingProxy(
                .init("HTTP/1.1 \(status) No\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)"))
            let error = try #require(await Self.session(proxy).refusal())
            guard case .proxy("it answered \(status) to CONNECT") = error.reason else {
                Issue.record("\(error)")
                continue
            }
            proxy.stop()
        }
    }

    @Test("A proxy that never answers ends with the limit on connections, and the message names the tunnel")
    func silent() async throws {
        let proxy = try TunnellingProxy(.none)
        for isForTCP in [false, true] {
            let session = try Self.session(proxy) { configuration in
                if isForTCP {
                    configuration.timeouts.tcpConnect = .milliseconds(300)
                } else {
                    configuration.timeouts.connect = .milliseconds(300)
                }
            }
            let error = try #require(await session.refusal())
            guard case .timedOut(.milliseconds(300)) = error.reason else {
                Issue.record("\(error)")
                continue
            }
            #expect(error.phase == .tunnel)
            #expect(error.description.contains("0.3 s") && error.description.contains("tunnel"))
        }
        proxy.stop()
    }

    @Test("A request that waits for a proxy's answer can be cancelled")
    func cancelled() async throws {
        let proxy = try TunnellingProxy(.none)
        let session = try Self.session(proxy)
        let request = Task { await session.refusal() }
        await proxy.isAsked.wait()
        request.cancel()
        guard case .cancelled? = await request.value?.reason else {
            Issue.record("not cancelled")
            return
        }
        proxy.stop()
    }
}
