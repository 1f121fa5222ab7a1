@testable import BelayCertificates
import Testing

@Suite("Key stores: situations that people reported")
struct ReportedKeyStoreSituationTests {
    private let peers: PKCS12Peers

    init() throws {
        peers = try PKCS12Peers()
    }

    private let secret = Secret(text: "secret")

    @Test(
        "I1: a file of old tools, RC2-40 and 3DES with a SHA-1 MAC, loads; without provider that is said, not the passphrase"
    )
    func oldTools() throws {
        let file = try peers.openssl(["-legacy"])
        #expect(try Identity(pkcs12: file, passphrase: secret) == peers.whole)
        var opener = PKCS12Opener(tools: PasswordTools(modulesIn: peers.folder.path))
        let error = #expect(throws: KeyStoreError.self) { try opener.open(PKCS12File(file), secret, nil) }
        let words = error?.description ?? ""
        #expect(words.contains("RC2-40-CBC") && words.contains("legacy provider"))
        #expect(words.contains("the passphrase is not the reason"))
    }

    @Test("I3: a file without MAC loads with a warning, or is refused as such; it is never the passphrase's fault")
    func withoutMAC() throws {
        let file = try peers.openssl(["-nomac"])
        let store = try KeyStore.read(pkcs12: file, passphrase: secret)
        #expect(store.integrity == .none)
        #expect(try store.identity() == peers.whole)
        let error = #expect(throws: IdentityError.keyStore(.noIntegrityCode(.pkcs12))) {
            try Identity(pkcs12: file, passphrase: secret)
        }
        #expect(error?.description.contains("no MAC") == true)
        #expect(throws: IdentityError.keyStore(.noIntegrityCode(.pkcs12))) {
            try Identity(bytes: file, passphrase: secret, keyPassphrase: secret)
        }
    }

    @Test("I5: PEM that was named .p12 is taken for what it is")
    func renamedPEM() throws {
        let file = try peers.folder.write("identity.p12", try peers.whole.pem())
        #expect(try Identity.read(contentsOf: file, passphrase: secret) == peers.whole)
        #expect(try KeyStore.read(contentsOf: file).format == .pem)
    }

    @Test("I7: without key inside there is no private key, and the certificates are usable as anchors")
    func withoutKey() throws {
        let file = try Tool.openssl(
            "pkcs12", "-export", "-nokeys", "-in", peers.chain, "-passout", "pass:secret"
        ).output
        let error = #expect(throws: IdentityError.noPrivateKey) { try Identity(pkcs12: file, passphrase: secret) }
        #expect(error?.description.contains("no private key") == true)
        let store = try KeyStore.read(pkcs12: file, passphrase: secret)
        #expect(store.certificates == [peers.world.intermediate.certificate, peers.world.root.certificate])
    }

    @Test("I9: where an authority's certificate stands before the leaf, the leaf is found by the key")
    func shuffled() throws {
        let order = [peers.world.root.certificate, peers.world.intermediate.certificate, peers.whole.certificate]
        let file = try PKCS12Pieces.file(
            order.map { try PKCS12Pieces.certificate($0.der) }, [PKCS12Pieces.key(peers.whole.privateKey)])
        let identity = try KeyStore.read(pkcs12: file).identity()
        #expect(identity == peers.whole && identity.chain == peers.whole.chain)
    }

    @Test("I11: what OpenSSL 3 writes by default, AES-256 with a SHA-256 MAC, loads")
    func modern() throws {
        let file = try peers.openssl()
        let description = try PKCS12Description(file)
        #expect(description.integrity?.name == "HMAC-SHA-256")
        #expect(description.protections.allSatisfy { $0.cipher == "AES-256-CBC" })
        #expect(try Identity(pkcs12: file, passphrase: secret) == peers.whole)
    }

    @Test("J10: a key of another certificate is refused in these words: Key does not match certificate")
    func mismatch() throws {
        let other = try PrivateKey.generate(.p256)
        let file = try PKCS12Pieces.file(
            [PKCS12Pieces.certificate(peers.whole.certificate.der)], [PKCS12Pieces.key(other)])
        let error = #expect(throws: IdentityError.self) { try KeyStore.read(pkcs12: file).identity() }
        #expect(error?.description.hasPrefix("Key does not match certificate") == true)
        #expect(error?.description.contains(peers.whole.certificate.subject.description) == true)
        #expect(throws: IdentityError.keyMismatch(certificate: peers.whole.certificate.subject.description)) {
            try Identity(certificate: peers.whole.certificate, privateKey: other)
        }
    }
}
