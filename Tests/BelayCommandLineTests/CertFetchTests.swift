import BelayCertificates
import BelayLaboratory
import BelayTLS
import Foundation
import Testing

@Suite("belay cert fetch")
struct CertFetchTests {
    /// Fetches from a server of the laboratory.
    private static func fetch(_ kind: LaboratoryServer.Kind, _ more: String...) async throws -> Program.Run {
        let server = try await Stage.shared.value.laboratory.server(kind)
        return try await Program.run(
            ["cert", "fetch", "https://\(server.host)", "--connect-to", "\(server.target)", "--timeout", "120"] + more)
    }

    @Test("prints the certificates that openssl s_client is sent, in their order")
    func peer() async throws {
        let server = try await Stage.shared.value.laboratory.server(.oneWay)
        let shown = try await Tool.finish(
            "openssl", ["s_client", "-connect", "\(server.target)", "-servername", server.host, "-showcerts"])
        let theirs = try PEM.blocks(in: Array(shown.output)).filter { $0.label == "CERTIFICATE" }.map(\.der)
        let run = try await Self.fetch(.oneWay)
        #expect(run.status == 0)
        let ours = try PEM.blocks(in: Array(run.output.utf8)).map(\.der)
        // s_client prints the leaf a second time, at the end.
        #expect(ours.count == 2 && Array(theirs.prefix(ours.count)) == ours)
        #expect(run.errors.contains("TLS 1.3, TLS_AES_256_GCM_SHA384") && run.errors.contains("Nothing was judged"))
    }

    @Test(
        "fetches a chain whatever it is worth",
        arguments: [
            LaboratoryServer.Kind.expired, .selfSigned, .wrongName, .notYetValid, .missingIntermediate, .mutual,
            .mutualTLS12, .privateAuthority,
        ])
    func worthless(_ kind: LaboratoryServer.Kind) async throws {
        let server = try await Stage.shared.value.laboratory.server(kind)
        let run = try await Self.fetch(kind)
        #expect(run.status == 0)
        #expect(try PEM.blocks(in: Array(run.output.utf8)).map(\.der) == server.chain)
        #expect(!run.errors.contains("warning"))
        let json = try await Self.fetch(kind, "--format", "json").json()
        #expect(json["keyProven"] as? Bool == true && json["error"] is NSNull)
        #expect(json["clientCertificateRequested"] as? Bool == [.mutual, .mutualTLS12].contains(kind))
        #expect((json["ending"] is NSNull) == (kind != .mutualTLS12))
    }

    @Test("says what a server did not prove, and what cannot be read")
    func unproven() async throws {
        let without = try await Self.fetch(.withoutKey)
        #expect(without.status == 0 && without.output.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(without.errors.contains("did not prove that it has the key"))
        let json = try await Self.fetch(.withoutKey, "--format", "json").json()
        #expect(json["keyProven"] as? Bool == false && json["connection"] is NSNull && json["ending"] is String)
        let malformed = try await Self.fetch(.malformedCertificate)
        #expect(malformed.status == 0 && malformed.errors.contains("certificate 0 cannot be read"))
    }

    @Test("writes a file each, which openssl reads, and never over another without --force")
    func files() async throws {
        let folder = try Folder()
        let directory = "\(folder.path)/new/chain"
        let run = try await Self.fetch(.oneWay, "--directory", directory)
        #expect(run.status == 0 && run.output.isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
                == ["0-leaf.pem", "1-intermediate.pem"])
        let subject = try await OpenSSL.run("x509", "-noout", "-subject", "-in", "\(directory)/0-leaf.pem")
        #expect(subject.contains("one-way.lab.test"))
        let again = try await Self.fetch(.expired, "--directory", directory)
        #expect(again.status == 3 && again.errors.contains("is there already"))
        #expect(try await OpenSSL.run("x509", "-noout", "-subject", "-in", "\(directory)/0-leaf.pem") == subject)
        let json = try await Self.fetch(.oneWay, "--directory", directory, "--to", "der", "--force", "--format", "json")
            .json()
        let written = try #require(json["certificates"] as? [[String: Any]])
        #expect(
            written.map { $0["file"] as? String } == ["\(directory)/0-leaf.der", "\(directory)/1-intermediate.der"])
        let same = try await OpenSSL.run(
            "x509", "-inform", "DER", "-noout", "-subject", "-in", "\(directory)/0-leaf.der")
        #expect(same == subject)
    }

    @Test("--leaf --to der is the server's certificate and nothing else")
    func leaf() async throws {
        let server = try await Stage.shared.value.laboratory.server(.oneWay)
        let result = try await Tool.finish(
            try Program.executable().path,
            [
                "cert", "fetch", server.host, "--connect-to", "\(server.target)", "--to", "der", "--leaf", "--timeout",
                "120",
            ])
        #expect(result.output == server.chain.first)
    }

    @Test("asks for the URL's name, another, or none, and never for an address")
    func serverName() async throws {
        let names = Journal<[String?]>([])
        let stage = try await Stage.shared.value
        let identity = stage.laboratory.world.situation(.a).identity
        var configuration = TLSServerConfiguration(identity: try TLSIdentity(identity))
        configuration.handler = { connection in await names.update { $0.append(connection.serverName) } }
        let server = try TLSServer(loop: stage.loop, configuration: configuration)
        let target = "127.0.0.1:\(server.port)"
        for arguments in [
            ["a.test"], ["a.test", "--sni", "Bücher.test."], ["a.test", "--sni", "none"], ["192.0.2.1"],
            ["192.0.2.1", "--sni", "b.test"],
        ] {
            let run = try await Program.run(["cert", "fetch", "--connect-to", target] + arguments)
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(await names.wait { $0.count == 5 })
        #expect(await names.value == ["a.test", "xn--bcher-kva.test", nil, nil, "b.test"])
        #expect(server.statistics.applicationBytesReceived == 0)
        await server.stop()
    }

    @Test("wrong use is 2, a server out of reach 3")
    func statuses() async throws {
        for arguments in [
            ["http://a.test"], ["gopher://a.test"], ["a.test", "--to", "der"], ["a.test", "--sni", "192.0.2.1"],
            ["https://a.test", "--starttls", "smtp"], ["a.test", "--force"], ["a.test", "--starttls", "xmpp"],
        ] {
            let run = try await Program.run(["cert", "fetch"] + arguments)
            #expect(run.status == 2 && run.output.isEmpty, "\(arguments) \(run.errors)")
        }
        let nobody = try await Program.run("cert", "fetch", "https://127.0.0.1:1", "--format", "json")
        #expect(nobody.status == 3)
        #expect((try nobody.json()["error"] as? [String: Any])?["phase"] as? String == "connect")
    }
}
