import BelayCertificates
import BelayTrust
import Testing

@Suite("Distribution points that cannot be read")
struct ExtensionRuleTests {
    /// An integer where a list should be, in one of the three certificates.
    private func errors(isCritical: Bool, at depth: Int) throws -> Set<String> {
        let identifier = try #require(OID(dotted: "2.5.29.31"))
        let bad = CertificateExtension(identifier: identifier, isCritical: isCritical, value: [2, 1, 1])
        let keys = try (0..<3).map { _ in try PrivateKey.generate(.p256) }
        func template(_ name: String, _ place: Int) -> CertificateTemplate {
            var template = CertificateTemplate.authority(named: name, validity: .current)
            if place == depth { template.set(bad) }
            return template
        }
        // Encoded and read again, since nobody would issue such a certificate.
        let maker = try CertificateIssuer.selfSigned(.authority(named: "Root", validity: .current), key: keys[2])
        let root = try Certificate(der: maker.encode(template("Root", 2), for: keys[2].publicKey))
        let intermediate = try Certificate(der: maker.encode(template("Intermediate", 1), for: keys[1].publicKey))
        var server = CertificateTemplate.server(names: [TestPKI.host], validity: .current)
        if depth == 0 { server.set(bad) }
        let issuer = try CertificateIssuer(certificate: intermediate, privateKey: keys[1])
        let leaf = try Certificate(der: issuer.encode(server, for: keys[0].publicKey))
        return TestPKI.trust([leaf, intermediate], anchors: [root]).evaluate().errors
    }

    @Test("critical ones are not understood", arguments: [0, 1, 2])
    func critical(depth: Int) throws {
        #expect(try errors(isCritical: true, at: depth) == ["extension.malformed"])
    }

    @Test("others hinder nobody under the set standard", arguments: [0, 1, 2])
    func notCritical(depth: Int) throws {
        #expect(try errors(isCritical: false, at: depth) == [])
    }

    @Test("critical ones in good form are understood")
    func wellFormed() throws {
        let list = CertificateExtension.revocationLists(at: ["http://host.test/a.crl"])
        let critical = CertificateExtension(identifier: list.identifier, isCritical: true, value: list.value)
        #expect(try TestPKI(intermediate: { $0.set(critical) }).trust.evaluate().isTrusted)
    }
}
