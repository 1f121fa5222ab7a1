import BelayCertificates
import BelayLaboratory
import TestSupport
import Testing

@Suite("Foreign clients at the laboratory", Provides<VisitedLaboratory>())
struct ForeignClientTests {
    private let stage: VisitedLaboratory

    init() throws {
        stage = try VisitedLaboratory.provided()
    }

    private func visit(
        _ client: ForeignClient, _ kind: LaboratoryServer.Kind, identity: String? = nil
    ) async throws -> ForeignClient.Visit {
        try await client.visit(try stage.laboratory.server(kind), anchors: stage.anchors, identity: identity)
    }

    @Test("They accept the good servers", arguments: ForeignClient.allCases, VisitedLaboratory.good)
    func good(client: ForeignClient, kind: LaboratoryServer.Kind) async throws {
        let visit = try await visit(client, kind)
        #expect(visit.status == 0, "\(visit.all)")
        #expect(visit.isAnswered, "\(visit.all)")
    }

    @Test("They refuse the bad servers", arguments: ForeignClient.allCases, VisitedLaboratory.bad)
    func bad(client: ForeignClient, kind: LaboratoryServer.Kind) async throws {
        let visit = try await visit(client, kind)
        #expect(visit.status != 0, "\(visit.all)")
        #expect(!visit.isAnswered, "\(visit.all)")
    }

    /// A file of key and certificates that OpenSSL takes out of a PKCS#12 file of ours.
    private func pem(_ identity: Identity) throws -> String {
        let name =
            identity.certificate.subject == stage.laboratory.world.client.certificate.subject ? "client" : "stranger"
        let file = try stage.folder.write("\(name).p12", identity.pkcs12(passphrase: Secret(text: "secret")))
        let passphrase = try stage.folder.write("passphrase", "secret\n")
        return try stage.folder.write(
            "\(name).pem",
            Tool.openssl("pkcs12", "-in", file, "-passin", "file:" + passphrase, "-nodes").output)
    }

    @Test("Mutual TLS: the identity from our PKCS#12 file is let in, none and another one are not")
    func mutual() async throws {
        let client = try pem(stage.laboratory.world.client)
        let stranger = try pem(stage.laboratory.world.strangeClient)
        try await withThrowingTaskGroup { group in
            for program in ForeignClient.allCases {
                for kind in VisitedLaboratory.mutual {
                    group.addTask {
                        let accepted = try await visit(program, kind, identity: client)
                        #expect(accepted.isAnswered, "\(program), \(kind): \(accepted.all)")
                        let anonymous = try await visit(program, kind)
                        #expect(!anonymous.isAnswered, "\(program), \(kind): \(anonymous.all)")
                        let refused = try await visit(program, kind, identity: stranger)
                        #expect(!refused.isAnswered, "\(program), \(kind): \(refused.all)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("curl reads our PKCS#12 file itself")
    func curlReadsPKCS12() async throws {
        let file = try stage.folder.write(
            "curl.p12", stage.laboratory.world.client.pkcs12(passphrase: Secret(text: "secret")))
        let configuration = try stage.folder.write("curl.conf", "cert = \"\(file):secret\"\ncert-type = P12\n")
        let visit = try await ForeignClient.curl.curl(
            try stage.laboratory.server(.mutual), anchors: stage.anchors, ["--config", configuration])
        #expect(visit.status == 0, "\(visit.all)")
        #expect(visit.isAnswered)
    }

    @Test(
        "Our pins are curl's: the leaf's key is accepted, another refused",
        arguments: [LaboratoryServer.Kind.oneWay, .rsa3072])
    func pins(kind: LaboratoryServer.Kind) async throws {
        let server = try stage.laboratory.server(kind)
        let leaf = try #require(server.leaf)
        let right = try await ForeignClient.curl.curl(
            server, anchors: stage.anchors, ["--pinnedpubkey", "sha256//\(leaf.pin)"])
        #expect(right.status == 0, "\(right.all)")
        let other = stage.laboratory.world.client.certificate.pin
        let wrong = try await ForeignClient.curl.curl(
            server, anchors: stage.anchors, ["--pinnedpubkey", "sha256//\(other)"])
        // CURLE_SSL_PINNEDPUBKEYNOTMATCH
        #expect(wrong.status == 90, "\(wrong.all)")
        #expect(!wrong.isAnswered)
    }
}
