import BelayCertificates
import Foundation
import TestSupport
import Testing

/// What an authority puts its name to, wherever the names come from.
@Suite("Names that belay ca issues for")
struct CANameTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeAuthority(_ options: String...) async throws {
        let run = try await Program.run(["ca", "init", "--no-passphrase", "--out", folder("ca")] + options)
        try #require(run.status == 0, "\(run.errors)")
    }

    private func issue(_ arguments: String...) async throws -> Program.Run {
        try await Program.run(["ca", "issue"] + arguments + ["--ca", folder("ca"), "--out", folder("tls")])
    }

    private func request(_ names: [GeneralName], key: PrivateKey? = nil) throws -> String {
        let request = try CertificateRequest.make(
            subject: DistinguishedName(commonName: "x"), extensions: [.subjectAlternativeNames(names)],
            key: try key ?? .generate(.p256))
        return try folder.write("request", request.pem)
    }

    private func verify(_ file: String, _ options: String...) throws -> Tool.Result {
        try Tool.run(
            "openssl",
            ["verify", "-x509_strict", "-CAfile", folder("ca/root.pem"), "-untrusted", folder(file)] + options + [
                folder(file)
            ])
    }

    private static let hostile = [
        "*", "*.com", "../../x", "-rf.test", "$(touch PWNED).test", "a b.test", "a\nb.test", "a\u{1B}[2J.test",
        "www.bank.com\0.example.com", String(repeating: "a", count: 2_000) + ".test", ".example.com",
        "a.*.example.com", "example.com; include /tmp/evil.conf; #", "a*.example.com", "example.com.", "1.2.3",
        "fe80::1%eth0",
    ]

    @Test("A name that is none is refused from a request as it is from an argument, and nothing is recorded")
    func hostileNames() async throws {
        try await makeAuthority()
        for name in Self.hostile {
            let run = try await issue("server", "--csr", try request([.dns("good.test"), .dns(name)]))
            #expect(run.status == 2 && run.output.isEmpty, "\(name.debugDescription): \(run.output)\(run.errors)")
            #expect(!run.errors.contains("\u{1B}") && !run.errors.contains("\0"))
        }
        // A trailing dot is taken off an argument; NUL cannot be in one.
        for name in Self.hostile where !name.contains("\0") && name != "example.com." {
            let run = try await issue("server", "--", name)
            #expect(run.status == 2 && run.output.isEmpty, "\(name.debugDescription): \(run.output)\(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder("ca/issued.ndjson")))
        #expect(!FileManager.default.fileExists(atPath: folder("tls")), "an empty folder was left behind")
    }

    @Test(
        "A wildcard over a public suffix is refused with the reason, from an argument and from a request, and one below it is issued",
        arguments: ["co.uk", "CO.UK", "s3.amazonaws.com", "github.io", "xn--55qx5d.cn"])
    func publicSuffix(_ suffix: String) async throws {
        try await makeAuthority()
        let argument = try await issue("server", "ok.test", "*.\(suffix)")
        let request = try await issue("server", "--csr", try request([.dns("ok.test"), .dns("*.\(suffix)")]))
        for run in [argument, request] {
            #expect(run.status == 2 && run.output.isEmpty, "\(run.output)\(run.errors)")
            #expect(run.errors.contains("public suffix '\(suffix.lowercased())'"), "\(run.errors)")
        }
        let json = try await issue("server", "*.\(suffix)", "--format", "json")
        #expect(json.status == 2)
        #expect((try json.json()["error"] as? [String: Any])?["phase"] as? String == "input")
        #expect(!FileManager.default.fileExists(atPath: folder("ca/issued.ndjson")))
        let below = try await issue("server", "*.example.\(suffix)")
        #expect(below.status == 0, "\(below.errors)")
        // The names given replace the request's.
        let replaced = try await issue("server", "good.test", "--csr", try self.request([.dns("*.\(suffix)")]))
        #expect(replaced.status == 0, "\(replaced.errors)")
    }

    @Test("The library refuses them too, and an embedded NUL does not pass the constraints")
    func library() throws {
        var plan = PrivateAuthority.Plan(name: "Example")
        plan.nameConstraints = NameConstraints(permitted: [.dns("example.com")])
        let authority = try PrivateAuthority.create(plan, in: folder("ca"), passphrase: nil)
        for name in Self.hostile {
            #expect(throws: PrivateAuthorityError.self) {
                try authority.issueServer(names: [name], key: .generate(.p256))
            }
        }
        for octets in [[], [1, 2, 3], [UInt8](repeating: 0, count: 8)] {
            let made = try CertificateRequest(
                bytes: Array(FileReading.bytes(ofFile: try request([.ipAddress(octets)]))))
            #expect(throws: PrivateAuthorityError.self) { try authority.issueServer(for: made) }
        }
        let identity = try authority.issueServer(
            names: ["A.Example.com", "a.example.com", "*.example.com"], key: .generate(.p256))
        #expect(try identity.certificate.subjectAlternativeNames == [.dns("a.example.com"), .dns("*.example.com")])
    }

    @Test("Names of other kinds in a request are said to be left out; the authority's own key is refused")
    func leftOut() async throws {
        try await makeAuthority()
        let names: [GeneralName] = [.dns("a.test"), .email("ada@a.test"), .uri("https://a.test/"), .dns("A.test")]
        let run = try await issue("server", "--csr", try request(names), "--format", "json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try run.json()["leftOut"] as? [String] == ["email:ada@a.test", "URI:https://a.test/"])
        let text = try await issue("server", "--csr", try request(names), "--force")
        #expect(text.output.contains("email:ada@a.test, URI:https://a.test/: asked for"))
        let leaf = try #require(try Certificate.read(contentsOf: folder("tls/a.test.crt")).first)
        #expect(try leaf.subjectAlternativeNames == [.dns("a.test")])
        let own = try PrivateKey.read(contentsOf: folder("ca/root.key"))
        let refused = try await issue("server", "--csr", try request([.dns("b.test")], key: own))
        #expect(refused.status == 2 && refused.errors.contains("the authority's own"), "\(refused.errors)")
    }

    @Test("What is printed for nginx, HAProxy and the shell is quoted")
    func quoted() async throws {
        try await makeAuthority()
        let place = folder("it's a $HOME; #")
        let run = try await Program.run("ca", "issue", "server", "::1", "--ca", folder("ca"), "--out", place)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("ssl_certificate CERTIFICATE;"), "nginx would read a variable")
        #expect(run.output.contains("crt '\(folder.path)/it'\\''s a $HOME; #/"))
        #expect(run.output.contains("belay check 'https://[::1]'"))
        let control = try await Program.run(
            "ca", "issue", "server", "a.test", "--ca", folder("ca"), "--out", folder("a\nb"))
        #expect(control.status == 2 && control.errors.contains("control characters"))
    }

    @Test("Under constraints OpenSSL accepts what is issued: addresses, domains, clients, mailboxes")
    func constraints() async throws {
        try await makeAuthority("--permit", "example.com", "--permit", "10.0.0.0/8", "--intermediate")
        for name in ["10.1.2.3", "www.example.com", "*.example.com"] {
            let run = try await issue("server", name)
            #expect(run.status == 0, "\(run.errors)")
            let file = name.hasPrefix("*") ? "wildcard.example.com" : name
            let check = try verify("tls/\(file).crt", "-purpose", "sslserver")
            #expect(check.status == 0, "\(name): \(check.all)")
        }
        let address = try #require(try Certificate.read(contentsOf: folder("tls/10.1.2.3.crt")).first)
        #expect(
            address.subject.isEmpty
                && address.extensions.contains { $0.identifier.description == "2.5.29.17" && $0.isCritical })
        let key = try PrivateKey.generate(.p256)
        for (number, arguments) in [
            ["Ada Smith"], ["ada"], ["ada.example.com"], ["ada-smith", "--email", "ada@example.com"],
            ["x", "--email", "ada@mail.example.com"],
        ].enumerated() {
            let csr = try request([], key: key, number)
            let run = try await Program.run(
                ["ca", "issue", "client"] + arguments + [
                    "--csr", csr, "--ca", folder("ca"), "--out", folder("clients"), "--format", "json",
                ])
            #expect(run.status == 0, "\(arguments): \(run.errors)")
            let files = try #require(try run.json()["files"] as? [String: Any])
            let file = try #require(files["certificate"] as? String)
            let check = try Tool.run(
                "openssl",
                [
                    "verify", "-x509_strict", "-CAfile", folder("ca/root.pem"), "-untrusted", file, "-purpose",
                    "sslclient", file,
                ])
            #expect(check.status == 0, "\(arguments): \(check.all)")
        }
        for (arguments, text) in [
            (["ada.smith"], "looks like a host"), (["ada", "--email", "ada@evil.com"], "email:example.com"),
            (["ada", "--email", "ada@badexample.com"], "email:example.com"), (["a\u{1B}b"], "control character"),
        ] {
            let run = try await Program.run(
                ["ca", "issue", "client"] + arguments + [
                    "--csr", try request([], key: key, 99), "--ca", folder("ca"), "--out", folder("clients"), "--force",
                ])
            #expect(run.status == 2 && run.errors.contains(text), "\(arguments): \(run.errors)")
        }
    }

    private func request(_ names: [GeneralName], key: PrivateKey, _ number: Int) throws -> String {
        let request = try CertificateRequest.make(subject: DistinguishedName(commonName: "x\(number)"), key: key)
        return try folder.write("request\(number)", request.pem)
    }

    @Test("OpenSSL refuses what the authority refuses: a mailbox elsewhere, and any where only addresses are permitted")
    func foreignMailboxes() async throws {
        for (permit, isAccepted) in [
            ("example.com", ["ada@example.com": true, "ada@evil.com": false]),
            ("10.0.0.0/8", ["ada@example.com": false]),
        ] {
            try await makeAuthority("--permit", permit, "--force")
            let root = try #require(try Certificate.read(contentsOf: folder("ca/root.pem")).first)
            let issuer = try CertificateIssuer(
                certificate: root, privateKey: .read(contentsOf: folder("ca/root.key")))
            for (email, expected) in isAccepted {
                let leaf = try issuer.issue(
                    .client(named: "ada", email: email), for: try PrivateKey.generate(.p256).publicKey)
                try folder.write("leaf.pem", leaf.pem)
                #expect((try verify("leaf.pem").status == 0) == expected, "\(permit) \(email)")
                let csr = try request([], key: .generate(.p256), 1)
                let run = try await issue("client", "ada", "--email", email, "--csr", csr, "--force")
                #expect((run.status == 0) == expected, "\(permit) \(email): \(run.errors)")
            }
        }
    }
}
