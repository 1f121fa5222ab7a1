import BelayCertificates
import Foundation
import Testing

@Suite("PKCS#12 files")
struct PKCS12Tests {
    private let world: World.Members
    private let folder: TemporaryFolder
    private let key: String
    private let leaf: String
    private let chain: String

    init() throws {
        world = try World.ecdsa.get()
        folder = try TemporaryFolder()
        key = try folder.write("key.pem", world.server.privateKey.pkcs8PEM())
        leaf = try folder.write("leaf.pem", world.server.certificate.pem)
        chain = try folder.write("chain.pem", world.intermediate.certificate.pem + world.root.certificate.pem)
    }

    /// A file that `openssl pkcs12 -export` makes of key, leaf and chain.
    private func export(_ options: String..., passphrase: String = "secret") throws -> [UInt8] {
        let arguments = ["pkcs12", "-export", "-inkey", key, "-in", leaf, "-certfile", chain]
        let result = try Tool.run("openssl", arguments + ["-passout", "pass:" + passphrase] + options)
        try #require(result.status == 0, "\(result.errors)")
        return result.output
    }

    private var expectedChain: [Certificate] { [world.intermediate.certificate, world.root.certificate] }

    private func expectWhole(_ identity: Identity, _ comment: Comment? = nil) {
        #expect(identity.certificate == world.server.certificate, comment)
        #expect(identity.chain == expectedChain, comment)
        #expect(identity.privateKey == world.server.privateKey, comment)
    }

