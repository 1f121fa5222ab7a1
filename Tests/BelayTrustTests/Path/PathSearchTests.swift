import BelayCertificates
import BelayTrust
import Foundation
import Testing

@Suite("Path search")
struct PathSearchTests {
    @Test("a chain to an anchor is accepted, and its path runs from the leaf to the anchor")
    func linear() throws {
        let world = try TestPKI.good.get()
        let verdict = world.trust.evaluate()
        #expect(verdict.result == .unspecified)
        #expect(verdict.path == [world.leaf, world.intermediate.certificate, world.root.certificate])
        #expect(verdict.anchor == world.root.certificate)
        #expect(verdict.findings.isEmpty)
    }

    @Test("an expired cross-certificate that is still sent does no harm, and is reported")
    func expiredAlternative() throws {
        // leaf <- I <- R' (R's key, certified by X, expired); R and X are anchors, X expired.
        let past = Validity(from: moment - 86_400 * 900, through: moment - 86_400)
        let root = try CertificateIssuer.root(named: "R")
        let old = try CertificateIssuer.root(named: "X") { $0.validity = past }
        let cross = try old.authority(named: "R", key: root.privateKey) { $0.validity = past }
        let intermediate = try root.authority(named: "I")
        let leaf = try intermediate.server()
        for anchors in [[root, old], [old, root]] {
            let verdict = TestPKI.trust(
                [leaf, intermediate.certificate, cross.certificate], anchors: anchors.map(\.certificate)
            ).evaluate()
            #expect(verdict.isTrusted)
            #expect(verdict.path == [leaf, intermediate.certificate, root.certificate])
            #expect(verdict.rules == ["path.alternative"])
            #expect(verdict.finding("path.alternative")?.message.contains("expired") == true)
        }
        // With X alone nothing is left.
        let verdict = TestPKI.trust(
            [leaf, intermediate.certificate, cross.certificate], anchors: [old.certificate]
        ).evaluate()
        #expect(verdict.errors == ["validity.expired"])
        #expect(verdict.isPathComplete)
    }

    @Test("a server that forgets its intermediate is told its name and where it is published")
    func issuerNotSent() throws {
        let world = try TestPKI(leaf: {
            $0.set(.informationAccess(issuers: ["http://pki.host.test/intermediate.cer"]))
        })
        let verdict = world.trust.with { $0.chain.removeLast() }.evaluate()
        #expect(verdict.errors == ["anchor.unknown", "path.issuer-not-sent"])
        #expect(verdict.result == .recoverableTrustFailure)
        let finding = try #require(verdict.finding("path.issuer-not-sent"))
        #expect(finding.message.contains("CN=Intermediate"))
        #expect(finding.message.contains("http://pki.host.test/intermediate.cer"))
    }

    @Test("wrong order and a stranger are accepted and noted")
    func disorder() throws {
        let world = try TestPKI.good.get()
        let lower = try world.intermediate.authority(named: "Lower")
        let leaf = try lower.server()
        let stranger = try CertificateIssuer.root(named: "Stranger")
        let verdict = TestPKI.trust(
            [
                leaf, world.root.certificate, stranger.certificate, world.intermediate.certificate, lower.certificate,
            ], anchors: [world.root.certificate]
        ).evaluate()
        #expect(verdict.isTrusted)
        #expect(verdict.rules == ["path.disorder", "path.extra-certificate"])
        #expect(verdict.finding("path.extra-certificate")?.subject == "CN=Stranger")
    }

    @Test("an intermediate, or the leaf itself, may be the only anchor")
    func lowAnchors() throws {
        let world = try TestPKI.good.get()
        let byIntermediate = world.trust.with { $0.anchors = AnchorStore([world.intermediate.certificate]) }.evaluate()
        #expect(byIntermediate.isTrusted)
        #expect(byIntermediate.path == [world.leaf, world.intermediate.certificate])
        let byLeaf = world.trust.with { $0.anchors = AnchorStore([world.leaf]) }.evaluate()
        #expect(byLeaf.isTrusted)
        #expect(byLeaf.path == [world.leaf])
        // It is judged all the same.
        let wrongName = world.trust.with {
            $0.anchors = AnchorStore([world.leaf])
            $0.policies = [.tlsServer(name: .dns("other.test"))]
        }
        #expect(wrongName.evaluate().errors == ["name.mismatch"])
    }

    @Test("an anchor of version 1 may issue, an intermediate of version 1 may not")
    func versionOne() throws {
        let anchor = try TestPKI(root: { $0.flaws.version = 1 })
        #expect(anchor.trust.evaluate().rules == ["ca.version-1-anchor"])
        let intermediate = try TestPKI(intermediate: { $0.flaws.version = 1 })
        #expect(intermediate.trust.evaluate().errors == ["ca.not-an-authority"])
        let bare = try TestPKI(root: { $0.extensions = [] })
        #expect(bare.trust.evaluate().errors == ["ca.not-an-authority"])
    }

