import BelayCertificates
import Foundation
import TestSupport
import Testing

@Suite("PKCS#12: what a file is made of, and who opens it")
struct PKCS12DescriptionTests {
    private let peers: PKCS12Peers

    init() throws {
        peers = try PKCS12Peers()
    }

    @Test("Without a passphrase: the code, the schemes with their rounds, and the bags that are not encrypted")
    func withoutPassphrase() throws {
        let file = try peers.openssl([
            "-name", "server", "-certpbe", "AES-128-CBC", "-keypbe", "PBE-SHA1-3DES", "-macalg", "sha512", "-iter",
            "3000",
        ])
        let description = try PKCS12Description(file)
        #expect(description.integrity?.name == "HMAC-SHA-512")
        #expect(description.integrity?.rounds == 3_000 && description.integrity?.saltLength == 8)
        #expect(description.safes.count == 2 && !description.isBER && description.byteCount == file.count)
        let certificates = try #require(description.safes.first?.protection)
        #expect(certificates.cipher == "AES-128-CBC" && certificates.scheme == .pbes2)
        #expect(certificates.derivation == "PBKDF2 with HMAC-SHA-256, 3000 rounds" && certificates.rounds == 3_000)
        #expect(description.safes[0].bags == nil)
        let key = try #require(description.safes[1].bags?.first)
        #expect(key.kind == "encrypted private key" && key.friendlyName == "server")
        #expect(key.protection?.cipher == "3DES-CBC" && key.protection?.scheme == .pkcs12)
        // OpenSSL's localKeyID is the SHA-1 of the certificate.
        let leaf = try Tool.openssl("x509", "-in", peers.leaf, "-outform", "DER").output
        let digest = try Tool.openssl("dgst", "-sha1", "-r", input: leaf).text.prefix(40)
        #expect(key.localKeyID?.lowercased() == String(digest))
        #expect(description.store == nil && description.gaps.isEmpty)
    }

