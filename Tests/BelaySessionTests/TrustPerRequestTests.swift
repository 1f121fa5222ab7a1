import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

/// How a connection comes to be there when a request is made, and what is spoken on it.
struct ConnectionKind: Sendable, CustomTestStringConvertible {
    enum Way: String, Sendable, CaseIterable {
        case fresh
        case pooled
        case resumed
    }

    let way: Way
    let version: TLSVersion
    let resumption: RawTLSServer.Resumption
    let isHTTP2: Bool

    var testDescription: String {
        "\(way), \(version)\(way == .resumed ? " by \(resumption)" : ""), HTTP/\(isHTTP2 ? "2" : "1.1")"
    }

    static let all: [ConnectionKind] = [false, true].flatMap { isHTTP2 in
        [TLSVersion.tls12, .tls13].flatMap { version in
            Way.allCases.flatMap { way in
                let resumptions: [RawTLSServer.Resumption] =
                    way != .resumed ? [.none] : version == .tls12 ? [.tickets, .identifiers] : [.tickets]
                return resumptions.map {
                    ConnectionKind(way: way, version: version, resumption: $0, isHTTP2: isHTTP2)
                }
            }
        }
    }

    /// A server for it, and a latch that its first answer waits for where that keeps a connection busy.
    ///
    /// A session of TLS is resumed where the connection of the one before is no more, or takes no more requests. The first is so with
    /// HTTP/1.1 after each answer. With HTTP/2 it is the second: libcurl makes a session useless when it closes such a connection.
    func server(
        _ latch: Latch, _ change: (inout RawTLSServer.Setup) throws -> Void = { _ in }
    ) throws -> RawTLSServer {
        try RawTLSServer { setup in
            setup.versions = version...version
            setup.resumption = resumption
            setup.protocols = isHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
            let (isResumed, isHTTP2) = (way == .resumed, isHTTP2)
            if isResumed, isHTTP2 { setup.maximumStreams = 1 }
            setup.answer = { _, connection in
                guard isResumed else { return .text("answer") }
                guard isHTTP2 else { return .text("answer").closing() }
                return connection.number == 0 ? .text("answer").waiting(for: latch) : .text("answer")
            }
            try change(&setup)
        }
    }

    /// Runs `body` with a session that has got so far that its next request finds a connection of this kind, if nothing changes.
    func withSession<Result>(
        _ server: RawTLSServer, _ latch: Latch, policy: ConnectionPolicy, _ body: (Session) async throws -> Result
    ) async throws -> Result {
        let session = try Session.tests(server, policy: policy)
        guard way == .resumed, isHTTP2 else {
            if way != .fresh { #expect(try await session.text() == "answer") }
            return try await body(session)
        }
        async let first = session.text()
        #expect(await server.wait { $0.first?.requests.count == 1 })
        let result: Result
        do { result = try await body(session) } catch {
            await latch.open()
            throw error
        }
        await latch.open()
        #expect(try await first == "answer")
        return result
    }

    /// Whether the last of the connections is what it should be.
    func holds(for connections: [RawTLSServer.Connection], requests: Int) -> Bool {
        let isProtocol = connections.allSatisfy {
            $0.version == version && $0.applicationProtocol == (isHTTP2 ? "h2" : "http/1.1")
        }
        return isProtocol
            && (way == .pooled ? connections.count == 1 : connections.count == requests)
            && connections.dropFirst().allSatisfy { $0.isResumed == (way == .resumed) }
    }
}

/// What an owner may change in a policy so that a server that was right is wrong.
struct Change: Sendable, CustomTestStringConvertible {
    let name: String
    let rule: String
    let body: @Sendable (inout ConnectionPolicy) throws -> Void
    var testDescription: String { name }

    static let all: [Change] = [
        Change(name: "another pin", rule: "pin.mismatch") {
            $0.securityPolicy = .pinned(to: PinnedKeys(SPKIPin(SHA256Digest(of: [1]))))
        },
        Change(name: "another pinned certificate", rule: "pin.mismatch") {
            let stranger = try SharedWorld.get().authorities.stranger.certificate
            $0.securityPolicy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [stranger])
        },
        Change(name: "other anchors", rule: "anchor.unknown") {
            $0.trust.anchors = AnchorStore([try SharedWorld.get().authorities.stranger.certificate])
        },
        Change(name: "another name", rule: "name.mismatch") {
            $0.expectedName = try ServerName("other.test")
        },
    ]
}

@Suite("Trust on every request")
struct TrustPerRequestTests {
    @Test(
        "Where nothing changes, connections are used again and sessions resumed: the other tests see what they mean to see",
        arguments: ConnectionKind.all)
    func measure(kind: ConnectionKind) async throws {
        let latch = Latch()
        let server = try kind.server(latch)
        let text = try await kind.withSession(server, latch, policy: .tests()) { try await $0.text() }
        #expect(text == "answer")
        await server.stop()
        let connections = await server.connections
        let requests = kind.way == .fresh ? 1 : 2
        #expect(connections.map(\.requests.count) == (kind.way == .pooled ? [2] : Array(repeating: 1, count: requests)))
        #expect(connections.map(\.isResumed) == (kind.way == .resumed ? [false, true] : [false]))
        for connection in connections {
            #expect(connection.version == kind.version)
            #expect(connection.applicationProtocol == (kind.isHTTP2 ? "h2" : "http/1.1"))
            #expect(connection.bytes > 50)
        }
    }

