import BelayCertificates
import BelayTrust
import Foundation
import Testing

/// The kinds of fault in chains that people report: cross-certificates and their roots, what a server forgets to send or sends
/// in the wrong order, low anchors, purposes.
@Suite("Chains that people reported")
struct ReportedChainTests {
    private static let past = Validity(
        from: moment.addingTimeInterval(-90 * 86_400), through: moment.addingTimeInterval(-2 * 86_400))

    private func explain(_ trust: ServerTrust) throws -> (verdict: Verdict, explanation: Explanation) {
        let verdict = trust.with { $0.explains = true }.evaluate()
        return (verdict, try #require(verdict.explanation))
    }

    // MARK: Cross-certificates

    /// A root that an older one, past its end, certifies as well.
    private struct Crossed {
        let old: CertificateIssuer
        let root: CertificateIssuer
        let cross: Certificate
        let intermediate: CertificateIssuer
        let leaf: Certificate

        init() throws {
            old = try .root(named: "X") { $0.validity = past }
            root = try .root(named: "R")
            cross = try old.authority(named: "R", key: root.privateKey).certificate
            intermediate = try root.authority(named: "I")
            leaf = try intermediate.server()
        }

        var sent: [Certificate] { [leaf, intermediate.certificate, cross] }
    }

    @Test("a cross-certificate whose root expired is still sent: the root itself decides, and the story says so")
    func crossSigned() throws {
        let world = try Crossed()
        for anchors in [
            [world.root.certificate, world.old.certificate], [world.old.certificate, world.root.certificate],
            [world.root.certificate],
        ] {
            let (verdict, explanation) = try explain(TestPKI.trust(world.sent, anchors: anchors))
            #expect(verdict.isTrusted)
            #expect(verdict.path.last == world.root.certificate)
            #expect(verdict.rules == ["path.alternative"])
            let remark = try #require(explanation.remarks.first)
            #expect(remark.hasSuffix("; the path to the anchor 'R' is valid"))
            #expect(remark.hasPrefix(anchors.count == 2 ? "the anchor 'X' expired on 2026-05-30T" : "'R' leads to 'X'"))
        }
    }

    @Test("with the expired root as the only anchor the chain is refused, and the story names what it lacks")
    func onlyTheExpiredRoot() throws {
        let world = try Crossed()
        let (verdict, explanation) = try explain(TestPKI.trust(world.sent, anchors: [world.old.certificate]))
        #expect(verdict.errors == ["validity.expired"])
        #expect(
            explanation.ways.map(\.obstacle).first?.contains("the path to the anchor 'X' fails: the anchor expired")
                == true)
        #expect(explanation.remarks.isEmpty)
    }

