import BelayCertificates
import Foundation
import Testing

@Suite("Identities")
struct IdentityTests {
    private let world: World.Members
    private let folder: TemporaryFolder
    private var leaf: Certificate { world.server.certificate }
    private var key: PrivateKey { world.server.privateKey }

    init() throws {
        world = try World.ecdsa.get()
        folder = try TemporaryFolder()
    }

    @Test("A key that is not the certificate's is refused in these words: Key does not match certificate")
    func refusesMismatch() throws {
        let other = try PrivateKey.generate(.p256)
        let error = #expect(throws: IdentityError.self) {
            try Identity(certificate: leaf, chain: [world.intermediate.certificate], privateKey: other)
        }
        #expect(error == .keyMismatch(certificate: leaf.subject.description))
        #expect(error?.description.hasPrefix("Key does not match certificate") == true)
        #expect(throws: IdentityError.keyMismatch(certificate: leaf.subject.description)) {
            try Identity(bytes: (leaf.pem + other.pkcs8PEM().text).bytes)
        }
    }

    @Test("The laboratory may present certificates without their key")
    func presentsWithoutKey() throws {
        let other = try PrivateKey.generate(.p256)
        let stranger = world.root.certificate
        let thief = Identity(presenting: leaf, [stranger, world.intermediate.certificate], withKey: other)
        #expect(thief.certificate == leaf)
        #expect(thief.chain == [stranger, world.intermediate.certificate])
        #expect(thief.privateKey == other)
    }

    @Test("Key and certificates in PEM are read in any order, and the leaf is matched by the key")
    func readsAnyOrder() throws {
        let parts = try [key.pkcs8PEM().text, leaf.pem, world.intermediate.certificate.pem, world.root.certificate.pem]
        for shift in parts.indices {
            for reversed in [false, true] {
                let shifted = Array(parts[shift...] + parts[..<shift])
                let text = (reversed ? shifted.reversed() : shifted).joined()
                let identity = try Identity(bytes: text.bytes)
                #expect(identity.certificate == leaf)
                #expect(identity.chain == [world.intermediate.certificate, world.root.certificate])
                #expect(identity.privateKey == key)
            }
        }
    }

    @Test("Strangers and doubles: the chain is ordered as far as it goes, strangers last, each once")
    func ordersChain() throws {
        let stranger = try CertificateIssuer.selfSigned(.authority(named: "Stranger"), key: .generate(.p256))
            .certificate
        let (intermediate, root) = (world.intermediate.certificate, world.root.certificate)
        let identity = try Identity(
            certificate: leaf, chain: [stranger, root, leaf, intermediate, root], privateKey: key)
        #expect(identity.chain == [intermediate, root, stranger])
        #expect(identity.certificates == [leaf, intermediate, root, stranger])
    }

    @Test("PEM with another suffix is taken for what it is")
    func readsRenamedPEM() throws {
        let file = try folder.write("identity.p12", world.server.pem())
        #expect(try Identity.read(contentsOf: file) == world.server)
        #expect(try Identity.read(contentsOf: file, passphrase: Secret(text: "not needed")) == world.server)
    }

    @Test("An encrypted key in PEM needs its passphrase")
    func readsEncrypted() throws {
        let text = try leaf.pem + key.encryptedPKCS8PEM(passphrase: Secret(text: "secret"))
        #expect(try Identity(bytes: text.bytes, passphrase: Secret(text: "secret")).privateKey == key)
        #expect(throws: IdentityError.privateKey(.passphraseNeeded)) { try Identity(bytes: text.bytes) }
        #expect(throws: IdentityError.privateKey(.wrongPassphrase)) {
            try Identity(bytes: text.bytes, passphrase: Secret(text: "wrong"))
        }
    }

    @Test("Certificates and key in two files are read, and errors name the right one")
    func readsTwoFiles() throws {
        let certificates = try folder.write("fullchain.pem", leaf.pem + world.intermediate.certificate.pem)
        let keyFile = try folder.write("key.pem", key.pkcs8PEM())
        #expect(try Identity.read(certificates: certificates, privateKey: keyFile) == world.server)
        let empty = try folder.write("empty.pem", "")
        #expect(throws: IdentityFileError(file: empty, problem: .certificates(.empty))) {
            try Identity.read(certificates: empty, privateKey: keyFile)
        }
        #expect(throws: IdentityFileError(file: empty, problem: .privateKey(.notAPrivateKey(found: "an empty file")))) {
            try Identity.read(certificates: certificates, privateKey: empty)
        }
        let other = try folder.write("other.pem", PrivateKey.generate(.p256).pkcs8PEM())
        #expect(
            throws: IdentityFileError(file: other, problem: .keyMismatch(certificate: leaf.subject.description))
        ) {
            try Identity.read(certificates: certificates, privateKey: other)
        }
    }

    @Test("A missing half, two keys and damage are told apart")
    func refusesHalves() throws {
        #expect(throws: IdentityError.noPrivateKey) { try Identity(bytes: leaf.pem.bytes) }
        #expect(throws: IdentityError.noPrivateKey) { try Identity(bytes: leaf.der) }
        #expect(throws: IdentityError.noCertificate) { try Identity(bytes: key.pkcs8PEM().bytes) }
        #expect(throws: IdentityError.noCertificate) { try Identity(bytes: key.pkcs8DER().bytes) }
        #expect(throws: IdentityError.privateKey(.severalKeys(count: 2))) {
            try Identity(bytes: (leaf.pem + key.pkcs8PEM().text + PrivateKey.generate(.p256).pkcs8PEM().text).bytes)
        }
        let damaged = try PEM.encode(label: "CERTIFICATE", der: leaf.der + [0]) + key.pkcs8PEM().text
        #expect(
            throws: IdentityError.malformedCertificate(index: 0, DERError(.trailingData, at: leaf.der.count))
        ) {
            try Identity(bytes: damaged.bytes)
        }
        let missing = folder("none.p12")
        #expect(
            throws: IdentityFileError(file: missing, problem: .unreadable(.refused("No such file or directory")))
        ) {
            try Identity.read(contentsOf: missing)
        }
    }

    @Test("An identity's description shows nothing of its key")
    func hidesKey() throws {
        var dumped = ""
        dump(world.server, to: &dumped)
        let secret = try key.pkcs8DER().bytes.suffix(60)
        #expect(world.server.description.contains("private key (EC P-256)"))
        #expect(!dumped.contains("KeyHandle"))
        #expect(!world.server.description.contains(hexadecimal(secret)))
    }
}