    @Test("With the passphrase: every certificate with its name, and the gap in the chain")
    func withPassphrase() throws {
        let description = try PKCS12Description(try peers.openssl(), passphrase: Secret(text: "secret"))
        #expect(
            description.safes[0].bags?.map(\.subject) == peers.whole.certificates.map(\.subject.description))
        #expect(description.gaps.isEmpty)
        #expect(description.store?.integrity == .verified("HMAC-SHA-256"))
        let alone = try Tool.openssl(
            "pkcs12", "-export", "-inkey", peers.key, "-in", peers.leaf, "-passout", "pass:secret"
        ).output
        let gap = try #require(try PKCS12Description(alone, passphrase: Secret(text: "secret")).gaps.first)
        #expect(gap.issuer == peers.world.intermediate.certificate.subject.description && gap.isLeaf)
        #expect(throws: KeyStoreError.wrongPassphrase(.pkcs12)) {
            try PKCS12Description(alone, passphrase: Secret(text: "other"))
        }
    }

    /// Files of each kind, and what is said of them for the programs that are here.
    @Test(
        "What is said about OpenSSL 3, Java 17, NSS and GnuTLS is what they do",
        arguments: [
            "modern", "legacy", "scrypt", "pbmac1", "nomac", "sha512", "mixed", "PBE-SHA1-RC2-40", "PBE-SHA1-RC2-128",
            "PBE-SHA1-RC4-40", "PBE-SHA1-RC4-128", "PBE-SHA1-2DES", "PBE-MD5-DES", "PBE-SHA1-RC2-64", "DES-CBC",
            "DES-EDE3-CBC", "CAMELLIA-256-CBC",
        ])
    func support(kind: String) throws {
        let file: [UInt8] =
            switch kind {
            case "legacy": try peers.whole.pkcs12(.legacy(Secret(text: "secret")), friendlyName: "server")
            case "scrypt":
                try PKCS12Pieces.file([
                    PKCS12Pieces.bag(
                        2,
                        Tool.openssl(
                            "pkcs8", "-topk8", "-scrypt", "-scrypt_N", "1024", "-in", peers.key, "-outform", "DER",
                            "-passout", "pass:secret"
                        ).output, PKCS12Pieces.name("server"), PKCS12Pieces.localKeyID([1])),
                    PKCS12Pieces.certificate(
                        peers.whole.certificate.der, PKCS12Pieces.name("server"), PKCS12Pieces.localKeyID([1])),
                ])
            case "pbmac1": try peers.addPBMAC1(to: peers.openssl(["-nomac", "-name", "server"]), passphrase: "secret")
            case "nomac": try peers.openssl(["-nomac", "-certpbe", "AES-256-CBC", "-name", "server"])
            case "sha512": try peers.openssl(["-macalg", "sha512", "-name", "server"])
            case "mixed":
                try peers.openssl(
                    ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "AES-128-CBC", "-macalg", "sha1", "-name", "server"])
            case "modern": try peers.whole.pkcs12(.modern(Secret(text: "secret")), friendlyName: "server")
            default: try peers.openssl(["-legacy", "-keypbe", kind, "-certpbe", kind, "-name", "server"])
            }
        let path = try peers.folder.write("file.p12", file)
        let description = try PKCS12Description(file)
        func said(_ system: PKCS12Description.System) -> Bool? {
            switch description.support(by: system).answer {
            case .opens: true
            case .refuses: false
            case .unclear: nil
            }
        }
        let openssl = try Tool.run("openssl", ["pkcs12", "-in", path, "-passin", "pass:secret", "-nodes"])
        #expect(said(.openssl3) == (openssl.status == 0 && openssl.text.contains("PRIVATE KEY")), "\(openssl.errors)")
        let java = try Tool.run(
            "keytool",
            [
                "-J-XX:TieredStopAtLevel=1", "-importkeystore", "-srckeystore", path, "-srcstoretype", "PKCS12",
                "-srcstorepass", "secret", "-destkeystore", peers.folder("java.p12"), "-deststorepass", "secret",
            ])
        #expect(said(.java) == (java.status == 0 && java.all.contains("1 ")), "\(java.all)")
        let database = peers.folder("nss")
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: true)
        let nss = try Tool.run("pk12util", ["-i", path, "-d", "sql:" + database, "-W", "secret", "-K", ""])
        #expect(said(.nss) == (nss.status == 0), "\(nss.all)")
        #expect(said(.gnutls) == (try peers.opensInGnuTLS(path, passphrase: "secret")))
    }

    @Test("Java refuses a passphrase beyond ASCII, as the description says; OpenSSL, NSS and GnuTLS take it")
    func passphraseBeyondASCII() async throws {
        let folder = try TemporaryFolder()
        let identity = try CertificateIssuer.selfSigned(.authority(named: "x"), key: .generate(.p256))
        let whole = try Identity(
            certificate: identity.certificate, chain: [], privateKey: identity.privateKey)
        for secret in ["pässwörd", "password"] {
            for isLegacy in [false, true] {
                let protection: PKCS12Protection =
                    isLegacy ? .legacy(Secret(text: secret)) : .modern(Secret(text: secret))
                let file = try folder.write("\(secret.utf8.count)-\(isLegacy).p12", whole.pkcs12(protection))
                let description = try PKCS12Description(
                    FileReading.bytes(ofFile: file), passphrase: Secret(text: secret))
                #expect(description.hasPassphraseBeyondASCII == (secret != "password"))
                let answer = description.support(by: .java)
                let java = try await Tool.finish(
                    "keytool", ["-list", "-keystore", file, "-storepass", secret],
                    environment: ["LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"])
                #expect((java.status == 0) == (answer.answer == .opens), "\(java.all)")
                #expect((java.status == 0) == (secret == "password"), "\(java.all)")
                for (program, arguments) in [
                    ("openssl", ["pkcs12", "-in", file, "-passin", "pass:\(secret)", "-noout"]),
                    ("pk12util", ["-l", file, "-W", secret]),
                    ("certtool", ["--p12-info", "--inder", "--infile", file, "--password", secret]),
                ] {
                    let run = try await Tool.finish(program, arguments)
                    #expect(run.status == 0, "\(program): \(run.all)")
                }
                #expect(description.support(by: .openssl3).answer == .opens)
                #expect(description.support(by: .nss).answer == .opens)
                #expect(description.support(by: .gnutls).answer == .opens)
            }
        }
    }

    @Test("Old systems open the legacy form and refuse the modern one; each answer has its source")
    func oldSystems() throws {
        let modern = try PKCS12Description(try peers.whole.pkcs12(.modern(Secret(text: "secret"))))
        let legacy = try PKCS12Description(try peers.whole.pkcs12(.legacy(Secret(text: "secret"))))
        for system in [PKCS12Description.System.macOS10, .oldJava, .oldWindows] {
            #expect(modern.support(by: system).answer == .refuses)
            #expect(modern.support(by: system).reason == "a MAC with HMAC-SHA-256, AES-256-CBC")
            #expect(legacy.support(by: system).answer == .opens)
        }
        #expect(legacy.support.allSatisfy { $0.answer == .opens })
        #expect((modern.support + legacy.support).allSatisfy { !$0.source.isEmpty && !$0.description.isEmpty })
        // The MAC alone is enough: everything else is as old as they are.
        let mixed = try PKCS12Description(
            try peers.openssl(["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha256"]))
        #expect(mixed.support(by: .oldWindows).reason == "a MAC with HMAC-SHA-256")
    }
}
