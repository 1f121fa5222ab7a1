import BelayLaboratory
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("belay get and the environment's proxies", Provides<SessionNginx>())
struct GetProxyTests {
    private let nginx: SessionNginx

    init() throws {
        nginx = try SessionNginx.provided()
    }

    private var http: String { "http://127.0.0.1:\(nginx.httpProxy)" }
    private var socks: String { "socks5h://127.0.0.1:\(nginx.socksProxy)" }
    /// Where nobody listens.
    private static let nowhere = "http://127.0.0.1:1"

    private func get(
        _ server: SessionNginx.Server, _ more: String..., environment: [String: String]
    ) async throws -> Program.Run {
        let scheme = server == .cleartext ? "http" : "https"
        let trust = server == .cleartext ? [] : ["--no-system-anchors", "--anchor", try SharedWorld.anchorsFile()]
        return try await Program.run(
            ["get", "\(scheme)://\(nginx.place(server))/", "--timeout", "30"] + trust + more, environment: environment)
    }

    @Test("https_proxy and all_proxy are gone through, in either spelling", arguments: ["https_proxy", "HTTPS_PROXY"])
    func encrypted(variable: String) async throws {
        let place = nginx.place(.plain)
        let run = try await get(.plain, environment: [variable: http])
        #expect(run.status == 0 && run.output.hasPrefix("HTTP/1.1 TLSv1.3 127.0.0.1"), "\(run.errors)")
        #expect(await nginx.tinyproxy.waitForOutput { $0.contains("CONNECT \(place)") })
        for (name, value) in [("all_proxy", socks), ("ALL_PROXY", socks)] {
            let run = try await get(.http2, environment: [name: value])
            #expect(run.status == 0 && run.output.hasPrefix("HTTP/2.0"), "\(run.errors)")
        }
        #expect(await nginx.microsocks.waitForOutput { $0.contains("connected to 127.0.0.1") })
    }

    @Test("the more special variable wins, and no_proxy over all of them")
    func precedence() async throws {
        let both = ["https_proxy": Self.nowhere, "all_proxy": socks]
        let refused = try await get(.plain, environment: both)
        #expect(refused.status == 3 && refused.errors.contains("proxy"), "\(refused.errors)")
        for excepted in ["127.0.0.1", "example.com,127.0.0.1", "*"] {
            let direct = try await get(.plain, environment: both.merging(["no_proxy": excepted]) { $1 })
            #expect(direct.status == 0, "\(excepted): \(direct.errors)")
        }
        let other = try await get(.plain, environment: both.merging(["NO_PROXY": "example.com"]) { $1 })
        #expect(other.status == 3)
    }

    @Test("options win over the environment: --proxy also over no_proxy, and --no-proxy")
    func options() async throws {
        let named = try await get(
            .plain, "--proxy", Self.nowhere, environment: ["https_proxy": http, "no_proxy": "*"])
        #expect(named.status == 3 && named.errors.contains("proxy"), "\(named.errors)")
        let none = try await get(.plain, "--no-proxy", environment: ["https_proxy": Self.nowhere])
        #expect(none.status == 0, "\(none.errors)")
    }

    @Test("http_proxy is for http alone, and not in capitals, which a request to a web server could set")
    func cleartext() async throws {
        let proxied = try await get(.cleartext, "--allow-http", "-v", environment: ["http_proxy": http])
        #expect(proxied.status == 0 && proxied.output.hasPrefix("HTTP/1.1  127.0.0.1"), "\(proxied.errors)")
        #expect(await nginx.tinyproxy.waitForOutput { $0.contains("GET http://\(nginx.place(.cleartext))/") })
        let capitals = try await get(.cleartext, "--allow-http", environment: ["HTTP_PROXY": Self.nowhere])
        #expect(capitals.status == 0, "\(capitals.errors)")
        let encrypted = try await get(.plain, environment: ["http_proxy": Self.nowhere])
        #expect(encrypted.status == 0, "\(encrypted.errors)")
    }

    @Test("a proxy that cannot be used is refused by name, and its password is not repeated")
    func unusable() async throws {
        for (url, word) in [
            ("gopher://ada:geheim@proxy.test", "'gopher'"), ("https://ada:geheim@proxy.test", "TLS"),
            ("http://ada:ge heim@pro xy.test:70:80", "proxy"),
        ] {
            let run = try await get(.plain, environment: ["https_proxy": url])
            #expect(run.status != 0 && run.errors.contains(word), "\(run.errors)")
            #expect(!run.errors.contains("heim"), "\(run.errors)")
        }
    }

    @Test("SSLKEYLOGFILE makes no file")
    func keyLog() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let run = try await get(.plain, environment: ["SSLKEYLOGFILE": folder("keys")])
        #expect(run.status == 0, "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder("keys")))
    }
}
