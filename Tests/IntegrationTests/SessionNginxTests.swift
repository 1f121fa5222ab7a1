import BelayCertificates
import BelaySession
import BelayTLS
import BelayTrust
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("A session and nginx", Provides<SessionNginx>())
struct SessionNginxTests {
    private let nginx: SessionNginx

    init() throws {
        nginx = try SessionNginx.provided()
    }

    private static let wrongPin = SecurityPolicy.pinned(to: PinnedKeys(SPKIPin(SHA256Digest(of: [1]))))

    // MARK: HTTP

    @Test("HTTP/1.1 and HTTP/2 are spoken as both sides can, and connections are kept")
    func versions() async throws {
        let http1 = try nginx.session(.plain)
        #expect(try await http1.text() == "HTTP/1.1 TLSv1.3 \(Site.host) 1\n")
        #expect(try await http1.text() == "HTTP/1.1 TLSv1.3 \(Site.host) 2\n")
        let http2 = try nginx.session(.http2)
        #expect(try await http2.text() == "HTTP/2.0 TLSv1.3 \(Site.host) 1\n")
        let response = try await http2.get("")
        #expect(try response.text() == "HTTP/2.0 TLSv1.3 \(Site.host) 2\n")
        #expect(response.httpVersion == "HTTP/2")
        let forced = try nginx.session(.http2) { $0.protocols = .http1 }
        #expect(try await forced.get("").httpVersion == "HTTP/1.1")
    }

    @Test(
        "Many requests at once are all answered, over as few connections as the session allows",
        arguments: [SessionNginx.Server.plain, .http2])
    func many(server: SessionNginx.Server) async throws {
        let session = try nginx.session(server) { $0.maximumConnectionsPerHost = 3 }
        let answers = try await withThrowingTaskGroup(of: (count: Int, connection: String?).self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let response = try await session.get("large.txt")
                    return (response.body.count, response.headers["X-Connection"])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.map(\.count) == Array(repeating: 225_000, count: 200))
        let connections = Set(answers.map(\.connection))
        #expect(!connections.contains(nil) && (1...3).contains(connections.count), "\(connections)")
    }

    @Test(
        "Compressed content of a large file is unpacked, and bounded", arguments: [SessionNginx.Server.plain, .http2])
    func compression(server: SessionNginx.Server) async throws {
        let response = try await nginx.session(server).get("gzip/large.txt")
        #expect(response.body.count == 225_000)
        let bounded = try nginx.session(server) { $0.maximumBodySize = 100_000 }
        let error = try #require(await bounded.refusal(.get("gzip/large.txt")))
        guard case .bodyTooLarge(limit: 100_000) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(try await bounded.text("here").hasPrefix("GET /echo"))
    }

