import BelayCertificates
import Foundation
import Testing

@Suite("Reading private keys")
struct PrivateKeyReadingTests {
    private let folder: TemporaryFolder
    private let rsa: String
    private let ec: String

    init() throws {
        folder = try TemporaryFolder()
        rsa = folder("rsa.pem")
        ec = folder("ec.pem")
        try Tool.openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", rsa)
        try Tool.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", ec)
    }

    /// The SubjectPublicKeyInfo that OpenSSL sees in a key's file.
    private func publicKey(_ file: String) throws -> [UInt8] {
        try Tool.openssl("pkey", "-in", file, "-pubout", "-outform", "DER").output
    }

    @Test("PKCS#8, PKCS#1 and SEC1 are read in PEM and DER", arguments: ["PEM", "DER"])
    func readsPlainKeys(form: String) throws {
        for file in [rsa, ec] {
            let key = try PrivateKey(bytes: Tool.openssl("pkey", "-in", file, "-outform", form).output)
            #expect(try key.publicKey.der == publicKey(file))
        }
        let pkcs1 = try Tool.openssl("rsa", "-in", rsa, "-traditional", "-outform", form).output
        #expect(try PrivateKey(bytes: pkcs1).publicKey.der == publicKey(rsa))
        let sec1 = try Tool.openssl("ec", "-in", ec, "-outform", form).output
        #expect(try PrivateKey(bytes: sec1).publicKey.der == publicKey(ec))
    }

    @Test("A key is found among parameters, certificates and text")
    func findsKey() throws {
        let parameters = try Tool.openssl("ecparam", "-name", "prime256v1").text
        let certificate = try World.ecdsa.get().root.certificate.pem
        let text =
            try "the key:\r\n" + parameters + certificate + String(decoding: folder.read("ec.pem"), as: UTF8.self)
        #expect(try PrivateKey(bytes: text.bytes).publicKey.der == publicKey(ec))
    }

    @Test("A key of GnuTLS is read")
    func readsKeyOfGnuTLS() throws {
        let file = folder("gnutls.pem")
        let result = try Tool.run(
            "certtool", ["--generate-privkey", "--key-type", "ecdsa", "--curve", "secp384r1", "--outfile", file])
        try #require(result.status == 0)
        #expect(try PrivateKey.read(contentsOf: file).publicKey.der == publicKey(file))
    }

