import BelayCertificates
import BelayLaboratory
import Foundation
import Testing

@Suite("Files that cannot be used")
struct FilesTests {
    /// Ways in which a file can be bad, and a word that the message must have.
    enum Fault: String, CaseIterable {
        case missing, folder, empty, garbage, text, truncatedDER, truncatedPEM, html

        var word: String {
            switch self {
            case .missing: "No such file"
            case .folder: "is a folder"
            case .empty: "empty"
            case .garbage: "found"
            case .text: "found text"
            case .truncatedDER: "cut off"
            case .truncatedPEM: "damaged"
            case .html: "HTML"
            }
        }

        /// Makes such a file; `der` is what it would be if it were good.
        func make(_ folder: Folder, _ der: [UInt8], label: String) throws -> String {
            let pem = "-----BEGIN \(label)-----\n" + Data(der).base64EncodedString(options: .lineLength64Characters)
            switch self {
            case .missing: return folder.path + "/missing.pem"
            case .folder:
                try FileManager.default.createDirectory(
                    atPath: folder.path + "/sub.pem", withIntermediateDirectories: true)
                return folder.path + "/sub.pem"
            case .empty: return try folder.write("empty.pem", "")
            case .garbage:
                return try folder.write("garbage.pem", (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 77 &+ 201) })
            case .text: return try folder.write("text.pem", "just some words\n")
            case .truncatedDER: return try folder.write("cut.der", Array(der.prefix(der.count / 2)))
            case .truncatedPEM: return try folder.write("cut.pem", String(pem.prefix(pem.count / 2)))
            case .html: return try folder.write("page.pem", "<!DOCTYPE html><title>404</title>")
            }
        }
    }

    @Test(
        "every option that takes certificates names a bad file, says what it is, and ends with status 3",
        arguments: Fault.allCases, ["--anchor", "--pins", "--chain", "show"])
    func certificates(_ fault: Fault, _ option: String) async throws {
        // A folder is what --anchor and --pins take; empty, it is another fault.
        if fault == .folder, option == "--anchor" || option == "--pins" { return }
        let folder = try Folder()
        let der = try await Stage.shared.value.laboratory.world.authorities.publicRoot.certificate.der
        let file = try fault.make(folder, der, label: "CERTIFICATE")
        let arguments =
            switch option {
            case "show": ["cert", "show", file]
            case "--chain": ["trust", "evaluate", "--chain", file, "--host", "a.test"]
            default: ["check", "https://127.0.0.1:1", option, file]
            }
        let run = try await Program.run(arguments)
        #expect(run.status == 3 && run.output.isEmpty)
        #expect(run.errors.contains(file) && run.errors.contains(fault.word), "\(run.errors)")
    }

    @Test("a bad revocation list is named, with what it is", arguments: Fault.allCases)
    func revocationLists(_ fault: Fault) async throws {
        let folder = try Folder()
        let now = Date()
        let der = try await Stage.shared.value.laboratory.world.authorities.publicIntermediate.issue(
            RevocationListTemplate(thisUpdate: now, nextUpdate: now.addingTimeInterval(86_400)))
        let file = try fault.make(folder, der, label: "X509 CRL")
        let run = try await Program.run("check", "https://127.0.0.1:1", "--crl", file)
        #expect(run.status == 3 && run.errors.contains(file) && run.errors.contains(fault.word), "\(run.errors)")
    }

    @Test("a bad identity is named, with what it is", arguments: Fault.allCases)
    func identities(_ fault: Fault) async throws {
        let folder = try Folder()
        let der = try await Stage.shared.value.laboratory.world.client.pkcs12(passphrase: Secret(text: "x"))
        let file = try fault.make(folder, der, label: "CERTIFICATE")
        let run = try await Program.run("check", "https://127.0.0.1:1", "--identity", file)
        #expect(run.status == 3 && run.errors.contains(file) && run.output.isEmpty, "\(run.errors)")
    }

    @Test("a file that root alone may read is named with the system's reason")
    func unreadable() async throws {
        // Whoever runs the tests may be root, to whom every file is readable; a loop of links is not, to anybody.
        let folder = try Folder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/a.pem", withDestinationPath: folder.path + "/a.pem")
        let run = try await Program.run("cert", "show", folder.path + "/a.pem")
        #expect(run.status == 3 && run.errors.contains("a.pem: cannot be read"))
    }

    @Test("a folder with one bad file is an error that names the file (reported of AFNetworking)")
    func folderWithBadFile() async throws {
        let folder = try Folder()
        let world = try await Stage.shared.value.laboratory.world
        _ = try folder.write("pins/a.cer", world.authorities.publicRoot.certificate.der)
        let bad = try folder.write("pins/pin.cer", "this is no certificate")
        _ = try folder.write("pins/readme.txt", "text is no certificate and does not count")
        for option in ["--pins", "--anchor"] {
            let run = try await Program.run("check", "https://127.0.0.1:1", option, folder.path + "/pins")
            #expect(run.status == 3 && run.errors.contains(bad), "\(run.errors)")
        }
        try FileManager.default.removeItem(atPath: bad)
        let good = try await Program.run("policy", "explain", "--pins", folder.path + "/pins")
        #expect(good.status == 0 && good.output.contains("Public Root"))
    }

    @Test("a pin file without a pin: a private key, a request, an empty folder")
    func withoutPin() async throws {
        let folder = try Folder()
        let key = try folder.write("key.pem", try PrivateKey.generate(.p256).pkcs8PEM())
        let run = try await Program.run("policy", "explain", "--pins", key)
        #expect(run.status == 3 && run.errors.contains("key.pem") && run.errors.contains("private key"))
        #expect(!run.errors.contains("BEGIN"))
        try FileManager.default.createDirectory(atPath: folder.path + "/none", withIntermediateDirectories: true)
        let empty = try await Program.run("policy", "explain", "--pins", folder.path + "/none")
        #expect(empty.status == 3 && empty.errors.contains("holds no certificates"))
    }

    @Test("cert show prints the good files and ends with status 3 for the bad one")
    func goodAndBad() async throws {
        let folder = try Folder()
        let certificate = try await Stage.shared.value.laboratory.world.authorities.publicRoot.certificate
        let good = try folder.write("good.der", certificate.der)
        let run = try await Program.run("cert", "show", folder.path + "/missing", good)
        #expect(run.status == 3 && run.output.contains("CN=Public Root") && run.errors.contains("missing"))
        let json = try await Program.run("cert", "show", folder.path + "/missing", good, "--format", "json")
        #expect(try (json.json()["files"] as? [Any])?.count == 1)
    }

    @Test("cert show says that it does not open PKCS#12 yet")
    func pkcs12() async throws {
        let folder = try Folder()
        let file = try folder.write(
            "me.p12", try await Stage.shared.value.laboratory.world.client.pkcs12(passphrase: Secret(text: "x")))
        let run = try await Program.run("cert", "show", file)
        #expect(run.status == 3 && run.errors.contains("PKCS#12") && run.errors.contains("me.p12"))
    }

    @Test("a passphrase file that cannot be read is named")
    func passphraseFile() async throws {
        let run = try await Program.run(
            "check", "https://127.0.0.1:1", "--identity", "/dev/null", "--passphrase-file", "/nowhere/secret")
        #expect(run.status == 3 && run.errors.contains("/nowhere/secret"))
    }
}
