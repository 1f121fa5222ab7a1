@testable import BelayCertificates
import Testing

@Suite("PKCS#12: each failure is its own error")
struct PKCS12ErrorTests {
    private let peers: PKCS12Peers

    init() throws {
        peers = try PKCS12Peers()
    }

    private func open(_ file: [UInt8], _ passphrase: String = "secret") throws -> KeyStore {
        try KeyStore.read(pkcs12: file, passphrase: Secret(text: passphrase))
    }

    @Test("A missing legacy provider is named with the cipher, never the passphrase")
    func missingProvider() throws {
        let file = try peers.openssl(["-legacy"])
        var opener = PKCS12Opener(tools: PasswordTools(modulesIn: peers.folder.path))
        let error = #expect(throws: KeyStoreError.missingLegacyProvider(cipher: "RC2-40-CBC")) {
            try opener.open(PKCS12File(file), Secret(text: "secret"), nil)
        }
        #expect(error?.description.contains("the passphrase is not the reason") == true)
        // Where only the key is under such a cipher, the certificates are there.
        let half = try peers.openssl(["-legacy", "-certpbe", "AES-256-CBC", "-keypbe", "PBE-SHA1-RC4-128"])
        let store = try opener.open(PKCS12File(half), Secret(text: "secret"), nil)
        #expect(Set(store.certificates) == Set(peers.whole.certificates))
        #expect(throws: IdentityError.keyStore(.missingLegacyProvider(cipher: "RC4-128"))) { try store.identity() }
    }

    @Test("The legacy provider is not seen outside of its own context")
    func ownContext() throws {
        _ = try open(try peers.openssl(["-legacy"]))
        let provider = try #require(LegacyProvider())
        let cipher = PasswordCipher(name: "RC2", fetched: "RC2-40-CBC", keyLength: 5, blockLength: 8)
        #expect(cipher.isAvailable(in: provider.context))
        #expect(!cipher.isAvailable(in: nil))
    }

    @Test("A cipher that is not known here is named")
    func unsupportedCipher() throws {
        let unknown = try PKCS12Pieces.file(content: PKCS12Pieces.contents([PKCS12Pieces.encrypted("1.2.3.4", [])]))
        #expect(throws: KeyStoreError.unsupportedCipher(.pkcs12, "1.2.3.4")) { try open(unknown) }
        // PBES1 with MD2, which OpenSSL has no longer.
        let parameters = DERWriter.sequence(
            DERWriter.element(.octetString, [1, 2, 3, 4, 5, 6, 7, 8]), DERWriter.integer(2_048))
        let old = try PKCS12Pieces.file(
            content: PKCS12Pieces.contents([PKCS12Pieces.encrypted("1.2.840.113549.1.5.1", parameters)]))
        #expect(throws: KeyStoreError.unsupportedCipher(.pkcs12, "pbeWithMD2AndDES-CBC")) { try open(old) }
    }

    @Test("Work without bounds is refused before it is done: rounds of the MAC, of a safe, of many keys, and scrypt's")
    func tooMuchWork() throws {
        func parameters(_ rounds: Int) -> [UInt8] {
            DERWriter.sequence(
                DERWriter.element(.octetString, [UInt8](repeating: 1, count: 8)), DERWriter.integer(rounds))
        }
        let scheme = "1.2.840.113549.1.12.1.3"
        let limit = 5_000_000
        for rounds in [limit + 1, Int(Int32.max), 1 << 60] {
            let file = try PKCS12Pieces.file(
                content: PKCS12Pieces.contents([PKCS12Pieces.encrypted(scheme, parameters(rounds))]))
            #expect(throws: KeyStoreError.tooMuchWork(.pkcs12, rounds: rounds > 1 << 50 ? .max : rounds, limit: limit))
            {
                try open(file)
            }
        }
        let code = DERWriter.sequence(
            DERWriter.sequence(
                DERWriter.sequence(DERWriter.objectIdentifier(try PKCS12Pieces.oid("1.3.14.3.2.26"))),
                DERWriter.element(.octetString, [UInt8](repeating: 0, count: 20))),
            DERWriter.element(.octetString, [1]), DERWriter.integer(limit + 1))
        #expect(throws: KeyStoreError.tooMuchWork(.pkcs12, rounds: limit + 1, limit: limit)) {
            try open(try PKCS12Pieces.file([], code: code))
        }
        // scrypt with a cost of 2^22, blocks of 8: 4 GiB of memory.
        let scrypt = DERWriter.sequence(
            DERWriter.objectIdentifier(try PKCS12Pieces.oid("1.3.6.1.4.1.11591.4.11")),
            DERWriter.sequence(
                DERWriter.element(.octetString, [1]), DERWriter.integer(1 << 22), DERWriter.integer(8),
                DERWriter.integer(1)))
        let cipher = DERWriter.sequence(
            DERWriter.objectIdentifier(try PKCS12Pieces.oid("2.16.840.1.101.3.4.1.42")),
            DERWriter.element(.octetString, [UInt8](repeating: 0, count: 16)))
        let file = try PKCS12Pieces.file(
            content: PKCS12Pieces.contents([
                PKCS12Pieces.encrypted("1.2.840.113549.1.5.13", DERWriter.sequence(scrypt, cipher))
            ]))
        #expect(throws: KeyStoreError.tooMuchWork(.pkcs12, rounds: 1 << 25, limit: 4 * limit)) { try open(file) }
    }

    @Test("Where it is the parts together that take too long, the error says so with their sum")
    func tooMuchWorkTogether() throws {
        var work = KeyDerivation.Work()
        // Triple DES takes 24 bytes of a key, two rounds of SHA-1's 20 each time.
        try work.spend(4_900_000, blocks: 24, of: 20)
        try work.spend(4_900_000, blocks: 24, of: 20)
        let error = #expect(throws: KeyStoreError.tooMuchWork(.pkcs12, rounds: 24_500_000, limit: 20_000_000)) {
            try work.spend(4_900_000, blocks: 8, of: 20)
        }
        let text = try #require(error).description
        #expect(
            text.contains("24500000 rounds of key derivation, all of its parts together; at most 20000000"), "\(text)")
        let one = KeyStoreError.tooMuchWork(.pkcs12, rounds: 5_000_001, limit: 5_000_000).description
        #expect(one.contains("takes 5000001 rounds of key derivation; at most 5000000"), "\(one)")
        let uncounted = KeyStoreError.tooMuchWork(.pkcs12, rounds: .max, limit: 5_000_000).description
        #expect(uncounted.contains("more rounds of key derivation than can be counted; at most 5000000"))
    }

    @Test("scrypt within bounds is computed as OpenSSL does")
    func scrypt() throws {
        let encrypted = try Tool.openssl(
            "pkcs8", "-topk8", "-scrypt", "-scrypt_N", "1024", "-in", peers.key, "-outform", "DER", "-passout",
            "pass:secret"
        ).output
        let file = try PKCS12Pieces.file([
            PKCS12Pieces.bag(2, encrypted), PKCS12Pieces.certificate(peers.whole.certificate.der),
        ])
        #expect(try open(file).identity().privateKey == peers.whole.privateKey)
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) { try open(file, "other").identity() }
    }

    @Test("Wrong passphrase, no MAC, no key, other files and truncated ones are told apart")
    func toldApart() throws {
        let file = try peers.openssl()
        #expect(throws: KeyStoreError.wrongPassphrase(.pkcs12)) { try open(file, "Secret") }
        #expect(throws: IdentityError.keyStore(.noIntegrityCode(.pkcs12))) {
            try Identity(pkcs12: try peers.openssl(["-nomac"]), passphrase: Secret(text: "secret"))
        }
        #expect(throws: KeyStoreError.notAKeyStore(found: "a certificate")) {
            try open(peers.whole.certificate.der)
        }
        #expect(throws: KeyStoreError.notAKeyStore(found: "text without a block of PEM")) { try open("hello".bytes) }
        for count in [file.count - 1, file.count / 2, 60] {
            #expect(throws: KeyStoreError.truncated(.pkcs12, bytes: count, expected: file.count)) {
                try open(Array(file.prefix(count)))
            }
        }
    }
}
