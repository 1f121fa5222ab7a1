import BelayCertificates
import Foundation
import TestSupport
import Testing

@Suite("Java's own key stores, made by keytool")
struct JavaKeyStoreFileTests {
    private let made: JavaStores

    init() throws {
        made = try JavaStores.made.get()
    }

    /// The entries by their names.
    private func contents(_ store: KeyStore) -> [String: KeyStore.Content] {
        Dictionary(store.entries.map { ($0.name ?? "", $0.content) }) { first, _ in first }
    }

    @Test("A JKS is opened: keys of every kind under passphrases that are not ASCII, one under its own, and an anchor")
    func opensJKS() throws {
        let store = try KeyStore(
            bytes: made.jks, passphrase: JavaStores.passphrase, keyPassphrase: JavaStores.keyPassphrase)
        #expect(store.format == .jks)
        #expect(store.integrity == .verified("SHA-1"))
        let contents = contents(store)
        #expect(Set(contents.keys) == ["rsa", JavaStores.name, "dsa", "anchor"])
        let expected = ["rsa": "RSA", JavaStores.name: "EC", "dsa": "DSA"]
        for (name, subject) in expected {
            guard case .identity(let identity) = contents[name] else {
                Issue.record("\(name) is \(String(describing: contents[name]))")
                continue
            }
            #expect(identity.certificate.subject.description == "CN=\(subject)")
        }
        guard case .certificate(made.trusted, isTrusted: true) = contents["anchor"] else {
            Issue.record("the anchor is \(String(describing: contents["anchor"]))")
            return
        }
        #expect(store.certificates.count == 4)
        let ages = store.entries.compactMap { $0.created.map { Date().timeIntervalSince($0) } }
        #expect(ages.count == 4 && ages.allSatisfy { $0 > -60 && $0 < 3_600 })
    }

    @Test("A key with a passphrase of its own stays closed without it, and the others open")
    func leavesKeyClosed() throws {
        for other in [nil, Secret(text: "wrong")] {
            let store = try KeyStore(bytes: made.jks, passphrase: JavaStores.passphrase, keyPassphrase: other)
            guard case .closedKey(.wrongKeyPassphrase(.jks), let chain) = contents(store)[JavaStores.name] else {
                Issue.record("\(store.entries)")
                continue
            }
            #expect(chain.map(\.subject.description) == ["CN=EC"])
            #expect(store.identities.count == 2)
        }
    }

    @Test("Without a passphrase the certificates are read, unchecked, and every key is closed")
    func readsWithoutPassphrase() throws {
        for (bytes, format) in [(made.jks, KeyStore.Format.jks), (made.jceks, .jceks)] {
            let store = try KeyStore(bytes: bytes)
            #expect(store.integrity == .unchecked("SHA-1"))
            #expect(store.identities.isEmpty)
            #expect(store.certificates.contains(made.trusted))
            for entry in store.entries where entry.name != "anchor" && entry.name != "aes" {
                guard case .closedKey(.passphraseNeeded(format), let chain) = entry.content else {
                    Issue.record("\(entry)")
                    continue
                }
                #expect(chain.count == 1)
            }
        }
    }

    @Test("A JCEKS is opened, and a secret key in it is named with the cipher it is sealed with")
    func opensJCEKS() throws {
        let store = try KeyStore(
            bytes: made.jceks, passphrase: JavaStores.plain, keyPassphrase: JavaStores.keyPassphrase)
        #expect(store.format == .jceks)
        #expect(store.integrity == .verified("SHA-1"))
        #expect(store.identities.map(\.identity.certificate.subject.description) == ["CN=EC"])
        guard case .other("a secret key (sealed with PBEWithMD5AndTripleDES)") = contents(store)["aes"],
            case .certificate(made.trusted, isTrusted: true) = contents(store)["anchor"]
        else {
            Issue.record("\(store.entries)")
            return
        }
        let closed = try KeyStore(bytes: made.jceks, passphrase: JavaStores.plain)
        guard case .closedKey(.wrongKeyPassphrase(.jceks), _) = contents(closed)["ec"] else {
            Issue.record("\(closed.entries)")
            return
        }
    }

    @Test("What a key of a store signs, its certificate verifies")
    func opensUsableKeys() throws {
        let stores = [
            try KeyStore(bytes: made.jks, passphrase: JavaStores.passphrase),
            try KeyStore(bytes: made.jceks, passphrase: JavaStores.plain, keyPassphrase: JavaStores.keyPassphrase),
        ]
        for (_, identity) in stores.flatMap(\.identities) where identity.certificate.subject.description != "CN=DSA" {
            let algorithm = identity.privateKey.usualSignatureAlgorithm
            let signature = try identity.privateKey.sign("message".bytes, with: algorithm)
            let key = try #require(VerificationKey(identity.certificate.publicKey))
            #expect(key.verifies(signature, over: "message".bytes, in: 0..<7, with: algorithm))
        }
    }

