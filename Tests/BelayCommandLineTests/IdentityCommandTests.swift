import BelayCertificates
import Foundation
import TestSupport
import Testing

@Suite("belay identity")
struct IdentityCommandTests {
    private let folder: TemporaryFolder
    private static let environment = ["P12": "secret", "NEW": "another"]

    /// An authority, its intermediate and a client: the chain without the root is what a client should have.
    private struct World {
        let root: CertificateIssuer
        let intermediate: CertificateIssuer
        let client: Identity

        init() throws {
            root = try .selfSigned(.authority(named: "Example Root", organization: "Example"), key: .generate(.p256))
            intermediate = try root.issueAuthority(
                .authority(named: "Example Issuer", organization: "Example", pathLength: 0), key: .generate(.p256))
            let issued = try intermediate.issueIdentity(.client(named: "Shop App"), key: .generate(.p256))
            client = try Identity(
                certificate: issued.certificate, chain: [intermediate.certificate], privateKey: issued.privateKey)
        }
    }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ arguments: String...) async throws -> Program.Run {
        try await Program.run(["identity"] + arguments, environment: Self.environment)
    }

    /// A file that OpenSSL made.
    private func export(_ name: String, _ options: String...) throws -> String {
        let pem = try folder.write("world.pem", World().client.pem().bytes)
        let path = folder(name)
        try Tool.succeed(
            "openssl", ["pkcs12", "-export", "-in", pem, "-out", path, "-passout", "pass:secret"] + options)
        return path
    }

    @Test("inspect tells ciphers, code, entries, the missing root and who opens a file of today")
    func modern() async throws {
        let file = try export("modern.p12", "-name", "Shop")
        let json = try await run("inspect", file, "--passphrase-env", "P12", "--format", "json").json()
        let report = try #require((json["files"] as? [[String: Any]])?.first)
        #expect(report["format"] as? String == "PKCS#12" && report["isOpen"] as? Bool == true)
        let integrity = try #require(report["integrity"] as? [String: Any])
        // What openssl-pkcs12(1) of 3.0 says of its defaults: AES-256-CBC, PBKDF2, a MAC with SHA-256, 2048 rounds.
        #expect(integrity["state"] as? String == "verified" && integrity["code"] as? String == "HMAC-SHA-256")
        #expect(integrity["rounds"] as? Int == 2_048)
        let protections = try #require(report["protections"] as? [[String: Any]])
        #expect(protections.count == 2 && protections.allSatisfy { $0["cipher"] as? String == "AES-256-CBC" })
        #expect(protections.allSatisfy { $0["needsLegacyProvider"] as? Bool == false })
        let entries = try #require(report["entries"] as? [[String: Any]])
        #expect(entries.first?["kind"] as? String == "identity" && entries.first?["name"] as? String == "Shop")
        let gaps = try #require(report["gaps"] as? [[String: Any]])
        #expect(gaps.count == 1 && gaps[0]["isLeaf"] as? Bool == false)
        let text = try await run("inspect", file, "--passphrase-env", "P12")
        #expect(text.status == 0 && text.output.contains("AES-256-CBC") && text.output.contains("Shop App"))
        #expect(!text.output.contains("secret\n") && !text.output.contains("PRIVATE KEY"))
    }

    @Test("inspect names what only the legacy provider opens, and shows what can be seen without a passphrase")
    func legacy() async throws {
        let file = try export("old.p12", "-legacy")
        let closed = try await run("inspect", file, "--no-passphrase", "--format", "json")
        #expect(closed.status == 0)
        let report = try #require((try closed.json()["files"] as? [[String: Any]])?.first)
        #expect(report["isOpen"] as? Bool == false)
        let protections = try #require(report["protections"] as? [[String: Any]])
        #expect(
            protections.contains {
                $0["cipher"] as? String == "RC2-40-CBC" && $0["needsLegacyProvider"] as? Bool == true
            })
        let text = try await run("inspect", file, "--no-passphrase")
        #expect(text.output.contains("closed") && text.output.contains("legacy provider"))
    }

    @Test("a wrong passphrase, a file that is none, and one that is not there end with status 3 and their reason")
    func failures() async throws {
        let file = try export("a.p12")
        let wrong = try await run("inspect", file, "--passphrase-env", "NEW")
        #expect(wrong.status == 3 && wrong.errors.contains("passphrase does not open"))
        #expect(!wrong.errors.contains("another"))
        let text = try folder.write("a.txt", "hello")
        let none = try await run("inspect", text, file, "--passphrase-env", "P12")
        #expect(none.status == 3 && none.errors.contains("expected a key store") && none.output.contains("Shop App"))
        #expect(try await run("inspect", folder("missing.p12")).status == 3)
        #expect(try await run("inspect", file, "--no-passphrase", "--passphrase-env", "P12").status == 2)
    }

    @Test("inspect says of a certificate request what it is and what to do, in PEM and DER, with status 3")
    func request() async throws {
        let made = try CertificateRequest.make(
            subject: DistinguishedName(commonName: "x"), key: try PrivateKey.generate(.p256))
        for (name, bytes) in [("a.csr", made.der), ("b.csr", Array(made.pem.utf8))] {
            let run = try await run("inspect", folder.write(name, bytes), "--format", "json")
            #expect(run.status == 3 && run.errors.contains("found a certificate signing request"), "\(run.errors)")
            #expect(run.errors.contains("Have an authority sign it"))
            let errors = try #require(try run.json()["errors"] as? [[String: Any]])
            #expect((errors.first?["message"] as? String)?.contains("a certificate signing request") == true)
        }
        // Beside a key it is an entry by that name.
        let key = try PrivateKey.generate(.p256)
        let both = try await run("inspect", folder.write("both.pem", made.pem + key.pkcs8PEM().text))
        #expect(both.status == 0, "\(both.errors)")
        #expect(both.output.contains("a certificate signing request"))
        #expect(!both.output.contains("something else"), "\(both.output)")
    }

    @Test("A new passphrase beyond ASCII is written with a warning that names Java", arguments: ["ü", "u"])
    func passphraseBeyondASCII(_ letter: String) async throws {
        let old = try export("old.p12")
        let environment = ["P12": "secret", "NEW": "gr\(letter)n"]
        let runs = [
            try await Program.run(
                ["identity", "re-encrypt", old, "--out", folder("a.p12"), "--passphrase-env", "P12"]
                    + ["--new-passphrase-env", "NEW"], environment: environment),
            try await Program.run(
                ["cert", "convert", old, "-o", folder("b.p12"), "--passphrase-env", "P12"]
                    + ["--new-passphrase-env", "NEW"], environment: environment),
        ]
        for run in runs {
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.errors.contains("beyond ASCII") == (letter == "ü") && !run.errors.contains("gr\(letter)n"))
        }
        for name in ["a.p12", "b.p12"] {
            try Tool.openssl("pkcs12", "-in", folder(name), "-passin", "pass:gr\(letter)n", "-noout")
        }
    }

    @Test("re-encrypt makes a file of today out of an old one, and an old one out of that; OpenSSL opens both")
    func reencrypt() async throws {
        let old = try export("old.p12", "-legacy", "-name", "Shop")
        let made = try await run(
            "re-encrypt", old, "--out", folder("new.p12"), "--passphrase-env", "P12", "--keep-passphrase")
        #expect(made.status == 0, "\(made.errors)")
        let new = try Tool.openssl(
            "pkcs12", "-in", folder("new.p12"), "-passin", "pass:secret", "-info", "-noout"
        ).all
        #expect(new.contains("AES-256-CBC") && new.contains("sha256"))
        let back = try await run(
            "re-encrypt", folder("new.p12"), "--legacy", "--out", folder("back.p12"), "--passphrase-env", "P12",
            "--new-passphrase-env", "NEW")
        #expect(back.status == 0, "\(back.errors)")
        let info = try Tool.openssl(
            "pkcs12", "-in", folder("back.p12"), "-passin", "pass:another", "-info", "-noout"
        ).all
        #expect(info.contains("3-KeyTripleDES-CBC") && info.contains("MAC: sha1"))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder("back.p12"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        // The same key and chain as in the beginning.
        let first = try KeyStore.read(contentsOf: old, passphrase: Secret(text: "secret"))
        let last = try KeyStore.read(contentsOf: folder("back.p12"), passphrase: Secret(text: "another"))
        #expect(first.identities.map(\.identity) == last.identities.map(\.identity))
        #expect(last.identities.map(\.name) == ["Shop"])
    }

    @Test("re-encrypt writes over nothing without --force, and names the option where it cannot ask for a passphrase")
    func careful() async throws {
        let old = try export("old.p12")
        let kept = try folder.write("kept.p12", "precious")
        let refused = try await run(
            "re-encrypt", old, "--out", kept, "--passphrase-env", "P12", "--keep-passphrase")
        #expect(refused.status == 3 && refused.errors.contains("--force"))
        #expect(try String(contentsOfFile: kept, encoding: .utf8) == "precious")
        let silent = try await run("re-encrypt", old, "--out", folder("new.p12"), "--passphrase-env", "P12")
        #expect(silent.status == 3 && silent.errors.contains("--new-passphrase-file"))
        let entry = try await run(
            "re-encrypt", old, "--out", folder("new.p12"), "--passphrase-env", "P12", "--keep-passphrase", "--entry",
            "nobody")
        #expect(entry.status == 3 && entry.errors.contains("no entry"))
    }
}
