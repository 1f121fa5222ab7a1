import BelayCertificates
import Foundation
import TestSupport
import Testing

@Suite("belay cert triage")
struct CertTriageTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// What a back-end team sends: made here, put into their forms by OpenSSL.
    private func receive() throws {
        let root = try CertificateIssuer.selfSigned(
            .authority(named: "Example Root", organization: "Example"), key: .generate(.p256))
        let server = try root.issueIdentity(.server(names: ["api.shop.test"]), key: .generate(.p256))
        let client = try root.issueIdentity(.client(named: "Shop App"), key: .generate(.p256))
        _ = try folder.write("ca.crt", root.certificate.pem)
        _ = try folder.write("server.cer", server.certificate.der)
        let pem = try folder.write(".client.pem", client.pem().bytes)
        for name in ["client.p12", "client.pfx"] {
            try Tool.openssl("pkcs12", "-export", "-in", pem, "-out", folder(name), "-passout", "pass:secret")
        }
        _ = try folder.write("server.pem", server.pem().bytes)
        _ = try folder.write("notes.txt", "Please use the attached files.")
        // The key alone, and an identity that brings less of its chain, are in the fullest file already.
        _ = try folder.write("client.key", client.privateKey.pkcs8PEM().bytes)
        try Tool.openssl(
            "req", "-new", "-key", folder("client.key"), "-subj", "/CN=Shop App", "-out", folder("client.csr"))
    }

    private func triage(_ more: String...) async throws -> Program.Run {
        try await Program.run(
            ["cert", "triage", folder.path] + more, environment: ["P12": "secret", "WRONG": "wrong"])
    }

    private static func uses(_ run: Program.Run) throws -> [String: String] {
        let files = try #require(try run.json()["files"] as? [[String: Any]])
        return Dictionary(
            uniqueKeysWithValues: files.compactMap { file in
                guard let path = file["file"] as? String, let use = file["use"] as? String else { return nil }
                return ((path as NSString).lastPathComponent, use)
            })
    }

    @Test("JSON names every file that a missing passphrase file leaves unread", arguments: ["inspect", "triage"])
    func noPassphraseFile(command: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let files = [try folder.write("a.p12", "a"), try folder.write("b.p12", "b")]
        let run = try await Program.run(
            [command == "inspect" ? "identity" : "cert", command] + files
                + ["--passphrase-file", folder("nosuch"), "--format", "json"])
        let json = try run.json()
        #expect(run.status == 3 && run.errors.contains("nosuch"))
        let faults = json[command == "inspect" ? "errors" : "files"] as? [[String: Any]] ?? []
        #expect(faults.map { $0["file"] as? String } == files)
        let reason = command == "inspect" ? "message" : "problem"
        #expect(faults.allSatisfy { ($0[reason] as? String)?.contains("nosuch") == true }, "\(json)")
    }

    @Test("says of each file what it is for, and how to connect with what is there")
    func folderOfFiles() async throws {
        try receive()
        let run = try await triage("--passphrase-env", "P12", "--format", "json")
        #expect(run.status == 0)
        #expect(
            try Self.uses(run) == [
                "ca.crt": "anchor", "server.cer": "pin", "client.p12": "identity", "client.pfx": "duplicate",
                "server.pem": "secretOfOthers", "notes.txt": "nothing", "client.key": "duplicate",
                "client.csr": "nothing",
            ])
        let connections = try #require(try run.json()["connections"] as? [[String: Any]])
        #expect(connections.map { $0["kind"] as? String } == ["one-way", "mutual"])
        #expect((connections[1]["command"] as? String)?.contains("client.p12") == true)
        let text = try await triage("--passphrase-env", "P12")
        #expect(text.output.contains("issued by what is in") && text.output.contains("ca.crt"))
        #expect(text.output.contains("not for an app"))
    }

    @Test("a file whose passphrase is missing or wrong is closed, not damaged")
    func closed() async throws {
        try receive()
        for options in [[], ["--passphrase-env", "WRONG"]] {
            let run = try await Program.run(
                ["cert", "triage", folder("client.p12"), "--format", "json"] + options,
                environment: ["WRONG": "wrong"])
            #expect(run.status == 3)
            #expect(try Self.uses(run) == ["client.p12": "closed"])
        }
    }

    @Test("a server's key and an authority's are not for an app, also in files of their own")
    func keysOfOthers() async throws {
        let root = try CertificateIssuer.selfSigned(.authority(named: "Example Root"), key: .generate(.p256))
        let server = try root.issueIdentity(.server(names: ["api.shop.test"]), key: .generate(.p256))
        _ = try folder.write("root.pem", root.certificate.pem)
        _ = try folder.write("root.key", root.privateKey.pkcs8PEM().bytes)
        _ = try folder.write("api.crt", server.certificate.pem)
        _ = try folder.write("api.key", server.privateKey.pkcs8PEM().bytes)
        _ = try folder.write("lone.key", PrivateKey.generate(.p256).pkcs8PEM().bytes)
        #expect(
            try await Self.uses(triage("--format", "json")) == [
                "root.pem": "anchor", "root.key": "secretOfOthers", "api.crt": "pin", "api.key": "secretOfOthers",
                "lone.key": "loneKey",
            ])
        #expect(try await triage().output.contains("not for an app"))
    }

    @Test("links and pipes in a folder are named and not opened")
    func links() async throws {
        _ = try folder.write("a.txt", "nothing")
        try FileManager.default.createSymbolicLink(atPath: folder("loop"), withDestinationPath: ".")
        try FileManager.default.createSymbolicLink(atPath: folder("away"), withDestinationPath: "/etc/passwd")
        #expect(mkfifo(folder("pipe"), 0o600) == 0)
        let run = try await triage()
        #expect(run.status == 0 && !run.output.contains("loop/"))
        #expect(run.output.contains("not followed") && run.output.contains("neither a file nor a folder"))
    }
}
