import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("Situations that people have reported")
struct ReportedSituationTests {
    private struct User: Decodable, Sendable, Equatable {
        let name: String
    }

    @Test("K1: JSON served as text/html is refused with its content, what is accepted, and what came")
    func wrongContentType() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { _, _ in .json("{\"name\":\"Zoë\"}", type: "text/html") }
        }
        let session = try Session.tests(server)
        let error = try await #require(throws: SessionError.self) { try await session.get("user", as: User.self) }
        await server.stop()
        guard case .rejected(let rejection) = error.reason,
            case .unacceptableContentType(let found, let accepted) = rejection.reason
        else {
            Issue.record("\(error)")
            return
        }
        #expect(found == "text/html")
        #expect(accepted.contains("application/json"))
        #expect(rejection.errorBody(as: User.self) == User(name: "Zoë"))
        #expect("\(error)".contains("text/html") && "\(error)".contains("application/json"))
    }

    @Test(
        "K3: a redirect to another host withholds credentials, identity and content, unless asked",
        arguments: [false, true])
    func crossHostRedirect(keeps: Bool) async throws {
        let server = try RawTLSServer(["server.test", "other.test"]) { setup in
            setup.clients = .request(try SharedWorld.demand())
            setup.answer = { _, connection in
                connection.serverName == "server.test" ? .redirect(307, to: "https://other.test/") : .text("answer")
            }
        }
        let identity = try SharedWorld.client("Shop App")
        let session = try Session.tests(server, policy: .tests { $0.identity = try TLSIdentity(identity) }) {
            $0.redirects.keepsCredentialsAcrossOrigins = keeps
            $0.redirects.keepsIdentityAcrossOrigins = keeps
            $0.redirects.replaysBodyAcrossOrigins = keeps
        }
        let headers: HTTPHeaders = ["Authorization": "Bearer sesame", "X-Session-Token": "sesame"]
        #expect(try await session.get("", headers: headers).text() == "answer")
        let refused = await session.refusal(.post("", body: .text("order"), headers: headers))
        #expect((refused == nil) == keeps)
        await server.stop()
        let other = await server.connections.filter { $0.serverName == "other.test" }
        #expect(other.map(\.clientChain.isEmpty) == [!keeps])
        let requests = other.flatMap(\.requests)
        #expect(requests.map(\.method) == (keeps ? ["GET", "POST"] : ["GET"]))
        #expect(requests.last?.content == (keeps ? Array("order".utf8) : []))
        for request in requests {
            #expect((request["authorization"] != nil) == keeps)
            #expect((request["x-session-token"] != nil) == keeps)
        }
        let first = await server.connections.filter { $0.serverName == "server.test" }
        #expect(first.allSatisfy { $0.clientChain == identity.certificates.map(\.der) })
        #expect(first.flatMap(\.requests).allSatisfy { $0["authorization"] == "Bearer sesame" })
    }

    @Test("K7: nulls are removed at every depth, also in arrays")
    func nulls() async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { _, _ in .json("{\"a\":[{\"b\":null}]}") }
        }
        let response = try await Session.tests(server).get("")
        await server.stop()
        let value = try response.json(as: JSONValue.self, removingNulls: true)
        #expect(value == .object(["a": .array([.object([:])])]))
    }

    @Test(
        "J1: a server that demands an identity gives the same error under TLS 1.2 and 1.3",
        arguments: [TLSVersion.tls12, .tls13], [false, true])
    func identityRequired(version: TLSVersion, isHTTP2: Bool) async throws {
        let server = try RawTLSServer { setup in
            setup.versions = version...version
            setup.protocols = isHTTP2 ? ["h2"] : ["http/1.1"]
            setup.clients = .require(try SharedWorld.demand())
        }
        let session = try Session.tests(server)
        let error = try #require(await session.refusal())
        let issuer = try SharedWorld.get().authorities.clientRoot.certificate.subject.der
        guard case .tls(.clientCertificateRequired(acceptableIssuers: [issuer])) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.appleCode == -1206)
        session.identity = try TLSIdentity(SharedWorld.client("Shop App"))
        #expect(try await session.text() == "answer")
        // One that the server does not know is another error.
        session.identity = try TLSIdentity(SharedWorld.get().strangeClient)
        let refusal = try #require(await session.refusal())
        switch (refusal.reason, version) {
        case (.tls(.clientCertificateRefused), _): #expect(refusal.appleCode == -1205)
        // Under TLS 1.3 the client has long gone on when it is refused: a reset may overtake the alert.
        case (.connectionLost, .tls13): #expect(refusal.appleCode == -1005)
        default: Issue.record("\(refusal)")
        }
        await server.stop()
        // HTTP/2 begins before a server of TLS 1.3 has looked at the client; a request it never got.
        #expect(await server.requests.count == 1)
    }

    @Test("J3: the intermediate goes with the identity", arguments: [TLSVersion.tls12, .tls13])
    func intermediate(version: TLSVersion) async throws {
        let server = try RawTLSServer { setup in
            setup.versions = version...version
            setup.clients = .require(try SharedWorld.demand())
        }
        let identity = try SharedWorld.client("Shop App")
        #expect(identity.chain.count == 1)
        let session = try Session.tests(server, policy: .tests { $0.identity = try TLSIdentity(identity) })
        #expect(try await session.text() == "answer")
        await server.stop()
        #expect(await server.connections.map(\.clientChain) == [identity.certificates.map(\.der)])
    }

    @Test(
        "of several identities each server gets to see the one of an issuer that it names, and an explicit one is not swapped",
        arguments: [TLSVersion.tls12, .tls13])
    func severalIdentities(version: TLSVersion) async throws {
        let world = try SharedWorld.get()
        let (ours, strange) = (try SharedWorld.client("Shop App"), world.strangeClient)
        func server(_ issuer: Certificate) throws -> RawTLSServer {
            try RawTLSServer { setup in
                setup.versions = version...version
                // Whoever comes is let in: what counts is who it says it is.
                setup.clients = .request(
                    TLSServerConfiguration.Demand(acceptableIssuers: [issuer.der], accepts: { _ in true }))
            }
        }
        let servers = try [
            server(world.authorities.clientRoot.certificate), server(world.authorities.stranger.certificate),
        ]
        var several = try ConnectionPolicy.tests()
        several.identities = try [ours, strange].map { try ClientIdentity($0) }
        let explicit = try ConnectionPolicy.tests { $0.identity = try TLSIdentity(strange) }
        for policy in [several, explicit] {
            for server in servers {
                let session = try Session.tests(server, policy: policy)
                #expect(try await session.text() == "answer")
            }
        }
        for server in servers { await server.stop() }
        let shown = [ours, strange].map { $0.certificates.map(\.der) }
        #expect(await servers[0].connections.map(\.clientChain) == [shown[0], shown[1]])
        #expect(await servers[1].connections.map(\.clientChain) == [shown[1], shown[1]])
    }

    @Test("J6: the identity is sent where no issuers are named", arguments: [TLSVersion.tls12, .tls13])
    func noIssuers(version: TLSVersion) async throws {
        let server = try RawTLSServer { setup in
            setup.versions = version...version
            setup.clients = .require(try SharedWorld.demand(namesIssuers: false))
        }
        let identity = try SharedWorld.client("Shop App")
        let session = try Session.tests(server, policy: .tests { $0.identity = try TLSIdentity(identity) })
        #expect(try await session.text() == "answer")
        await server.stop()
        #expect(await server.connections.map(\.clientChain) == [identity.certificates.map(\.der)])
    }

    @Test("J8: sessions with different identities, and one with none, are told apart by one server")
    func identities() async throws {
        let server = try RawTLSServer { setup in
            setup.clients = .request(try SharedWorld.demand())
            setup.resumption = .tickets
        }
        let identities = try ["First", "Second"].map { try SharedWorld.client($0) }
        let policies =
            try identities.map { identity in
                try ConnectionPolicy.tests { $0.identity = try TLSIdentity(identity) }
            } + [.tests()]
        for policy in policies {
            let session = try Session.tests(server, policy: policy)
            for _ in 0..<2 { #expect(try await session.text() == "answer") }
        }
        await server.stop()
        #expect(await server.connections.map(\.clientChain) == identities.map { $0.certificates.map(\.der) } + [[]])
    }

    @Test("cookies for other domains and for public suffixes are not taken, and never leave their host")
    func cookies() async throws {
        let set = [
            "own=1; Path=/", "foreign=1; Domain=other.test; Path=/", "suffix=1; Domain=test; Path=/",
            "wide=1; Domain=co.uk; Path=/", "insecure=1; Path=/; Domain=server.test",
        ]
        let server = try RawTLSServer(["server.test", "other.test", "sub.server.test"]) { setup in
            setup.answer = { request, _ in
                request.target == "/set"
                    ? .text("set", set.map { ("Set-Cookie", $0) }) : .text(request["cookie"] ?? "none")
            }
        }
        let session = try Session.tests(server)
        _ = try await session.text("set")
        let sent = try await session.text().split(separator: ";").map { $0.drop { $0 == " " } }
        #expect(Set(sent) == ["own=1", "insecure=1"])
        #expect(try await session.text("https://other.test/") == "none")
        // A domain's cookie goes to what is below it, a host's own does not (RFC 6265, section 5.4).
        #expect(try await session.text("https://sub.server.test/") == "insecure=1")
        await server.stop()
    }
}