    @Test("of two keys of one name the one that signed is found, whatever the key identifiers say")
    func twoKeys() throws {
        let world = try TestPKI.good.get()
        for addsIdentifiers in [true, false] {
            let namesake = try world.root.authority(named: "Intermediate") {
                $0.subject = world.intermediate.certificate.subject
                $0.addsKeyIdentifiers = addsIdentifiers
            }
            let leaf = try world.intermediate.server { $0.addsKeyIdentifiers = addsIdentifiers }
            for order in [[world.intermediate, namesake], [namesake, world.intermediate]] {
                let verdict = TestPKI.trust(
                    [leaf] + order.map(\.certificate), anchors: [world.root.certificate]
                ).evaluate()
                #expect(verdict.isTrusted)
                #expect(verdict.path[1] == world.intermediate.certificate)
            }
        }
    }

    @Test("an issuer whose key identifier is the one named is tried before others: one signature check is enough")
    func keyIdentifierDecidesOrder() throws {
        let root = try CertificateIssuer.root(named: "Root")
        let namesakes = try (0..<5).map { _ in try root.authority(named: "I") }
        let signer = try root.authority(named: "I")
        let leaf = try signer.server()
        var trust = TestPKI.trust(
            [leaf] + namesakes.map(\.certificate) + [signer.certificate], anchors: [root.certificate])
        trust.limits.signatureChecks = 2
        #expect(trust.evaluate().isTrusted)
    }

    @Test("authorities that certify each other do not send the search in circles")
    func loop() throws {
        let first = try CertificateIssuer.root(named: "A")
        let second = try CertificateIssuer.root(named: "B")
        let firstBySecond = try second.authority(named: "A", key: first.privateKey)
        let secondByFirst = try first.authority(named: "B", key: second.privateKey)
        let leaf = try first.server()
        let chain = [leaf, firstBySecond.certificate, secondByFirst.certificate]
        let refused = TestPKI.trust(chain, anchors: [try CertificateIssuer.root(named: "C").certificate]).evaluate()
        #expect(refused.result == .recoverableTrustFailure)
        #expect(!refused.rules.contains("path.budget-exceeded"))
        let accepted = TestPKI.trust(chain, anchors: [second.certificate]).evaluate()
        #expect(accepted.path == [leaf, firstBySecond.certificate, second.certificate])
    }

    @Test("a path over a bridge is found, and the dead ends beside it are left")
    func bridge() throws {
        let bridge = try CertificateIssuer.root(named: "Bridge")
        let mine = try CertificateIssuer.root(named: "Mine")
        let theirs = try CertificateIssuer.root(named: "Theirs")
        let bridgeByMine = try mine.authority(named: "Bridge", key: bridge.privateKey)
        let bridgeByStrangers = try (0..<4).map {
            try CertificateIssuer.root(named: "Stranger \($0)").authority(named: "Bridge", key: bridge.privateKey)
        }
        let theirsByBridge = try bridge.authority(named: "Theirs", key: theirs.privateKey)
        let leaf = try theirs.server()
        let verdict = TestPKI.trust(
            [leaf, theirs.certificate] + bridgeByStrangers.map(\.certificate)
                + [theirsByBridge.certificate, bridge.certificate, bridgeByMine.certificate],
            anchors: [mine.certificate]
        ).evaluate()
        #expect(verdict.path == [leaf, theirsByBridge.certificate, bridgeByMine.certificate, mine.certificate])
    }

    @Test("where one of two ways breaks a rule, the other is taken")
    func backtracking() throws {
        let good = try CertificateIssuer.root(named: "Good")
        let bad = try CertificateIssuer.root(named: "Bad") {
            $0.set(.nameConstraints(NameConstraints(excluded: [.dns("host.test")])))
        }
        let issuer = try good.authority(named: "I")
        let other = try bad.authority(named: "I", key: issuer.privateKey)
        let leaf = try issuer.server()
        for chain in [[issuer, other], [other, issuer]] {
            let verdict = TestPKI.trust(
                [leaf] + chain.map(\.certificate), anchors: [bad.certificate, good.certificate]
            ).evaluate()
            #expect(verdict.path == [leaf, issuer.certificate, good.certificate])
        }
    }

    @Test("self-issued intermediates count neither for a path length nor for the caller's depth")
    func selfIssued() throws {
        let root = try CertificateIssuer.root(named: "Root") {
            $0.set(.basicConstraints(BasicConstraints(isAuthority: true, pathLength: 0)))
        }
        // The root replaces its key: new key, same name, signed with the old one.
        let renewed = try root.authority(named: "Root") { $0.subject = root.certificate.subject }
        let leaf = try renewed.server()
        var trust = TestPKI.trust([leaf, renewed.certificate], anchors: [root.certificate])
        trust.maximumChainDepth = 0
        #expect(trust.evaluate().isTrusted)
        let below = try renewed.authority(named: "Below")
        let lowLeaf = try below.server()
        trust.chain = [lowLeaf, below.certificate, renewed.certificate].map(\.der)
        #expect(trust.evaluate().errors == ["ca.path-length", "path.too-deep"])
    }