    @Test(
        "A passphrase beyond ASCII opens what keytool made of it in a locale that has none of its characters",
        arguments: ["C", "C.UTF-8"])
    func passphraseByLocale(_ locale: String) async throws {
        let folder = try TemporaryFolder()
        let store = folder("store.jks")
        let made = try await Tool.finish(
            "/bin/sh",
            [
                "-c",
                "keytool -genkeypair -alias a -keyalg EC -dname CN=a -storetype JKS -keystore \"$0\" -storepass \"$1\" -keypass \"$2\"",
                store, "pässwörd", "schlüssel",
            ], environment: ["LC_ALL": locale, "PATH": "/usr/bin:/bin"])
        try #require(made.status == 0, "\(made.all)")
        let bytes = try FileReading.bytes(ofFile: store)
        let opened = try KeyStore(
            bytes: bytes, passphrase: Secret(text: "pässwörd"), keyPassphrase: Secret(text: "schlüssel"))
        #expect(opened.integrity == .verified("SHA-1") && opened.identities.count == 1)
        // A terminal in Latin-1 gives other bytes for the same characters.
        let latin1 = Secret([0x70, 0xE4, 0x73, 0x73, 0x77, 0xF6, 0x72, 0x64])
        if locale == "C.UTF-8" {
            #expect(try KeyStore(bytes: bytes, passphrase: latin1).integrity == .verified("SHA-1"))
        }
        #expect(throws: KeyStoreError.wrongPassphrase(.jks)) {
            try KeyStore(bytes: bytes, passphrase: Secret(text: "püsswörd!"))
        }
    }

    @Test("For the keys of a JCEKS Java takes only ASCII, and that is said of another passphrase")
    func asciiOfJCEKS() throws {
        let store = try KeyStore(bytes: made.jceks, keyPassphrase: Secret(text: "schlüssel"))
        let errors = store.entries.compactMap { entry -> KeyStoreError? in
            if case .closedKey(let error, _) = entry.content { error } else { nil }
        }
        #expect(!errors.isEmpty)
        for error in errors {
            guard case .unusablePassphrase(let text) = error else {
                Issue.record("\(error)")
                continue
            }
            #expect(text.contains("nothing but ASCII for the keys of a JCEKS file"))
        }
    }

    @Test("Another passphrase opens neither, and says so")
    func refusesWrongPassphrase() {
        for wrong in [Secret(text: "wrong"), Secret(text: ""), Secret([0xFF, 0xFE])] {
            #expect(throws: KeyStoreError.wrongPassphrase(.jks)) { try KeyStore(bytes: made.jks, passphrase: wrong) }
            #expect(throws: KeyStoreError.wrongPassphrase(.jceks)) {
                try KeyStore(bytes: made.jceks, passphrase: wrong)
            }
        }
    }

    @Test("A store as bare base64, as it stands in a build's secrets, is the same store")
    func readsBase64() throws {
        let text = Base64.encode(made.jks) + "\n"
        let store = try KeyStore(bytes: text.bytes, passphrase: JavaStores.passphrase)
        #expect(store.entries.count == 4)
    }

    @Test("Cut off anywhere, a store is refused in words; one that is cut inside an entry is called cut off")
    func refusesTruncated() {
        for (bytes, passphrase) in [(made.jks, JavaStores.passphrase), (made.jceks, JavaStores.plain)] {
            for count in 0..<bytes.count {
                let error = #expect(throws: KeyStoreError.self) {
                    try KeyStore(bytes: Array(bytes.prefix(count)), passphrase: passphrase)
                }
                guard count >= 4 else { continue }
                if case .truncated(_, bytes: count, expected: _) = error { continue }
                Issue.record("\(count) of \(bytes.count) bytes: \(String(describing: error))")
            }
        }
    }

    @Test("A byte changed anywhere is noticed with the passphrase, and does not trap without it")
    func noticesChanges() {
        for (bytes, passphrase) in [(made.jks, JavaStores.passphrase), (made.jceks, JavaStores.plain)] {
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 0x81
                #expect(throws: KeyStoreError.self) { try KeyStore(bytes: changed, passphrase: passphrase) }
                _ = try? KeyStore(bytes: changed)
            }
        }
    }

    @Test("Versions, counts, kinds and lengths that no store has are refused by name")
    func refusesForged() {
        func store(_ rest: String) throws -> KeyStore {
            try KeyStore(bytes: [0xFE, 0xED, 0xFE, 0xED] + #require(octets(rest)))
        }
        #expect(throws: KeyStoreError.unsupportedVersion(.jks, 3)) { try store("00000003 00000000") }
        #expect(throws: KeyStoreError.malformed(.jks, "-1 entries", at: 8)) { try store("00000002 ffffffff") }
        #expect(throws: KeyStoreError.malformed(.jks, "an entry of the unknown kind 3", at: 12)) {
            try store("00000002 00000001 00000003 0000 0000000000000000")
        }
        #expect(throws: KeyStoreError.malformed(.jks, "a length of -2", at: 30)) {
            try store("00000002 00000001 00000001 0000 0000000000000000 fffffffe 00")
        }
        #expect(throws: KeyStoreError.truncated(.jks, bytes: 30, expected: nil)) {
            try store("00000002 00000001 00000001 0000 0000000000000000 7fffffff")
        }
        #expect(throws: KeyStoreError.malformed(.jks, "bytes after the end", at: 32)) {
            try store("00000002 00000000" + String(repeating: "00", count: 21))
        }
        #expect(throws: KeyStoreError.malformed(.jks, "a name that is not in Java's UTF-8", at: 16)) {
            try store("00000002 00000001 00000002 0001 ff 0000000000000000")
        }
    }

    @Test("The first version of the format, whose certificates have no kind, is read")
    func readsFirstVersion() throws {
        let der = made.trusted.der
        var bytes = try #require(octets("feedfeed 00000001 00000001 00000002 0001 61 0000000000000000"))
        bytes += [0, 0, UInt8(der.count >> 8), UInt8(der.count & 0xFF)] + der
        bytes += [UInt8](repeating: 0, count: 20)
        let store = try KeyStore(bytes: bytes)
        #expect(store.entries.first?.name == "a")
        #expect(store.certificates == [made.trusted])
        #expect(store.entries.first?.created == Date(timeIntervalSince1970: 0))
    }

    private func octets(_ text: String) -> [UInt8]? { bytes(hexadecimal: text.filter { $0 != " " }) }
}
