import BelayCertificates
import Foundation
import TestSupport
import Testing

@Suite("Secrets in memory")
struct MemoryTests {
    private static let passphrase = "correct horse battery staple"

    /// A key made by OpenSSL, with the bytes of its secret scalar in both orders and its text in PEM.
    private struct Material {
        let folder: TemporaryFolder
        let secrets: [String]

        init() throws {
            folder = try TemporaryFolder()
            try folder.write("passphrase", MemoryTests.passphrase + "\n")
            let passphrase = "file:" + folder("passphrase")
            let key = folder("key.pem")
            try Tool.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", folder("sec1.pem"))
            try Tool.openssl("pkcs8", "-topk8", "-nocrypt", "-in", folder("sec1.pem"), "-out", key)
            try Tool.openssl(
                "req", "-x509", "-new", "-key", key, "-subj", "/CN=memory", "-days", "30", "-out", folder("cert.pem"))
            try Tool.openssl(
                "pkcs12", "-export", "-inkey", key, "-in", folder("cert.pem"), "-passout", passphrase, "-out",
                folder("identity.p12"))
            try Tool.openssl(
                "pkcs8", "-topk8", "-in", key, "-passout", passphrase, "-out", folder("encrypted.pem"))
            let certificate = try folder.read("cert.pem")
            try folder.write("encrypted-identity.pem", folder.read("encrypted.pem") + certificate)
            try folder.write("plain-identity.pem", folder.read("key.pem") + certificate)
            try folder.write("sec1-identity.pem", folder.read("sec1.pem") + certificate)

            // ECPrivateKey (RFC 5915): SEQUENCE, version 1, OCTET STRING of 32 bytes.
            let der = try Tool.openssl("ec", "-in", key, "-outform", "DER").output
            try #require(der.count > 39 && der[5] == 0x04 && der[6] == 32)
            let scalar = Array(der[7..<39])
            let lines = try [folder.read("key.pem"), folder.read("sec1.pem")].map {
                String(decoding: $0, as: UTF8.self).split(separator: "\n")[1].utf8.dropFirst(14).prefix(44)
            }
            // Not the whole of it: an allocator writes over the first bytes of what is given back.
            let patterns =
                [Array(MemoryTests.passphrase.utf8), Array(scalar[4..<28]), Array(scalar.reversed()[4..<28])]
                + lines.map(Array.init)
                // The passphrase as PKCS#12 takes it.
                + [MemoryTests.passphrase.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }]
            secrets = patterns.map { $0.map { String(format: "%02x", ~$0) }.joined() }
        }

        func found(_ file: String, _ mode: String) throws -> [Int] {
            let program = try Program.executable().deletingLastPathComponent().appendingPathComponent("memory-probe")
            let run = try Tool.run(program.path, [folder(file), folder("passphrase"), mode] + secrets)
            try #require(run.status == 0, "\(run.errors)")
            return run.text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        }
    }

    @Test("After an identity was read, used, written and let go, neither passphrase nor key is left in the process")
    func nothingIsLeft() throws {
        let material = try Material()
        for file in ["identity.p12", "encrypted-identity.pem", "plain-identity.pem", "sec1-identity.pem"] {
            #expect(try material.found(file, "drop") == [0, 0, 0, 0, 0, 0], "\(file)")
        }
    }

    @Test("Nor of an RSA key: its private exponent and its primes, in either order of bytes")
    func nothingIsLeftOfRSA() throws {
        let folder = try TemporaryFolder()
        try folder.write("passphrase", MemoryTests.passphrase + "\n")
        let passphrase = "file:" + folder("passphrase")
        let key = folder("key.pem")
        try Tool.openssl("genrsa", "-out", key, "2048")
        try Tool.openssl("req", "-x509", "-new", "-key", key, "-subj", "/CN=memory", "-out", folder("cert.pem"))
        try Tool.openssl(
            "pkcs12", "-export", "-inkey", key, "-in", folder("cert.pem"), "-passout", passphrase, "-out",
            folder("identity.p12"))
        try folder.write("plain.pem", folder.read("key.pem") + folder.read("cert.pem"))
        // RSAPrivateKey (RFC 8017, appendix A.1.2): version, n, e, d, p, q and so on.
        let der = try Tool.openssl("rsa", "-in", key, "-traditional", "-outform", "DER").output
        var reader = DERReader(der)
        _ = try reader.enter(.sequence)
        let numbers = try (0..<6).map { _ in Array(der[try reader.readInteger()].suffix(100)) }[3...]
        let patterns = numbers.flatMap { [Array($0[20..<60]), Array($0.reversed()[20..<60])] }
        let secrets = patterns.map { $0.map { String(format: "%02x", ~$0) }.joined() }
        let program = try Program.executable().deletingLastPathComponent().appendingPathComponent("memory-probe")
        for file in ["identity.p12", "plain.pem"] {
            let run = try Tool.run(program.path, [folder(file), folder("passphrase"), "drop"] + secrets)
            #expect(run.text == "0 0 0 0 0 0\n", "\(file): \(run.all)")
        }
    }

    @Test("The search finds the passphrase and the key while they are held: once each, in the places made for them")
    func searchIsGood() throws {
        let material = try Material()
        // The passphrase in its pages, and the scalar as OpenSSL's number, the least significant byte first.
        #expect(try material.found("identity.p12", "keep") == [1, 0, 1, 0, 0, 0])
        #expect(try material.found("encrypted-identity.pem", "keep") == [1, 0, 1, 0, 0, 0])
    }

    @Test("A secret is compared by its bytes, joined, written in PEM as others write it, and never described")
    func values() throws {
        var bytes = Array("secret".utf8)
        let secret = Secret(taking: &bytes)
        #expect(
            bytes.isEmpty && secret.count == 6 && secret == Secret(text: "secret") && secret != Secret(text: "Secret"))
        #expect("\(secret)" == "secret" && String(reflecting: [secret]) == "[secret]")
        for count in [0, 1, 2, 3, 47, 48, 49, 96, 5_000] {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(PEM.encode(label: "X", secret: Secret(content)).text == PEM.encode(label: "X", der: content))
        }
    }
}