    @Test("the caller's depth counts the intermediates between leaf and anchor", arguments: [0, 1, 2, 3])
    func maximumDepth(intermediates: Int) throws {
        let root = try CertificateIssuer.root(named: "Root")
        var issuer = root
        var chain: [Certificate] = []
        for number in 0..<intermediates {
            issuer = try issuer.authority(named: "I\(number)")
            chain.insert(issuer.certificate, at: 0)
        }
        chain.insert(try issuer.server(), at: 0)
        var trust = TestPKI.trust(chain, anchors: [root.certificate])
        trust.maximumChainDepth = intermediates
        #expect(trust.evaluate().isTrusted)
        trust.maximumChainDepth = intermediates - 1
        if intermediates > 0 { #expect(trust.evaluate().errors == ["path.too-deep"]) }
    }

    @Test("duplicates and copies of anchors in the sent list change nothing")
    func duplicates() throws {
        let world = try TestPKI.good.get()
        let (leaf, middle, root) = (world.leaf, world.intermediate.certificate, world.root.certificate)
        for chain in [
            [leaf, leaf, middle], [leaf, middle, middle, leaf], [leaf, middle, root, root], [leaf, root, middle],
        ] {
            let verdict = TestPKI.trust(chain, anchors: [root]).evaluate()
            #expect(verdict.path == [leaf, middle, root])
            #expect(verdict.findings(.error).isEmpty && verdict.findings(.warning).isEmpty)
        }
    }

    @Test("an anchor under the right name with another key is told as such")
    func impostor() throws {
        let world = try TestPKI.good.get()
        let other = try CertificateIssuer.root(named: "Root") { $0.subject = world.root.certificate.subject }
        let plain = try world.root.authority(named: "I") { $0.addsKeyIdentifiers = false }
        let leaf = try plain.server()
        let verdict = TestPKI.trust([leaf, plain.certificate], anchors: [other.certificate]).evaluate()
        #expect(verdict.errors == ["signature.invalid"])
        #expect(verdict.result == .fatalTrustFailure)
        #expect(!verdict.isPathComplete)
    }

    @Test("empty names do not stand for each other without a signature")
    func emptyNames() throws {
        let nameless = try CertificateIssuer.root(named: "") { $0.subject = .empty }
        let other = try CertificateIssuer.root(named: "") { $0.subject = .empty }
        let leaf = try other.server()
        #expect(!TestPKI.trust([leaf], anchors: [nameless.certificate]).evaluate().isTrusted)
        #expect(TestPKI.trust([leaf], anchors: [nameless.certificate, other.certificate]).evaluate().isTrusted)
    }

    @Test("the worst result wins, and every error of the best path is told")
    func severalErrors() throws {
        let world = try TestPKI(
            intermediate: { $0.set(.keyUsage(.digitalSignature)) },
            leaf: { $0.validity = Validity(from: moment - 10, through: moment - 5) })
        let verdict = world.trust.with { $0.policies = [.tlsServer(name: .dns("other.test"))] }.evaluate()
        #expect(verdict.errors == ["ca.key-usage", "validity.expired", "name.mismatch"])
        #expect(verdict.result == .fatalTrustFailure)
        #expect(verdict.findings.first?.rule.identifier == "ca.key-usage")
    }

    @Test("validity includes both its ends", arguments: [(-1, false), (0, true), (60, true), (61, false)])
    func validityEnds(offset: Int, isValid: Bool) throws {
        let world = try TestPKI(leaf: { $0.validity = Validity(from: moment, through: moment + 60) })
        let verdict = world.trust.with { $0.evaluationTime = moment + Double(offset) }.evaluate()
        #expect(verdict.isTrusted == isValid)
    }
}

@Suite("What is said of certificates beside the path")
struct ChainRemarkTests {
    @Test("where the leaf itself is pinned, the intermediate that the server sends for others is no extra")
    func issuersAboveAPin() throws {
        let world = try TestPKI.good.get()
        let policy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [world.leaf])
        let verdict = policy.evaluate(world.trust)
        #expect(verdict.isTrusted)
        #expect(!verdict.rules.contains("path.extra-certificate"))
    }

    @Test("a stranger is an extra, also where the leaf is pinned")
    func strangers() throws {
        let world = try TestPKI.good.get()
        let stranger = try CertificateIssuer.root(named: "Stranger").certificate
        var trust = world.trust
        trust.chain.append(stranger.der)
        let policy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [world.leaf])
        #expect(policy.evaluate(trust).finding("path.extra-certificate")?.depth == 2)
    }

    @Test("an anchor of the right name with another key identifier is told from a missing one")
    func namesake() throws {
        let world = try TestPKI.good.get()
        let anew = try CertificateIssuer.root(named: "Root") {
            $0.subject = DistinguishedName(commonName: "Root", organization: "Example")
        }
        var trust = world.trust
        trust.anchors = AnchorStore([anew.certificate])
        let finding = try #require(trust.evaluate().finding("path.issuer-not-sent"))
        #expect(finding.message.contains("an anchor of that name has another key"))
    }
}
