import BelayCertificates
import Foundation
import Testing

@testable import BelayTrust

@Suite("Explanations: the story of a search")
struct ExplanationTests {
    /// A leaf below an intermediate that two roots certify: the old one is past its end, the new one is not.
    private struct CrossSigned {
        let now = Date()
        let leaf: Certificate
        let byOld: Certificate
        let byNew: Certificate
        let oldRoot: Certificate
        let newRoot: Certificate

        init() throws {
            let past = Validity(from: now.addingTimeInterval(-9e6), through: now.addingTimeInterval(-3e6))
            let old = try CertificateIssuer.selfSigned(
                .authority(named: "Old Root", validity: past), key: .generate(.p256))
            let new = try CertificateIssuer.selfSigned(.authority(named: "New Root"), key: .generate(.p256))
            let key = try PrivateKey.generate(.p256)
            let intermediate = try new.issueAuthority(.authority(named: "Intermediate"), key: key)
            byNew = intermediate.certificate
            byOld = try old.issue(.authority(named: "Intermediate"), for: key.publicKey)
            leaf = try intermediate.issue(
                .server(names: ["www.example.test"]), for: PrivateKey.generate(.p256).publicKey)
            (oldRoot, newRoot) = (old.certificate, new.certificate)
        }

        func trust(sent: [Certificate], anchors: [Certificate]) throws -> ServerTrust {
            var trust = ServerTrust(
                chain: ([leaf] + sent).map(\.der), policies: [.tlsServer(name: try ServerName("www.example.test"))],
                anchors: AnchorStore(anchors))
            trust.evaluationTime = now
            trust.explains = true
            return trust
        }
    }

    @Test("an accepted chain tells of the path that was refused beside it")
    func acceptedBesideRefused() throws {
        let world = try CrossSigned()
        let verdict = try world.trust(sent: [world.byOld, world.byNew], anchors: [world.oldRoot, world.newRoot])
            .evaluate()
        #expect(verdict.isTrusted)
        let explanation = try #require(verdict.explanation)
        #expect(explanation.ways.isEmpty)
        #expect(explanation.leaf.isOnPath)
        let intermediates = explanation.leaf.issuers
        #expect(Set(intermediates.map(\.certificate)) == [world.byOld, world.byNew])
        let old = try #require(intermediates.first { $0.certificate == world.byOld })
        #expect(!old.isOnPath)
        let oldRoot = try #require(old.issuers.first)
        #expect(oldRoot.findings.map(\.rule.identifier) == ["validity.expired"])
        let new = try #require(intermediates.first { $0.certificate == world.byNew })
        #expect(new.isOnPath && new.issuers.first?.outcome == .anchor)
    }

    @Test("a refused chain tells what would make each path work")
    func waysOut() throws {
        let world = try CrossSigned()
        let verdict = try world.trust(sent: [world.byOld], anchors: [world.oldRoot]).evaluate()
        #expect(!verdict.isTrusted)
        let ways = try #require(verdict.explanation).ways
        #expect(ways.count == 1)
        #expect(ways.first?.obstacle.contains("'Old Root' fails: the anchor expired on") == true)
        #expect(ways.first?.remedy.contains("anchor") == true)
    }

    @Test("a missing intermediate is named, with the place where it is published")
    func missingIntermediate() throws {
        let root = try CertificateIssuer.selfSigned(.authority(named: "Root"), key: .generate(.p256))
        let intermediate = try root.issueAuthority(.authority(named: "Unsent"), key: .generate(.p256))
        var template = CertificateTemplate.server(names: ["www.example.test"])
        template.extensions.append(
            .informationAccess(issuers: ["http://ca.example.test/unsent.cer"]))
        let leaf = try intermediate.issue(template, for: PrivateKey.generate(.p256).publicKey)
        var trust = ServerTrust(
            chain: [leaf.der], policies: [.tlsServer(name: nil)], anchors: AnchorStore([root.certificate]))
        trust.explains = true
        let explanation = try #require(trust.evaluate().explanation)
        #expect(explanation.leaf.outcome == .issuerUnknown)
        #expect(explanation.description.contains("CN=Unsent"))
        #expect(explanation.ways.contains { $0.remedy.contains("http://ca.example.test/unsent.cer") })
    }

    @Test("an authority set up anew under its old name is told from the one that signed")
    func impostor() throws {
        let genuine = try CertificateIssuer.selfSigned(.authority(named: "Root"), key: .generate(.p256))
        var template = CertificateTemplate.authority(named: "Root")
        template.addsKeyIdentifiers = false
        let anew = try CertificateIssuer.selfSigned(template, key: .generate(.p256))
        let leaf = try genuine.issue(.server(names: ["www.example.test"]), for: PrivateKey.generate(.p256).publicKey)
        var trust = ServerTrust(
            chain: [leaf.der], policies: [.tlsServer(name: nil)], anchors: AnchorStore([anew.certificate]))
        trust.explains = true
        let verdict = trust.evaluate()
        #expect(verdict.result == .fatalTrustFailure)
        #expect(verdict.explanation?.leaf.issuers.map(\.outcome) == [.signatureInvalid])
    }

    @Test("a verdict has no story unless one was asked for")
    func notAskedFor() throws {
        let world = try CrossSigned()
        var trust = try world.trust(sent: [world.byNew], anchors: [world.newRoot])
        trust.explains = false
        #expect(trust.evaluate().explanation == nil)
    }
}
