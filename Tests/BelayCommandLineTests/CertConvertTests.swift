import BelayCertificates
import Foundation
import TestSupport
import Testing

@Suite("belay cert convert")
struct CertConvertTests {
    private let folder: TemporaryFolder
    private let server: Identity
    private let root: CertificateIssuer

    init() throws {
        folder = try TemporaryFolder()
        root = try CertificateIssuer.selfSigned(.authority(named: "Root"), key: .generate(.p256))
        let issuing = try root.issueAuthority(.authority(named: "Issuing", pathLength: 0), key: .generate(.p256))
        server = try issuing.issueIdentity(.server(names: ["www.shop.test"]), key: .generate(.p256))
        try folder.write("server.p12", server.pkcs12(passphrase: Secret(text: "old")))
        try folder.write("server.key", server.privateKey.pkcs8PEM())
        try folder.write("server.crt", server.certificate.pem)
        try folder.write("chain.pem", server.certificates.reversed().map(\.pem).joined() + root.certificate.pem)
    }

    private func convert(_ arguments: String...) async throws -> Program.Run {
        try await Program.run(["cert", "convert"] + arguments, environment: ["OLD": "old", "NEW": "new secret"])
    }

    private func mode(_ name: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: folder(name))[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test("An identity becomes PEM, with its key encrypted or expressly not, for its owner alone")
    func identityToPEM() async throws {
        let run = try await convert(
            folder("server.p12"), "-o", folder("a.pem"), "--passphrase-env", "OLD", "--new-passphrase-env", "NEW")
        #expect(run.status == 0 && run.errors.contains("1 private key and 2 certificates"), "\(run.errors)")
        #expect(try mode("a.pem") == 0o600)
        try Tool.openssl("pkey", "-in", folder("a.pem"), "-passin", "pass:new secret", "-noout")
        #expect(try Identity.read(contentsOf: folder("a.pem"), passphrase: Secret(text: "new secret")) == server)
        let plain = try await convert(
            folder("server.p12"), "--to", "pem", "-o", "-", "--passphrase-env", "OLD", "--no-passphrase")
        #expect(plain.status == 0, "\(plain.errors)")
        #expect(plain.output == (try server.pem().text))
        let none = try await convert(folder("server.p12"), "-o", folder("b.pem"), "--passphrase-env", "OLD")
        #expect(none.status == 3 && none.errors.contains("--new-passphrase-file"), "\(none.errors)")
        let chain = try await convert(
            folder("server.p12"), "-o", folder("c.pem"), "--passphrase-env", "OLD", "--certificates-only")
        #expect(chain.status == 0, "\(chain.errors)")
        #expect(try mode("c.pem") == 0o644)
        #expect(try Certificate.read(contentsOf: folder("c.pem")) == server.certificates)
    }

    @Test("A key, its certificate and a bag of others become one PKCS#12 file, that OpenSSL and NSS open")
    func filesToPKCS12() async throws {
        for (name, options) in [("a.p12", []), ("b.pfx", ["--legacy"])] {
            let run = try await Program.run(
                ["cert", "convert", folder("chain.pem"), folder("server.key"), "-o", folder(name)] + options
                    + ["--new-passphrase-env", "NEW"], environment: ["NEW": "new secret"])
            #expect(run.status == 0, "\(run.errors)")
            let read = try Identity.read(contentsOf: folder(name), passphrase: Secret(text: "new secret"))
            #expect(read.certificates == server.certificates + [root.certificate])
            let seen = try Tool.openssl("pkcs12", "-in", folder(name), "-passin", "pass:new secret", "-nodes")
            #expect(seen.text.components(separatedBy: "BEGIN CERTIFICATE").count == 4)
            #expect(seen.text.contains("BEGIN PRIVATE KEY"))
            let listed = try Tool.run("pk12util", ["-l", folder(name), "-W", "new secret"])
            #expect(listed.status == 0 && listed.text.contains("www.shop.test"), "\(listed.all)")
        }
    }

    @Test("A Java store's entry is taken out by its alias, with a passphrase of its own for the key")
    func javaStore() async throws {
        for alias in ["first", "second"] {
            try Tool.succeed(
                "keytool",
                [
                    "-genkeypair", "-alias", alias, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=\(alias)",
                    "-storetype", "JKS", "-keystore", folder("store.jks"), "-storepass", "store secret", "-keypass",
                    "key secret",
                ])
        }
        let arguments = [
            "cert", "convert", folder("store.jks"), "--name", "second", "-o", folder("second.p12"), "--passphrase-env",
            "STORE", "--key-passphrase-env", "KEY", "--new-passphrase-env", "NEW",
        ]
        let environment = ["STORE": "store secret", "KEY": "key secret", "NEW": "new secret"]
        let run = try await Program.run(arguments, environment: environment)
        #expect(run.status == 0, "\(run.errors)")
        let listed = try Tool.succeed(
            "keytool", ["-list", "-storetype", "PKCS12", "-keystore", folder("second.p12"), "-storepass", "new secret"])
        #expect(listed.text.contains("second, ") && listed.text.contains("PrivateKeyEntry"))
        #expect(!listed.text.contains("first, "))
        let wrong = try await Program.run(
            arguments + ["--force"], environment: environment.merging(["KEY": "wrong"]) { $1 })
        #expect(wrong.status == 3 && wrong.errors.contains("--key-passphrase-file"), "\(wrong.errors)")
    }

    @Test("Certificates become PKCS#7 and DER and come back, as OpenSSL and GnuTLS see them")
    func certificates() async throws {
        #expect(try await convert(folder("chain.pem"), "-o", folder("chain.p7b")).status == 0)
        let openssl = try Tool.openssl("pkcs7", "-inform", "DER", "-in", folder("chain.p7b"), "-print_certs")
        #expect(openssl.text.components(separatedBy: "BEGIN CERTIFICATE").count == 4)
        let gnutls = try Tool.succeed("certtool", ["--p7-info", "--inder", "--infile", folder("chain.p7b")])
        #expect(gnutls.text.contains("Number of certificates: 3"), "\(gnutls.text)")
        #expect(try await convert(folder("chain.p7b"), "-o", folder("back.pem")).status == 0)
        #expect(
            Set(try Certificate.read(contentsOf: folder("back.pem"))) == Set(server.certificates + [root.certificate]))
        #expect(try await convert(folder("server.crt"), "-o", folder("server.cer")).status == 0)
        #expect(try folder.read("server.cer") == server.certificate.der)
        try Tool.openssl("x509", "-inform", "DER", "-in", folder("server.cer"), "-noout")
    }

