import BelayCertificates
import BelayLaboratory
import BelayTLS
import BelayTrust
import TestSupport
import Testing

@Suite("nginx", Provides<Nginx>())
struct NginxTests {
    private let nginx: Nginx

    init() throws {
        nginx = try Nginx.provided()
    }

    private static let versions = [TLSVersion.tls12, .tls13]

    @Test("It serves the certificates we issue, and they are trusted", arguments: versions)
    func oneWay(version: TLSVersion) async throws {
        let site = try nginx.site(.modern)
        let connection = try await site.connect { $0.only(version) }
        #expect(connection.evidence.version == version)
        #expect(connection.evidence.chain == nginx.server.certificates.map(\.der))
        #expect(connection.certificateRequest == nil)
        await connection.close()
        #expect(try await site.verdict { $0.only(version) }.isTrusted)
        let protocolName = version == .tls12 ? "TLSv1.2" : "TLSv1.3"
        #expect(
            try await site.answer { $0.only(version) }.contains("\(protocolName), client NONE , name www.shop.test"))
    }

    @Test("A server of one version is spoken to in that version, and refuses others")
    func oneVersion() async throws {
        for (server, version, other) in [
            (Nginx.Server.tls12, TLSVersion.tls12, TLSVersion.tls13), (.tls13, .tls13, .tls12),
        ] {
            let site = try nginx.site(server)
            let connection = try await site.connect()
            #expect(connection.evidence.version == version)
            await connection.close()
            guard case .protocolVersion = try await site.refusal({ $0.only(other) }) else {
                Issue.record("\(server) took \(other)")
                continue
            }
        }
    }

    @Test("HTTP/2 is chosen where it is offered")
    func applicationProtocol() async throws {
        let site = try nginx.site(.modern)
        for (offered, chosen) in [(["h2", "http/1.1"], "h2"), (["http/1.1"], "http/1.1"), ([], nil)] {
            let connection = try await site.connect { $0.applicationProtocols = offered }
            #expect(connection.evidence.applicationProtocol == chosen)
            await connection.close()
        }
    }

    @Test("The name selects the certificate: ECDSA for one host, RSA for the other, the first for any other")
    func serverNames() async throws {
        let site = try nginx.site(.modern)
        for (name, identity) in [(Site.host, nginx.server), (Site.otherHost, nginx.rsaServer)] {
            let connection = try await site.with(name: name).connect()
            #expect(connection.evidence.chain == identity.certificates.map(\.der))
            await connection.close()
            #expect(try await site.with(name: name).verdict().isTrusted)
            #expect(try await site.with(name: name).check().status == 0)
        }
        #expect(try await site.with(name: "www.attacker.test").verdict().errors == ["name.mismatch"])
        let run = try await site.with(name: "www.attacker.test").check()
        #expect(run.status == 1)
        #expect(run.output.contains("www.shop.test"))
    }

    @Test("A missing intermediate is refused, and accepted where it is known")
    func incomplete() async throws {
        let site = try nginx.site(.incomplete)
        let verdict = try await site.verdict()
        #expect(!verdict.isTrusted)
        #expect(!verdict.isPathComplete)
        let run = try await site.check()
        #expect(run.status == 1)
        #expect(run.output.contains("Public Issuing Authority"))
        let intermediate = nginx.world.authorities.publicIntermediate.certificate
        let anchor = try nginx.folder.write("intermediate.pem", intermediate.pem)
        #expect(try await site.check("--anchor", anchor).status == 0)
    }

    @Test("The stapled response arrives as nginx has it in its file", arguments: versions)
    func staple(version: TLSVersion) async throws {
        let connection = try await nginx.site(.stapling).connect { $0.only(version) }
        #expect(connection.evidence.stapledResponse == nginx.staple)
        await connection.close()
        let without = try await nginx.site(.modern).connect { $0.only(version) }
        #expect(without.evidence.stapledResponse == nil)
        await without.close()
    }

    @Test("It opens the encrypted keys we write")
    func encryptedKey() async throws {
        #expect(try await nginx.site(.encryptedKey).verdict().isTrusted)
    }

    @Test("Pins decide for belay check: the right key is accepted, another refused with what was served")
    func pins() async throws {
        let site = try nginx.site(.modern)
        let right = try nginx.folder.write("right.txt", "sha256/\(nginx.server.certificate.pin)\n")
        let wrong = try nginx.folder.write("wrong.txt", "sha256/\(nginx.rsaServer.certificate.pin)\n")
        let accepted = try await site.check("--pins", right)
        #expect(accepted.status == 0, "\(accepted)")
        let run = try await site.check("--pins", wrong)
        #expect(run.status == 1)
        #expect(run.output.contains("\(nginx.server.certificate.pin)"))
    }

    // MARK: Client identities. nginx completes any handshake and judges the client when it answers (ngx_http_ssl_module,
    // ssl_verify_client), so that its refusal is an answer of HTTP.

    @Test("A client identity is accepted with its intermediate where nginx knows only the root", arguments: versions)
    func identity(version: TLSVersion) async throws {
        let client = nginx.world.client
        #expect(client.chain.count == 1)
        for server in [Nginx.Server.mutual, .optional] {
            let site = try nginx.site(server)
            let answer = try await site.answer(identity: client) { $0.only(version) }
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("client SUCCESS"))
            #expect(answer.contains("CN=Shop App"))
            let connection = try await site.connect { $0.only(version) }
            let issuer = nginx.world.authorities.clientRoot.certificate.subject.der
            #expect(connection.certificateRequest?.acceptableIssuers == [issuer])
            await connection.close()
        }
    }

    @Test("Without its intermediate, and of another authority, it is refused", arguments: versions)
    func wrongIdentity(version: TLSVersion) async throws {
        let client = nginx.world.client
        let bare = try Identity(certificate: client.certificate, privateKey: client.privateKey)
        for identity in [bare, nginx.world.strangeClient] {
            let answer = try await nginx.site(.mutual).answer(identity: identity) { $0.only(version) }
            #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            #expect(answer.contains("The SSL certificate error"))
        }
    }

    @Test("Without an identity the request is noticed, and nginx answers what it wants", arguments: versions)
    func noIdentity(version: TLSVersion) async throws {
        let site = try nginx.site(.mutual)
        let connection = try await site.connect { $0.only(version) }
        #expect(connection.certificateRequest != nil)
        #expect(!connection.sentClientCertificate)
        await connection.close()
        let answer = try await site.answer { $0.only(version) }
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(answer.contains("No required SSL certificate was sent"))
        #expect(try await nginx.site(.optional).answer { $0.only(version) }.contains("client NONE"))
    }

    @Test("An identity is sent where no issuers are named", arguments: versions)
    func noIssuers(version: TLSVersion) async throws {
        let site = try nginx.site(.anyIssuer)
        let connection = try await site.connect(identity: nginx.world.strangeClient) { $0.only(version) }
        #expect(connection.certificateRequest?.acceptableIssuers == [])
        #expect(connection.sentClientCertificate)
        await connection.close()
        let answer = try await site.answer(identity: nginx.world.strangeClient) { $0.only(version) }
        #expect(answer.contains("CN=Strange App"))
    }

    @Test("belay check presents the identity of a PKCS#12 file that we wrote")
    func checkWithIdentity() async throws {
        let identity = try nginx.folder.write(
            "client.p12", nginx.world.client.pkcs12(passphrase: Secret(text: "secret")))
        let run = try await nginx.site(.mutual).check(
            "--identity", identity, "--passphrase-file", nginx.folder("passphrase"))
        #expect(run.status == 0)
        #expect(run.output.contains("one was sent"))
        let without = try await nginx.site(.mutual).check()
        #expect(without.output.contains("none was sent"))
    }

    @Test("A refused server gets no byte of a request; a trusted one that is asked does", arguments: versions)
    func silence(version: TLSVersion) async throws {
        let refused = try nginx.site(version == .tls12 ? .tls12 : .tls13)
        let relay = try Relay(to: refused.port)
        #expect(try await refused.with(port: relay.port, name: "www.attacker.test").check().status == 1)
        let conversation = try #require(await relay.conversations().first)
        expectNoRequest(conversation, version)
        // The same measure sees a request where there is one.
        _ = try await refused.with(port: relay.port).answer()
        let conversations = await relay.conversations(2)
        #expect(conversations.last?.holdsRequest(version) == true)
        let port = refused.port
        #expect(await nginx.peer.waitForOutput { $0.contains("<\(port) \"GET / HTTP/1.1\"") })
    }
}
