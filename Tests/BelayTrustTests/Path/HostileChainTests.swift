import BelayCertificates
import BelayTrust
import Foundation
import Testing

@Suite("Hostile chains")
struct HostileChainTests {
    @Test("a web of authorities that all certify each other ends with the budget, and quickly")
    func web() throws {
        // 14 authorities of one name each, every one certified by every other: 14! paths.
        let authorities = try (0..<14).map { try CertificateIssuer.root(named: "A\($0)") }
        var chain = [try authorities[0].server()]
        for issuer in authorities {
            for (number, subject) in authorities.enumerated() where subject.certificate != issuer.certificate {
                chain.append(try issuer.authority(named: "A\(number)", key: subject.privateKey).certificate)
            }
        }
        var trust = TestPKI.trust(chain, anchors: [try CertificateIssuer.root(named: "X").certificate])
        trust.limits.certificates = 1_000
        let verdict = trust.evaluate()
        #expect(verdict.result == .fatalTrustFailure)
        #expect(verdict.rules.contains("path.budget-exceeded"))
        #expect(!verdict.rules.contains("signature.invalid"))
    }

    @Test("a hundred certificates of one name and key, and a hundred of one name and many keys, are refused")
    func hundredNamesakes() throws {
        let key = try PrivateKey.generate(.p256)
        let name = DistinguishedName(commonName: "Same")
        let same = try CertificateIssuer.root(named: "Same")
        let leaf = try CertificateIssuer.selfSigned(.authority(named: "Same", validity: .current), key: key).server()
        let oneKey = try (0..<99).map { _ in try same.authority(named: "Same", key: key).certificate }
        let anchor = [try CertificateIssuer.root(named: "X").certificate]
        #expect(!TestPKI.trust([leaf] + oneKey, anchors: anchor).evaluate().isTrusted)
        let manyKeys = try (0..<99).map { _ in
            try same.authority(named: "Same") {
                $0.subject = name
                $0.addsKeyIdentifiers = false
            }.certificate
        }
        let verdict = TestPKI.trust([leaf] + manyKeys, anchors: anchor).evaluate()
        #expect(verdict.result == .fatalTrustFailure)
    }

    @Test("a chain of a hundred is refused at the limit of a path's length, a chain of the limit is accepted")
    func longChain() throws {
        let root = try CertificateIssuer.root(named: "Root")
        var issuer = root
        var authorities: [Certificate] = []
        for number in 0..<98 {
            issuer = try issuer.authority(named: "I\(number)")
            authorities.insert(issuer.certificate, at: 0)
            if number == 29 {
                // 30 intermediates, leaf and root: 32.
                let chain = [try issuer.server()] + authorities
                #expect(TestPKI.trust(chain, anchors: [root.certificate]).evaluate().isTrusted)
            }
            if number == 30 {
                let chain = [try issuer.server()] + authorities
                #expect(!TestPKI.trust(chain, anchors: [root.certificate]).evaluate().isTrusted)
            }
        }
        let verdict = TestPKI.trust([try issuer.server()] + authorities, anchors: [root.certificate]).evaluate()
        #expect(!verdict.isTrusted)
        #expect(verdict.path.count <= 33)
    }

    @Test("a budget that is spent is said to be spent, and not that a signature is bad")
    func spentBudget() throws {
        let world = try TestPKI.good.get()
        for checks in 0...1 {
            let verdict = world.trust.with { $0.limits.signatureChecks = checks }.evaluate()
            #expect(verdict.rules.contains("path.budget-exceeded"))
            #expect(!verdict.rules.contains("signature.invalid"))
        }
        #expect(world.trust.with { $0.limits.signatureChecks = 2 }.evaluate().isTrusted)
        let steps = world.trust.with { $0.limits.searchSteps = 1 }.evaluate()
        #expect(steps.rules.contains("path.budget-exceeded"))
        #expect(world.trust.with { $0.limits.searchSteps = 2 }.evaluate().isTrusted)
    }

    @Test("the bytes of a chain have a limit of their own")
    func chainBytes() throws {
        let world = try TestPKI.good.get()
        let size = world.trust.chain.reduce(0) { $0 + $1.count }
        #expect(world.trust.with { $0.limits.chainBytes = size }.evaluate().isTrusted)
        let verdict = world.trust.with { $0.limits.chainBytes = size - 1 }.evaluate()
        #expect(verdict.errors == ["path.certificate-too-large"])
    }

    @Test("a long name counts as many comparisons with constraints")
    func longNames() throws {
        let constraints = (0..<400).map { GeneralName.dns("c\($0).test") }
        func judge(_ name: String) throws -> Verdict {
            try TestPKI(
                intermediate: { $0.set(.nameConstraints(NameConstraints(excluded: constraints))) },
                leaf: { $0.setNames([.dns(TestPKI.host), .dns(name)]) }
            ).trust.evaluate()
        }
        #expect(try judge("short.test").isTrusted)
        let long = Array(repeating: "aaaaaaa", count: 25_000).joined(separator: ".")
        #expect(try judge(long).errors.contains("constraints.budget-exceeded"))
    }

