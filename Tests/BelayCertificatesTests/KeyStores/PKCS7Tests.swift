import BelayCertificates
import Foundation
import Testing

@Suite("PKCS#7 bundles")
struct PKCS7Tests {
    private let world: World.Members
    private let folder: TemporaryFolder
    private var chain: [Certificate] { world.server.certificates + [world.root.certificate] }
    private let list: RevocationList

    init() throws {
        world = try World.ecdsa.get()
        folder = try TemporaryFolder()
        list = try RevocationList(
            der: world.root.issue(RevocationListTemplate(thisUpdate: Date(), nextUpdate: Date() + 60)))
    }

    private func file() throws -> String { try folder.write("chain.pem", chain.map(\.pem).joined()) }

    @Test("What openssl bundles is read, in PEM and DER: the certificates in order, the revocation list behind them")
    func readsOpenSSL() throws {
        let (certificates, lists) = (try file(), try folder.write("list.crl", list.der))
        for form in ["PEM", "DER"] {
            let bundle = try Tool.openssl("crl2pkcs7", "-nocrl", "-certfile", certificates, "-outform", form).output
            let store = try KeyStore(bytes: bundle)
            #expect(store.format == .pkcs7)
            #expect(store.integrity == .none)
            #expect(store.certificates == chain)
            #expect(try Certificate.read(bytes: bundle, name: "bundle") == chain)
            let both = try Tool.openssl(
                "crl2pkcs7", "-in", lists, "-inform", "DER", "-certfile", certificates, "-outform", form
            ).output
            #expect(try KeyStore(bytes: both).revocationLists == [list])
            #expect(try KeyStore(bytes: both).certificates == chain)
        }
    }

    @Test("A signed message gives its certificates, and says that the signature was not checked")
    func readsSigned() throws {
        let certificate = try folder.write("leaf.pem", world.server.certificate.pem)
        let key = try folder.write("key.pem", world.server.privateKey.pkcs8PEM())
        for form in [["-outform", "DER"], ["-outform", "PEM"], ["-outform", "DER", "-stream", "-nodetach"]] {
            let signed = try Tool.succeed(
                "openssl", ["cms", "-sign", "-binary", "-signer", certificate, "-inkey", key] + form,
                input: "a message".bytes
            ).output
            let store = try KeyStore(bytes: signed)
            #expect(store.integrity == .unchecked("a signature"))
            #expect(store.certificates == [world.server.certificate])
        }
    }

    @Test("A bundle in BER, with indefinite lengths, is read")
    func readsBER() throws {
        // 30 80 … 00 00 around the same contents, as Windows and Java write them.
        let bundle = PKCS7.encode(chain)
        let oid = bundle[4..<15]
        let signedData = bundle[19...]
        let ber = [0x30, 0x80] + oid + [0xA0, 0x80] + signedData + [0, 0, 0, 0]
        #expect(bundle.starts(with: [0x30, 0x82]) && bundle[15...].starts(with: [0xA0, 0x82]))
        #expect(try KeyStore(bytes: ber).certificates == chain)
        for count in 0..<ber.count {
            #expect(throws: KeyStoreError.self) { try KeyStore(bytes: Array(ber.prefix(count))) }
        }
    }

    @Test("openssl and certtool open what is written, in DER and PEM")
    func writes() throws {
        let der = try folder.write("bundle.p7b", PKCS7.encode(chain, revocationLists: [list]))
        let pem = try folder.write("bundle.pem", PKCS7.pem(chain, revocationLists: [list]))
        for (file, form) in [(der, "DER"), (pem, "PEM")] {
            let printed = try Tool.openssl("pkcs7", "-print_certs", "-in", file, "-inform", form).output
            let blocks = try PEM.blocks(in: printed)
            #expect(blocks.filter { $0.label == "CERTIFICATE" }.map(\.der) == chain.map(\.der))
            #expect(blocks.filter { $0.label == "X509 CRL" }.map(\.der) == [list.der])
            let option = form == "DER" ? ["--inder"] : []
            let info = try Tool.succeed("certtool", ["--p7-info", "--infile", file] + option).output
            #expect(String(decoding: info, as: UTF8.self).contains("Number of certificates: 3"))
            // The same bytes as OpenSSL makes of the same certificates.
            let theirs = try Tool.openssl("pkcs7", "-in", file, "-inform", form, "-outform", "DER").output
            #expect(theirs == PKCS7.encode(chain, revocationLists: [list]))
        }
    }

    @Test("Java reads what is written")
    func writesForJava() throws {
        let bundle = try folder.write("bundle.p7b", PKCS7.pem(chain))
        let printed = try Tool.succeed("keytool", ["-printcert", "-file", bundle]).text
        #expect(printed.contains("Certificate[3]:"))
        let digits = hexadecimal(world.server.certificate.fingerprint.bytes, separator: ":").uppercased()
        #expect(printed.contains(digits))
    }

    @Test("PKCS#7 of another kind, an empty bundle, and damage are told apart")
    func refusesOthers() throws {
        let certificate = try folder.write("leaf.pem", World.make(.rsa(bits: 2048)).server.certificate.pem)
        let encrypted = try Tool.openssl(
            "cms", "-encrypt", "-outform", "DER", certificate, input: "a message".bytes
        ).output
        #expect(
            throws: KeyStoreError.malformed(.pkcs7, "it holds data encrypted for somebody, not certificates", at: 0)
        ) {
            try KeyStore(bytes: encrypted)
        }
        let empty = PKCS7.encode([])
        #expect(try KeyStore(bytes: empty).entries.isEmpty)
        #expect(
            throws: CertificateFileError(
                file: "empty", problem: .notACertificate(found: "a PKCS#7 bundle without certificates"))
        ) {
            try Certificate.read(bytes: empty, name: "empty")
        }
        let bundle = PKCS7.encode(chain)
        for count in 1..<bundle.count {
            let error = #expect(throws: KeyStoreError.self) { try KeyStore(bytes: Array(bundle.prefix(count))) }
            if count > 20 { #expect(error == .truncated(.pkcs7, bytes: count, expected: bundle.count)) }
        }
        for index in bundle.indices {
            var changed = bundle
            changed[index] ^= 0x81
            _ = try? KeyStore(bytes: changed)
        }
    }
}
