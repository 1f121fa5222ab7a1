import BelayCertificates
import Foundation
import TestSupport
import Testing

@Suite("belay csr")
struct CSRTests {
    private let folder: TemporaryFolder
    private let authority: CertificateIssuer
    private let server: Identity

    init() throws {
        folder = try TemporaryFolder()
        authority = try CertificateIssuer.selfSigned(.authority(named: "Root"), key: .generate(.p256))
        server = try authority.issueIdentity(
            .server(names: ["www.shop.test", "192.0.2.1"]), key: .generate(.rsa(bits: 2_048)))
        try folder.write("server.key", server.privateKey.pkcs8PEM())
        try folder.write("server.crt", server.certificate.pem)
        try folder.write("server.p12", server.pkcs12(passphrase: Secret(text: "x")))
    }

    private func request(_ run: Program.Run) throws -> CertificateRequest {
        try CertificateRequest(bytes: Array(run.output.utf8))
    }

    @Test("A certificate is renewed with its key and names, and its pin stays")
    func renews() async throws {
        let run = try await Program.run("csr", "--key", folder("server.key"), "--certificate", folder("server.crt"))
        #expect(run.status == 0 && run.errors.contains("the pin stays"), "\(run.errors)")
        let request = try request(run)
        #expect(request.pin == server.certificate.pin && request.subject == server.certificate.subject)
        #expect(request.subjectAlternativeNames == (try server.certificate.subjectAlternativeNames))
        // Standard output holds the request and nothing else.
        #expect(run.output == request.pem)
        let identity = try await Program.run(
            ["csr", "--identity", folder("server.p12"), "--passphrase-env", "P"], environment: ["P": "x"])
        #expect(identity.status == 0)
        #expect(try self.request(identity).pin == server.certificate.pin)
    }

