import BelayCertificates
import Foundation
import TestSupport
import Testing

/// Folders of authorities that are damaged, open, or not what they seem.
@Suite("Folders of belay ca")
struct CAFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func initialise(_ options: String...) async throws -> Program.Run {
        try await Program.run(["ca", "init", "--no-passphrase", "--out", folder("ca")] + options)
    }

    private func issue(_ options: String...) async throws -> Program.Run {
        try await Program.run(
            ["ca", "issue", "server", "a.test", "--ca", folder("ca"), "--out", folder("tls"), "--force"] + options)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(
            FileManager.default.attributesOfItem(atPath: folder(path))[.posixPermissions] as? NSNumber
        ).intValue
    }

    @Test("What is in the folder must be an authority, whole: nothing is signed with what is not")
    func damaged() async throws {
        #expect(try await initialise("--intermediate").status == 0)
        #expect(try await issue().status == 0)
        let intermediate = try folder.read("ca/intermediate.pem")
        let key = try folder.read("ca/intermediate.key")
        let root = try folder.read("ca/root.pem")
        let rootKey = try PrivateKey.read(contentsOf: folder("ca/root.key"))
        let issuer = try CertificateIssuer(
            certificate: try #require(try Certificate.read(contentsOf: folder("ca/root.pem")).first),
            privateKey: rootKey)

        try FileManager.default.removeItem(atPath: folder("ca/intermediate.pem"))
        var run = try await issue()
        #expect(run.status == 3 && run.errors.contains("incomplete"), "\(run.errors)")
        try folder.write("ca/intermediate.pem", intermediate)
        try FileManager.default.removeItem(atPath: folder("ca/intermediate.key"))
        run = try await issue()
        #expect(run.status == 3 && run.errors.contains("incomplete"), "\(run.errors)")

        // A server's certificate with its own key, in the place of the authority.
        let leafKey = try PrivateKey.generate(.p256)
        let leaf = try issuer.issue(.server(names: ["b.test"]), for: leafKey.publicKey)
        try folder.write("ca/intermediate.pem", leaf.pem)
        try folder.write("ca/intermediate.key", leafKey.pkcs8PEM())
        run = try await issue()
        #expect(run.status == 3 && run.errors.contains("no authority's certificate"), "\(run.errors)")

        var template = CertificateTemplate.authority(named: "No signer")
        template.set(.keyUsage([.cRLSign]))
        try folder.write("ca/intermediate.pem", issuer.issue(template, for: leafKey.publicKey).pem)
        run = try await issue()
        #expect(run.status == 3 && run.errors.contains("keyCertSign"), "\(run.errors)")

        let stranger = try CertificateIssuer.selfSigned(.authority(named: "Stranger"), key: leafKey)
        try folder.write("ca/intermediate.pem", stranger.certificate.pem)
        run = try await issue()
        #expect(run.status == 3 && run.errors.contains("not issued by the root"), "\(run.errors)")

        try folder.write("ca/intermediate.pem", intermediate)
        run = try await issue()
        #expect(run.status == 3 && run.errors.contains("intermediate.key"), "\(run.errors)")
        try folder.write("ca/intermediate.key", key)
        try folder.write("ca/root.pem", root + root)
        run = try await issue()
        #expect(run.status == 3 && run.errors.contains("2 certificates"), "\(run.errors)")
        try folder.write("ca/root.pem", root)
        #expect(try await issue().status == 0)
    }

    @Test("A folder that others can enter is closed where it is empty and refused where it is not; a link is refused")
    func openFolders() async throws {
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder("ca"), withIntermediateDirectories: true)
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder("ca"))
        try folder.write("ca/other", "x")
        var run = try await initialise()
        #expect(run.status == 3 && run.errors.contains("mode 0777"), "\(run.errors)")
        #expect(try FileReading.names(inFolder: folder("ca")) == ["other"])
        try manager.removeItem(atPath: folder("ca/other"))
        run = try await initialise()
        #expect(run.status == 0, "\(run.errors)")
        #expect(try mode("ca") == 0o700)
        try manager.createDirectory(atPath: folder("real"), withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: folder("link"), withDestinationPath: folder("real"))
        for path in [folder("link"), folder("link/")] {
            let linked = try await Program.run("ca", "init", "--no-passphrase", "--out", path)
            #expect(linked.status == 3 && linked.errors.contains("symbolic link"), "\(linked.errors)")
        }
        #expect(try FileReading.names(inFolder: folder("real")) == [])
    }

    @Test("A key without a passphrase that others can read is warned of")
    func exposedKey() async throws {
        #expect(try await initialise().status == 0)
        #expect(!(try await issue()).errors.contains("warning"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder("ca/root.key"))
        let run = try await issue()
        #expect(run.status == 0 && run.errors.contains("warning") && run.errors.contains("root.key"), "\(run.errors)")
    }

    @Test("The record of an authority that is replaced is kept under another name")
    func keepsRecord() async throws {
        #expect(try await initialise().status == 0)
        #expect(try await issue().status == 0)
        let record = try folder.read("ca/issued.ndjson")
        let run = try await initialise("--force", "--format", "json")
        #expect(run.status == 0, "\(run.errors)")
        let kept = try #require(try run.json()["formerRecord"] as? String)
        #expect(kept.hasPrefix(folder("ca/issued-before-")) && kept.hasSuffix(".ndjson"))
        #expect(try FileReading.bytes(ofFile: kept) == record)
        #expect(!FileManager.default.fileExists(atPath: folder("ca/issued.ndjson")))
    }

    @Test("An authority that has ended says so, and the range of days is that of what is issued")
    func days() async throws {
        let key = try PrivateKey.generate(.p256)
        let past = Validity.days(10, from: Date(timeIntervalSinceNow: -20 * 86_400))
        let root = try CertificateIssuer.selfSigned(.authority(named: "Old", validity: past), key: key)
        try FileManager.default.createDirectory(atPath: folder("ca"), withIntermediateDirectories: true)
        try folder.write("ca/root.pem", root.certificate.pem)
        try folder.write("ca/root.key", key.pkcs8PEM())
        let run = try await issue()
        #expect(run.status == 2 && run.errors.contains("the authority itself ends on"), "\(run.errors)")
        #expect(!run.errors.contains("0 days"))
        let zero = try await issue("--days", "0")
        #expect(zero.status == 2 && zero.errors.contains("1 to 825"), "\(zero.errors)")
    }

    @Test("In JSON an error is a document with every key")
    func documents() async throws {
        let none = try await Program.run("ca", "issue", "server", "a.test", "--ca", folder("none"), "--format", "json")
        #expect(none.status == 3)
        let error = try #require(try none.json()["error"] as? [String: Any])
        #expect(error["phase"] as? String == "input" && (error["message"] as? String)?.contains("no authority") == true)
        #expect(try none.json()["files"] is NSNull)
        #expect(try await initialise("--format", "json").json()["error"] is NSNull)
        let again = try await initialise("--format", "json")
        let document = try again.json()
        #expect(again.status == 3 && document["error"] is [String: Any])
    }
}
