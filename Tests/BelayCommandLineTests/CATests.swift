import BelayCertificates
import BelayTrust
import Foundation
import TestSupport
import Testing

@Suite("belay ca")
struct CATests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ arguments: String...) async throws -> Program.Run {
        try await Program.run(arguments, environment: ["CA": "authority", "P12": "identity"])
    }

    private func makeAuthority(_ options: String...) async throws {
        let run = try await Program.run(
            ["ca", "init", "--name", "Example", "--out", folder("ca")] + options, environment: ["CA": "authority"])
        try #require(run.status == 0, "\(run.errors)")
    }

    private func mode(_ path: String) throws -> Int {
        try #require(
            FileManager.default.attributesOfItem(atPath: folder(path))[.posixPermissions] as? NSNumber
        ).intValue
    }

    private static let keys = ["p256", "p384", "p521", "rsa2048", "rsa3072"]

    @Test(
        "A server's certificate passes Apple's rules with the root as a private anchor, whatever the key",
        arguments: keys)
    func appleRules(key: String) async throws {
        try await makeAuthority("--passphrase-env", "CA", "--key", key == "p521" ? "p384" : key, "--intermediate")
        let issued = try await run(
            "ca", "issue", "server", "api.shop.test", "*.shop.test", "192.0.2.1", "--ca", folder("ca"), "--key", key,
            "--out", folder("tls"), "--passphrase-env", "CA", "--days", "825")
        #expect(issued.status == 0, "\(issued.errors)")
        let chain = try Certificate.read(contentsOf: folder("tls/api.shop.test.crt"))
        #expect(chain.count == 2)
        let root = try #require(try Certificate.read(contentsOf: folder("ca/root.cer")).first)
        for name in ["api.shop.test", "www.shop.test", "192.0.2.1"] {
            var trust = ServerTrust(chain: chain.map(\.der), policies: [.tlsServer(name: try ServerName(name))])
            trust.anchors = AnchorStore([root])
            trust.systemAnchors = nil
            trust.rules = .apple
            let verdict = trust.evaluate()
            #expect(verdict.isTrusted, "\(name)")
            // That this is not Apple's own store is a note always.
            #expect(verdict.findings.allSatisfy { $0.severity == .note }, "\(name): \(verdict.findings)")
        }
        // OpenSSL agrees, strictly.
        let check = try Tool.run(
            "openssl",
            [
                "verify", "-x509_strict", "-CAfile", folder("ca/root.pem"), "-untrusted",
                folder("tls/api.shop.test.crt"),
                "-purpose", "sslserver", "-verify_hostname", "api.shop.test", folder("tls/api.shop.test.crt"),
            ])
        #expect(check.status == 0, "\(check.all)")
    }

    @Test("Keys and folder are the owner's alone; the key opens with its passphrase and no other")
    func protects() async throws {
        try await makeAuthority("--passphrase-env", "CA", "--intermediate")
        #expect(try mode("ca") == 0o700)
        for key in ["ca/root.key", "ca/intermediate.key"] {
            #expect(try mode(key) == 0o600)
            #expect(throws: PrivateKeyFileError.self) { try PrivateKey.read(contentsOf: folder(key)) }
            _ = try PrivateKey.read(contentsOf: folder(key), passphrase: Secret(text: "authority"))
            try Tool.openssl("pkey", "-in", folder(key), "-passin", "pass:authority", "-noout")
        }
        let issue = ["ca", "issue", "server", "a.test", "--ca", folder("ca"), "--out", folder("tls")]
        let none = try await Program.run(issue)
        #expect(none.status == 3 && none.errors.contains("--passphrase-file"), "\(none.errors)")
        let wrong = try await Program.run(issue + ["--passphrase-env", "CA"], environment: ["CA": "wrong"])
        #expect(wrong.status == 3 && wrong.errors.contains("intermediate.key"), "\(wrong.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder("tls")))
        let run = try await Program.run(issue + ["--passphrase-env", "CA"], environment: ["CA": "authority"])
        #expect(run.status == 0)
        #expect(try mode("tls/a.test.key") == 0o600)
    }

    @Test("Nothing is written over without --force, neither an authority nor what it issued")
    func keepsFiles() async throws {
        try await makeAuthority("--no-passphrase", "--intermediate")
        let root = try folder.read("ca/root.key")
        let again = try await run("ca", "init", "--no-passphrase", "--out", folder("ca"))
        #expect(again.status == 3 && again.errors.contains("--force"), "\(again.errors)")
        #expect(try folder.read("ca/root.key") == root)
        let issue = ["ca", "issue", "server", "a.test", "--ca", folder("ca"), "--out", folder("tls")]
        #expect(try await Program.run(issue).status == 0)
        let key = try folder.read("tls/a.test.key")
        #expect(try await Program.run(issue).status == 3)
        #expect(try folder.read("tls/a.test.key") == key)
        #expect(try await Program.run(issue + ["--force"]).status == 0)
        #expect(try folder.read("tls/a.test.key") != key)
        #expect(try await run("ca", "init", "--no-passphrase", "--out", folder("ca"), "--force").status == 0)
        #expect(
            try FileReading.names(inFolder: folder("ca")).filter { !$0.hasPrefix("issued-before-") }
                == ["root.cer", "root.key", "root.pem"],
            "an old intermediate would be taken for one of the new root")
    }

    @Test("The record has a line for each certificate, with serial numbers of 16 random bytes")
    func records() async throws {
        try await makeAuthority("--no-passphrase")
        for name in ["a.test", "b.test"] {
            let run = try await run("ca", "issue", "server", name, "--ca", folder("ca"), "--out", folder("tls"))
            #expect(run.status == 0, "\(run.errors)")
        }
        let client = try await run(
            "ca", "issue", "client", "Ada", "--email", "ada@a.test", "--ca", folder("ca"), "--out", folder("tls"),
            "--new-passphrase-env", "P12")
        #expect(client.status == 0, "\(client.errors)")
        #expect(try mode("ca/issued.ndjson") == 0o600)
        let lines = String(decoding: try folder.read("ca/issued.ndjson"), as: UTF8.self).split(separator: "\n")
        let entries = try lines.map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(entries.compactMap { $0["kind"] as? String } == ["server", "server", "client"])
        let serials = entries.compactMap { $0["serial"] as? String }
        #expect(Set(serials).count == 3 && serials.allSatisfy { $0.count == 32 })
        let leaf = try #require(try Certificate.read(contentsOf: folder("tls/b.test.crt")).first)
        #expect(entries[1]["sha256"] as? String == leaf.fingerprint.hexadecimalText)
        #expect(entries[1]["pin"] as? String == "\(leaf.pin)")
        #expect(entries[2]["names"] as? [String] == ["email:ada@a.test"])
    }

    @Test("A client's identity opens with OpenSSL, modern and legacy, and has its chain")
    func clients() async throws {
        try await makeAuthority("--no-passphrase", "--intermediate")
        for (options, cipher) in [([], "AES-256-CBC"), (["--legacy"], "pbeWithSHA1And3-KeyTripleDES-CBC")] {
            let run = try await Program.run(
                [
                    "ca", "issue", "client", "Test phone/7", "--ca", folder("ca"), "--out", folder("p12"), "--force",
                    "--new-passphrase-env", "P12",
                ] + options, environment: ["P12": "identity"])
            #expect(run.status == 0 && run.output.contains("Test-phone-7.p12"), "\(run.errors)")
            #expect(try mode("p12/Test-phone-7.p12") == 0o600)
            let seen = try Tool.openssl(
                "pkcs12", "-in", folder("p12/Test-phone-7.p12"), "-passin", "pass:identity", "-info", "-nodes")
            #expect(seen.all.contains(cipher), "\(seen.errors)")
            let identity = try Identity.read(
                contentsOf: folder("p12/Test-phone-7.p12"), passphrase: Secret(text: "identity"))
            #expect(identity.certificate.subject.commonName == "Test phone/7" && identity.chain.count == 1)
            #expect(try identity.certificate.extendedKeyUsage?.purposes == [.clientAuthentication])
        }
        let empty = try await Program.run(
            [
                "ca", "issue", "client", "b", "--ca", folder("ca"), "--out", folder("p12"), "--new-passphrase-env",
                "P12",
            ],
            environment: ["P12": ""])
        #expect(empty.status == 3 && empty.errors.contains("empty"), "\(empty.errors)")
    }

    @Test("A request of OpenSSL's gets a certificate for its key; its names count, and what else it asks for does not")
    func requests() async throws {
        try await makeAuthority("--no-passphrase")
        try Tool.openssl(
            "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", folder("key"), "-subj", "/CN=other.test",
            "-addext",
            "subjectAltName=DNS:host.test", "-addext", "basicConstraints=critical,CA:TRUE", "-out", folder("a.csr"))
        let run = try await run(
            "ca", "issue", "server", "--csr", folder("a.csr"), "--ca", folder("ca"), "--out", folder("tls"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(try FileReading.names(inFolder: folder("tls")) == ["host.test.crt"])
        let leaf = try #require(try Certificate.read(contentsOf: folder("tls/host.test.crt")).first)
        #expect(leaf.publicKey == (try PrivateKey.read(contentsOf: folder("key")).publicKey))
        #expect(try leaf.subjectAlternativeNames == [.dns("host.test")])
        #expect(try leaf.basicConstraints?.isAuthority == false)
        #expect(leaf.subject.commonName == "host.test")
    }

    @Test("What phones would refuse is not issued: too long, too weak, without a name, outside the constraints")
    func refuses() async throws {
        try await makeAuthority("--no-passphrase", "--permit", "shop.test", "--days", "900")
        let base = ["--ca", folder("ca"), "--out", folder("tls")]
        try Tool.openssl(
            "req", "-new", "-newkey", "rsa:1024", "-nodes", "-keyout", folder("weak"), "-subj", "/CN=a.shop.test",
            "-addext",
            "subjectAltName=DNS:a.shop.test", "-out", folder("weak.csr"))
        try Tool.openssl(
            "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", folder("cn"), "-subj", "/CN=a.shop.test", "-out",
            folder("cn.csr"))
        let cases: [([String], String)] = [
            (["a.shop.test", "--days", "826"], "1 to 825"), (["--csr", folder("weak.csr")], "2,048 bits"),
            (["--csr", folder("cn.csr")], "alternative names"), (["www.attacker.test"], "shop.test"),
            (["192.0.2.1"], "192.0.2.1"), (["a b"], "a b"), ([], "--csr"),
        ]
        for (arguments, text) in cases {
            let run = try await Program.run(["ca", "issue", "server"] + arguments + base)
            #expect(run.status == 2 && run.errors.contains(text), "\(arguments): \(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder("ca/issued.ndjson")))
        let none = try await Program.run(["ca", "issue", "server", "a.test", "--ca", folder("nowhere")])
        #expect(none.status == 3 && none.errors.contains("belay ca init"), "\(none.errors)")
    }
}
