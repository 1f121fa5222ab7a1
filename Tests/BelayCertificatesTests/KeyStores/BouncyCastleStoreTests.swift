import BelayCertificates
import Testing

@Suite("Bouncy Castle's key stores, made by its provider")
struct BouncyCastleStoreTests {
    private let made: JavaStores

    init() throws {
        made = try JavaStores.made.get()
    }

    private func contents(_ store: KeyStore) -> [String: KeyStore.Content] {
        Dictionary(store.entries.map { ($0.name ?? "", $0.content) }) { first, _ in first }
    }

    @Test("A BKS is opened: a sealed key under its own passphrase, a sealed secret key, an anchor")
    func opens() throws {
        let store = try KeyStore(
            bytes: made.bks, passphrase: JavaStores.passphrase, keyPassphrase: JavaStores.keyPassphrase)
        #expect(store.format == .bks)
        #expect(store.integrity == .verified("HMAC-SHA-1"))
        #expect(store.identities.map(\.name) == [JavaStores.name])
        #expect(store.identities.map(\.identity.certificate.subject.description) == ["CN=EC"])
        guard case .other("a secret key (AES)") = contents(store)["aes"],
            case .certificate(made.trusted, isTrusted: true) = contents(store)["anchor"]
        else {
            Issue.record("\(store.entries)")
            return
        }
        let closed = try KeyStore(bytes: made.bks, passphrase: JavaStores.passphrase)
        guard case .closedKey(.wrongKeyPassphrase(.bks), let chain) = contents(closed)[JavaStores.name] else {
            Issue.record("\(closed.entries)")
            return
        }
        #expect(chain.count == 1)
    }

    @Test("The first version, whose code has a key of 16 bits, is opened")
    func opensFirstVersion() throws {
        let store = try KeyStore(bytes: made.firstBKS, passphrase: JavaStores.plain)
        #expect(store.format == .bks)
        #expect(store.integrity == .verified("HMAC-SHA-1"))
        #expect(store.identities.map(\.identity.certificate.subject.description) == ["CN=RSA"])
        #expect(store.certificates.contains(made.trusted))
    }

    @Test("Without a passphrase the certificates are read, unchecked, and the key is closed")
    func readsWithoutPassphrase() throws {
        let store = try KeyStore(bytes: made.bks)
        #expect(store.integrity == .unchecked("HMAC-SHA-1"))
        #expect(store.certificates.count == 2)
        guard case .closedKey(.passphraseNeeded(.bks), _) = contents(store)[JavaStores.name] else {
            Issue.record("\(store.entries)")
            return
        }
    }

    @Test("Another passphrase opens neither version, and says so")
    func refusesWrongPassphrase() {
        for wrong in [Secret(text: "wrong"), Secret(text: ""), Secret([0xFF, 0xFE])] {
            for bytes in [made.bks, made.firstBKS] {
                #expect(throws: KeyStoreError.wrongPassphrase(.bks)) { try KeyStore(bytes: bytes, passphrase: wrong) }
            }
        }
    }

    @Test("The two kinds that are encrypted as a whole are refused by name, and say what to do")
    func namesOthers() {
        for (bytes, kind) in [(made.uber, "UBER"), (made.bcfks, "BCFKS")] {
            let error = #expect(throws: KeyStoreError.self) { try KeyStore(bytes: bytes, passphrase: JavaStores.plain) }
            guard case .notAKeyStore(let found) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(found.contains("Bouncy Castle key store of the kind \(kind)"))
            #expect(found.contains("keytool"))
        }
    }

    @Test("Cut off anywhere, a store is refused in words")
    func refusesTruncated() {
        for (bytes, passphrase) in [(made.bks, JavaStores.passphrase), (made.firstBKS, JavaStores.plain)] {
            for count in 0..<bytes.count {
                let error = #expect(throws: KeyStoreError.self) {
                    try KeyStore(bytes: Array(bytes.prefix(count)), passphrase: passphrase)
                }
                // Enough to tell what it is.
                guard count >= 8 else { continue }
                if case .truncated(.bks, bytes: count, expected: _) = error { continue }
                Issue.record("\(count) of \(bytes.count) bytes: \(String(describing: error))")
            }
        }
    }

    @Test("A byte changed anywhere after the head is noticed with the passphrase, and does not trap without it")
    func noticesChanges() {
        // From the first entry on, a change of each byte costs the derivation of one key.
        for index in made.bks.indices {
            var changed = made.bks
            changed[index] ^= 0x81
            _ = try? KeyStore(bytes: changed)
            // The rounds: whatever they become, the key is another, at up to millions of rounds.
            if (28..<30).contains(index) { continue }
            #expect(throws: KeyStoreError.self) { try KeyStore(bytes: changed, passphrase: JavaStores.passphrase) }
        }
    }

    @Test("A store that asks for more rounds than are done is refused before they are")
    func boundsWork() {
        var bytes = made.bks
        bytes.replaceSubrange(28..<32, with: [0x7F, 0xFF, 0xFF, 0xFF])
        let error = #expect(throws: KeyStoreError.self) {
            try KeyStore(bytes: bytes, passphrase: JavaStores.passphrase)
        }
        guard case .tooMuchWork(.bks, rounds: 0x7FFF_FFFF, limit: _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
