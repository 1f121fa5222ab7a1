import BelayCertificates
import Foundation
import Testing

@Suite("Private keys")
struct PrivateKeyTests {
    static let specifications: [(PrivateKey.Specification, String)] = [
        (.p256, "EC P-256"), (.p384, "EC P-384"), (.p521, "EC P-521"), (.rsa(bits: 2_048), "RSA 2048"),
        (.rsa(bits: 3_072), "RSA 3072"), (.rsaPSS(bits: 2_048), "RSA-PSS 2048"), (.ed25519, "Ed25519"),
        (.ed448, "Ed448"), (.ellipticCurve("secp224r1"), "EC P-224"), (.ellipticCurve("secp256k1"), "EC secp256k1"),
    ]

    @Test("A new key is what was asked for, and OpenSSL reads what is written", arguments: specifications)
    func generates(specification: PrivateKey.Specification, kind: String) throws {
        let key = try PrivateKey.generate(specification)
        #expect(key.publicKey.description == kind)
        let seen = try Tool.openssl("pkey", "-check", "-pubout", "-outform", "DER", input: key.pkcs8PEM().bytes)
        #expect(seen.output.suffix(key.publicKey.der.count).elementsEqual(key.publicKey.der))
        #expect(try PrivateKey(der: key.pkcs8DER().bytes) == key)
        #expect(try PrivateKey.generate(specification) != key)
    }

    @Test("Encrypted PKCS#8 is opened by OpenSSL and by ourselves")
    func writesEncrypted() throws {
        let key = try PrivateKey.generate(.p256)
        let text = try key.encryptedPKCS8PEM(passphrase: Secret(text: "secret"))
        let opened = try Tool.openssl("pkey", "-passin", "pass:secret", "-pubout", "-outform", "DER", input: text.bytes)
        #expect(opened.output == key.publicKey.der)
        #expect(try PrivateKey(bytes: text.bytes, passphrase: Secret(text: "secret")) == key)
        let shown = try Tool.openssl("asn1parse", input: text.bytes).text
        #expect(shown.contains("aes-256-cbc") && shown.contains("hmacWithSHA256") && shown.contains(":0927C0"))
    }

    static let algorithms: [(PrivateKey.Specification, SignatureAlgorithm, [String])] = [
        (.p256, .ecdsa(.sha256), ["-sha256"]), (.p384, .ecdsa(.sha384), ["-sha384"]),
        (.p521, .ecdsa(.sha512), ["-sha512"]), (.p256, .ecdsa(.sha1), ["-sha1"]),
        (.rsa(bits: 2_048), .rsaPKCS1(.sha256), ["-sha256"]), (.rsa(bits: 2_048), .rsaPKCS1(.md5), ["-md5"]),
        (.rsa(bits: 2_048), .rsaPKCS1(.sha1), ["-sha1"]),
        (
            .rsa(bits: 2_048), .rsaPSS(hash: .sha256, mask: .sha256, saltLength: 32),
            ["-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"]
        ),
        (
            .rsa(bits: 2_048), .rsaPSS(hash: .sha384, mask: .sha1, saltLength: 20),
            [
                "-sha384", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_mgf1_md:sha1", "-sigopt",
                "rsa_pss_saltlen:20",
            ]
        ),
        (
            .rsaPSS(bits: 2_048), .rsaPSS(hash: .sha256, mask: .sha256, saltLength: 32),
            ["-sha256", "-sigopt", "rsa_pss_saltlen:32"]
        ),
    ]

    @Test("A signature is one that OpenSSL and the verifier accept, for that message only", arguments: algorithms)
    func signs(specification: PrivateKey.Specification, algorithm: SignatureAlgorithm, options: [String]) throws {
        let folder = try TemporaryFolder()
        let key = try PrivateKey.generate(specification)
        let message = "belay on".bytes
        let signature = try key.sign(message, with: algorithm)
        let publicKey = try folder.write("key.pem", PEM.encode(label: "PUBLIC KEY", der: key.publicKey.der))
        let file = try folder.write("signature", signature)
        func opensslAccepts(_ message: [UInt8]) throws -> Bool {
            let arguments = ["dgst", "-verify", publicKey, "-signature", file] + options
            return try Tool.run("openssl", arguments, input: message).text == "Verified OK\n"
        }
        #expect(try opensslAccepts(message))
        #expect(try !opensslAccepts("belay off".bytes))
        let verifier = try #require(VerificationKey(key.publicKey))
        #expect(verifier.verifies(signature, over: message, in: 0..<message.count, with: algorithm))
        #expect(!verifier.verifies(signature, over: message, in: 1..<message.count, with: algorithm))
    }

    @Test("Edwards signatures are those that OpenSSL accepts", arguments: [PrivateKey.Specification.ed25519, .ed448])
    func signsEdwards(specification: PrivateKey.Specification) throws {
        let folder = try TemporaryFolder()
        let key = try PrivateKey.generate(specification)
        let message = try folder.write("message", "belay on")
        let signature = try folder.write("signature", key.sign("belay on".bytes, with: key.usualSignatureAlgorithm))
        let publicKey = try folder.write("key.pem", PEM.encode(label: "PUBLIC KEY", der: key.publicKey.der))
        try Tool.openssl(
            "pkeyutl", "-verify", "-rawin", "-in", message, "-sigfile", signature, "-pubin", "-inkey", publicKey)
    }

    @Test("An algorithm that does not go with the key is refused")
    func refusesAlgorithm() throws {
        let key = try PrivateKey.generate(.p256)
        for algorithm in [SignatureAlgorithm.rsaPKCS1(.sha256), .ed25519, .other(.commonName), .malformed("no")] {
            #expect(
                throws: PrivateKeyError.unsuitableAlgorithm(algorithm: algorithm.description, key: "EC P-256")
            ) {
                try key.sign([1], with: algorithm)
            }
        }
    }

    @Test(
        "A key that OpenSSL does not have is an error",
        arguments: [
            PrivateKey.Specification.ellipticCurve("no-such-curve"), .rsa(bits: 7),
        ])
    func refusesSpecification(specification: PrivateKey.Specification) {
        #expect(throws: PrivateKeyError.self) { try PrivateKey.generate(specification) }
    }

    @Test("Neither description nor dump shows any of the key")
    func hidesKey() throws {
        let key = try PrivateKey.generate(.p256)
        var dumped = ""
        dump(key, to: &dumped)
        for text in [key.description, "\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("private key (EC P-256)"))
            #expect(text.count < 60)
        }
    }

    @Test("One key signs on many threads at once")
    func signsConcurrently() async throws {
        let key = try PrivateKey.generate(.p256)
        let verifier = try #require(VerificationKey(key.publicKey))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let message = "message \(number)".bytes
                    let signature = try key.sign(message, with: .ecdsa(.sha256))
                    return verifier.verifies(signature, over: message, in: 0..<message.count, with: .ecdsa(.sha256))
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test("A key matches its public key in another encoding, and no other key")
    func matches() throws {
        let folder = try TemporaryFolder()
        let key = try PrivateKey.generate(.p256)
        let file = try folder.write("key.pem", key.pkcs8PEM())
        let compressed = try PublicKey(
            der: Tool.openssl(
                "pkey", "-in", file, "-pubout", "-ec_conv_form", "compressed", "-outform", "DER"
            ).output)
        #expect(compressed != key.publicKey)
        #expect(key.matches(compressed))
        #expect(key.matches(key.publicKey))
        #expect(try !key.matches(PrivateKey.generate(.p256).publicKey))
        #expect(try !key.matches(PrivateKey.generate(.ed25519).publicKey))
    }
}
