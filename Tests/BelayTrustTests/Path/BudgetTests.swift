import BelayCertificates
import BelayTrust
import Foundation
import Testing

/// What evaluations count: hostile chains end by these counts, on a fast machine and on a slow one.
@Suite("Budgets")
struct BudgetTests {
    /// The fewest signature checks with which a trust comes to the verdict that it comes to without a limit.
    private func checks(_ trust: ServerTrust) -> Int? {
        let unlimited = trust.with { $0.limits.signatureChecks = 1_000_000 }.evaluate()
        return (0...4_000).first { count in
            trust.with { $0.limits.signatureChecks = count }.evaluate().findings == unlimited.findings
        }
    }

    @Test(
        "a check with a costly key counts as many",
        arguments: [
            (.p256, 1), (.ed25519, 1), (.ellipticCurve("secp224r1"), 1), (.ed448, 3), (.p521, 7), (.p384, 10),
            (.ellipticCurve("brainpoolP512r1"), 17), (.rsa(bits: 2_048), 1), (.rsa(bits: 4_096), 2),
        ] as [(PrivateKey.Specification, Int)])
    func keys(_ kind: PrivateKey.Specification, cost: Int) throws {
        let root = try CertificateIssuer.selfSigned(
            .authority(named: "Root", validity: .current), key: .generate(kind))
        let trust = TestPKI.trust([try root.server()], anchors: [root.certificate])
        #expect(checks(trust) == cost)
    }

