import BelayCertificates
import BelayLaboratory
import Foundation
import Testing

/// Real output of commands, held against the published schemas.
@Suite("The JSON of identity, cert, ca and csr")
struct SchemaTests {
    private static let names = [
        "identity-inspect", "identity-re-encrypt", "cert-triage", "cert-show", "cert-convert", "cert-fetch", "cert-pin",
        "cert-diff",
        "trust-evaluate", "ca-init", "ca-issue", "csr", "check", "get",
    ]
    private static let environment = ["P": "secret", "NEW": "another secret"]

    private let folder: TemporaryFolder

    /// Made once: deriving the key of a PKCS#12 file is work.
    private static let made = Result {
        let authority = try CertificateIssuer.selfSigned(.authority(named: "Root"), key: .generate(.p256))
        let issuing = try authority.issueAuthority(.authority(named: "Issuing", pathLength: 0), key: .generate(.p256))
        let client = try issuing.issueIdentity(.client(named: "app"), key: .generate(.p256))
        return (
            root: authority.certificate, client: client, pkcs12: try client.pkcs12(passphrase: Secret(text: "secret"))
        )
    }

    init() throws {
        folder = try TemporaryFolder()
        let (root, client, pkcs12) = try Self.made.get()
        try folder.write("client.pem", client.pem().bytes)
        try folder.write("client.key", client.privateKey.pkcs8PEM().bytes)
        try folder.write("client.crt", client.certificate.pem)
        try folder.write("root.pem", root.pem)
        try folder.write("client.p12", pkcs12)
        try folder.write("notes.txt", "notes")
        let request = try CertificateRequest.make(
            subject: DistinguishedName(commonName: "x"), extensions: [.subjectAlternativeNames([.dns("r.test")])],
            key: .generate(.p256))
        try folder.write("request.csr", request.pem)
    }