    @Test(
        "Encrypted PKCS#8 is opened with its passphrase and with no other",
        arguments: [["-v2", "aes-256-cbc"], ["-v2", "des3"], ["-v1", "PBE-SHA1-3DES"], ["-scrypt"]], ["PEM", "DER"])
    func opensEncryptedPKCS8(options: [String], form: String) throws {
        let result = try Tool.run(
            "openssl", ["pkcs8", "-topk8", "-in", ec, "-passout", "pass:s3cret ä", "-outform", form] + options)
        try #require(result.status == 0)
        let key = try PrivateKey(bytes: result.output, passphrase: Secret(text: "s3cret ä"))
        #expect(try key.publicKey.der == publicKey(ec))
        #expect(throws: PrivateKeyError.wrongPassphrase) {
            try PrivateKey(bytes: result.output, passphrase: Secret(text: "s3cret"))
        }
        #expect(throws: PrivateKeyError.wrongPassphrase) {
            try PrivateKey(bytes: result.output, passphrase: Secret([]))
        }
        #expect(throws: PrivateKeyError.passphraseNeeded) { try PrivateKey(bytes: result.output) }
    }

    @Test("Keys encrypted in OpenSSL's traditional form are opened", arguments: ["-aes256", "-aes128", "-des3"])
    func opensTraditionalEncryption(cipher: String) throws {
        let bytes = try Tool.openssl("rsa", "-in", rsa, "-traditional", cipher, "-passout", "pass:secret").output
        #expect(try PrivateKey(bytes: bytes, passphrase: Secret(text: "secret")).publicKey.der == publicKey(rsa))
        #expect(throws: PrivateKeyError.passphraseNeeded) { try PrivateKey(bytes: bytes) }
        #expect(throws: PrivateKeyError.wrongPassphrase) {
            try PrivateKey(bytes: bytes, passphrase: Secret(text: "wrong"))
        }
        #expect(throws: PrivateKeyError.wrongPassphrase) { try PrivateKey(bytes: bytes, passphrase: Secret([])) }
    }

    @Test("Wrong passphrases that leave valid padding by chance are wrong passphrases too")
    func refusesLuckyPadding() throws {
        let bytes = try Tool.openssl("ec", "-in", ec, "-aes256", "-passout", "pass:secret").output
        // One passphrase in 256 leaves padding that looks right.
        for number in 0..<2_000 {
            #expect(throws: PrivateKeyError.wrongPassphrase) {
                try PrivateKey(bytes: bytes, passphrase: Secret(text: "wrong \(number)"))
            }
        }
    }

    @Test(
        "Keys under ciphers of OpenSSL's legacy provider are opened, in PKCS#8",
        arguments: [
            "PBE-SHA1-RC2-40", "PBE-SHA1-RC2-128", "PBE-SHA1-RC4-128", "PBE-MD5-DES", "PBE-SHA1-DES", "PBE-SHA1-RC2-64",
        ])
    func opensLegacyPKCS8(scheme: String) throws {
        for form in ["PEM", "DER"] {
            let bytes = try Tool.openssl(
                "pkcs8", "-topk8", "-in", ec, "-passout", "pass:secret", "-v1", scheme, "-outform", form, "-provider",
                "legacy", "-provider", "default"
            ).output
            #expect(try PrivateKey(bytes: bytes, passphrase: Secret(text: "secret")) == PrivateKey.read(contentsOf: ec))
            #expect(throws: PrivateKeyError.wrongPassphrase) {
                try PrivateKey(bytes: bytes, passphrase: Secret(text: "wrong"))
            }
            #expect(throws: PrivateKeyError.passphraseNeeded) { try PrivateKey(bytes: bytes) }
        }
    }

    @Test(
        "Keys under ciphers of OpenSSL's legacy provider are opened, in its traditional form",
        arguments: ["-des", "-rc2", "-bf", "-cast", "-seed"])
    func opensLegacyTraditional(cipher: String) throws {
        let bytes = try Tool.openssl(
            "rsa", "-in", rsa, "-traditional", cipher, "-passout", "pass:secret", "-provider", "legacy", "-provider",
            "default"
        ).output
        #expect(String(decoding: bytes, as: UTF8.self).contains("DEK-Info"))
        #expect(try PrivateKey(bytes: bytes, passphrase: Secret(text: "secret")) == PrivateKey.read(contentsOf: rsa))
        #expect(throws: PrivateKeyError.wrongPassphrase) {
            try PrivateKey(bytes: bytes, passphrase: Secret(text: "wrong"))
        }
    }

    @Test("An encryption that nobody knows is named, and the passphrase is not blamed")
    func namesUnknownCipher() throws {
        let bytes = try Tool.openssl(
            "pkcs8", "-topk8", "-in", ec, "-passout", "pass:secret", "-v1", "PBE-MD5-DES", "-outform", "DER",
            "-provider", "legacy", "-provider", "default"
        ).output
        // pbeWithMD2AndDES-CBC instead: MD2 is in no provider.
        let identifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 3]
        let start = try #require(bytes.firstRange(of: identifier)).upperBound - 1
        var changed = bytes
        changed[start] = 1
        let error = #expect(throws: PrivateKeyError.self) {
            try PrivateKey(bytes: changed, passphrase: Secret(text: "secret"))
        }
        guard case .unsupportedEncryption = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("passphrase is not the reason") == true)
    }

    @Test(
        "A key that asks for years of key derivation is refused at once, one within bounds is tried",
        arguments: ["1.2.840.113549.1.5.13", "1.2.840.113549.1.5.10", "1.2.840.113549.1.12.1.3"])
    func refusesEndlessDerivation(scheme: String) throws {
        func key(rounds: Int) throws -> [UInt8] {
            func identifier(_ dotted: String) throws -> [UInt8] {
                DERWriter.objectIdentifier(try #require(OID(dotted: dotted)))
            }
            let octets = DERWriter.element(.octetString, [UInt8](repeating: 7, count: 16))
            var parameters = DERWriter.sequence(octets, DERWriter.integer(rounds))
            if scheme.hasSuffix(".5.13") {
                // PBKDF2 with HMAC-SHA-1, the default, and AES-256-CBC (RFC 8018, appendix A.4).
                parameters = try DERWriter.sequence(
                    DERWriter.sequence(identifier("1.2.840.113549.1.5.12"), parameters),
                    DERWriter.sequence(identifier("2.16.840.1.101.3.4.1.42"), octets))
            }
            return try DERWriter.sequence(DERWriter.sequence(identifier(scheme), parameters), octets)
        }
        for rounds in [5_000_001, 2_000_000_000, Int.max] {
            let error = #expect(throws: PrivateKeyError.self) {
                try PrivateKey(der: key(rounds: rounds), passphrase: Secret(text: "secret"))
            }
            #expect(error?.description.contains("more than 5000000 rounds") == true)
        }
        let error = #expect(throws: PrivateKeyError.self) {
            try PrivateKey(der: key(rounds: 1_000), passphrase: Secret(text: "secret"))
        }
        #expect(error?.description.contains("rounds") == false)
    }

    @Test("A traditional passphrase longer than OpenSSL allows is refused")
    func refusesLongPassphrase() throws {
        let bytes = try Tool.openssl("ec", "-in", ec, "-aes256", "-passout", "pass:secret").output
        let error = #expect(throws: PrivateKeyError.self) {
            try PrivateKey(bytes: bytes, passphrase: Secret(repeatElement(0x41, count: 1_025)))
        }
        guard case .unusablePassphrase = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("What is no key, two keys, nothing, and a damaged key are told apart")
    func refusesOthers() throws {
        let certificate = try World.ecdsa.get().root.certificate
        #expect(throws: PrivateKeyError.notAPrivateKey(found: "a certificate")) {
            try PrivateKey(bytes: certificate.pem.bytes)
        }
        #expect(throws: PrivateKeyError.notAPrivateKey(found: "a certificate")) {
            try PrivateKey(bytes: certificate.der)
        }
        #expect(throws: PrivateKeyError.notAPrivateKey(found: "an empty file")) { try PrivateKey(bytes: []) }
        #expect(throws: PrivateKeyError.notAPrivateKey(found: "text without a block of PEM")) {
            try PrivateKey(bytes: "no key".bytes)
        }
        #expect(throws: PrivateKeyError.severalKeys(count: 2)) {
            try PrivateKey(bytes: folder.read("ec.pem") + folder.read("rsa.pem"))
        }
        let der = try Tool.openssl("pkey", "-in", ec, "-outform", "DER").output
        #expect(throws: PrivateKeyError.malformed("the end is cut off: 60 bytes of \(der.count)")) {
            try PrivateKey(der: Array(der.prefix(60)))
        }
        let text = try Array(folder.read("ec.pem").prefix(100))
        #expect(throws: PrivateKeyError.damagedText(.unterminated(label: "PRIVATE KEY", line: 1))) {
            try PrivateKey(bytes: text)
        }
        let openssh = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----\n"
        #expect(throws: PrivateKeyError.self) { try PrivateKey(bytes: openssh.bytes) }
    }

    @Test("A key cut off or changed at any byte never crashes the reader")
    func survivesDamage() throws {
        for file in [rsa, ec] {
            let der = try Tool.openssl("pkey", "-in", file, "-outform", "DER").output
            for index in stride(from: 0, to: der.count, by: 7) {
                #expect(throws: PrivateKeyError.self) { try PrivateKey(der: Array(der.prefix(index))) }
                var changed = der
                changed[index] ^= 0xFF
                _ = try? PrivateKey(der: changed)
            }
        }
    }

    @Test("A file that cannot be read is named with the system's words")
    func namesFile() throws {
        let file = folder("none.pem")
        #expect(
            throws: PrivateKeyFileError(file: file, problem: .unreadable(.refused("No such file or directory")))
        ) {
            try PrivateKey.read(contentsOf: file)
        }
    }
}