    @Test(
        "The names of one server are told apart, and each has its own rules",
        arguments: [SessionNginx.Server.plain, .http2])
    func hosts(server: SessionNginx.Server) async throws {
        var policies = HostPolicies(default: .deny)
        try policies.set(.use(.tests()), for: HostPattern(Site.host))
        try policies.set(.use(.tests { $0.securityPolicy = Self.wrongPin }), for: HostPattern(Site.otherHost))
        let session = try Session(configuration: .tests(at: nginx.place(server)), hostPolicies: policies)
        #expect(try await session.text("https://\(Site.host)/").contains(" \(Site.host) "))
        #expect(try #require(await session.refusal(.get("https://\(Site.otherHost)/"))).rules == ["pin.mismatch"])
        guard case .hostDenied = try #require(await session.refusal(.get("https://else.shop.test/"))).reason else {
            Issue.record("a host without a rule was asked")
            return
        }
        // Each hop is judged under the rules of its own host.
        #expect(try #require(await session.refusal(.get("https://\(Site.host)/away"))).rules == ["pin.mismatch"])
    }

    // MARK: Redirects

    @Test("A redirect on the same host keeps what was sent along", arguments: [SessionNginx.Server.plain, .http2])
    func sameHost(server: SessionNginx.Server) async throws {
        let session = try nginx.session(server)
        _ = try await session.get("cookie")
        let headers: HTTPHeaders = ["Authorization": "Bearer sesame", "X-API-Token": "sesame"]
        #expect(
            try await session.get("here", headers: headers).text()
                == "GET /echo?from=here|authorization=Bearer sesame|cookie=basket=7|token=sesame|client=\n")
        // The caller's cookies go with the server's, in one field.
        #expect(
            try await session.get("echo", headers: ["Cookie": "own=1"]).text().contains("|cookie=basket=7; own=1|"))
        #expect(
            try await session.post("post", body: .text("body"), headers: headers).text().hasPrefix("GET /echo|"))
    }

    @Test(
        "K3: a redirect to another host takes neither Authorization nor tokens nor cookies along",
        arguments: [SessionNginx.Server.plain, .http2])
    func otherHost(server: SessionNginx.Server) async throws {
        let session = try nginx.session(server)
        let headers: HTTPHeaders = ["Authorization": "Bearer sesame", "X-API-Token": "sesame", "Cookie": "own=1"]
        for path in ["away", "away-with-cookie"] {
            let response = try await session.get(path, headers: headers)
            #expect(response.url == "https://\(Site.otherHost)/echo")
            #expect(try response.text() == "GET /echo|authorization=|cookie=|token=|client=\n")
        }
        let open = try nginx.session(server) { $0.redirects.keepsCredentialsAcrossOrigins = true }
        #expect(try await open.get("away", headers: headers).text().contains("authorization=Bearer sesame|"))
    }

    @Test("K3: the body of a 307 goes to another host only where that is asked for")
    func otherHostBody() async throws {
        let session = try nginx.session(.plain)
        let error = try #require(await session.refusal(.post("away", body: .text("order"))))
        guard case .redirect(.bodyToOtherOrigin) = error.reason else {
            Issue.record("\(error)")
            return
        }
        let open = try nginx.session(.plain) { $0.redirects.replaysBodyAcrossOrigins = true }
        #expect(try await open.post("away", body: .text("order")).text().hasPrefix("POST /echo|"))
    }

    @Test("A redirect to http is refused, by the redirect's rule and by the host's")
    func downgrade() async throws {
        let error = try #require(await nginx.session(.plain).refusal(.get("to-http")))
        guard case .redirect(.downgrade) = error.reason else {
            Issue.record("\(error)")
            return
        }
        let half = try nginx.session(.plain) { $0.redirects.allowsDowngrade = true }
        guard case .cleartext = try #require(await half.refusal(.get("to-http"))).reason else {
            Issue.record("the host's rule was not asked")
            return
        }
    }

    // MARK: Identities

    @Test(
        "J3: the intermediate is sent along: a server that knows the root alone accepts",
        arguments: [SessionNginx.Server.mutual12, .mutual13])
    func identity(server: SessionNginx.Server) async throws {
        let client = try SharedWorld.client("Shop App")
        let session = try nginx.session(server, policy: .tests { $0.identity = try TLSIdentity(client) })
        #expect(try await session.text("client") == "SUCCESS CN=Shop App\n")
        let bare = try TLSIdentity(certificates: [client.certificate.der], privateKey: client.privateKey)
        session.identity = bare
        let error = try #require(await session.refusal(.get("client")))
        guard case .rejected(let rejection) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(rejection.response.statusCode == 400)
    }

    @Test("J6: a server that names no issuers gets the identity all the same")
    func anyIssuer() async throws {
        let session = try nginx.session(
            .anyIssuer, policy: .tests { $0.identity = try TLSIdentity(SharedWorld.client("Shop App")) })
        #expect(try await session.text("client").hasSuffix(" CN=Shop App\n"))
        session.identity = nil
        #expect(try await session.text("client") == "NONE \n")
    }

    @Test("K3: an identity is not shown to the host that a redirect leads to")
    func redirectedIdentity() async throws {
        let identity = try TLSIdentity(SharedWorld.client("Shop App"))
        let policy = try ConnectionPolicy.tests { $0.identity = identity }
        let session = try nginx.session(.anyIssuer, policy: policy)
        #expect(try await session.text("echo").hasSuffix("client=CN=Shop App\n"))
        #expect(try await session.text("away") == "GET /echo|authorization=|cookie=|token=|client=\n")
        let open = try nginx.session(.anyIssuer, policy: policy) { $0.redirects.keepsIdentityAcrossOrigins = true }
        #expect(try await open.text("away").hasSuffix("client=CN=Shop App\n"))
    }

    @Test("A password is asked for by nginx, and kept for the session")
    func basic() async throws {
        let asked = Journal(0)
        let session = try nginx.session(.plain) {
            $0.onChallenge = { challenge in
                guard case .serverTrust = challenge.kind else {
                    await asked.update { $0 += 1 }
                    return .useCredential(
                        .password(
                            user: SessionNginx.user, password: SessionNginx.password, persistence: .forSession))
                }
                return .performDefaultHandling
            }
        }
        for _ in 0..<2 { #expect(try await session.get("basic").body.count == 225_000) }
        #expect(await asked.value == 1)
    }

    // MARK: Ways

    @Test("A host that has IPv6 alone is reached, by name and by address")
    func ipv6() async throws {
        #expect(try await nginx.session(.ipv6).text().contains(Site.host))
        let port = nginx.ports[.ipv6] ?? 0
        let literal = try Session(configuration: .tests(at: nil), policy: .tests())
        #expect(try await literal.text("https://[::1]:\(port)/").hasPrefix("HTTP/1.1"))
        #expect(try await literal.text("https://[0:0::1]:\(port)/").hasPrefix("HTTP/1.1"))
    }

    @Test("A socket of the file system is a way like any other: the name is verified, the pins hold")
    func unixSocket() async throws {
        let session = try Session(
            baseURL: "https://\(Site.host)/", configuration: .tests(at: nil) { $0.unixSocket = nginx.unixSocket },
            policy: .tests())
        #expect(try await session.text().contains(Site.host))
        #expect(try #require(await session.refusal(.get("https://else.test/"))).rules == ["name.mismatch"])
        session.securityPolicy = Self.wrongPin
        #expect(try #require(await session.refusal()).rules == ["pin.mismatch"])
        let missing = try Session(
            configuration: .tests(at: nil) { $0.unixSocket = "/nonexistent/socket" }, policy: .tests())
        guard case .notConnected = try #require(await missing.refusal(.get("https://\(Site.host)/"))).reason else {
            Issue.record("a socket that is not there")
            return
        }
    }

    @Test(
        "Through a proxy, by CONNECT and by SOCKS, servers are judged as without",
        arguments: ["http", "socks5", "socks5h"], [SessionNginx.Server.plain, .http2])
    func proxies(scheme: String, server: SessionNginx.Server) async throws {
        let port = scheme == "http" ? nginx.httpProxy : nginx.socksProxy
        let session = try nginx.session(server) { $0.proxy = .url("\(scheme)://127.0.0.1:\(port)") }
        #expect(try await session.text().contains(Site.host))
        session.securityPolicy = Self.wrongPin
        #expect(try #require(await session.refusal()).rules == ["pin.mismatch"])
        let place = nginx.place(server)
        let (proxy, word) =
            scheme == "http" ? (nginx.tinyproxy, "CONNECT \(place)") : (nginx.microsocks, "connected to 127.0.0.1")
        #expect(await proxy.waitForOutput { $0.contains(word) })
    }

    @Test("Cleartext is refused before a socket is opened; where it is allowed it goes through a proxy as well")
    func cleartext() async throws {
        let url = "http://\(Site.host)/"
        let strict = try nginx.session(.cleartext)
        let refusal = try #require(await strict.refusal(.get(url)))
        guard case .cleartext = refusal.reason else {
            Issue.record("\(refusal)")
            return
        }
        #expect(refusal.appleCode == -1022)
        let allowing = try ConnectionPolicy.tests { $0.allowsCleartext = true }
        let direct = try nginx.session(.cleartext, policy: allowing)
        #expect(try await direct.text(url) == "HTTP/1.1  \(Site.host) 1\n")
        let proxied = try Session(
            configuration: .tests(at: nil) { $0.proxy = .url("http://127.0.0.1:\(nginx.httpProxy)") }, policy: allowing)
        #expect(try await proxied.text("http://\(nginx.place(.cleartext))/").contains("127.0.0.1"))
        // Pins mean nothing without TLS, so that there is no cleartext where there are pins.
        direct.securityPolicy = Self.wrongPin
        guard case .cleartext = try #require(await direct.refusal(.get(url))).reason else {
            Issue.record("cleartext under pins")
            return
        }
    }

    @Test("A proxy that is not there, or will not connect, is said to be the problem")
    func brokenProxies() async throws {
        let free = try #require(FreePorts.find(1).first)
        for scheme in ["http", "socks5h"] {
            let session = try nginx.session(.plain) { $0.proxy = .url("\(scheme)://127.0.0.1:\(free)") }
            let error = try #require(await session.refusal())
            #expect(error.appleCode == -1004, "\(error)")
        }
        // The proxies are there, and the server is not.
        for (scheme, port) in [("http", nginx.httpProxy), ("socks5h", nginx.socksProxy)] {
            let session = try Session(
                baseURL: "https://\(Site.host)/",
                configuration: .tests(at: "127.0.0.1:\(free)") { $0.proxy = .url("\(scheme)://127.0.0.1:\(port)") },
                policy: .tests())
            let error = try #require(await session.refusal())
            guard case .proxy = error.reason else {
                Issue.record("\(scheme): \(error)")
                continue
            }
        }
    }
}
