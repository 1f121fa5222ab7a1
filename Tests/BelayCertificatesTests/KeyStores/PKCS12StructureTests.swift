import BelayCertificates
import Testing

@Suite("PKCS#12: bags in every order and shape")
struct PKCS12StructureTests {
    private let world: World.Members
    private let root: Certificate
    private let intermediate: Certificate
    private let server: Identity
    private let other: Identity

    init() throws {
        world = try World.ecdsa.get()
        root = world.root.certificate
        intermediate = world.intermediate.certificate
        server = world.server
        other = try world.intermediate.issueIdentity(.server(names: ["other.test"]), key: .generate(.p256))
    }

    private func read(_ file: [UInt8]) throws -> KeyStore { try KeyStore.read(pkcs12: file) }

    @Test("Bags in any order, in several safes and in each other, give each key its certificate and chain")
    func shuffled() throws {
        let file = try PKCS12Pieces.file(
            [
                PKCS12Pieces.certificate(root.der),
                PKCS12Pieces.nested([
                    PKCS12Pieces.key(other.privateKey, PKCS12Pieces.name("second")),
                    PKCS12Pieces.nested([PKCS12Pieces.certificate(intermediate.der)]),
                ]),
            ],
            [
                PKCS12Pieces.certificate(server.certificate.der, PKCS12Pieces.name("Größe 𝄞")),
                PKCS12Pieces.certificate(other.certificate.der), PKCS12Pieces.key(server.privateKey),
            ])
        let store = try read(file)
        #expect(store.integrity == .none)
        #expect(store.identities.map(\.name) == ["second", "Größe 𝄞"])
        #expect(store.identities.map(\.identity.privateKey) == [other.privateKey, server.privateKey])
        #expect(store.identities.map(\.identity.certificate) == [other.certificate, server.certificate])
        #expect(store.identities.allSatisfy { $0.identity.chain == [intermediate, root] })
        #expect(store.entries.count == 2)
        #expect(try store.identity(named: "größe 𝄞") == store.identities[1].identity)
        #expect(
            try store.identity(named: other.certificate.subject.description).privateKey == other.privateKey)
    }

    @Test("Of several certificates of one key, the one that the file links to it is taken")
    func linked() throws {
        let renewed = try world.intermediate.issue(.server(names: ["www.host.test"]), for: server.privateKey.publicKey)
        let file = try PKCS12Pieces.file([
            PKCS12Pieces.certificate(server.certificate.der, PKCS12Pieces.localKeyID([1])),
            PKCS12Pieces.certificate(renewed.der, PKCS12Pieces.localKeyID([2])),
            PKCS12Pieces.key(server.privateKey, PKCS12Pieces.localKeyID([2])),
        ])
        let store = try read(file)
        #expect(try store.identity().certificate == renewed)
        // The other is not lost.
        #expect(store.certificates.contains(server.certificate))
    }

    @Test("A key whose linked certificate has another key is a mismatch, and the error names the certificate")
    func mismatch() throws {
        let file = try PKCS12Pieces.file([
            PKCS12Pieces.certificate(server.certificate.der, PKCS12Pieces.localKeyID([1])),
            PKCS12Pieces.key(other.privateKey, PKCS12Pieces.localKeyID([1])),
        ])
        let store = try read(file)
        guard case .mismatch(let key, let certificates) = store.entries.first?.content else {
            Issue.record("\(store.entries)")
            return
        }
        #expect(key == other.privateKey && certificates == [server.certificate])
        #expect(throws: IdentityError.keyMismatch(certificate: server.certificate.subject.description)) {
            try store.identity()
        }
    }

    @Test("What is neither key nor certificate, or cannot be read, is an entry of its own")
    func others() throws {
        let file = try PKCS12Pieces.file([
            PKCS12Pieces.certificate(Array(server.certificate.der.dropLast()), PKCS12Pieces.name("cut")),
            PKCS12Pieces.bag(4, DERWriter.sequence()), PKCS12Pieces.bag(5, DERWriter.sequence()),
            PKCS12Pieces.bag(9, DERWriter.sequence()), PKCS12Pieces.certificate(root.der),
            PKCS12Pieces.key(server.privateKey, PKCS12Pieces.name("alone")),
        ])
        let store = try read(file)
        var words: [String] = []
        for entry in store.entries {
            switch entry.content {
            case .other(let kind): words.append(kind)
            case .malformedCertificate: words.append("malformed \(entry.name ?? "")")
            case .certificate(let certificate, let isTrusted):
                #expect(certificate == root && !isTrusted)
                words.append("certificate")
            case .privateKey(let key):
                #expect(key == server.privateKey)
                words.append("key \(entry.name ?? "")")
            default: Issue.record("\(entry)")
            }
        }
        #expect(
            words == [
                "malformed cut", "a revocation list", "a secret",
                "a bag of unknown type 1.2.840.113549.1.12.10.1.9", "certificate", "key alone",
            ])
    }

    @Test("Bags that lie too deep in each other are an error")
    func deep() throws {
        var bag = try PKCS12Pieces.certificate(root.der)
        for _ in 0..<20 { bag = try PKCS12Pieces.nested([bag]) }
        let error = #expect(throws: KeyStoreError.self) { try read(try PKCS12Pieces.file([bag])) }
        #expect(error?.description.contains("too deep") == true)
    }

    @Test("Thousands of bags that contradict each other cost no more than a moment, more of them are an error")
    func many() throws {
        let key = try PKCS12Pieces.key(other.privateKey, PKCS12Pieces.localKeyID([1]))
        let certificate = try PKCS12Pieces.certificate(intermediate.der, PKCS12Pieces.localKeyID([1]))
        let bags = Array(repeating: key, count: 512) + Array(repeating: certificate, count: 3_500)
        let store = try read(try PKCS12Pieces.file(bags))
        #expect(store.entries.count >= 512)
        let moreKeys = #expect(throws: KeyStoreError.self) { try read(try PKCS12Pieces.file(bags + [key])) }
        #expect(moreKeys?.description.contains("more than 512 private keys") == true)
        let more = #expect(throws: KeyStoreError.self) {
            try read(try PKCS12Pieces.file(bags + Array(repeating: certificate, count: 100)))
        }
        #expect(more?.description.contains("more than 4096 bags") == true)
    }

    @Test("A file that is signed, has another version or other content is an error of its own")
    func otherFiles() throws {
        #expect(throws: KeyStoreError.unsupportedVersion(.pkcs12, 4)) {
            try read(try PKCS12Pieces.file(content: DERWriter.sequence(), version: 4))
        }
        let signed = DERWriter.sequence(
            DERWriter.integer(3), try PKCS12Pieces.content(7, 2, DERWriter.sequence()))
        #expect(throws: KeyStoreError.unsupportedIntegrityCode(.pkcs12, "a signature")) { try read(signed) }
        let enveloped = try PKCS12Pieces.content(7, 3, DERWriter.sequence())
        #expect(throws: KeyStoreError.unsupportedCipher(.pkcs12, "the public key of somebody")) {
            try read(try PKCS12Pieces.file(content: DERWriter.element(.sequence, enveloped)))
        }
        #expect(try read(try PKCS12Pieces.file(content: DERWriter.sequence())).entries.isEmpty)
    }
}
