import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("A session's challenges")
struct ChallengeSessionTests {
    /// A session that dials the server whatever the URL says.
    private static func session(
        _ server: RawTLSServer, trusting isTrusted: Bool = true, _ handler: @escaping ChallengeHandler
    ) throws -> Session {
        var configuration = SessionConfiguration.tests(server)
        configuration.onChallenge = handler
        var policy = ConnectionPolicy()
        policy.trust.systemAnchors = .none
        if isTrusted { policy.trust.anchors = try SharedWorld.anchors() }
        return try Session(configuration: configuration, policy: policy)
    }

    private static let url = "https://\(RawTLSServer.host)/"

    @Test("the default handling leaves the answer to the policy, for good servers and for bad ones")
    func defaultHandling() async throws {
        let server = try RawTLSServer()
        let asked = Journal(0)
        let handler: ChallengeHandler = { challenge in
            guard case .serverTrust = challenge.kind else { return .cancel }
            await asked.update { $0 += 1 }
            return .performDefaultHandling
        }
        let good = try Self.session(server, handler)
        #expect(try await good.get(Self.url).text() == "answer")
        // The pooled connection was answered for.
        #expect(try await good.get(Self.url).text() == "answer")
        #expect(await asked.value == 1)
        let bad = try Self.session(server, trusting: false, handler)
        let before = server.bytes
        await #expect(throws: SessionError.self) { try await bad.get(Self.url) }
        #expect(await asked.value == 2)
        #expect(server.bytes == before)
        await server.stop()
    }

    @Test("a handler that trusts a server as it is has it accepted, for one request or for the session")
    func useCredential() async throws {
        let server = try RawTLSServer()
        for (persistence, expected) in [(CredentialPersistence.none, 2), (.forSession, 1)] {
            let asked = Journal(0)
            let session = try Self.session(server, trusting: false) { _ in
                await asked.update { $0 += 1 }
                return .useCredential(.serverTrust(persistence: persistence))
            }
            #expect(try await session.get(Self.url).text() == "answer")
            #expect(try await session.get(Self.url).text() == "answer")
            #expect(await asked.value == expected)
        }
        await server.stop()
    }

    @Test("a changed trust counts by its verdict: the right anchor accepts, a wrong one refuses")
    func changedTrust() async throws {
        let server = try RawTLSServer()
        let anchors = try SharedWorld.anchors()
        for isRight in [true, false] {
            let session = try Self.session(server, trusting: false) { challenge in
                guard case .serverTrust(var trust, let evidence, let verdict) = challenge.kind, !verdict.isTrusted,
                    evidence.host == RawTLSServer.host
                else { return .cancel }
                trust.anchors = isRight ? anchors : .empty
                return .useCredential(.serverTrust(trust))
            }
            if isRight {
                #expect(try await session.get(Self.url).text() == "answer")
            } else {
                await #expect(throws: SessionError.self) { try await session.get(Self.url) }
            }
        }
        await server.stop()
    }