    @Test(
        "A changed policy refuses the very next request, and not one byte of it is sent",
        arguments: ConnectionKind.all, Change.all)
    func change(kind: ConnectionKind, change: Change) async throws {
        let latch = Latch()
        let server = try kind.server(latch)
        let earlier = kind.way == .fresh ? 0 : 1
        let before = try await kind.withSession(server, latch, policy: .tests()) { session in
            let before = await server.connections.map(\.bytes).reduce(0, +)
            session.policy = try .tests(change.body)
            let error = try #require(await session.refusal())
            #expect(error.rules.contains(change.rule), "\(error)")
            return before
        }
        // The session is gone, and its connections with it: what was on its way has arrived.
        #expect(await server.waitUntilServed(server.statistics.connections))
        await server.stop()
        // The server whose certificate is refused was asked for it, and never got further.
        #expect(server.statistics.connections == earlier + 1)
        let connections = await server.connections
        #expect(connections.dropFirst(earlier).allSatisfy { $0.bytes == 0 })
        #expect(connections.map(\.requests.count).reduce(0, +) == earlier)
        // On the HTTP/2 connection from before, the end may be announced: SETTINGS acknowledged, GOAWAY (RFC 9113, 6.5 and 6.8).
        let allowed = kind.isHTTP2 ? (9 + 17) * earlier : 0
        #expect((before...(before + allowed)).contains(server.bytes), "\(before), then \(server.bytes)")
    }

    @Test("A policy that is changed back gets a connection of its own", arguments: ConnectionKind.all)
    func back(kind: ConnectionKind) async throws {
        let latch = Latch()
        let server = try kind.server(latch)
        try await kind.withSession(server, latch, policy: .tests()) { session in
            let good = try #require(session.policy)
            session.policy = try .tests { $0.trust.anchors = .empty }
            #expect(await session.refusal() != nil)
            session.policy = good
            #expect(try await session.text() == "answer")
        }
        await server.stop()
        // No session of TLS crosses a change, either.
        #expect(await server.connections.allSatisfy { !$0.isResumed })
    }

    @Test(
        "Stricter requirements refuse the very next request",
        arguments: ConnectionKind.all.filter { $0.version == .tls12 })
    func requirements(kind: ConnectionKind) async throws {
        let latch = Latch()
        let server = try kind.server(latch)
        let before = try await kind.withSession(server, latch, policy: .tests()) { session in
            let before = server.bytes
            session.policy = try .tests {
                $0.requirements = ConnectionRequirements(minimumVersion: .tls13, requiresForwardSecrecy: true)
            }
            let error = try #require(await session.refusal())
            guard case .tls(.protocolVersion) = error.reason else {
                Issue.record("\(error)")
                return before
            }
            #expect(error.appleCode == -1200)
            return before
        }
        await Self.expectNothingMore(server, kind, before)
    }

    @Test(
        "Forward secrecy that is demanded from now on refuses the very next request",
        arguments: ConnectionKind.all.filter { $0.version == .tls12 })
    func forwardSecrecy(kind: ConnectionKind) async throws {
        let latch = Latch()
        let server = try kind.server(latch) { setup in
            // A suite without it (RFC 5288).
            setup.cipherSuites = .openSSL(list: "AES128-GCM-SHA256")
            setup.identity = try SharedWorld.get().authorities.publicIntermediate.issueIdentity(
                .server(names: [RawTLSServer.host]), key: .generate(.rsa(bits: 2048)))
        }
        let lax = try ConnectionPolicy.tests {
            $0.requirements = ConnectionRequirements(minimumVersion: .tls12, requiresForwardSecrecy: false)
        }
        let before = try await kind.withSession(server, latch, policy: lax) { session in
            let before = server.bytes
            session.policy = try .tests()
            let error = try #require(await session.refusal())
            guard case .tls(.noSharedCipher) = error.reason else {
                Issue.record("\(error)")
                return before
            }
            return before
        }
        await Self.expectNothingMore(server, kind, before)
    }

    /// After a refusal: nobody has asked again, and not one byte of HTTP has come since there were `before`.
    private static func expectNothingMore(_ server: RawTLSServer, _ kind: ConnectionKind, _ before: Int) async {
        let earlier = kind.way == .fresh ? 0 : 1
        #expect(await server.waitUntilServed(server.statistics.connections))
        await server.stop()
        #expect(await server.requests.count == earlier)
        // On the HTTP/2 connection from before, the end may be announced.
        let allowed = kind.isHTTP2 ? (9 + 17) * earlier : 0
        #expect((before...(before + allowed)).contains(server.bytes), "\(before), then \(server.bytes)")
    }