    @Test("A key becomes PKCS#8, in PEM and DER, encrypted and not")
    func keys() async throws {
        #expect(try await convert(folder("server.key"), "-o", folder("a.p8"), "--no-passphrase").status == 0)
        try Tool.openssl("pkey", "-inform", "DER", "-in", folder("a.p8"), "-noout")
        #expect(try mode("a.p8") == 0o600)
        let run = try await convert(
            folder("server.p12"), "--to", "pkcs8", "-o", folder("b.pk8"), "--passphrase-env", "OLD",
            "--new-passphrase-env", "NEW")
        #expect(run.status == 0, "\(run.errors)")
        try Tool.openssl("pkcs8", "-inform", "DER", "-in", folder("b.pk8"), "-passin", "pass:new secret")
        #expect(
            try PrivateKey.read(contentsOf: folder("b.pk8"), passphrase: Secret(text: "new secret"))
                == server.privateKey)
    }

    @Test("What cannot be is refused, and nothing is written")
    func refuses() async throws {
        try folder.write("taken.pem", "old")
        let cases: [([String], Int32, String)] = [
            ([folder("chain.pem"), "-o", folder("x.cer")], 3, "3 certificates"),
            ([folder("chain.pem"), "-o", folder("x")], 2, "--to pem"),
            ([folder("chain.pem"), "-o", folder("x.p8")], 3, "no private key"),
            ([folder("chain.pem"), "-o", folder("taken.pem")], 3, "--force"),
            ([folder("server.p12"), "-o", folder("x.pem"), "--no-passphrase"], 3, "--passphrase-file"),
            ([folder("server.crt"), "--name", "nobody", "-o", folder("x.pem")], 3, "nobody"),
            ([folder("passphrase"), "-o", folder("x.pem")], 3, "No such file"),
        ]
        for (arguments, status, text) in cases {
            let run = try await Program.run(["cert", "convert"] + arguments)
            #expect(run.status == status && run.errors.contains(text), "\(arguments): \(run.errors)")
        }
        let names = try FileReading.names(inFolder: folder.path)
        #expect(!names.contains { $0.hasPrefix("x") })
        #expect(try folder.read("taken.pem") == Array("old".utf8))
    }
}
