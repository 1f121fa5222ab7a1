import BelayCertificates
import Foundation
import Testing

@Suite("PKCS#12: passphrases in every encoding")
struct PKCS12PassphraseTests {
    private let peers: PKCS12Peers

    init() throws {
        peers = try PKCS12Peers()
    }

    private static let schemes = [["-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES"], []]

    @Test(
        "A passphrase that is not ASCII is UTF-16 for PKCS#12's own derivation and UTF-8 for PBKDF2",
        arguments: ["pässwörd", "€uro", "𝄞 clef", "пароль", String(repeating: "ü", count: 200)], schemes)
    func unicode(passphrase: String, scheme: [String]) throws {
        let file = try peers.openssl(scheme, passphrase: passphrase)
        #expect(try Identity(pkcs12: file, passphrase: Secret(text: passphrase)) == peers.whole)
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) {
            try Identity(pkcs12: file, passphrase: Secret(text: passphrase.uppercased() + "!"))
        }
    }

    @Test("OpenSSL before 1.1 took each byte of the UTF-8 for a character: such files are opened")
    func oldOpenSSL() throws {
        // Today's OpenSSL does the same when it is given those characters.
        let bytes = "pässwörd".bytes
        let mistaken = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        let file = try peers.openssl(["-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES"], passphrase: mistaken)
        #expect(try Identity(pkcs12: file, passphrase: Secret(bytes)) == peers.whole)
    }

    @Test("A passphrase in Latin-1 opens what was made with the same characters", arguments: schemes)
    func latin1(scheme: [String]) throws {
        let file = try peers.openssl(scheme, passphrase: "pässwörd")
        let latin1: [UInt8] = [0x70, 0xE4, 0x73, 0x73, 0x77, 0xF6, 0x72, 0x64]
        #expect(try Identity(pkcs12: file, passphrase: Secret(latin1)) == peers.whole)
    }

    @Test("An empty passphrase and none open a file that was made with either", arguments: schemes)
    func empty(scheme: [String]) throws {
        let file = try peers.openssl(scheme, passphrase: "")
        #expect(try Identity(pkcs12: file) == peers.whole)
        #expect(try Identity(pkcs12: file, passphrase: Secret(text: "")) == peers.whole)
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) {
            try Identity(pkcs12: file, passphrase: Secret(text: "secret"))
        }
        let closed = try peers.openssl(scheme)
        #expect(throws: IdentityError.keyStore(.passphraseNeeded(.pkcs12))) { try Identity(pkcs12: closed) }
        #expect(throws: IdentityError.keyStore(.wrongPassphrase(.pkcs12))) {
            try Identity(pkcs12: closed, passphrase: Secret(text: ""))
        }
    }

    @Test("A passphrase with a zero byte cannot be used, and nothing of it is in the error")
    func zero() throws {
        let file = try peers.openssl()
        let error = #expect(throws: KeyStoreError.self) {
            try KeyStore.read(pkcs12: file, passphrase: Secret("secret".bytes + [0]))
        }
        guard case .unusablePassphrase = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("secret") == false)
    }
}
