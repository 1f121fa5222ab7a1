import BelayCertificates
import Foundation
import Testing

@Suite("PKCS#12 files of other programs")
struct PKCS12ForeignFileTests {
    private let peers: PKCS12Peers

    init() throws {
        peers = try PKCS12Peers()
    }

    private func open(_ file: [UInt8], _ passphrase: String? = "secret") throws -> KeyStore {
        try KeyStore.read(pkcs12: file, passphrase: passphrase.map { Secret(text: $0) })
    }

    /// Whether a key works where it came from does not show: signs and lets OpenSSL's default context verify.
    private func expectUsable(_ key: PrivateKey) throws {
        let signature = try peers.folder.write("signature", key.sign("message".bytes, with: .ecdsa(.sha256)))
        let message = try peers.folder.write("message", "message".bytes)
        let publicKey = try peers.folder.write(
            "public.pem", PEM.encode(label: "PUBLIC KEY", der: peers.whole.certificate.publicKey.der))
        try Tool.openssl("dgst", "-sha256", "-verify", publicKey, "-signature", signature, message)
    }

    @Test(
        "OpenSSL: every cipher that it has for PKCS#12 is opened, those of its legacy provider too",
        arguments: [
            "PBE-SHA1-RC2-40", "PBE-SHA1-RC2-128", "PBE-SHA1-RC4-40", "PBE-SHA1-RC4-128", "PBE-SHA1-3DES",
            "PBE-SHA1-2DES", "PBE-MD5-DES", "PBE-SHA1-DES", "PBE-MD5-RC2-64", "PBE-SHA1-RC2-64", "DES-CBC",
            "DES-EDE3-CBC", "RC2-CBC", "RC2-40-CBC", "AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "CAMELLIA-256-CBC",
        ])
    func ciphers(cipher: String) throws {
        let file = try peers.openssl(["-legacy", "-keypbe", cipher, "-certpbe", cipher, "-name", "server"])
        let store = try open(file)
        #expect(store.format == .pkcs12)
        #expect(store.integrity == .verified("HMAC-SHA-1"))
        let identity = try store.identity()
        #expect(identity == peers.whole && identity.chain == peers.whole.chain)
        #expect(store.identities.first?.name == "server")
        #expect(store.entries.count == 1)
        try expectUsable(identity.privateKey)
        #expect(throws: KeyStoreError.wrongPassphrase(.pkcs12)) { try open(file, "Secret") }
    }

    @Test(
        "OpenSSL: every digest of the MAC is computed",
        arguments: [
            ("md5", "MD5"), ("sha1", "SHA-1"), ("sha224", "SHA-224"), ("sha256", "SHA-256"), ("sha384", "SHA-384"),
            ("sha512", "SHA-512"), ("sha512-256", "SHA-512/256"), ("sha3-256", "sha3-256"),
        ])
    func digests(option: String, name: String) throws {
        let store = try open(try peers.openssl(["-macalg", option]))
        #expect(store.integrity == .verified("HMAC-\(name)"))
        #expect(try store.identity() == peers.whole)
    }