    @Test("of two roots that certify an intermediate the one that expired is passed over, whichever was sent first")
    func crossSignedIntermediate() throws {
        let old = try CertificateIssuer.root(named: "Old") { $0.validity = Self.past }
        let new = try CertificateIssuer.root(named: "New")
        let intermediate = try new.authority(named: "I")
        let byOld = try old.authority(named: "I", key: intermediate.privateKey).certificate
        let leaf = try intermediate.server()
        for between in [[byOld, intermediate.certificate], [intermediate.certificate, byOld]] {
            let (verdict, explanation) = try explain(
                TestPKI.trust([leaf] + between, anchors: [old.certificate, new.certificate]))
            #expect(verdict.isTrusted)
            #expect(verdict.path == [leaf, intermediate.certificate, new.certificate])
            #expect(
                explanation.remarks.first?.hasSuffix(
                    "the path through the cross-signed 'I', certified by 'New', is valid") == true)
            #expect(explanation.remarks.first?.hasPrefix("the anchor 'Old' expired on ") == true)
        }
    }

    @Test("authorities that certify each other in a circle: accepted where one is an anchor, refused where none is")
    func circle() throws {
        let first = try CertificateIssuer.root(named: "A")
        let second = try CertificateIssuer.root(named: "B")
        let third = try CertificateIssuer.root(named: "C")
        let ring = [
            try second.authority(named: "A", key: first.privateKey).certificate,
            try third.authority(named: "B", key: second.privateKey).certificate,
            try first.authority(named: "C", key: third.privateKey).certificate,
        ]
        let leaf = try first.server()
        for anchor in [first, second, third] {
            #expect(TestPKI.trust([leaf] + ring, anchors: [anchor.certificate]).evaluate().isTrusted)
        }
        let (verdict, explanation) = try explain(TestPKI.trust([leaf] + ring, anchors: []))
        #expect(!verdict.isTrusted && !verdict.errors.contains("path.budget-exceeded"))
        #expect(explanation.ways.count >= 1)
    }

    // MARK: What was not sent

    @Test(
        "what a server forgets is named, with the place where it is published",
        arguments: [
            (forgotten: 1, location: "http://pki.host.test/i.cer"), (1, nil), (2, "http://pki.host.test/i.cer"),
            (2, nil),
        ] as [(Int, String?)])
    func forgotten(place: Int, location: String?) throws {
        let publishing: TestPKI.Bend = { template in
            if let location { template.extensions.append(.informationAccess(issuers: [location])) }
        }
        let root = try CertificateIssuer.root(named: "Root")
        let upper = try root.authority(named: "Upper")
        let lower = try upper.authority(named: "Lower", publishing)
        var chain = [try lower.server([TestPKI.host], publishing), lower.certificate, upper.certificate]
        chain.remove(at: place)
        let (verdict, explanation) = try explain(TestPKI.trust(chain, anchors: [root.certificate]))
        #expect(verdict.errors.contains("path.issuer-not-sent"))
        let name = place == 1 ? "CN=Lower" : "CN=Upper"
        let finding = try #require(verdict.finding("path.issuer-not-sent"))
        #expect(finding.message.contains("its issuer \(name) was not sent"))
        #expect(finding.message.contains("it is published at") == (location != nil))
        if let location {
            #expect(finding.message.contains(location) && finding.remedy.contains(location))
            #expect(explanation.ways.contains { $0.obstacle.contains(location) && $0.remedy.contains(location) })
        }
    }

    // MARK: Order

    @Test("behind the leaf any order is accepted, with a stranger in it and everything sent twice")
    func anyOrder() throws {
        let root = try CertificateIssuer.root(named: "Root")
        let upper = try root.authority(named: "Upper")
        let lower = try upper.authority(named: "Lower")
        let stranger = try CertificateIssuer.root(named: "Stranger").certificate
        let leaf = try lower.server()
        var orders: [[Certificate]] = [[]]
        for certificate in [root.certificate, upper.certificate, lower.certificate, stranger] {
            orders = orders.flatMap { order in
                (0...order.count).map { place in
                    var longer = order
                    longer.insert(certificate, at: place)
                    return longer
                }
            }
        }
        #expect(orders.count == 24)
        for order in orders {
            let verdict = TestPKI.trust([leaf] + order, anchors: [root.certificate]).evaluate()
            #expect(verdict.isTrusted)
            #expect(verdict.rules.contains("path.extra-certificate"))
            let issuers = order.filter { $0 != stranger }
            let isOrdered = issuers == [lower.certificate, upper.certificate, root.certificate]
            #expect(verdict.rules.contains("path.disorder") == !isOrdered, "\(issuers.map(\.subject))")
            #expect(TestPKI.trust([leaf] + order + [leaf] + order, anchors: [root.certificate]).evaluate().isTrusted)
        }
    }

    @Test("a server that does not send its own certificate first is refused, and told where it stands")
    func leafNotFirst() throws {
        let world = try TestPKI.good.get()
        let (verdict, explanation) = try explain(
            TestPKI.trust(
                [world.root.certificate, world.intermediate.certificate, world.leaf], anchors: [world.root.certificate])
        )
        #expect(!verdict.isTrusted)
        let finding = try #require(verdict.finding("path.leaf-not-first"))
        #expect(finding.depth == 2 && finding.message.contains("\(TestPKI.host) was sent at place 2"))
        #expect(explanation.ways.first?.remedy.hasPrefix("Put the server's own certificate first") == true)
        // Another site's certificate beside it is not the reason for anything.
        let other = try world.intermediate.server(["other.host.test"])
        #expect(world.trust.with { $0.chain.append(other.der) }.evaluate().finding("path.leaf-not-first") == nil)
        let wrong = TestPKI.trust([other, world.intermediate.certificate], anchors: [world.root.certificate])
        #expect(wrong.evaluate().finding("path.leaf-not-first") == nil)
    }

    // MARK: Low anchors

    @Test("whatever stands on the path may be the only anchor, the leaf included; a sibling of the leaf may not")
    func lowAnchors() throws {
        let world = try TestPKI.good.get()
        for anchor in [world.leaf, world.intermediate.certificate, world.root.certificate] {
            #expect(world.trust.with { $0.anchors = AnchorStore([anchor]) }.evaluate().path.last == anchor)
            // Also where the server sends its leaf alone, as far as the anchor is the next one.
            let alone = world.trust.with {
                $0.anchors = AnchorStore([anchor])
                $0.chain = [world.leaf.der]
            }
            #expect(alone.evaluate().isTrusted == (anchor != world.root.certificate))
        }
        let sibling = try world.intermediate.server()
        #expect(!world.trust.with { $0.anchors = AnchorStore([sibling]) }.evaluate().isTrusted)
        // An anchor that is no authority vouches for itself and for nobody else.
        let site = try world.intermediate.server(["site.host.test"], key: world.leafKey)
        let forger = try CertificateIssuer(
            certificate: site, below: [world.intermediate.certificate], privateKey: world.leafKey)
        let forged = try Certificate(
            der: forger.encode(
                .server(names: [TestPKI.host], validity: .current), for: PrivateKey.generate(.p256).publicKey))
        #expect(
            TestPKI.trust([forged], anchors: [site]).evaluate().errors.contains("ca.not-an-authority"))
    }

    @Test("an expired anchor is refused wherever it stands, a self-signed leaf that is the anchor included")
    func expiredAnchors() throws {
        let own = try CertificateIssuer.selfSigned(
            .server(names: [TestPKI.host], validity: Self.past), key: .generate(.p256)
        ).certificate
        #expect(TestPKI.trust([own], anchors: [own]).evaluate().errors == ["validity.expired"])
        let good = try CertificateIssuer.selfSigned(
            .server(names: [TestPKI.host], validity: .current), key: .generate(.p256)
        ).certificate
        #expect(TestPKI.trust([good], anchors: [good]).evaluate().isTrusted)
        #expect(TestPKI.trust([good], anchors: []).evaluate().errors == ["anchor.unknown"])
    }

    // MARK: Purposes

    private static let codeSigning = OID(dotted: "1.3.6.1.5.5.7.3.3") ?? .emailProtection
    private static let gatedCryptography = OID(dotted: "1.3.6.1.4.1.311.10.3.3") ?? .emailProtection

    @Test(
        "a server's certificate that states purposes states that of servers, or any",
        arguments: [
            (nil, true), ([.serverAuthentication], true), ([.clientAuthentication], false),
            ([.clientAuthentication, .serverAuthentication], true), ([.anyExtendedKeyUsage], true),
            ([.emailProtection], false), ([codeSigning], false), ([gatedCryptography], false),
            ([.clientAuthentication, codeSigning, .emailProtection], false),
        ] as [([OID]?, Bool)])
    func purposes(_ purposes: [OID]?, isServer: Bool) throws {
        let world = try TestPKI(leaf: { template in
            template.extensions.removeAll { $0.identifier.description == "2.5.29.37" }
            if let purposes { template.set(.extendedKeyUsage(purposes)) }
        })
        for rules in [RuleSet.standard, .rfc5280, .apple] {
            let verdict = world.trust.with { $0.rules = rules }.evaluate()
            #expect(verdict.errors.contains("eku.purpose") == !isServer)
        }
        // An authority that is limited to purposes limits what is below it.
        let below = try TestPKI(intermediate: { if let purposes { $0.set(.extendedKeyUsage(purposes)) } })
        #expect(below.trust.evaluate().errors == (isServer ? [] : ["eku.issuer-purpose"]))
        // The same certificate presented by a client.
        let isClient = purposes?.contains { [.clientAuthentication, .anyExtendedKeyUsage].contains($0) } ?? true
        let client = world.trust.with { $0.policies = [.tlsClient] }.evaluate()
        #expect(client.errors.contains("eku.purpose") == !isClient)
        // Basic X.509 asks for no purpose.
        #expect(world.trust.with { $0.policies = [] }.evaluate().isTrusted)
    }
}