    @Test(
        "each cell of the matrix on a live connection, and what is refused has sent not a byte",
        arguments: [true, false].flatMap { trusted in
            ["default", "cancel", "reject", "credential"].map { (trusted, $0) }
        },
        [false, true])
    func matrix(cell: (isTrusted: Bool, answer: String), isHTTP2: Bool) async throws {
        let (isTrusted, answer) = cell
        let server = try RawTLSServer { $0.protocols = isHTTP2 ? ["h2"] : ["http/1.1"] }
        let session = try Self.session(server, trusting: isTrusted) { _ in
            switch answer {
            case "cancel": .cancel
            case "reject": .rejectProtectionSpace
            case "credential": .useCredential(.serverTrust())
            default: .performDefaultHandling
            }
        }
        let error = await session.refusal(.get(Self.url))
        await server.stop()
        switch (answer, isTrusted) {
        case ("default", true), ("credential", _):
            #expect(error == nil)
            #expect(server.bytes > 0)
        default:
            #expect(error != nil)
            #expect(server.bytes == 0)
            #expect(
                error?.appleCode == ["default": -1202, "reject": -1012, "cancel": -999][answer],
                "\(String(describing: error))")
        }
    }

    @Test("cancelling and rejecting end the request before a byte of HTTP", arguments: [true, false])
    func refusing(cancels: Bool) async throws {
        let server = try RawTLSServer()
        let session = try Self.session(server) { _ in cancels ? .cancel : .rejectProtectionSpace }
        await #expect(throws: SessionError.self) { try await session.get(Self.url) }
        await server.stop()
        #expect(server.bytes == 0)
    }

    @Test("an answer holds for the chain it was given for, and another chain is asked about again")
    func otherChain() async throws {
        let first = try RawTLSServer()
        let second = try RawTLSServer()
        let asked = Journal<[[[UInt8]]]>([])
        var configuration = SessionConfiguration.tests(at: nil)
        configuration.onChallenge = { challenge in
            guard case .serverTrust(_, let evidence, _) = challenge.kind else { return .cancel }
            await asked.update { $0.append(evidence.chain) }
            return .useCredential(.serverTrust(persistence: .forSession))
        }
        var policy = ConnectionPolicy()
        policy.trust.systemAnchors = .none
        policy.expectedName = .dns(RawTLSServer.host)
        let session = try Session(configuration: configuration, policy: policy)
        for server in [first, second, first] {
            #expect(try await session.get("https://127.0.0.1:\(server.port)/").text() == "answer")
        }
        #expect(Set(await asked.value).count == 2)
        #expect(await asked.value.count == 2)
        await first.stop()
        await second.stop()
    }

    @Test(
        "where a balancer alternates two chains each is asked about once; one that shows another at every attempt is given up",
        arguments: [2, 9])
    func balancer(count: Int) async throws {
        let servers = try (0..<count).map { _ in try RawTLSServer() }
        let relay = try InterveningRelay(amongst: servers.map(\.port))
        let asked = Journal<[[[UInt8]]]>([])
        var configuration = SessionConfiguration.tests(at: "127.0.0.1:\(relay.port)")
        configuration.onChallenge = { challenge in
            guard case .serverTrust(_, let evidence, _) = challenge.kind else { return .cancel }
            await asked.update { $0.append(evidence.chain) }
            return .useCredential(.serverTrust())
        }
        var policy = ConnectionPolicy()
        policy.trust.systemAnchors = .none
        let session = try Session(configuration: configuration, policy: policy)
        let error = await session.refusal(.get(Self.url))
        let chains = await asked.value
        #expect(Set(chains).count == chains.count)
        if count == 2 {
            #expect(error == nil)
            #expect(chains.count == 2)
        } else {
            guard case .challengeUnanswered(let text)? = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("at every attempt"))
            // The design's three attempts.
            #expect(chains.count == 3)
        }
        relay.stop()
        for server in servers { await server.stop() }
        #expect(servers.map(\.bytes).reduce(0, +) == 0 || count == 2)
    }

    @Test("a handler that takes its time does not hold up other requests")
    func slowHandler() async throws {
        let slow = try RawTLSServer()
        let quick = try RawTLSServer(["quick.test"])
        let latch = Latch()
        var configuration = SessionConfiguration.tests(at: nil)
        configuration.onChallenge = { challenge in
            if challenge.port == slow.port { await latch.wait() }
            return .performDefaultHandling
        }
        var policy = ConnectionPolicy()
        policy.trust.systemAnchors = .none
        policy.trust.anchors = try SharedWorld.anchors()
        policy.securityPolicy.validatesDomainName = false
        let session = try Session(configuration: configuration, policy: policy)
        async let waiting = session.get("https://127.0.0.1:\(slow.port)/").text()
        for _ in 0..<20 { #expect(try await session.get("https://127.0.0.1:\(quick.port)/").text() == "answer") }
        #expect(slow.bytes == 0)
        await latch.open()
        #expect(try await waiting == "answer")
        await slow.stop()
        await quick.stop()
    }

    @Test(
        "a server that wants a client certificate is answered by the handler, who sees issuers and kinds of key",
        arguments: [TLSVersion.tls12, .tls13])
    func clientCertificate(version: TLSVersion) async throws {
        let demand = try SharedWorld.demand()
        let server = try RawTLSServer { setup in
            setup.versions = version...version
            setup.clients = .require(demand)
        }
        let identity = try SharedWorld.client("alice")
        let ready = try TLSIdentity(identity)
        let session = try Self.session(server) { challenge in
            guard case .clientCertificate(let issuers, let keys) = challenge.kind else {
                return .performDefaultHandling
            }
            guard issuers == demand.acceptableIssuers || !issuers.isEmpty, keys.contains(.ecdsa) else { return .cancel }
            return .useCredential(.identity(ready, persistence: .forSession))
        }
        #expect(try await session.get(Self.url).text() == "answer")
        #expect(try await session.get(Self.url).text() == "answer")
        await server.stop()
        let chains = await server.connections.map(\.clientChain)
        #expect(chains == [identity.certificates.map(\.der)])
    }

    @Test(
        "where a server demands a certificate and nobody has one, the error is the same under both versions",
        arguments: [TLSVersion.tls12, .tls13], [true, false])
    func clientCertificateMissing(version: TLSVersion, asks: Bool) async throws {
        let demand = try SharedWorld.demand()
        let server = try RawTLSServer { setup in
            setup.versions = version...version
            setup.clients = .require(demand)
        }
        var configuration = SessionConfiguration.tests(server)
        if asks { configuration.onChallenge = { _ in .performDefaultHandling } }
        var policy = ConnectionPolicy()
        policy.trust.systemAnchors = .none
        policy.trust.anchors = try SharedWorld.anchors()
        let session = try Session(configuration: configuration, policy: policy)
        do throws(SessionError) {
            _ = try await session.get(Self.url)
            Issue.record("it was accepted")
        } catch {
            guard case .tls(.clientCertificateRequired(let issuers)) = error.reason else {
                Issue.record("\(error.reason)")
                return
            }
            #expect(!issuers.isEmpty)
            #expect(error.appleCode == -1206)
        }
        await server.stop()
    }

    @Test("a handler's identity for one request is not used for the next")
    func identityForOne() async throws {
        let demand = try SharedWorld.demand()
        let server = try RawTLSServer { $0.clients = .require(demand) }
        let identities = try ["alice", "bob"].map { try SharedWorld.client($0) }
        let ready = try identities.map { try TLSIdentity($0) }
        let asked = Journal(0)
        let session = try Self.session(server) { challenge in
            guard case .clientCertificate = challenge.kind else { return .performDefaultHandling }
            let number = await asked.value
            await asked.update { $0 += 1 }
            return .useCredential(.identity(ready[number % 2]))
        }
        for _ in 0..<2 { #expect(try await session.get(Self.url).text() == "answer") }
        await server.stop()
        let leaves = await server.connections.compactMap(\.clientChain.first)
        #expect(leaves == identities.compactMap(\.certificates.first?.der))
    }

    @Test("a password is asked for when the server wants one, and kept for the session if the answer says so")
    func basic() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { request, _ in
                // "Aladdin:open sesame", the example of RFC 7617, section 2.
                if request["authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==" { return .text("welcome") }
                return HTTPAnswer(401, [("WWW-Authenticate", "Basic realm=\"WallyWorld\"")])
            }
        }
        let asked = Journal<[Int]>([])
        let session = try Self.session(server) { challenge in
            guard case .httpBasic(realm: "WallyWorld") = challenge.kind else { return .performDefaultHandling }
            await asked.update { $0.append(challenge.previousFailureCount) }
            let password = challenge.previousFailureCount == 0 ? "wrong" : "open sesame"
            return .useCredential(.password(user: "Aladdin", password: password, persistence: .forSession))
        }
        #expect(try await session.get(Self.url).text() == "welcome")
        #expect(try await session.get(Self.url).text() == "welcome")
        #expect(await asked.value == [0, 1])
        await server.stop()
    }

    @Test(
        "a handler that is there for passwords alone costs no handshake, and lets no server in that the policy refuses")
    func passwordsOnly() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { request, _ in
                request["authorization"] == nil
                    ? HTTPAnswer(401, [("WWW-Authenticate", "Basic realm=\"WallyWorld\"")]) : .text("welcome")
            }
        }
        let asked = Journal<[String]>([])
        let session = try Session.tests(server) { configuration in
            configuration.asksForPasswordsOnly = true
            configuration.onChallenge = { challenge in
                guard case .httpBasic = challenge.kind else {
                    await asked.update { $0.append("\(challenge.kind)") }
                    return .useCredential(.serverTrust())
                }
                return .useCredential(.password(user: "Aladdin", password: "open sesame", persistence: .none))
            }
        }
        #expect(try await session.get(Self.url).text() == "welcome")
        #expect(await server.connections.count == 1)
        session.securityPolicy = .pinned(to: PinnedKeys(SPKIPin(SHA256Digest(of: [1]))))
        guard case .untrusted = await session.refusal()?.reason else {
            Issue.record("a server that the policy refuses was let in")
            return
        }
        #expect(await asked.value.isEmpty)
        await server.stop()
    }

    @Test(
        "a way of giving a password that the handler rejects makes room for the next one; cancelling ends the request")
    func passwordDispositions() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { request, _ in
                if request["authorization"]?.hasPrefix("Basic ") == true { return .text("welcome") }
                return HTTPAnswer(
                    401,
                    [
                        ("WWW-Authenticate", "Basic realm=\"basic\""),
                        ("WWW-Authenticate", "Digest realm=\"digest\", nonce=\"n\", qop=\"auth\""),
                    ])
            }
        }
        let asked = Journal<[String]>([])
        let session = try Self.session(server) { challenge in
            switch challenge.kind {
            case .httpDigest(let realm):
                await asked.update { $0.append(realm) }
                return .rejectProtectionSpace
            case .httpBasic(let realm):
                await asked.update { $0.append(realm) }
                return .useCredential(.password(user: "ada", password: "geheim"))
            default: return .performDefaultHandling
            }
        }
        #expect(try await session.get(Self.url).text() == "welcome")
        // The stronger way is asked about first.
        #expect(await asked.value == ["digest", "basic"])
        let cancelling = try Self.session(server) { challenge in
            if case .httpDigest = challenge.kind { return .cancel }
            return .performDefaultHandling
        }
        let error = try #require(await cancelling.refusal(.get(Self.url)))
        guard case .challengeCancelled = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.appleCode == -999)
        // An identity is no password.
        let confused = try Self.session(server) { challenge in
            if case .httpDigest = challenge.kind { return .useCredential(.serverTrust()) }
            return .performDefaultHandling
        }
        guard case .challengeUnanswered? = await confused.refusal(.get(Self.url))?.reason else {
            Issue.record("it was taken for an answer")
            return
        }
        await server.stop()
    }

    @Test("where nobody has a password, the server's 401 is the answer")
    func noPassword() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { _, _ in HTTPAnswer(401, [("WWW-Authenticate", "Basic realm=\"r\"")]) }
        }
        for disposition in [ChallengeDisposition.performDefaultHandling, .rejectProtectionSpace] {
            let session = try Self.session(server) { challenge in
                if case .httpBasic = challenge.kind { return disposition }
                return .performDefaultHandling
            }
            do throws(SessionError) {
                _ = try await session.get(Self.url)
                Issue.record("it was accepted")
            } catch {
                guard case .rejected(let rejection) = error.reason else {
                    Issue.record("\(error.reason)")
                    return
                }
                #expect(rejection.response.statusCode == 401)
            }
        }
        await server.stop()
    }
}
