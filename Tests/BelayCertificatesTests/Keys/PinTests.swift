import BelayCertificates
import Foundation
import Testing

@Suite("Pins of keys")
struct PinTests {
    static let keys: [(String, [String])] = [
        ("RSA-2048", ["RSA", "rsa_keygen_bits:2048"]), ("RSA-3072", ["RSA", "rsa_keygen_bits:3072"]),
        ("RSA-PSS", ["RSA-PSS", "rsa_keygen_bits:2048", "rsa_pss_keygen_md:sha256"]),
        ("P-224", ["EC", "ec_paramgen_curve:secp224r1"]), ("P-256", ["EC", "ec_paramgen_curve:P-256"]),
        ("P-384", ["EC", "ec_paramgen_curve:P-384"]), ("P-521", ["EC", "ec_paramgen_curve:P-521"]),
        ("secp256k1", ["EC", "ec_paramgen_curve:secp256k1"]),
        ("brainpoolP256r1", ["EC", "ec_paramgen_curve:brainpoolP256r1"]),
        ("brainpoolP512r1", ["EC", "ec_paramgen_curve:brainpoolP512r1"]),
        ("explicit P-256", ["EC", "ec_paramgen_curve:P-256", "ec_param_enc:explicit"]),
        ("Ed25519", ["ED25519"]), ("Ed448", ["ED448"]), ("X25519", ["X25519"]), ("X448", ["X448"]),
    ]

    /// A new key's file.
    private func makeKey(_ options: [String], in folder: TemporaryFolder) throws -> String {
        let file = folder("key.pem")
        let settings = options.dropFirst().flatMap { ["-pkeyopt", $0] }
        let result = try Tool.run("openssl", ["genpkey", "-algorithm", options[0], "-out", file] + settings)
        try #require(result.status == 0, "\(result.errors)")
        return file
    }

    /// The pin as the usual pipe of shell commands computes it, without any of our code.
    private func pin(ofKey file: String, in folder: TemporaryFolder) throws -> (pin: String, der: [UInt8]) {
        let der = try Tool.openssl("pkey", "-in", file, "-pubout", "-outform", "DER").output
        let digest = try Tool.openssl("dgst", "-sha256", "-binary", input: der).output
        let text = try Tool.openssl("base64", "-A", input: digest).text
        return (text.trimmingCharacters(in: .newlines), der)
    }

    @Test(
        "The pin of a public key, of its certificate and of its private key is the one that shell commands compute",
        arguments: keys)
    func pinsKey(name: String, options: [String]) throws {
        let folder = try TemporaryFolder()
        let file = try makeKey(options, in: folder)
        let expected = try pin(ofKey: file, in: folder)
        let publicKey = try PublicKey(der: expected.der)
        #expect(publicKey.pin.description == expected.pin)
        #expect(try PrivateKey.read(contentsOf: file).publicKey.pin.description == expected.pin)
        let certificate = try World.ecdsa.get().root.issue(.server(names: ["www.host.test"]), for: publicKey)
        #expect(certificate.pin.description == expected.pin)
        // The certificate's key as OpenSSL takes it out again.
        let taken = try Tool.openssl("x509", "-pubkey", "-noout", input: certificate.pem.bytes).output
        #expect(try PEM.blocks(in: taken).first?.der == expected.der)
    }

    @Test("A DSA key has a pin")
    func pinsDSA() throws {
        let folder = try TemporaryFolder()
        let parameters = folder("parameters.pem")
        try Tool.openssl(
            "genpkey", "-genparam", "-algorithm", "DSA", "-pkeyopt", "dsa_paramgen_bits:1024", "-out", parameters)
        let file = folder("key.pem")
        try Tool.openssl("genpkey", "-paramfile", parameters, "-out", file)
        let expected = try pin(ofKey: file, in: folder)
        #expect(try PublicKey(der: expected.der).pin.description == expected.pin)
        #expect(try PrivateKey.read(contentsOf: file).publicKey.pin.description == expected.pin)
        let traditional = try Tool.openssl("dsa", "-in", file, "-outform", "DER").output
        #expect(try PrivateKey(der: traditional).publicKey.pin.description == expected.pin)
    }

    @Test(
        "RSA-3072, P-521 and Ed25519 leaves that OpenSSL issued have the pins that OpenSSL computes",
        arguments: [["RSA", "rsa_keygen_bits:3072"], ["EC", "ec_paramgen_curve:P-521"], ["ED25519"]])
    func pinsForeignCertificates(options: [String]) throws {
        let folder = try TemporaryFolder()
        let file = try makeKey(options, in: folder)
        let certificate = folder("leaf.cer")
        try Tool.openssl(
            "req", "-x509", "-new", "-key", file, "-subj", "/CN=www.host.test", "-days", "30", "-outform", "DER",
            "-out",
            certificate)
        let read = try Certificate.read(contentsOf: certificate)
        #expect(try read.map(\.pin.description) == [pin(ofKey: file, in: folder).pin])
    }
}