    /// Runs a command, and gives its JSON once it is as its schema says.
    @discardableResult
    private func run(
        _ schema: String, status: Int32, _ arguments: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String: Any] {
        let run = try await Program.run(arguments + ["--format", "json"], environment: Self.environment)
        #expect(run.status == status, "\(arguments): \(run.errors)", sourceLocation: sourceLocation)
        let json = try run.json()
        #expect(
            try JSONSchema(named: "\(schema).schema.json").faults(in: json) == [], "\(arguments)",
            sourceLocation: sourceLocation)
        return json
    }

    @Test("identity inspect and re-encrypt")
    func identity() async throws {
        let file = folder("client.p12")
        try await run(
            "identity-inspect", status: 3, "identity", "inspect", file, folder("client.pem"), folder("request.csr"),
            folder("missing"), "--passphrase-env", "P")
        try await run("identity-inspect", status: 0, "identity", "inspect", file, "--no-passphrase")
        try await run(
            "identity-inspect", status: 3, "identity", "inspect", file, "--passphrase-file", folder("nosuch"))
        let arguments = ["--passphrase-env", "P", "--new-passphrase-env", "NEW"]
        let made = try await run(
            "identity-re-encrypt", status: 0, "identity", "re-encrypt", file, "--out", folder("new.p12"), "--legacy",
            arguments[0], arguments[1], arguments[2], arguments[3])
        #expect(made["form"] as? String == "legacy" && made["identities"] as? Int == 1)
        #expect(made["sourceFormat"] as? String == "PKCS#12" && made["sourceHasIntegrity"] as? Bool == true)
        let size = try FileManager.default.attributesOfItem(atPath: folder("new.p12"))[.size] as? NSNumber
        #expect(made["byteCount"] as? Int == size?.intValue && made["error"] is NSNull)
        // Not written over, not opened, not there.
        for (source, passphrase) in [(file, "P"), (file, "NEW"), (folder("missing"), "P")] {
            let place = passphrase == "P" && source == file ? folder("new.p12") : folder("other.p12")
            let failed = try await run(
                "identity-re-encrypt", status: 3, "identity", "re-encrypt", source, "--out", place, "--passphrase-env",
                passphrase, "--keep-passphrase")
            #expect(failed["file"] is NSNull && (failed["error"] as? [String: Any])?["phase"] as? String == "input")
        }
    }

    @Test("cert triage, show, diff and pin")
    func certificates() async throws {
        try await run("cert-triage", status: 3, "cert", "triage", folder.path)
        try await run("cert-triage", status: 3, "cert", "triage", folder.path, "--passphrase-file", folder("nosuch"))
        try await run("cert-triage", status: 0, "cert", "triage", folder.path, "--passphrase-env", "P")
        try await run("cert-show", status: 0, "cert", "show", folder("client.pem"), folder("root.pem"))
        try await run("cert-show", status: 0, "cert", "show", folder("client.pem"), "--rules", "apple")
        try await run("cert-diff", status: 1, "cert", "diff", folder("client.crt"), folder("root.pem"))
        try await run("cert-diff", status: 1, "cert", "diff", folder("client.pem"), folder("root.pem"), "--chain")
        try await run("cert-diff", status: 3, "cert", "diff", folder("client.crt"), folder("missing"))
        try await run(
            "cert-pin", status: 0, "cert", "pin", folder("client.pem"), folder("client.key"), folder("request.csr"))
        try await run("cert-pin", status: 3, "cert", "pin", folder("notes.txt"))
    }

    @Test("cert verify and trust evaluate")
    func verify() async throws {
        let (chain, root) = (folder("client.crt"), folder("root.pem"))
        try await run(
            "trust-evaluate", status: 1, "cert", "verify", chain, "--anchor", root, "--no-system-anchors", "--explain")
        try await run("trust-evaluate", status: 3, "cert", "verify", folder("missing"))
        for options in [[], ["--info-plist", "default"]] {
            let run = try await Program.run(
                ["trust", "evaluate", "--chain", chain, "--anchor", root, "--no-system-anchors", "--host", "a.test"]
                    + options + ["--format", "json"])
            #expect(run.status == 1, "\(run.errors)")
            let json = try run.json()
            #expect(try JSONSchema(named: "trust-evaluate.schema.json").faults(in: json) == [])
            #expect((json["transportSecurity"] is NSNull) == options.isEmpty)
        }
    }

    @Test("cert convert")
    func convert() async throws {
        let arguments = ["--passphrase-env", "P", "--new-passphrase-env", "NEW"]
        for (name, keys, certificates) in [("a.p12", 1, 2), ("a.p7b", 0, 2), ("a.p8", 1, 0), ("a.pem", 1, 2)] {
            let made = try await run(
                "cert-convert", status: 0, "cert", "convert", folder("client.p12"), "-o", folder(name), arguments[0],
                arguments[1], arguments[2], arguments[3])
            #expect(made["keys"] as? Int == keys && made["certificates"] as? Int == certificates, "\(name)")
            #expect(made["file"] as? String == folder(name) && made["error"] is NSNull)
        }
        let taken = try await run(
            "cert-convert", status: 3, "cert", "convert", folder("client.crt"), "-o", folder("a.pem"))
        #expect((taken["error"] as? [String: Any])?["phase"] as? String == "input" && taken["file"] is NSNull)
        let stream = try await Program.run(
            "cert", "convert", folder("client.crt"), "--to", "pem", "-o", "-", "--format", "json")
        #expect(stream.status == 2 && stream.errors.contains("--format json"))
    }

    @Test("cert fetch")
    func fetch() async throws {
        let server = try await Stage.shared.value.laboratory.server(.oneWay)
        try await run(
            "cert-fetch", status: 0, "cert", "fetch", "https://\(server.host)", "--connect-to", "\(server.target)")
        try await run("cert-fetch", status: 3, "cert", "fetch", "https://127.0.0.1:1")
    }

    @Test("ca and csr")
    func authority() async throws {
        let place = folder("ca")
        try await run("ca-init", status: 0, "ca", "init", "--no-passphrase", "--out", place)
        try await run("ca-init", status: 3, "ca", "init", "--no-passphrase", "--out", place)
        let tls = folder("tls")
        try await run("ca-issue", status: 0, "ca", "issue", "server", "a.test", "--ca", place, "--out", tls)
        try await run("ca-issue", status: 2, "ca", "issue", "server", "*.co.uk", "--ca", place, "--out", tls)
        try await run(
            "ca-issue", status: 0, "ca", "issue", "client", "ada", "--ca", place, "--out", tls, "--new-passphrase-env",
            "NEW")
        try await run(
            "ca-issue", status: 0, "ca", "issue", "server", "--csr", folder("request.csr"), "--ca", place, "--out", tls)
        try await run(
            "csr", status: 0, "csr", "--key", folder("client.key"), "--certificate", folder("client.crt"), "--pins",
            folder("client.crt"), "--out", folder("new.csr"))
        try await run("csr", status: 3, "csr", "--key", folder("missing"), "--san", "a.test")
    }

    @Test("the documentation names every key of every schema, and every schema", arguments: names)
    func documentation(_ name: String) throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: package.appendingPathComponent("Documentation/json.md"), encoding: .utf8)
        #expect(text.contains("schemas/\(name).schema.json"))
        for key in try JSONSchema(named: "\(name).schema.json").properties {
            #expect(text.contains("`\(key)`"), "\(key)")
        }
    }
}