    @Test("What is asked for is what OpenSSL reads")
    func subjects() async throws {
        let run = try await Program.run(
            "csr", "--key", folder("server.key"), "--subject", "CN=Ada,O=Example,C=GB", "--san", "bücher.test", "--san",
            "*.shop.test", "--san", "email:ada@shop.test", "--san", "URI:https://shop.test/ada", "--san", "2001:db8::1",
            "--out", folder("a.csr"))
        #expect(run.status == 0, "\(run.errors)")
        let seen = try Tool.openssl("req", "-in", folder("a.csr"), "-verify", "-noout", "-text", "-nameopt", "RFC2253")
        #expect(seen.all.contains("verify OK") && seen.text.contains("Subject: CN=Ada,O=Example,C=GB"))
        #expect(
            seen.text.contains(
                "DNS:xn--bcher-kva.test, DNS:*.shop.test, email:ada@shop.test, URI:https://shop.test/ada, "
                    + "IP Address:2001:DB8:0:0:0:0:0:1"))
    }

    @Test("Pins that stay valid are told from those of another key; with none the status is 1")
    func comparesPins() async throws {
        let other = try PrivateKey.generate(.p256).publicKey.pin
        let pins = try folder.write("pins", "sha256/\(server.certificate.pin)\nsha256/\(other)\n")
        let run = try await Program.run(
            "csr", "--key", folder("server.key"), "--san", "www.shop.test", "--pins", pins, "--pins",
            folder("server.crt"), "--format", "json")
        #expect(run.status == 0, "\(run.errors)")
        let object = try run.json()
        let list = try #require(object["pins"] as? [[String: Any]])
        #expect(list.compactMap { $0["staysValid"] as? Bool }.count(where: \.self) == 2 && list.count == 3)
        #expect(object["pin"] as? String == "\(server.certificate.pin)")
        let lost = try folder.write("lost", "sha256/\(other)\n")
        let refused = try await Program.run(
            "csr", "--key", folder("server.key"), "--san", "www.shop.test", "--pins", lost)
        #expect(refused.status == 1 && refused.errors.contains("no pin stays valid"))
    }

    @Test("A new key is written for its owner alone, encrypted or expressly not, never over an old one")
    func newKey() async throws {
        let arguments = [
            "csr", "--new-key", "rsa2048", "--key-out", folder("new.key"), "--san", "a.test", "--out",
            folder("new.csr"),
        ]
        let none = try await Program.run(arguments)
        #expect(none.status == 3 && none.errors.contains("--new-passphrase-file"), "\(none.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder("new.csr")))
        let run = try await Program.run(arguments + ["--new-passphrase-env", "P"], environment: ["P": "sesame"])
        #expect(run.status == 0 && run.output.contains("a new pin"), "\(run.errors)")
        let key = try PrivateKey.read(contentsOf: folder("new.key"), passphrase: Secret(text: "sesame"))
        #expect(try CertificateRequest.read(contentsOf: folder("new.csr")).publicKey == key.publicKey)
        let mode = try FileManager.default.attributesOfItem(atPath: folder("new.key"))[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        let again = try await Program.run(arguments + ["--no-passphrase"])
        #expect(again.status == 3 && again.errors.contains("--force"), "\(again.errors)")
        #expect(try await Program.run(arguments + ["--no-passphrase", "--force"]).status == 0)
        #expect(try PrivateKey.read(contentsOf: folder("new.key")) != key)
    }

    @Test(
        "Wrong use is refused with what to do",
        arguments: [
            ([], "--new-key"), (["--key", "a", "--new-key", "p256"], "one of"), (["--new-key", "p256"], "--key-out"),
            (["--key", "a"], "--subject"), (["--key", "a", "--subject", "Ada"], "CN="),
            (["--key", "a", "--san", "a b"], "a b"), (["--identity", "a", "--certificate", "b"], "of its own"),
        ])
    func wrongUse(arguments: [String], text: String) async throws {
        let run = try await Program.run(["csr"] + arguments)
        #expect(run.status == 2 && run.errors.contains(text), "\(run.errors)")
    }

    @Test("Key and request never go into one file, nor over what is read; a key never goes to standard output")
    func oneFile() async throws {
        let new = ["csr", "--new-key", "p256", "--no-passphrase", "--san", "a.test"]
        let other = folder.path + "/./same"
        let cases = [
            new + ["--key-out", folder("same"), "--out", folder("same")],
            new + ["--key-out", folder("same"), "--out", other, "--force"],
            new + ["--key-out", "-"],
            ["csr", "--key", folder("server.key"), "--san", "a.test", "--out", folder("server.key"), "--force"],
        ]
        let key = try folder.read("server.key")
        for arguments in cases {
            let run = try await Program.run(arguments)
            #expect(run.status == 2 && run.errors.contains("-out"), "\(arguments): \(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder("same")))
        #expect(try folder.read("server.key") == key)
        let output = try await Program.run("csr", "--key", folder("server.key"), "--san", "a.test", "--out", "-")
        #expect(output.status == 0 && output.output.hasPrefix("-----BEGIN CERTIFICATE REQUEST"), "\(output.errors)")
    }

    @Test("Where the request is lost, the key that was written is named")
    func lostRequest() async throws {
        let run = try await Tool.finish(
            "bash",
            [
                "-c",
                "\"$0\" csr --new-key p256 --no-passphrase --key-out \"$1\" --san a.test > /dev/full",
                try Program.executable().path, folder("new.key"),
            ])
        #expect(run.status == 3 && run.errors.contains("csr --key \(folder("new.key"))"), "\(run.errors)")
        _ = try PrivateKey.read(contentsOf: folder("new.key"))
    }

    @Test("In JSON an error is a document with every key")
    func document() async throws {
        let run = try await Program.run("csr", "--key", folder("nowhere"), "--san", "a.test", "--format", "json")
        #expect(run.status == 3)
        let object = try run.json()
        #expect(object["request"] is NSNull && (object["error"] as? [String: Any])?["phase"] as? String == "input")
    }

    @Test("one identity of several is asked for by its name, as elsewhere")
    func severalIdentities() async throws {
        let root = try CertificateIssuer.selfSigned(.authority(named: "Example Root"), key: .generate(.p256))
        let store = KeyStore(
            identities: try ["first", "second"].map { name in
                (name: name, identity: try root.issueIdentity(.client(named: name), key: .generate(.p256)))
            })
        let file = try folder.write("both.p12", store.pkcs12(.modern(Secret(text: "secret"))))
        let arguments = ["csr", "--identity", file, "--passphrase-env", "P12"]
        let unnamed = try await Program.run(arguments, environment: ["P12": "secret"])
        #expect(unnamed.status == 3 && unnamed.errors.contains("--identity-name"))
        let named = try await Program.run(arguments + ["--identity-name", "second"], environment: ["P12": "secret"])
        #expect(named.status == 0, "\(named.errors)")
        let request = try CertificateRequest(bytes: Array(named.output.utf8))
        #expect(request.publicKey == store.identities[1].identity.privateKey.publicKey)
        let alone = try await Program.run(["csr", "--new-key", "p256", "--key-out", "-", "--identity-name", "a"])
        #expect(alone.status == 2)
    }
}
