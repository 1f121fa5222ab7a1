import BelayCertificates
import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("A session's rules by host")
struct HostPolicySessionTests {
    private static let names = ["one.test", "two.test", "deep.sub.two.test"]

    private static func session(
        _ server: RawTLSServer, _ policies: HostPolicies, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        try Session(configuration: .tests(server, change), hostPolicies: policies)
    }

    @Test("a host without a rule is refused under default-deny, before a socket is opened")
    func defaultDeny() async throws {
        let server = try RawTLSServer(Self.names)
        var policies = HostPolicies(default: .deny)
        try policies.set(.use(.tests()), for: HostPattern("one.test"))
        let session = try Self.session(server, policies)
        #expect(try await session.get("https://one.test/").text() == "answer")
        let connections = server.statistics.connections
        for url in ["https://two.test/", "https://evil.one.test/", "https://127.0.0.1/"] {
            let error = await session.refusal(.get(url))
            guard case .hostDenied? = error?.reason else {
                Issue.record("\(url): \(String(describing: error))")
                continue
            }
            #expect(error?.appleCode == -1022)
        }
        #expect(server.statistics.connections == connections)
        await server.stop()
    }

    @Test("each host is judged by its own rule, and hosts do not share connections")
    func ownRules() async throws {
        let server = try RawTLSServer(Self.names)
        var policies = HostPolicies(default: .deny)
        try policies.set(.use(.tests()), for: HostPattern("one.test"))
        // No anchor, so nobody is trusted.
        try policies.set(.use(.tests { $0.trust.anchors = .empty }), for: HostPattern("**.two.test"))
        let session = try Self.session(server, policies)
        for _ in 0..<2 {
            #expect(try await session.get("https://one.test/").text() == "answer")
            let error = await session.refusal(.get("https://deep.sub.two.test/"))
            #expect(error?.rules.contains("anchor.unknown") == true)
        }
        await server.stop()
        #expect(await server.connections.filter { $0.bytes > 0 }.map(\.serverName) == ["one.test"])
    }

    @Test("a redirect is judged under the rule of where it leads", arguments: [true, false])
    func redirect(isTrusted: Bool) async throws {
        let server = try RawTLSServer(Self.names) { setup in
            setup.answer = { request, connection in
                connection.serverName == "one.test" ? .redirect(307, to: "https://two.test/") : .text("two")
            }
        }
        var policies = HostPolicies(default: .deny)
        try policies.set(.use(.tests()), for: HostPattern("one.test"))
        if isTrusted { try policies.set(.use(.tests()), for: HostPattern("two.test")) }
        let session = try Self.session(server, policies)
        if isTrusted {
            #expect(try await session.get("https://one.test/").text() == "two")
        } else {
            guard case .hostDenied? = await session.refusal(.get("https://one.test/"))?.reason else {
                Issue.record("it was followed")
                return
            }
            #expect(server.statistics.connections == 1)
        }
        await server.stop()
    }

    @Test("the session's identity does not follow a redirect to another origin; one that the host's rule names does")
    func identityAcrossOrigins() async throws {
        let demand = try SharedWorld.demand()
        let server = try RawTLSServer(Self.names) { setup in
            setup.clients = .request(demand)
            setup.answer = { request, connection in
                connection.serverName == "one.test"
                    ? .redirect(302, to: "https://two.test/") : .text("\(connection.clientChain.count)")
            }
        }
        let identity = try TLSIdentity(SharedWorld.client("alice"))
        for hasRule in [false, true] {
            var policies = HostPolicies(default: .use(try .tests { $0.identity = identity }))
            if hasRule {
                try policies.set(.use(.tests { $0.identity = identity }), for: HostPattern("two.test"))
            }
            let session = try Self.session(server, policies)
            #expect(try await session.get("https://one.test/").text() == (hasRule ? "2" : "0"))
            // Asked directly, the host does get to see the session's identity, and on another connection.
            #expect(try await session.get("https://two.test/").text() == "2")
            let opted = try Self.session(server, policies) { $0.redirects.keepsIdentityAcrossOrigins = true }
            #expect(try await opted.get("https://one.test/").text() == "2")
        }
        await server.stop()
    }

    @Test("cleartext is refused without a socket, unless the rule allows it and pins nothing")
    func cleartext() async throws {
        let server = try RawTLSServer(Self.names)
        let pin = try #require(try SharedWorld.anchors().certificates.first).pin
        for (allows, pins) in [(false, false), (true, true)] {
            var policies = HostPolicies(default: .deny)
            let policy = try ConnectionPolicy.tests { policy in
                if pins { policy.securityPolicy = SecurityPolicy(pinningMode: .publicKey, pinnedKeys: [pin]) }
            }
            try policies.set(.use(policy), for: HostPattern("one.test"))
            let session = try Self.session(server, policies)
            var changed = policies
            changed.fallback = .use(policy)
            session.hostPolicies = changed
            session.policy?.allowsCleartext = allows
            let error = await session.refusal(.get("http://three.test/"))
            guard case .cleartext? = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(error?.appleCode == -1022)
        }
        #expect(server.statistics.connections == 0)
        await server.stop()
    }

    @Test("no more connections are kept than the session allows", arguments: [1, 3, 5])
    func idleConnections(limit: Int) async throws {
        let names = (0..<5).map { "h\($0).test" }
        let server = try RawTLSServer(names)
        let session = try Session(
            configuration: .tests(server) { $0.maximumIdleConnections = limit }, policy: .tests())
        for name in names { #expect(try await session.get("https://\(name)/").text() == "answer") }
        #expect(SocketTable.held(toPort: server.port) == limit)
        await server.stop()
    }

    @Test("two sessions do not share connections, and a session with another identity is somebody else")
    func twoSessions() async throws {
        let demand = try SharedWorld.demand()
        let server = try RawTLSServer(Self.names) { setup in
            setup.clients = .request(demand)
            setup.answer = { _, connection in .text("\(connection.number)") }
        }
        let identity = try TLSIdentity(SharedWorld.client("alice"))
        let first = try Session(configuration: .tests(server), policy: .tests { $0.identity = identity })
        let second = try Session(configuration: .tests(server), policy: .tests())
        #expect(try await first.get("https://one.test/").text() == "0")
        #expect(try await second.get("https://one.test/").text() == "1")
        #expect(try await first.get("https://one.test/").text() == "0")
        first.identity = nil
        #expect(try await first.get("https://one.test/").text() == "2")
        await server.stop()
        #expect(await server.connections.map(\.clientChain.isEmpty) == [false, true, true])
    }
}
