import BelayCertificates
import Foundation
import Testing

@Suite("One entrance for files of every kind")
struct KeyStoreReadingTests {
    private let world: World.Members
    private let folder: TemporaryFolder

    init() throws {
        world = try World.ecdsa.get()
        folder = try TemporaryFolder()
    }

    @Test("What a file is, is told by its content, whatever its name")
    func tellsByContent() throws {
        let made = try JavaStores.made.get()
        let secret = Secret(text: "secret")
        let files: [(String, [UInt8], KeyStore.Format)] = [
            ("store.p12", made.jks, .jks), ("store.jks", made.bks, .bks), ("store.cer", made.jceks, .jceks),
            ("store.pem", try world.server.pkcs12(passphrase: Secret(text: "secret")), .pkcs12),
            ("store.der", PKCS7.encode(world.server.certificates), .pkcs7),
            ("store.p7b", try world.server.pem().bytes, .pem),
            ("store.bks", world.root.certificate.der, .der),
        ]
        for (name, bytes, format) in files {
            let file = try folder.write(name, bytes)
            let isASCII = format != .jks && format != .bks
            let store = try KeyStore.read(contentsOf: file, passphrase: isASCII ? secret : JavaStores.passphrase)
            #expect(store.format == format)
            #expect(!store.entries.isEmpty)
        }
        let missing = folder("none")
        #expect(throws: KeyStoreFileError(file: missing, problem: .unreadable(.refused("No such file or directory")))) {
            try KeyStore.read(contentsOf: missing)
        }
        let text = try folder.write("notes.p12", "some notes")
        #expect(
            throws: KeyStoreFileError(file: text, problem: .notAKeyStore(found: "text without a block of PEM"))
        ) {
            try KeyStore.read(contentsOf: text)
        }
    }

    @Test("A certificate request is no key store, in PEM and DER alike, and it is said what it is and what to do")
    func request() throws {
        let request = try CertificateRequest.make(
            subject: DistinguishedName(commonName: "x"), key: try PrivateKey.generate(.p256))
        let found = KeyStoreError.notAKeyStore(found: "a certificate signing request")
        for bytes in [request.der, Array(request.pem.utf8)] {
            let error = #expect(throws: found) { try KeyStore(bytes: bytes) }
            let text = try #require(error).description
            #expect(text.contains("neither certificate nor private key") && text.contains("Have an authority sign it"))
        }
        // Beside something that key stores hold it is an entry.
        let both = try KeyStore(bytes: Array((request.pem + world.root.certificate.pem).utf8))
        #expect(both.entries.count == 2 && both.certificates == [world.root.certificate])
    }

    @Test("PEM gives each key with its chain, and what is left over by itself")
    func readsPEM() throws {
        let other = try World.make(.p256)
        let text = try other.root.certificate.pem + world.server.pem().text + other.server.privateKey.pkcs8PEM().text
        let store = try KeyStore(bytes: text.bytes)
        #expect(store.identities.map(\.identity) == [world.server])
        try #require(store.entries.count == 3)
        guard case .privateKey(other.server.privateKey) = store.entries[1].content,
            case .certificate(other.root.certificate, isTrusted: false) = store.entries[2].content
        else {
            Issue.record("\(store.entries)")
            return
        }
    }

    @Test("A file with more keys than anybody has is refused, not worked through")
    func boundsKeys() throws {
        let key = try world.server.privateKey.pkcs8PEM().text
        let few = try KeyStore(bytes: String(repeating: key, count: 32).bytes)
        #expect(few.entries.count == 32)
        #expect(throws: KeyStoreError.malformed(.pem, "33 private keys, at most 32 are read", at: nil)) {
            try KeyStore(bytes: String(repeating: key, count: 33).bytes)
        }
    }

    @Test("An encrypted key in PEM or DER is opened by either passphrase, and closed without")
    func readsEncryptedKeys() throws {
        let text = try world.server.privateKey.encryptedPKCS8PEM(passphrase: Secret(text: "secret"))
        let der = try #require(PEM.blocks(in: text.bytes).first).der
        for bytes in [text.bytes, der] {
            for passphrases in [(Secret(text: "secret"), nil), (Secret(text: "wrong"), Secret(text: "secret"))] {
                let store = try KeyStore(bytes: bytes, passphrase: passphrases.0, keyPassphrase: passphrases.1)
                guard case .privateKey(world.server.privateKey) = store.entries.first?.content else {
                    Issue.record("\(store.entries)")
                    continue
                }
            }
            for (passphrase, problem) in [(nil, PrivateKeyError.passphraseNeeded), ("wrong", .wrongPassphrase)] {
                let store = try KeyStore(bytes: bytes, passphrase: passphrase.map { Secret(text: $0) })
                guard case .closedKey(.privateKey(problem), _) = store.entries.first?.content else {
                    Issue.record("\(store.entries)")
                    continue
                }
            }
        }
    }

    @Test(
        "An identity is read out of a JKS, JCEKS or BKS by its alias; which is meant has to be said where there are several"
    )
    func readsIdentities() throws {
        let made = try JavaStores.made.get()
        let (name, passphrase) = (JavaStores.name, Secret(text: "größe 名𝄞"))
        let key = Secret(text: "key secret")
        for bytes in [made.jks, made.bks] {
            let identity = try Identity(bytes: bytes, passphrase: passphrase, keyPassphrase: key, named: name)
            #expect(identity.certificate.subject.description == "CN=EC")
        }
        #expect(
            try Identity(bytes: made.jceks, passphrase: Secret(text: "secret"), keyPassphrase: key).certificate.subject
                .description == "CN=EC")
        let error = #expect(throws: IdentityError.self) { try Identity(bytes: made.jks, passphrase: passphrase) }
        guard case .severalIdentities(let names) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(Set(names) == ["rsa", "dsa"])
        #expect(throws: IdentityError.keyStore(.passphraseNeeded(.bks))) { try Identity(bytes: made.bks) }
        #expect(throws: IdentityError.keyStore(.wrongKeyPassphrase(.bks))) {
            try Identity(bytes: made.bks, passphrase: passphrase)
        }
        // That it does not open is not that it is not there.
        #expect(throws: IdentityError.keyStore(.wrongKeyPassphrase(.jks))) {
            try Identity(bytes: made.jks, passphrase: passphrase, named: name)
        }
        #expect(throws: IdentityError.noSuchIdentity("none", among: names)) {
            try Identity(bytes: made.jks, passphrase: passphrase, named: "none")
        }
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.jceks))) {
            try Identity(bytes: made.jceks, passphrase: Secret(text: "wrong"))
        }
    }

    @Test("The trusted entries of a trust store serve as anchors and pins, without a passphrase; those of keys do not")
    func readsAnchors() throws {
        let made = try JavaStores.made.get()
        for bytes in [made.jks, made.jceks, made.bks, made.firstBKS] {
            #expect(try Certificate.read(bytes: bytes, name: "store") == [made.trusted])
        }
        let file = try folder.write("root.p12", made.jks)
        #expect(try Certificate.read(contentsOf: file) == [made.trusted])
        #expect(
            throws: CertificateFileError(file: "cut", problem: .keyStore(.truncated(.jks, bytes: 99, expected: nil)))
        ) {
            try Certificate.read(bytes: Array(made.jks.prefix(99)), name: "cut")
        }
        let error = #expect(throws: CertificateFileError.self) {
            try Certificate.read(bytes: made.uber, name: "uber")
        }
        #expect(error?.description.contains("UBER") == true)
    }

    @Test("A PKCS#12 file without key and passphrase gives its certificates; one with a key is an identity")
    func readsAnchorsOfPKCS12() throws {
        let anchor = try folder.write("root.pem", world.root.certificate.pem)
        let open = try Tool.openssl(
            "pkcs12", "-export", "-nokeys", "-in", anchor, "-certpbe", "NONE", "-nomac", "-passout", "pass:"
        ).output
        #expect(try Certificate.read(bytes: open, name: "open") == [world.root.certificate])
        let closed = try Tool.openssl("pkcs12", "-export", "-nokeys", "-in", anchor, "-passout", "pass:secret").output
        let key = try folder.write("key.pem", world.server.pem())
        let identity = try Tool.openssl("pkcs12", "-export", "-in", key, "-passout", "pass:").output
        for bytes in [closed, identity] {
            #expect(throws: CertificateFileError(file: "closed", problem: .identityFile)) {
                try Certificate.read(bytes: bytes, name: "closed")
            }
        }
    }
}