    @Test("ten thousand names are judged, with constraints as far as the budget goes")
    func manyNames() throws {
        let names = (0..<10_000).map { GeneralName.dns("n\($0).host.test") } + [.dns(TestPKI.host)]
        #expect(try TestPKI(leaf: { $0.setNames(names) }).trust.evaluate().isTrusted)
        let one = NameConstraints(permitted: [.dns("host.test")])
        #expect(
            try TestPKI(intermediate: { $0.set(.nameConstraints(one)) }, leaf: { $0.setNames(names) }).trust.evaluate()
                .isTrusted)
        let many = NameConstraints(permitted: (0..<50).map { .dns("p\($0).test") } + [.dns("host.test")])
        let verdict = try TestPKI(
            intermediate: { $0.set(.nameConstraints(many)) }, leaf: { $0.setNames(names) }
        ).trust.evaluate()
        #expect(verdict.result == .fatalTrustFailure)
        #expect(verdict.errors.isSuperset(of: ["constraints.budget-exceeded"]))
    }

    @Test("findings on a path that was found are not those of a search that had spent its budget")
    func findingsAfterCostlySearch() throws {
        // The anchor of version 1 makes the search collect findings; the constraints take more than half of the budget.
        let world = try TestPKI(
            root: { $0.flaws.version = 1 },
            intermediate: { $0.set(.nameConstraints(NameConstraints(permitted: [.dns("host.test")]))) })
        var trust = world.trust
        // Weights: one constraint, a name and a subject: 1 + 1 × 2.
        trust.limits.nameConstraintComparisons = 3
        let verdict = trust.evaluate()
        #expect(verdict.isTrusted)
        #expect(verdict.rules == ["ca.version-1-anchor"])
    }

    @Test("more anchors of one name than anybody has are told apart")
    func manyAnchorsOfOneName() throws {
        let world = try TestPKI.good.get()
        let subject = world.root.certificate.subject
        let template = CertificateTemplate(subject: subject, validity: .current)
        let key = try PrivateKey.generate(.p256)
        // All are of one key that did not sign, which a table by colliding numbers would take for the one that did.
        let strangers = try (0..<1_100).map { _ in try CertificateIssuer.selfSigned(template, key: key).certificate }
        var trust = world.trust
        trust.limits.signatureChecks = 2_000
        trust.anchors = AnchorStore(strangers + [world.root.certificate])
        trust.systemAnchors = AnchorStore(strangers.reversed())
        let verdict = trust.evaluate()
        #expect(verdict.isTrusted)
        #expect(verdict.anchor == world.root.certificate)
        trust.anchors = AnchorStore(strangers)
        #expect(!trust.evaluate().isTrusted)
    }

    @Test("the genuine key's name under another algorithm does not verify")
    func algorithmConfusion() throws {
        let world = try TestPKI.good.get()
        // Each algorithm is written into the certificate beside a signature that was made with another.
        for algorithm: SignatureAlgorithm in [
            .ecdsa(.sha384), .rsaPKCS1(.sha256), .ed25519, .ed448,
            .rsaPSS(hash: .sha256, mask: .sha256, saltLength: 32),
        ] {
            let der = try #require(algorithm.der)
            let genuine = try #require(SignatureAlgorithm.ecdsa(.sha256).der)
            // Rebuilt from its parts, since the lengths change.
            var reader = DERReader(world.leaf.signedBytes)
            _ = try reader.enter(.sequence)
            let parts = Array(world.leaf.signedBytes[reader.position...]).replacing(genuine, with: der)
            let forged = DERWriter.sequence(
                DERWriter.element(.sequence, parts), der, DERWriter.bitString(world.leaf.signature))
            let verdict = world.trust.with { $0.chain[0] = forged }.evaluate()
            #expect(verdict.errors == ["signature.invalid"], "\(algorithm)")
        }
    }

    @Test("an algorithm beside the signature that differs from the signed one is malformed")
    func innerAlgorithm() throws {
        let world = try TestPKI.good.get()
        var template = CertificateTemplate.server(names: [TestPKI.host], validity: .current)
        template.flaws.innerAlgorithm = .ecdsa(.sha384)
        let der = try world.intermediate.encode(template, for: world.leafKey.publicKey)
        #expect(world.trust.with { $0.chain[0] = der }.evaluate().errors == ["der.malformed"])
    }

    @Test("one byte changed anywhere in a certificate refuses the chain", arguments: [0, 1])
    func everyByte(index: Int) throws {
        let world = try TestPKI.good.get()
        for position in stride(from: 0, to: world.trust.chain[index].count, by: 3) {
            let verdict = world.trust.with { $0.chain[index][position] ^= 0x01 }.evaluate()
            #expect(!verdict.isTrusted, "byte \(position)")
        }
    }
}

extension [UInt8] {
    /// Every occurrence of a part replaced by another.
    fileprivate func replacing(_ part: [UInt8], with other: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < count {
            if self[index...].starts(with: part) {
                result += other
                index += part.count
            } else {
                result.append(self[index])
                index += 1
            }
        }
        return result
    }
}

@Suite("Keys that are no keys")
struct OffCurveTests {
    @Test(
        "a leaf whose key is no point of its curve is malformed", arguments: ["prime256v1", "secp384r1", "secp521r1"])
    func offCurve(_ group: String) throws {
        let key = try PrivateKey.generate(.ellipticCurve(group))
        var der = key.publicKey.der
        // The last octet of y, changed: no point of the curve has this x and y, but with negligible chance.
        der[der.count - 1] ^= 1
        let world = try TestPKI(leaf: { $0.flaws.rawPublicKey = der }, leafKey: key)
        let verdict = world.trust.evaluate()
        #expect(verdict.errors == ["key.malformed"])
        #expect(verdict.result == .fatalTrustFailure)
    }

    @Test("when the budget is spent nothing is said of anchors")
    func spentBudget() throws {
        let world = try TestPKI.good.get()
        let verdict = world.trust.with { $0.limits.signatureChecks = 1 }.evaluate()
        #expect(verdict.errors == ["path.budget-exceeded"])
    }
}
