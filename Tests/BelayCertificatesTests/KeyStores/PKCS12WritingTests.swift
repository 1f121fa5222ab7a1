import BelayCertificates
import Foundation
import Testing

@Suite("PKCS#12 files that are written here")
struct PKCS12WritingTests {
    private let peers: PKCS12Peers
    private let other: Identity

    init() throws {
        peers = try PKCS12Peers()
        other = try peers.world.intermediate.issueIdentity(
            .server(names: ["other.test"]), key: .generate(.rsa(bits: 2048)))
    }

    /// Two ways to protect, by name.
    private func protection(_ name: String, _ passphrase: String = "pässwörd") -> PKCS12Protection {
        name == "modern" ? .modern(Secret(text: passphrase)) : .legacy(Secret(text: passphrase))
    }

    private func write(_ file: [UInt8]) throws -> String {
        try peers.folder.write(UUID().uuidString + ".p12", file)
    }

    @Test(
        "OpenSSL opens it: the ciphers, the leaf before its chain, name and localKeyID",
        arguments: ["modern", "legacy"])
    func openssl(name: String) throws {
        let file = try write(peers.whole.pkcs12(protection(name), friendlyName: "server"))
        // Without -legacy: nothing in either file needs OpenSSL's legacy provider.
        let info = try Tool.openssl("pkcs12", "-in", file, "-passin", "pass:pässwörd", "-nodes", "-info")
        let identity = try Identity(bytes: info.output)
        #expect(identity == peers.whole && identity.chain == peers.whole.chain)
        #expect(
            try PEM.blocks(in: info.output).filter { $0.label == "CERTIFICATE" }.map(\.der)
                == peers.whole.certificates.map(\.der))
        if name == "modern" {
            #expect(info.errors.contains("MAC: sha256, Iteration 600000"))
            #expect(info.errors.components(separatedBy: "AES-256-CBC, Iteration 600000, PRF hmacWithSHA256").count == 3)
        } else {
            #expect(info.errors.contains("MAC: sha1, Iteration 100000"))
            #expect(
                info.errors.components(separatedBy: "pbeWithSHA1And3-KeyTripleDES-CBC, Iteration 100000").count == 3)
        }
        #expect(info.text.components(separatedBy: "friendlyName: server").count == 3)
        #expect(info.text.components(separatedBy: "localKeyID: ").count == 3)
        #expect(try Tool.run("openssl", ["pkcs12", "-in", file, "-passin", "pass:other", "-noout"]).status != 0)
    }

    @Test("Java opens several identities with their chains", arguments: ["modern", "legacy"])
    func java(name: String) throws {
        let store = KeyStore(identities: [(name: "first", identity: peers.whole), (name: "second", identity: other)])
        let file = try write(store.pkcs12(protection(name, "secret")))
        let list = try peers.keytool(["-list", "-v", "-keystore", file, "-storepass", "secret"]).text
        #expect(list.contains("Your keystore contains 2 entries"))
        #expect(list.components(separatedBy: "Entry type: PrivateKeyEntry").count == 3)
        #expect(list.contains("Certificate chain length: 3"))
        // The key opens too: Java writes the entry again, and what it wrote is opened here.
        let again = try peers.rewrittenByJava(
            try FileReading.bytes(ofFile: file), ["-srcalias", "second", "-destalias", "x"])
        let read = try Identity(pkcs12: again, passphrase: Secret(text: "secret"))
        #expect(read.certificate == other.certificate && read.privateKey == other.privateKey)
    }

    @Test("Java takes certificates that are marked as trusted for anchors, and sees no others")
    func javaTrustStore() throws {
        let certificates = [peers.world.root.certificate, peers.world.intermediate.certificate]
        let trusted = try write(KeyStore(certificates: certificates).pkcs12(.modern(Secret(text: "secret"))))
        let list = try peers.keytool(["-list", "-keystore", trusted, "-storepass", "secret"]).text
        #expect(list.components(separatedBy: "trustedCertEntry").count == 3)
        let read = try KeyStore.read(pkcs12: FileReading.bytes(ofFile: trusted), passphrase: Secret(text: "secret"))
        #expect(read.certificates == certificates && read.identities.isEmpty)
        #expect(throws: IdentityError.noPrivateKey) { try read.identity() }
        let plain = try write(
            KeyStore(certificates: certificates, areTrusted: false).pkcs12(.modern(Secret(text: "secret"))))
        let nothing = try peers.keytool(["-list", "-keystore", plain, "-storepass", "secret"]).text
        #expect(nothing.contains("contains 0 entries"))
        // Without protection Java opens it without a passphrase.
        let open = try write(KeyStore(certificates: certificates).pkcs12(.none))
        let openList = try peers.keytool(["-list", "-keystore", open, "-storepass", ""]).text
        #expect(openList.components(separatedBy: "trustedCertEntry").count == 3)
    }

    @Test("NSS imports it", arguments: ["modern", "legacy"])
    func nss(name: String) throws {
        let file = try write(peers.whole.pkcs12(protection(name), friendlyName: "server"))
        let database = peers.folder("nss-" + name)
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: true)
        try Tool.succeed("pk12util", ["-i", file, "-d", "sql:" + database, "-W", "pässwörd", "-K", ""])
        let certificates = try Tool.succeed("certutil", ["-L", "-d", "sql:" + database]).text
        #expect(certificates.contains("u,u,u"))
        #expect(try Tool.succeed("certutil", ["-K", "-d", "sql:" + database]).text.contains("server"))
    }

    @Test("GnuTLS opens it", arguments: ["modern", "legacy"])
    func gnutls(name: String) throws {
        let file = try write(peers.whole.pkcs12(protection(name), friendlyName: "server"))
        #expect(try peers.opensInGnuTLS(file, passphrase: "pässwörd"))
        #expect(try !peers.opensInGnuTLS(file, passphrase: "other"))
    }

    @Test("pyca opens it, with the name and the others in order", arguments: ["modern", "legacy", "empty", "none"])
    func pyca(name: String) throws {
        let file =
            switch name {
            case "empty": try peers.whole.pkcs12(.emptyPassphrase(isLegacy: false), friendlyName: "Größe")
            case "none": try peers.whole.pkcs12(.none, friendlyName: "Größe")
            default: try peers.whole.pkcs12(protection(name), friendlyName: "Größe")
            }
        let result = try peers.pyca(
            """
            import sys
            from cryptography.hazmat.primitives import serialization
            from cryptography.hazmat.primitives.serialization import pkcs12
            password = {"empty": b"", "none": None}.get(sys.argv[1], "pässwörd".encode())
            store = pkcs12.load_pkcs12(sys.stdin.buffer.read(), password)
            pem = serialization.Encoding.PEM
            out = sys.stdout.buffer
            out.write(store.key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
            for one in [store.cert, *store.additional_certs]: out.write(one.certificate.public_bytes(pem))
            sys.stderr.write(store.cert.friendly_name.decode())
            """, name, input: file)
        let identity = try Identity(bytes: result)
        #expect(identity == peers.whole)
        #expect(
            try PEM.blocks(in: result).dropFirst().map(\.der) == peers.whole.certificates.map(\.der))
    }

    @Test("No passphrase is a decision: an empty one is refused, and both ways without one are read again")
    func withoutPassphrase() throws {
        for protection in [PKCS12Protection.modern(Secret(text: "")), .legacy(Secret(text: ""))] {
            let error = #expect(throws: KeyStoreError.self) { try peers.whole.pkcs12(protection) }
            guard case .unusablePassphrase = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        for isLegacy in [false, true] {
            let empty = try peers.whole.pkcs12(.emptyPassphrase(isLegacy: isLegacy))
            #expect(try Identity(pkcs12: empty) == peers.whole)
            try Tool.openssl("pkcs12", "-in", try write(empty), "-passin", "pass:", "-nodes")
        }
        let bare = try peers.whole.pkcs12(.none)
        #expect(try KeyStore.read(pkcs12: bare).integrity == .none)
        #expect(try KeyStore.read(pkcs12: bare).identity() == peers.whole)
        #expect(throws: IdentityError.keyStore(.noIntegrityCode(.pkcs12))) { try Identity(pkcs12: bare) }
        let read = try Tool.openssl("pkcs12", "-in", try write(bare), "-passin", "pass:", "-nodes")
        #expect(try Identity(bytes: read.output) == peers.whole)
    }

    @Test("What is read is written again with names, several identities, anchors and keys alone; each certificate once")
    func again() throws {
        let store = KeyStore(
            format: .pkcs12, integrity: .none,
            entries: [
                .init(name: "first", content: .identity(peers.whole)), .init(name: "second", content: .identity(other)),
                .init(name: "alone", content: .privateKey(try .generate(.p384))),
                .init(name: "wrong", content: .mismatch(try .generate(.p256), [peers.world.root.certificate])),
                .init(name: "anchor", content: .certificate(peers.world.root.certificate, isTrusted: true)),
            ])
        let file = try store.pkcs12(.modern(Secret(text: "secret")))
        let read = try KeyStore.read(pkcs12: file, passphrase: Secret(text: "secret"))
        #expect(Set(read.entries.compactMap(\.name)) == ["first", "second", "alone", "wrong", "anchor"])
        #expect(try read.identity(named: "first").certificates == peers.whole.certificates)
        #expect(try read.identity(named: "second").privateKey == other.privateKey)
        let description = try PKCS12Description(file, passphrase: Secret(text: "secret"))
        let bags = description.safes.flatMap { $0.bags ?? [] }
        // The intermediate once for both; the root as chain, as the wrong key's certificate and as anchor.
        #expect(bags.count { $0.subject == peers.world.intermediate.certificate.subject.description } == 1)
        #expect(bags.count { $0.kind == "encrypted private key" } == 4)
    }

    @Test("An entry that is neither certificate nor open key is refused by its name, never left out")
    func refuses() throws {
        for content in [
            KeyStore.Content.other("a secret key (AES)"), .closedKey(.wrongKeyPassphrase(.jks), []),
            .malformedCertificate(DERError(.truncated, at: 0)),
        ] {
            let store = KeyStore(
                format: .jceks, integrity: .none, entries: [.init(name: "it", content: content)])
            let error = #expect(throws: KeyStoreError.self) { try store.pkcs12(.modern(Secret(text: "secret"))) }
            #expect(error?.description.contains("\"it\"") == true)
        }
    }
}