    @Test("OpenSSL: a file without MAC is read with a warning in its integrity, and a wrong passphrase is noticed")
    func withoutMAC() throws {
        let file = try peers.openssl(["-nomac", "-certpbe", "AES-256-CBC"])
        let store = try open(file)
        #expect(store.integrity == .none)
        #expect(try store.identity() == peers.whole)
        #expect(throws: KeyStoreError.wrongPassphrase(.pkcs12)) { try open(file, "wrong") }
        #expect(throws: KeyStoreError.passphraseNeeded(.pkcs12)) { try open(file, nil) }
        // Without that option only the key is encrypted: the certificates are there whatever the passphrase.
        let half = try open(try peers.openssl(["-nomac"]), "wrong")
        #expect(Set(half.certificates) == Set(peers.whole.certificates))
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) { try half.identity() }
    }

    @Test("OpenSSL: certificates and keys that have a passphrase of their own need that too")
    func twoPassphrases() throws {
        let file = peers.folder("two.p12")
        // It asks for both at the terminal, and reads standard input where there is none.
        try Tool.succeed(
            "setsid",
            [
                "-w", "openssl", "pkcs12", "-export", "-twopass", "-inkey", peers.key, "-in", peers.leaf, "-certfile",
                peers.chain, "-out", file,
            ], input: "inner\ninner\nouter\nouter\n".bytes)
        let bytes = try FileReading.bytes(ofFile: file)
        let (first, second) =
            try bytes.count > 0
            && Tool.run(
                "openssl", ["pkcs12", "-in", file, "-passin", "pass:outer", "-nokeys", "-nocerts"]
            ).errors.contains("Mac verify error") ? ("inner", "outer") : ("outer", "inner")
        let store = try KeyStore.read(
            pkcs12: bytes, passphrase: Secret(text: first), keyPassphrase: Secret(text: second))
        #expect(try store.identity() == peers.whole)
        #expect(throws: KeyStoreError.wrongKeyPassphrase(.pkcs12)) { try open(bytes, first) }
        #expect(throws: KeyStoreError.wrongPassphrase(.pkcs12)) { try open(bytes, second) }
        #expect(
            try Identity(pkcs12: bytes, passphrase: Secret(text: first), keyPassphrase: Secret(text: second))
                == peers.whole)
    }

    @Test("Java: keys with aliases, their chains, the moment they came, and trusted certificates")
    func java() throws {
        let file = peers.folder("java.p12")
        let options = ["-keystore", file, "-storetype", "PKCS12", "-storepass", "secret"]
        let begin = Date()
        for alias in ["first", "second"] {
            try peers.keytool(
                ["-genkeypair", "-alias", alias, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=\(alias)"]
                    + options)
        }
        try peers.keytool(["-importcert", "-noprompt", "-alias", "anchor", "-file", peers.chain] + options)
        let store = try open(FileReading.bytes(ofFile: file))
        #expect(Set(store.identities.map(\.name)) == ["first", "second"])
        let second = try store.identity(named: "second")
        #expect(second.certificate.subject.description == "CN=second" && second.chain.isEmpty)
        #expect(try store.identity(named: "FIRST").certificate.subject.description == "CN=first")
        for entry in store.entries {
            switch entry.content {
            case .identity:
                let created = try #require(entry.created)
                #expect(created > begin.addingTimeInterval(-2) && created < Date().addingTimeInterval(2))
            case .certificate(let certificate, let isTrusted):
                #expect(entry.name == "anchor" && isTrusted && certificate == peers.world.intermediate.certificate)
            default: Issue.record("\(entry)")
            }
        }
        #expect(throws: IdentityError.severalIdentities(store.identities.map { $0.name ?? "" })) {
            try store.identity()
        }
        #expect(throws: IdentityError.noSuchIdentity("third", among: store.identities.map { $0.name ?? "" })) {
            try store.identity(named: "third")
        }
    }

    @Test("Java: files in its old protection are opened, whose certificates are under RC2-40")
    func oldJava() throws {
        let file = try peers.rewrittenByJava(peers.openssl(["-name", "server"]), ["-J-Dkeystore.pkcs12.legacy"])
        let description = try PKCS12Description(file)
        #expect(description.safes.contains { $0.protection?.cipher == "RC2-40-CBC" })
        let store = try open(file)
        #expect(store.integrity == .verified("HMAC-SHA-1"))
        #expect(try store.identity() == peers.whole)
    }

    @Test("Bouncy Castle: its files are BER with indefinite lengths and strings in pieces, and are opened")
    func bouncyCastle() throws {
        let file = try peers.rewrittenByJava(
            peers.openssl(["-name", "server"]), ["-destprovidername", "BC"] + PKCS12Peers.bouncyCastle)
        #expect(file.prefix(2) == [0x30, 0x80])
        let store = try open(file)
        #expect(try store.identity() == peers.whole)
        #expect(store.identities.first?.name == "server")
        #expect(try PKCS12Description(file).isBER)
        #expect(throws: KeyStoreError.truncated(.pkcs12, bytes: file.count - 40, expected: nil)) {
            try open(Array(file.dropLast(40)))
        }
        #expect(throws: KeyStoreError.wrongPassphrase(.pkcs12)) { try open(file, "other") }
    }

    @Test(
        "NSS: its files of today and of old are opened, also with passphrases that are not ASCII",
        arguments: [
            (["-C", "AES-256-CBC", "-c", "AES-256-CBC", "-M", "SHA-256"], "secret"),
            (["-C", "AES-256-CBC", "-c", "AES-128-CBC", "-M", "SHA-512"], "pässwörd €"),
            (["-C", "PKCS #12 V2 PBE With SHA-1 And 3KEY Triple DES-CBC", "-M", "SHA-1"], "pässwörd"),
            ([], "secret"),
        ])
    func nss(options: [String], passphrase: String) throws {
        let file = try peers.rewrittenByNSS(
            peers.openssl(["-name", "server"]), name: "server", passphrase: passphrase, options)
        let store = try open(file, passphrase)
        let identity = try store.identity()
        #expect(identity.certificate == peers.whole.certificate && identity.privateKey == peers.whole.privateKey)
        #expect(store.identities.first?.name == "server")
        #expect(throws: KeyStoreError.wrongPassphrase(.pkcs12)) { try open(file, "other") }
    }

    @Test(
        "GnuTLS: its files are opened, without passphrase and with an empty one, and what is wrong is said",
        arguments: [
            (["--pkcs-cipher", "aes-256"], "secret"), (["--pkcs-cipher", "3des-pkcs12"], "secret"),
            (["--pkcs-cipher", "arcfour"], "secret"), (["--pkcs-cipher", "rc2-40"], "secret"),
        ])
    func gnutls(options: [String], passphrase: String) throws {
        let file = peers.folder("gnutls.p12")
        let arguments = [
            "--to-p12", "--load-privkey", peers.key, "--load-certificate", peers.leaf, "--load-ca-certificate",
            peers.chain, "--p12-name", "server", "--outder", "--outfile", file,
        ]
        try Tool.succeed("certtool", arguments + ["--password", passphrase] + options)
        let store = try open(FileReading.bytes(ofFile: file), passphrase)
        let identity = try store.identity()
        #expect(identity.certificate == peers.whole.certificate && identity.privateKey == peers.whole.privateKey)
        // It calls every certificate so, and marks the leaf with the key's localKeyID.
        #expect(store.identities.first?.name == "server")
    }

    @Test(
        "GnuTLS: no passphrase and an empty one are two things, and both open with either",
        arguments: ["--null-password", "--empty-password"])
    func emptyPassphrases(option: String) throws {
        let file = peers.folder("gnutls-empty.p12")
        try Tool.succeed(
            "certtool",
            [
                "--to-p12", "--load-privkey", peers.key, "--load-certificate", peers.leaf, "--p12-name", "server",
                "--pkcs-cipher", "3des-pkcs12", "--outder", "--outfile", file, option,
            ])
        let bytes = try FileReading.bytes(ofFile: file)
        for passphrase in [nil, ""] {
            #expect(try open(bytes, passphrase).identity().privateKey == peers.whole.privateKey)
        }
        #expect(throws: KeyStoreError.wrongPassphrase(.pkcs12)) { try open(bytes, "secret") }
    }

    @Test(
        "pyca: its files are opened, encrypted by each of its ways or not at all",
        arguments: ["PBESv1SHA1And3KeyTripleDESCBC", "PBESv2SHA256AndAES256CBC", "none"])
    func pyca(algorithm: String) throws {
        let pem = try peers.folder.write("all.pem", peers.whole.pem())
        let file = try peers.pyca(
            """
            import sys
            from cryptography import x509
            from cryptography.hazmat.primitives import hashes, serialization
            from cryptography.hazmat.primitives.serialization import pkcs12
            data = open(sys.argv[1], "rb").read()
            key = serialization.load_pem_private_key(data, None)
            leaf, *others = x509.load_pem_x509_certificates(data)
            if sys.argv[2] == "none":
                protection = serialization.NoEncryption()
            else:
                way = getattr(pkcs12.PBES, sys.argv[2])
                protection = (serialization.PrivateFormat.PKCS12.encryption_builder().kdf_rounds(2000)
                    .key_cert_algorithm(way).hmac_hash(hashes.SHA256()).build("pässwörd".encode()))
            sys.stdout.buffer.write(pkcs12.serialize_key_and_certificates("Größe".encode(), key, leaf, others, protection))
            """, pem, algorithm)
        let store = try open(file, algorithm == "none" ? nil : "pässwörd")
        #expect(try store.identity() == peers.whole)
        #expect(store.identities.first?.name == "Größe")
    }
}