    @Test("an RSA key with a long exponent counts by its bits, and takes the budget when it is as long as can be")
    func exponents() throws {
        let algorithm = DERWriter.sequence(
            DERWriter.element(.objectIdentifier, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]),
            DERWriter.element(.null, []))
        func key(bits: Int, exponent: [UInt8]) throws -> PublicKey {
            let modulus = [UInt8](repeating: 0xC5, count: bits / 8)
            let numbers = DERWriter.sequence(DERWriter.integer(modulus), DERWriter.integer(exponent))
            return try PublicKey(der: DERWriter.sequence(algorithm, DERWriter.bitString(numbers)))
        }
        #expect(try key(bits: 2_048, exponent: [1, 0, 1]).verificationCost == 1)
        #expect(try key(bits: 16_384, exponent: [1, 0, 1]).verificationCost > 10)
        #expect(try key(bits: 16_384, exponent: .init(repeating: 0xFF, count: 8)).verificationCost > 64)
    }

    @Test("a signature over many bytes counts as many checks")
    func bytes() throws {
        let filler = CertificateExtension(
            identifier: try #require(OID(dotted: "1.2.3.4")), isCritical: false,
            value: [UInt8](repeating: 0, count: 300_000))
        let world = try TestPKI(leaf: { $0.extensions.append(filler) })
        // 300,000 bytes are four times 64 KiB and some more.
        #expect(checks(world.trust) == checks(try TestPKI.good.get().trust).map { $0 + 4 })
    }

    @Test("each signature is checked once, also when a failure is explained")
    func onceEach() throws {
        let same = try CertificateIssuer.root(named: "Same")
        let leaf = try same.server()
        for count in [1, 10, 99] {
            let others = try (0..<count).map { _ in
                try CertificateIssuer.root(named: "Same") { $0.addsKeyIdentifiers = false }.certificate
            }
            let trust = TestPKI.trust([leaf] + others, anchors: [try CertificateIssuer.root(named: "X").certificate])
            let verdict = trust.evaluate()
            #expect(verdict.errors == ["signature.invalid"])
            #expect(checks(trust) == count)
            #expect(trust.with { $0.explains = true }.evaluate().findings == verdict.findings)
        }
    }

    @Test("the checks of a chain are as many as its links", arguments: [1, 2, 8, 30])
    func linear(count: Int) throws {
        let root = try CertificateIssuer.root(named: "Root")
        var issuer = root
        var chain: [Certificate] = []
        for number in 0..<count {
            issuer = try issuer.authority(named: "I\(number)")
            chain.insert(issuer.certificate, at: 0)
        }
        chain.insert(try issuer.server(), at: 0)
        let trust = TestPKI.trust(chain, anchors: [root.certificate])
        #expect(trust.evaluate().isTrusted)
        #expect(checks(trust) == count + 1)
        // A step for each link, too.
        #expect(trust.with { $0.limits.searchSteps = count + 1 }.evaluate().isTrusted)
        #expect(!trust.with { $0.limits.searchSteps = count }.evaluate().isTrusted)
    }

    @Test("a revocation list's signature is checked once with a key, on however many paths it is asked")
    func listOnce() throws {
        let root = try CertificateIssuer.root(named: "Root")
        let key = try PrivateKey.generate(.p256)
        let expired = Validity(from: moment - 86_400, through: moment - 1)
        let crosses = try (0..<12).map { _ in try root.authority(named: "I", key: key) { $0.validity = expired } }
        var trust = TestPKI.trust(
            [try crosses[0].server()] + crosses.map(\.certificate), anchors: [root.certificate])
        // One for the leaf and the key of the twelve, one for each of them.
        let without = try #require(checks(trust))
        #expect(without == 13)
        // 12 certificates are looked up in the root's list, more than it takes to make an index of it.
        trust.revocationLists = [try root.list(revoking: [crosses[11].certificate]), try crosses[0].list()]
        #expect(checks(trust) == without + 2)
        #expect(trust.evaluate().errors == ["validity.expired"])
        trust.revocationLists = [try root.list(revoking: crosses.map(\.certificate)), try crosses[0].list()]
        #expect(trust.evaluate().errors.isSuperset(of: ["revocation.revoked"]))
    }

    @Test("policies count as comparisons, and too many are said to be too many")
    func policies() throws {
        func list(_ count: Int) -> CertificateExtension {
            let policies = (0..<count).flatMap { number -> [UInt8] in
                let identifier: [UInt8] = [0x2A, 3, UInt8(0x81 + number / 128), UInt8(number % 128)]
                return DERWriter.sequence(DERWriter.element(.objectIdentifier, identifier))
            }
            return CertificateExtension(
                identifier: OID(dotted: "2.5.29.32") ?? .commonName, isCritical: false,
                value: DERWriter.element(.sequence, policies))
        }
        let demand = CertificateExtension(
            identifier: try #require(OID(dotted: "2.5.29.36")), isCritical: true,
            value: DERWriter.sequence(DERWriter.element(.contextPrimitive(0), [0])))
        func judge(_ count: Int) throws -> Set<String> {
            try TestPKI(
                intermediate: { $0.extensions += [list(count), demand] }, leaf: { $0.extensions.append(list(count)) }
            ).trust.evaluate().errors
        }
        #expect(try judge(7_000) == [])
        #expect(try judge(8_500) == ["constraints.budget-exceeded", "path.budget-exceeded"])
    }

    @Test("names of thousands of parts are within no constraint that would take as long to compare")
    func deepNames() throws {
        func deep(_ count: Int, _ end: String) -> DistinguishedName {
            let parts = (0..<count).map { number in
                [DistinguishedName.Attribute(type: .organizationalUnit, text: "Unit \(number)")]
            }
            return DistinguishedName(relativeNames: parts + [[.init(type: .commonName, text: end)]])
        }
        func judge(parts: Int, constraints: Int, of length: Int) throws -> Set<String> {
            let excluded = (0..<constraints).map { GeneralName.directory(deep(length, "c\($0)")) }
            return try TestPKI(
                intermediate: { $0.set(.nameConstraints(NameConstraints(excluded: excluded))) },
                leaf: { $0.subject = deep(parts, "leaf") }
            ).trust.evaluate().errors
        }
        #expect(try judge(parts: 200, constraints: 5, of: 50) == [])
        #expect(
            try judge(parts: 5_000, constraints: 40, of: 200)
                == ["constraints.budget-exceeded", "path.budget-exceeded"])
        // The constraint itself still holds, under a name that is much longer than it.
        let base = GeneralName.directory(
            DistinguishedName(relativeNames: [[.init(type: .organizationalUnit, text: "unit 0")]]))
        let errors = try TestPKI(
            intermediate: { $0.set(.nameConstraints(NameConstraints(excluded: [base]))) },
            leaf: { $0.subject = deep(1_000, "leaf") }
        ).trust.evaluate().errors
        #expect(errors == ["constraints.excluded"])
    }
}