    @Test(
        "Files of today and with Triple DES are opened",
        arguments: [
            [], ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "SHA1"],
            ["-keypbe", "AES-128-CBC", "-certpbe", "AES-256-CBC", "-macalg", "SHA512"], ["-name", "Jürgen's server"],
            ["-keypbe", "NONE", "-certpbe", "NONE"], ["-noiter"],
        ])
    func opens(options: [String]) throws {
        let arguments = ["pkcs12", "-export", "-inkey", key, "-in", leaf, "-certfile", chain]
        let made = try Tool.run("openssl", arguments + ["-passout", "pass:pässword"] + options)
        try #require(made.status == 0, "\(made.errors)")
        expectWhole(try Identity(pkcs12: made.output, passphrase: Secret(text: "pässword")))
        expectWhole(try Identity(bytes: made.output, passphrase: Secret(text: "pässword")))
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) {
            try Identity(pkcs12: made.output, passphrase: Secret(text: "no"))
        }
    }

    @Test("A file of GnuTLS is opened")
    func opensFileOfGnuTLS() throws {
        let file = folder("gnutls.p12")
        let result = try Tool.run(
            "certtool",
            [
                "--to-p12", "--load-privkey", key, "--load-certificate", leaf, "--load-ca-certificate", chain,
                "--p12-name", "server", "--password", "secret", "--outder", "--outfile", file,
            ])
        try #require(result.status == 0, "\(result.errors)")
        let identity = try Identity.read(contentsOf: file, passphrase: Secret(text: "secret"))
        #expect(identity.certificate == world.server.certificate)
        #expect(identity.privateKey == world.server.privateKey)
    }

    @Test("The leaf is matched by the key where authorities' certificates stand before it")
    func matchesByKey() throws {
        // In a file without key, the order of -in is kept; the key then comes from -inkey only for the first match.
        let shuffled = try folder.write(
            "shuffled.pem",
            world.root.certificate.pem + world.server.certificate.pem + world.intermediate.certificate.pem)
        let made = try Tool.openssl(
            "pkcs12", "-export", "-inkey", key, "-in", shuffled, "-passout", "pass:secret"
        ).output
        expectWhole(try Identity(pkcs12: made, passphrase: Secret(text: "secret")))
    }

    @Test("Wrong passphrase, none, and an unusable one are told apart")
    func refusesPassphrases() throws {
        let made = try export()
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) {
            try Identity(pkcs12: made, passphrase: Secret(text: "Secret"))
        }
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) {
            try Identity(pkcs12: made, passphrase: Secret(text: "secret\n"))
        }
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) {
            try Identity(pkcs12: made, passphrase: Secret([]))
        }
        #expect(throws: IdentityError.keyStore(.passphraseNeeded(.pkcs12))) { try Identity(pkcs12: made) }
        let withZero = "secret".bytes + [0]
        #expect(
            throws: IdentityError.keyStore(.unusablePassphrase("it holds a zero byte, which PKCS#12 has no place for"))
        ) {
            try Identity(pkcs12: made, passphrase: Secret(withZero))
        }
    }

    @Test("A file with an empty passphrase opens with an empty one and with none")
    func opensEmptyPassphrase() throws {
        let made = try export(passphrase: "")
        expectWhole(try Identity(pkcs12: made, passphrase: Secret([])))
        expectWhole(try Identity(pkcs12: made))
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) {
            try Identity(pkcs12: made, passphrase: Secret(text: "secret"))
        }
    }

    @Test("A file without MAC is refused for that, whatever the passphrase")
    func refusesMissingMAC() throws {
        let made = try export("-nomac")
        for passphrase in ["secret", "wrong", ""] {
            #expect(throws: IdentityError.keyStore(.noIntegrityCode(.pkcs12))) {
                try Identity(pkcs12: made, passphrase: Secret(text: passphrase))
            }
        }
    }

    @Test("A MAC of another kind is named, and the passphrase is not blamed")
    func refusesOtherMAC() throws {
        var made = try export("-macalg", "SHA1")
        // PBMAC1 (RFC 9579) in the place of SHA-1 cannot be made by OpenSSL 3.0; the identifier alone is changed, to one
        // of the same length: 1.3.14.3.2.26 becomes 1.3.14.3.2.99.
        let identifier: [UInt8] = [0x06, 5, 0x2B, 0x0E, 3, 2, 0x1A]
        let place = try #require(made.indices.last { made[$0...].starts(with: identifier) })
        made[place + 6] = 99
        let error = #expect(throws: IdentityError.self) {
            try Identity(pkcs12: made, passphrase: Secret(text: "secret"))
        }
        guard case .keyStore(.unsupportedIntegrityCode(.pkcs12, _)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A MAC that asks for years of computing is refused at once")
    func refusesEndlessMAC() throws {
        var made = try export()
        // The rounds are the last field, 2048 by default.
        #expect(made.suffix(4) == [0x02, 2, 8, 0])
        made.replaceSubrange((made.count - 4)..., with: [0x02, 2, 0xFF, 0])
        #expect(throws: IdentityError.self) { try Identity(pkcs12: made, passphrase: Secret(text: "secret")) }
    }

    @Test("A file with certificates and no key says so")
    func refusesMissingKey() throws {
        let made = try Tool.openssl("pkcs12", "-export", "-nokeys", "-in", leaf, "-passout", "pass:secret").output
        #expect(throws: IdentityError.noPrivateKey) { try Identity(pkcs12: made, passphrase: Secret(text: "secret")) }
    }

    @Test("A file with a key and no certificate says so")
    func refusesMissingCertificate() throws {
        let made = try Tool.openssl("pkcs12", "-export", "-nocerts", "-inkey", key, "-passout", "pass:secret").output
        #expect(throws: IdentityError.noCertificate) { try Identity(pkcs12: made, passphrase: Secret(text: "secret")) }
    }

    @Test("Truncated, damaged and other files are told apart from a wrong passphrase")
    func refusesDamage() throws {
        let made = try export()
        for count in [made.count - 1, made.count / 2, 100] {
            #expect(throws: IdentityError.keyStore(.truncated(.pkcs12, bytes: count, expected: made.count))) {
                try Identity(bytes: Array(made.prefix(count)), passphrase: Secret(text: "secret"))
            }
        }
        #expect(throws: IdentityError.notAnIdentity(found: "text without a block of PEM")) {
            try Identity(bytes: "not an identity".bytes, passphrase: Secret(text: "secret"))
        }
        #expect(throws: IdentityError.notAnIdentity(found: "a certificate")) {
            try Identity(pkcs12: world.root.certificate.der, passphrase: Secret(text: "secret"))
        }
        #expect(throws: IdentityError.notAnIdentity(found: "an empty file")) { try Identity(bytes: []) }
        #expect(throws: IdentityError.keyStore(.truncated(.jks, bytes: 8, expected: nil))) {
            try Identity(bytes: [0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2])
        }
    }

    @Test("A file changed at any byte is an error, never a crash")
    func survivesChanges() throws {
        let made = try export("-noiter")
        for index in made.indices {
            var changed = made
            changed[index] ^= 0x21
            do throws(IdentityError) {
                // Some bytes mean nothing: an identity that comes out must be the right one.
                expectWhole(try Identity(pkcs12: changed, passphrase: Secret(text: "secret")), "byte \(index)")
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test("What is written is opened by OpenSSL and GnuTLS and by ourselves")
    func writes() throws {
        let made = try world.server.pkcs12(passphrase: Secret(text: "s3cret"), friendlyName: "lab")
        let file = try folder.write("made.p12", made)
        let info = try Tool.openssl("pkcs12", "-in", file, "-passin", "pass:s3cret", "-nodes", "-info")
        let identity = try Identity(bytes: info.output)
        #expect(identity.certificate == world.server.certificate)
        #expect(identity.privateKey == world.server.privateKey)
        #expect(identity.chain == world.server.chain)
        #expect(info.errors.contains("AES-256-CBC, Iteration 600000, PRF hmacWithSHA256"))
        #expect(info.text.contains("friendlyName: lab"))
        let gnutls = try Tool.run("certtool", ["--p12-info", "--inder", "--password", "s3cret", "--infile", file])
        #expect(gnutls.status == 0)
        #expect(try Identity.read(contentsOf: file, passphrase: Secret(text: "s3cret")) == world.server)
    }
}
