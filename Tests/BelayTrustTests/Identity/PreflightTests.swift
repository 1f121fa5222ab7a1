import BelayCertificates
import BelayTrust
import Foundation
import Testing

@Suite("What a server will object to in an identity")
struct PreflightTests {
    private let root: CertificateIssuer
    private let intermediate: CertificateIssuer

    init() throws {
        let world = try TestPKI.good.get()
        (root, intermediate) = (world.root, world.intermediate)
    }

    /// A client below the intermediate, bent.
    private func client(
        key: PrivateKey.Specification = .p256, _ bend: TestPKI.Bend = { _ in }
    ) throws -> Identity {
        var template = CertificateTemplate.client(named: "client", validity: .current)
        bend(&template)
        return try intermediate.issueIdentity(template, key: .generate(key))
    }

    private func rules(_ identity: Identity, at date: Date = moment, _ issuers: [DistinguishedName]? = nil) -> [String]
    {
        identity.preflight(at: date, acceptableIssuers: issuers).map(\.rule.identifier)
    }

    @Test("An identity that is in order, with its intermediate, gets no finding; the root need not be there")
    func acceptsGood() throws {
        #expect(rules(try client()).isEmpty)
        let whole = try client()
        let withRoot = try Identity(
            certificate: whole.certificate, chain: [intermediate.certificate, root.certificate],
            privateKey: whole.privateKey)
        #expect(rules(withRoot).isEmpty)
    }

    @Test("Expired and not yet valid, for the leaf and for an intermediate; both ends are included")
    func findsDates() throws {
        let identity = try client { $0.validity = Validity(from: moment - 86_400, through: moment + 86_400) }
        #expect(rules(identity, at: moment + 86_400).isEmpty)
        #expect(rules(identity, at: moment + 86_401) == ["identity.expired"])
        #expect(rules(identity, at: moment - 86_400).isEmpty)
        #expect(rules(identity, at: moment - 86_401) == ["identity.not-yet-valid"])
        let late = identity.preflight(at: moment + 400 * 86_400)
        #expect(late.map(\.rule.identifier) == ["identity.expired", "identity.expired"])
        #expect(late.map(\.depth) == [0, 1])
        #expect(late.allSatisfy { $0.severity == .warning })
    }

    @Test("A purpose list without clientAuth is found; none, and any purpose, are not")
    func findsPurpose() throws {
        #expect(rules(try client { $0.set(.extendedKeyUsage([.serverAuthentication])) }) == ["identity.purpose"])
        #expect(rules(try client { $0.set(.extendedKeyUsage([.anyExtendedKeyUsage])) }).isEmpty)
        #expect(
            rules(try client { $0.set(.extendedKeyUsage([.serverAuthentication, .clientAuthentication])) }).isEmpty)
        let without = try client { $0.extensions.removeAll { $0 == .extendedKeyUsage([.clientAuthentication]) } }
        #expect(rules(without).isEmpty)
    }

    @Test("A key usage without signatures is found; none is not")
    func findsKeyUsage() throws {
        #expect(rules(try client { $0.set(.keyUsage(.keyEncipherment)) }) == ["identity.key-usage"])
        #expect(rules(try client { $0.set(.keyUsage([.digitalSignature, .keyEncipherment])) }).isEmpty)
        let without = try client { $0.extensions.removeAll { $0 == .keyUsage(.digitalSignature) } }
        #expect(rules(without).isEmpty)
    }

    @Test("Small keys and old digests are found")
    func findsWeakness() throws {
        #expect(rules(try client(key: .rsa(bits: 1_024))) == ["identity.key-too-small"])
        #expect(rules(try client(key: .rsa(bits: 2_048))).isEmpty)
        #expect(rules(try client(key: .ellipticCurve("prime192v1"))) == ["identity.key-too-small"])
        let sha1 = try client { $0.signatureAlgorithm = .ecdsa(.sha1) }
        #expect(rules(sha1) == ["identity.weak-signature"])
        #expect(sha1.preflight(at: moment).first?.found == "SHA-1")
    }

    @Test("A key that is another's is found")
    func findsMismatch() throws {
        let identity = try client()
        let thief = Identity(
            presenting: identity.certificate, identity.chain, withKey: try PrivateKey.generate(.p256))
        #expect(rules(thief) == ["identity.key-mismatch"])
    }

    @Test("A leaf without its issuer's certificate is found; one that signs itself has no other")
    func findsMissingIssuer() throws {
        let identity = try client()
        let alone = try Identity(certificate: identity.certificate, privateKey: identity.privateKey)
        #expect(rules(alone) == ["identity.issuer-missing"])
        // The issuer may be the root that the server knows, until the server has said which it knows.
        #expect(alone.preflight(at: moment).first?.severity == .note)
        let asked = alone.preflight(at: moment, acceptableIssuers: [root.certificate.subject])
        #expect(asked.map(\.rule.identifier) == ["identity.issuer-missing"])
        #expect(asked.first?.severity == .warning)
        let stranger = try Identity(
            certificate: identity.certificate, chain: [root.certificate], privateKey: identity.privateKey)
        #expect(rules(stranger) == ["identity.issuer-missing"])
        let own = try CertificateIssuer.selfSigned(
            .client(named: "own", validity: .current), key: .generate(.p256))
        #expect(rules(try Identity(certificate: own.certificate, privateKey: own.privateKey)).isEmpty)
    }

    @Test("Where the server names its issuers, one of the path's must be among them; naming none accepts all")
    func findsUnacceptableIssuer() throws {
        let identity = try client()
        let other = DistinguishedName(commonName: "Another Authority")
        #expect(rules(identity, [root.certificate.subject]).isEmpty)
        #expect(rules(identity, [other, intermediate.certificate.subject]).isEmpty)
        #expect(rules(identity, []).isEmpty)
        #expect(rules(identity, [other]) == ["identity.issuer-unacceptable"])
        // The server knows the issuer itself then.
        let alone = try Identity(certificate: identity.certificate, privateKey: identity.privateKey)
        #expect(rules(alone, [intermediate.certificate.subject]).isEmpty)
    }

    @Test("Every rule of identities is in the catalogue, with what to do")
    func isCatalogued() {
        let rules = RuleCatalogue.all.filter { $0.identifier.hasPrefix("identity.") }
        #expect(rules.count == 9)
        #expect(rules.allSatisfy { !$0.remedy.isEmpty && !$0.source.isEmpty })
    }
}
