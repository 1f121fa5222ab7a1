import BelayCertificates
import BelayTrust
import Foundation
import TestSupport
import Testing

extension TLSLibraries {
    /// What the tests of certificates and keys do not read already: what GnuTLS writes, and whole chains of either tool.
    @Suite("Files")
    struct Files {
        private let worlds: ForeignWorlds

        init() throws {
            worlds = try ForeignWorlds.provided()
        }

        private func world(_ maker: ForeignWorld.Maker) -> ForeignWorld {
            maker == .openssl ? worlds.openssl : worlds.gnutls
        }

        @Test("Certificates in PEM, DER and with text around them are the same", arguments: ForeignWorld.Maker.allCases)
        func forms(maker: ForeignWorld.Maker) throws {
            let folder = world(maker).folder
            let plain = try world(maker).certificates("server")
            let file = folder("server.pem")
            let (der, text) = (folder("server.der"), folder("server.txt"))
            switch maker {
            case .openssl:
                try Tool.openssl("x509", "-in", file, "-outform", "DER", "-out", der)
                try Tool.openssl("x509", "-in", file, "-text", "-out", text)
            case .certtool:
                try Tool.succeed("certtool", ["--certificate-info", "--infile", file, "--outder", "--outfile", der])
                try Tool.succeed("certtool", ["--certificate-info", "--infile", file, "--outfile", text])
            }
            #expect(try Certificate.read(contentsOf: der) == plain)
            #expect(try Certificate.read(contentsOf: text) == plain)
            #expect(try plain[0].subjectAlternativeNames?.count == 2)
        }

        @Test(
            "The whole chain of a tool's own authorities is trusted, and refused for another name",
            arguments: ForeignWorld.Maker.allCases)
        func chain(maker: ForeignWorld.Maker) throws {
            let chain = try world(maker).certificates("chain").map(\.der)
            let anchors = AnchorStore(try world(maker).certificates("root"))
            for (name, errors) in [(Site.host, Set<String>()), ("www.attacker.test", ["name.mismatch"])] {
                let trust = ServerTrust(
                    chain: chain, policies: [.tlsServer(name: try ServerName(name))], anchors: anchors)
                #expect(trust.evaluate().errors == errors)
            }
        }

        @Test(
            "PKCS#12 files of GnuTLS are opened, whatever modern cipher it uses",
            arguments: ["aes-128", "aes-192", "aes-256", "3des-pkcs12"])
        func pkcs12(cipher: String) throws {
            let world = worlds.gnutls
            let file = world.folder("\(cipher).p12")
            try Tool.succeed(
                "certtool",
                [
                    "--to-p12", "--outder", "--pkcs-cipher", cipher, "--p12-name", "client", "--password", "secret",
                    "--load-privkey", world.folder("client.key"), "--load-certificate",
                    world.folder("client-chain.pem"),
                    "--outfile", file,
                ])
            #expect(try Identity.read(contentsOf: file, passphrase: Secret(text: "secret")) == world.client)
            #expect(throws: IdentityFileError.self) {
                try Identity.read(contentsOf: file, passphrase: Secret(text: "wrong"))
            }
        }

        @Test("A revocation list of GnuTLS revokes what it lists and nothing else")
        func revocationList() throws {
            let world = worlds.gnutls
            let folder = world.folder
            let template = try folder.write("crl-template", "crl_next_update = 7\ncrl_number = 1\n")
            let list = folder("revoked.crl")
            try Tool.succeed(
                "certtool",
                [
                    "--generate-crl", "--load-ca-certificate", folder("intermediate.pem"), "--load-ca-privkey",
                    folder("intermediate.key"), "--load-certificate", folder("rsa-server.pem"), "--template", template,
                    "--outfile", list,
                ])
            let anchors = AnchorStore(try world.certificates("root"))
            for (name, isRevoked) in [("rsa-chain", true), ("chain", false)] {
                var trust = ServerTrust(
                    chain: try world.certificates(name).map(\.der),
                    policies: [.tlsServer(name: try ServerName(Site.host))], anchors: anchors)
                trust.revocationLists = try RevocationList.read(contentsOf: list)
                #expect(trust.evaluate().errors.contains("revocation.revoked") == isRevoked)
            }
        }

        @Test("GnuTLS prints the pins that we compute", arguments: ["server", "rsa-server"])
        func pins(name: String) throws {
            let printed = try Tool.succeed(
                "certtool", ["--certificate-info", "--infile", worlds.gnutls.folder("\(name).pem")]
            ).text
            let pin = try worlds.gnutls.certificates(name)[0].pin
            #expect(printed.contains("pin-sha256:\(pin)"))
        }
    }
}
