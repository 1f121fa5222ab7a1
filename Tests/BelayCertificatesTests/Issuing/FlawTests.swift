import BelayCertificates
import Foundation
import Testing

@Suite("Issuing bad certificates for tests")
struct FlawTests {
    private let world: World.Members

    init() throws {
        world = try World.ecdsa.get()
    }

    private func issue(_ change: (inout CertificateTemplate) -> Void) throws -> [UInt8] {
        var template = CertificateTemplate.server(names: ["www.host.test"])
        change(&template)
        return try world.root.encode(template, for: world.server.privateKey.publicKey)
    }

    private func opensslText(_ der: [UInt8]) throws -> String {
        try Tool.openssl("x509", "-inform", "DER", "-text", "-noout", input: der).text
    }

    @Test("A corrupted signature is one that neither OpenSSL nor we accept")
    func corruptsSignature() throws {
        let key = try #require(VerificationKey(world.root.certificate.publicKey))
        let good = try Certificate(der: issue { _ in })
        let bad = try Certificate(der: issue { $0.flaws.corruptsSignature = true })
        #expect(good.isSigned(by: key))
        #expect(!bad.isSigned(by: key))
        let folder = try TemporaryFolder()
        let root = try folder.write("root.pem", world.root.certificate.pem)
        let result = try Tool.run("openssl", ["verify", "-CAfile", root], input: bad.pem.bytes)
        #expect(result.errors.contains("certificate signature failure"))
    }

    @Test(
        "Weak algorithms are used when asked for",
        arguments: [
            (SignatureAlgorithm.rsaPKCS1(.md5), "md5WithRSAEncryption"), (.rsaPKCS1(.sha1), "sha1WithRSAEncryption"),
            (.rsaPKCS1(.sha224), "sha224WithRSAEncryption"), (.rsaPKCS1(.sha512), "sha512WithRSAEncryption"),
            (.rsaPSS(hash: .sha256, mask: .sha256, saltLength: 32), "rsassaPss"),
            (.rsaPSS(hash: .sha1, mask: .sha1, saltLength: 20), "rsassaPss"),
        ])
    func signsWeakly(algorithm: SignatureAlgorithm, name: String) throws {
        let root = try CertificateIssuer.selfSigned(.authority(named: "RSA"), key: .generate(.rsa(bits: 2_048)))
        var template = CertificateTemplate.client(named: "me")
        template.signatureAlgorithm = algorithm
        let certificate = try root.issue(template, for: world.server.privateKey.publicKey)
        #expect(certificate.signatureAlgorithm == algorithm)
        #expect(try opensslText(certificate.der).contains("Signature Algorithm: \(name)\n"))
        let folder = try TemporaryFolder()
        let file = try folder.write("root.pem", root.certificate.pem)
        try Tool.openssl("verify", "-auth_level", "0", "-CAfile", file, input: certificate.pem.bytes)
    }

    @Test("An algorithm without encoding is refused")
    func refusesAlgorithm() throws {
        #expect(throws: IssuingError.unencodableAlgorithm(.malformed("no"))) {
            try issue { $0.signatureAlgorithm = .malformed("no") }
        }
        #expect(throws: IssuingError.key(.unsuitableAlgorithm(algorithm: "RSA with SHA-256", key: "EC P-256"))) {
            try issue { $0.signatureAlgorithm = .rsaPKCS1(.sha256) }
        }
    }

    @Test("Versions, issuers, serial numbers and keys are written as they are asked for")
    func writesFlaws() throws {
        let version1 = try Certificate(der: issue { $0.flaws.version = 1 })
        #expect(version1.version == 1)
        #expect(version1.extensions.isEmpty)
        #expect(try opensslText(version1.der).contains("Version: 1 (0x0)"))
        let stranger = DistinguishedName(commonName: "Somebody else")
        #expect(try Certificate(der: issue { $0.flaws.issuer = stranger }).issuer == stranger)
        let negative = try Certificate(der: issue { $0.flaws.rawSerialNumber = [0xFF] })
        #expect(negative.serialNumber == [0xFF])
        #expect(try opensslText(negative.der).contains("(Negative)01"))
        let foreign = world.intermediate.certificate.publicKey
        #expect(try Certificate(der: issue { $0.flaws.rawPublicKey = foreign.der }).publicKey == foreign)
    }

    @Test(
        "What a strict reader must refuse can be written too",
        arguments: [
            "extensions in version 1", "algorithms that differ", "an extension twice", "no serial number",
        ])
    func writesMalformed(flaw: String) throws {
        let der = try issue { template in
            switch flaw {
            case "extensions in version 1":
                template.flaws.version = 1
                template.flaws.extensionsInAnyVersion = true
            case "algorithms that differ": template.flaws.innerAlgorithm = .ecdsa(.sha512)
            case "an extension twice": template.extensions.append(.keyUsage(.keyAgreement))
            default: template.flaws.rawSerialNumber = []
            }
        }
        #expect(throws: DERError.self) { try Certificate(der: der) }
    }

    @Test("A certificate that is not well formed is not issued as one")
    func refusesMalformed() throws {
        var template = CertificateTemplate.client(named: "me")
        template.flaws.rawSerialNumber = []
        #expect(throws: IssuingError.self) {
            try world.root.issue(template, for: world.server.privateKey.publicKey)
        }
        // An IA5String has no place for the umlaut: the A-label is what must be given.
        #expect(throws: IssuingError.self) {
            try world.root.issue(.server(names: ["bücher.test"]), for: world.server.privateKey.publicKey)
        }
    }

    @Test("A certificate of a quarter megabyte with 10,000 names is read in both ways")
    func issuesLarge() throws {
        let names = (0..<10_000).map { GeneralName.dns("host-\($0).below.host.test") }
        let der = try issue { $0.set(.subjectAlternativeNames(names)) }
        #expect(der.count > 250_000)
        #expect(try Certificate(der: der).subjectAlternativeNames?.count == 10_000)
        #expect(try opensslText(der).contains("DNS:host-9999.below.host.test"))
        #expect(try Certificate.read(bytes: PEM.encode(label: "CERTIFICATE", der: der).bytes, name: "a").count == 1)
    }
}
