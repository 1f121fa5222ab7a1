import BelayCertificates
import TestSupport
import Testing

/// Client identities whose private key is on a token, at a server that wants them.
// One after the other: SoftHSM writes a token's file anew at each login, and shows a token as absent to who reads it meanwhile.
@Suite("Keys on a PKCS#11 token", .serialized, Provides<TokenWorld>())
struct TokenTests {
    private let world: TokenWorld

    init() throws {
        world = try TokenWorld.provided()
    }

    private static let versions = ["TLSv1.2", "TLSv1.3"]

    @Test("nginx knows the client by the certificate and its chain on the token", arguments: versions)
    func certificateOnToken(version: String) async throws {
        let run = try await world.get(
            version, "--identity", "pkcs11:token=shop;object=rsa", "--pkcs11-module", TokenWorld.module,
            "--passphrase-file", world.folder("pin"))
        #expect(run.output == "\(version) CN=ada-rsa\n" && run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(await world.peer.waitForOutput { $0.contains("<\(version) CN=ada-rsa>") })
    }

    @Test("nginx knows the client by a certificate beside the token", arguments: versions)
    func certificateInFile(version: String) async throws {
        let run = try await world.get(
            version, "--identity",
            "pkcs11:token=shop;id=%02;type=private?pin-source=file:\(world.folder("pin"))&module-path=\(TokenWorld.module)",
            "--identity-certificate", world.folder("ec.pem"))
        #expect(run.output == "\(version) CN=ada-ec\n" && run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    }

    @Test("Without a module named, p11-kit's finds the token, whatever the environment tells OpenSSL and its engine")
    func defaultModule() async throws {
        let run = try await world.get(
            "TLSv1.3", "--identity", "pkcs11:token=shop;object=rsa", "--passphrase-env", "PIN",
            environment: [
                "PIN": TokenWorld.pin, "PKCS11_MODULE_PATH": "/nowhere.so", "OPENSSL_ENGINES": "/nowhere",
            ])
        #expect(run.output == "TLSv1.3 CN=ada-rsa\n" && run.status == 0, "\(run.errors)")
    }

    @Test("The token itself signs with RSASSA-PSS in TLS 1.3, where it allows no raw RSA")
    func pss() async throws {
        try world.folder.write(
            "strict.conf",
            """
            directories.tokendir = \(world.folder("tokens"))
            objectstore.backend = file
            slots.mechanisms = -CKM_RSA_X_509

            """)
        let log = world.folder("pss.log")
        let run = try await world.get(
            "TLSv1.3", "--identity", "pkcs11:token=shop;object=rsa", "--pkcs11-module", TokenWorld.spy,
            "--passphrase-file", world.folder("pin"),
            environment: [
                "SOFTHSM2_CONF": world.folder("strict.conf"), "PKCS11SPY": TokenWorld.module, "PKCS11SPY_OUTPUT": log,
            ])
        #expect(run.output == "TLSv1.3 CN=ada-rsa\n" && run.status == 0, "\(run.errors)")
        #expect(String(decoding: try world.folder.read("pss.log"), as: UTF8.self).contains("CKM_RSA_PKCS_PSS"))
    }

    @Test("belay check shows the identity, and says beforehand what a server will object to")
    func preflight() async throws {
        func check(_ certificate: String) async throws -> Program.Run {
            let address = "127.0.0.1:\(world.ports["TLSv1.2"] ?? 0)"
            return try await world.belay([
                "check", "https://\(Site.host)", "--connect-to", address, "--no-system-anchors", "--anchor",
                world.folder("roots.pem"), "--identity", "pkcs11:token=shop;object=ec", "--pkcs11-module",
                TokenWorld.module, "--passphrase-file", world.folder("pin"), "--identity-certificate",
                world.folder(certificate),
            ])
        }
        let good = try await check("ec.pem")
        #expect(good.status == 0 && good.output.contains("one was sent") && good.errors.isEmpty, "\(good.errors)")
        let late = try await check("expired.pem")
        #expect(late.errors.contains("identity.expired") && late.errors.contains("pkcs11:token=shop"), "\(late.errors)")
    }

    @Test("A key on a token is written in no form", arguments: ["rsa", "ec"])
    func exports(name: String) async throws {
        let output = try await world.probe(
            "exports", "pkcs11:token=shop;object=\(name)?module-path=\(TokenWorld.module)", world.folder("\(name).pem"))
        let lines = output.split(separator: "\n")
        let attempts = lines.dropLast()
        #expect(attempts.count == 6 && attempts.allSatisfy { $0.contains("never leaves it") }, "\(output)")
        #expect(lines.last?.hasSuffix("on a token)") == true, "\(output)")
    }

    @Test("An open token takes its own PIN only; the wrong ones and none cost it no attempt then")
    func openToken() async throws {
        let output = try await world.probe(
            "pins", "pkcs11:token=shop;object=rsa?module-path=\(TokenWorld.spy)", "-",
            environment: ["PKCS11SPY": TokenWorld.module, "PKCS11SPY_OUTPUT": world.folder("pins.log")])
        let lines = output.split(separator: "\n").map(String.init)
        try #require(lines.count == 6, "\(output)")
        for (line, said) in zip(
            lines, ["not the PIN", "wants its PIN", "done", "not the PIN", "wants its PIN", "done"])
        {
            #expect(line.contains(said))
        }
        let calls = String(decoding: try world.folder.read("pins.log"), as: UTF8.self)
        #expect(calls.split(separator: "\n").count { $0.hasSuffix(": C_Login") } == 2)
    }

    @Test("Many tasks sign with a key at once, and ask for it anew meanwhile", arguments: ["rsa", "ec"])
    func threads(name: String) async throws {
        let output = try await world.probe(
            "threads", "pkcs11:token=shop;object=\(name)?module-path=\(TokenWorld.module)", "-")
        #expect(output == "200 good signatures\n")
    }

    @Test("belay csr asks for a new certificate of a key on a token, whose pin stays")
    func request() async throws {
        let place = ["--pkcs11-module", TokenWorld.module, "--passphrase-file", world.folder("pin")]
        for (name, source) in [
            ("rsa", ["--identity", "pkcs11:token=shop;object=rsa"]),
            ("ec", ["--key", "pkcs11:token=shop;object=ec", "--certificate", world.folder("ec.pem")]),
        ] {
            let file = world.folder("\(name).csr")
            let run = try await world.belay(["csr", "--out", file] + source + place)
            #expect(run.status == 0 && run.output.contains("the pin stays"), "\(run.output)\(run.errors)")
            let opinion = try Tool.openssl("req", "-in", file, "-verify", "-noout", "-subject", "-pubkey")
            #expect(opinion.all.contains("verify OK") && opinion.all.contains("CN = ada-\(name)"), "\(opinion.all)")
            let publicKey = try Tool.openssl("pkey", "-pubin", "-inform", "der", "-in", world.folder("\(name).pub"))
            #expect(opinion.text.contains(publicKey.text))
        }
        let none = try await world.belay(["csr", "--identity", "pkcs11:token=shop;object=ec"] + place)
        #expect(none.status == 3 && none.errors.contains("'--certificate FILE'"), "\(none.errors)")
    }

    @Test("The URIs that GnuTLS's p11tool prints are taken as they are")
    func foreignURIs() async throws {
        let listed = try await TokenWorld.tool(
            "p11tool",
            [
                "--provider", TokenWorld.module, "--login", "--set-pin=\(TokenWorld.pin)", "--only-urls",
                "--list-privkeys", "pkcs11:token=shop",
            ], world.folder)
        let uris = listed.text.split(separator: "\n").map(String.init)
        #expect(uris.count == 2, "\(listed.all)")
        for uri in uris {
            let name = uri.contains("object=rsa") ? "rsa" : "ec"
            let run = try await world.get(
                "TLSv1.3", "--identity", uri, "--passphrase-file", world.folder("pin"), "--pkcs11-module",
                TokenWorld.module, "--identity-certificate", world.folder("\(name).pem"))
            #expect(run.output == "TLSv1.3 CN=ada-\(name)\n", "\(run.errors)")
        }
    }
}