    @Test(
        "Requirements that change and are met have a connection made of their own, and no session of TLS resumed",
        arguments: ConnectionKind.all)
    func metRequirements(kind: ConnectionKind) async throws {
        let latch = Latch()
        let server = try kind.server(latch)
        try await kind.withSession(server, latch, policy: .tests()) { session in
            if kind.way == .fresh { #expect(try await session.text() == "answer") }
            session.policy = try .tests {
                $0.requirements = ConnectionRequirements(minimumVersion: kind.version, requiresForwardSecrecy: false)
            }
            #expect(try await session.text() == "answer")
        }
        await server.stop()
        let connections = await server.connections
        #expect(connections.map(\.requests.count) == [1, 1])
        #expect(connections.allSatisfy { !$0.isResumed })
    }

    @Test(
        "J8: another identity is shown on the very next request, and none where there is none any more",
        arguments: ConnectionKind.all)
    func identity(kind: ConnectionKind) async throws {
        let latch = Latch()
        let server = try kind.server(latch) { $0.clients = .request(try SharedWorld.demand()) }
        let identities = try ["First", "Second"].map { try SharedWorld.client($0) }
        let policy = try ConnectionPolicy.tests { $0.identity = try TLSIdentity(identities[0]) }
        try await kind.withSession(server, latch, policy: policy) { session in
            if kind.way == .fresh { #expect(try await session.text() == "answer") }
            session.identity = try TLSIdentity(identities[1])
            #expect(try await session.text() == "answer")
            session.identity = nil
            #expect(try await session.text() == "answer")
        }
        await server.stop()
        #expect(await server.connections.map(\.clientChain) == identities.map { $0.certificates.map(\.der) } + [[]])
    }

    @Test("A host that is denied from now on gets no connection", arguments: ConnectionKind.all)
    func denial(kind: ConnectionKind) async throws {
        let latch = Latch()
        let server = try kind.server(latch)
        try await kind.withSession(server, latch, policy: .tests()) { session in
            let connections = server.statistics.connections
            session.policy = nil
            let error = try #require(await session.refusal())
            guard case .hostDenied(let text) = error.reason else {
                Issue.record("\(error)")
                return
            }
            #expect(text.contains(RawTLSServer.host))
            #expect(error.appleCode == -1022)
            #expect(server.statistics.connections == connections)
        }
        await server.stop()
    }

    @Test("K5: a wrong pin is refused on a connection that the right pin has opened")
    func reusedConnection() async throws {
        let server = try RawTLSServer()
        let right = try SharedWorld.get().authorities.publicIntermediate.certificate.pin
        let session = try Session.tests(
            server, policy: .tests { $0.securityPolicy = .pinned(to: PinnedKeys(right)) })
        #expect(try await session.text() == "answer")
        session.securityPolicy = .pinned(to: PinnedKeys(SPKIPin(SHA256Digest(of: [2]))))
        let error = try #require(await session.refusal())
        #expect(error.rules == ["pin.mismatch"])
        session.securityPolicy = .pinned(to: PinnedKeys(right))
        #expect(try await session.text() == "answer")
        await server.stop()
        #expect(await server.requests.count == 2)
    }

    @Test(
        "Two sessions never share a connection or a session of TLS, not even with the same policy",
        arguments: ConnectionKind.all)
    func sessions(kind: ConnectionKind) async throws {
        let latch = Latch()
        let server = try kind.server(latch)
        try await kind.withSession(server, latch, policy: .tests()) { first in
            let second = try Session.tests(server)
            #expect(try await second.text() == "answer")
            withExtendedLifetime(first) {}
        }
        await server.stop()
        let connections = await server.connections
        #expect(connections.count == (kind.way == .fresh ? 1 : 2))
        #expect(connections.allSatisfy { !$0.isResumed && $0.requests.count == 1 })
    }

    @Test("Two hosts of one server never share a connection", arguments: [false, true])
    func hosts(isHTTP2: Bool) async throws {
        let server = try RawTLSServer(["server.test", "other.test"]) { setup in
            setup.protocols = isHTTP2 ? ["h2"] : ["http/1.1"]
            setup.resumption = .tickets
        }
        let wrong = try ConnectionPolicy.tests { try Change.all[0].body(&$0) }
        var policies = HostPolicies(default: .use(try .tests()))
        try policies.set(.use(wrong), for: HostPattern("other.test"))
        let session = try Session(configuration: .tests(server), hostPolicies: policies)
        for _ in 0..<2 {
            #expect(try await session.text("https://server.test/") == "answer")
            let error = try #require(await session.refusal(.get("https://other.test/")))
            #expect(error.rules == ["pin.mismatch"])
        }
        await server.stop()
        #expect(
            await server.connections.flatMap { connection in connection.requests.map { _ in connection.serverName } }
                == ["server.test", "server.test"])
    }
}
