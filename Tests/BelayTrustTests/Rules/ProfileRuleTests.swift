import BelayCertificates
import Foundation
import Testing

@testable import BelayTrust

/// Of one rule of a stricter set: how the good chain is bent so that the rule reports it.
struct ProfileRuleCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let set: RuleSet
    let depth: Int
    var severity = Finding.Severity.error
    var result: TrustResult = .fatalTrustFailure
    var isShipped = false
    var root: @Sendable (inout CertificateTemplate) -> Void = { _ in }
    var intermediate: @Sendable (inout CertificateTemplate) -> Void = { _ in }
    var leaf: @Sendable (inout CertificateTemplate) -> Void = { _ in }
    var leafKey: PrivateKey.Specification = .p256
    var host: String? = TestPKI.host

    var testDescription: String { "\(rule) in \(set.name)" }

    func verdict(bent: Bool) throws -> Verdict {
        let world =
            try bent
            ? TestPKI(root: root, intermediate: intermediate, leaf: leaf, leafKey: .generate(leafKey))
            : TestPKI.good.get()
        var trust = TestPKI.trust(
            [world.leaf, world.intermediate.certificate], host: host, anchors: [])
        let isShipped = isShipped
        trust.anchors = AnchorStore([world.root.certificate], isShipped: { _ in isShipped })
        trust.rules = set
        return trust.evaluate()
    }
}

@Suite("Rules of the stricter sets: each with a chain that it accepts and one that it reports")
struct ProfileRuleTests {
    /// The note that every verdict of the set has, and what only the bytes of a certificate can show.
    private let elsewhere: Set<String> = [
        "apple.other-roots", "rfc5280.unique-identifier", "rfc5280.algorithm", "rfc5280.time-form",
        // Of revocation lists.
        "rfc5280.revocation-list",
    ]

    @Test("every rule that the stricter sets add has a case")
    func setsAreCovered() {
        func identifiers(_ set: RuleSet) -> Set<String> {
            Set(set.rules.flatMap { type(of: $0).catalogue }.map(\.identifier))
        }
        let added = RuleSet.all.reduce(into: Set<String>()) { $0.formUnion(identifiers($1)) }
            .subtracting(identifiers(.standard))
        let missing = added.subtracting(elsewhere).symmetricDifference(ProfileRuleCase.all.map(\.rule))
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    @Test("an ordinary chain is good under every set", arguments: RuleSet.all.map(\.name), [false, true])
    func goodChain(_ set: String, _ isShipped: Bool) throws {
        let world = try TestPKI.good.get()
        var trust = world.trust
        trust.anchors = AnchorStore([world.root.certificate], isShipped: { _ in isShipped })
        trust.rules = try #require(RuleSet.named(set))
        let verdict = trust.evaluate()
        #expect(verdict.result == .unspecified)
        // A year is longer than what the announced limits allow for a certificate of 2026 under a shipped anchor.
        let expected: Set<String> =
            isShipped ? ["apple.other-roots", "apple.lifetime-announced"] : ["apple.other-roots"]
        #expect(verdict.rules == (set == "apple" ? expected : []))
    }

    @Test("the rule reports what is wrong, where, and how grave it is", arguments: ProfileRuleCase.all)
    func reports(_ ruleCase: ProfileRuleCase) throws {
        let verdict = try ruleCase.verdict(bent: true)
        let finding = try #require(verdict.finding(ruleCase.rule), "\(verdict.findings)")
        #expect(finding.depth == ruleCase.depth)
        #expect(finding.severity == ruleCase.severity)
        #expect(verdict.result == ruleCase.result, "\(verdict.findings)")
    }

    @Test("the standard set has nothing to say about what only the profiles forbid", arguments: ProfileRuleCase.all)
    func standardIsSilent(_ ruleCase: ProfileRuleCase) throws {
        var standard = ruleCase
        standard = ProfileRuleCase(
            rule: ruleCase.rule, set: .standard, depth: ruleCase.depth, isShipped: ruleCase.isShipped,
            root: ruleCase.root, intermediate: ruleCase.intermediate, leaf: ruleCase.leaf, leafKey: ruleCase.leafKey,
            host: ruleCase.host)
        #expect(try standard.verdict(bent: true).finding(ruleCase.rule) == nil)
    }

    /// The longest lifetimes that are accepted, to the second, and the first that are not.
    @Test(
        "lifetimes end where Apple's systems end them",
        arguments: [
            (825, 3_600.0, false, true), (825, 3_601, false, false), (398, 0, true, true), (398, 1, true, false),
        ])
    func lifetimeBoundaries(_ count: Int, _ extra: Double, _ isShipped: Bool, _ isAccepted: Bool) throws {
        let ruleCase = ProfileRuleCase(
            rule: "", set: .apple, depth: 0, isShipped: isShipped,
            leaf: { $0.validity = ProfileRuleCase.days(count, extraSeconds: extra) })
        #expect(try ruleCase.verdict(bent: true).isTrusted == isAccepted)
    }

    /// A leaf whose signed part is taken apart, bent, and signed again.
    private func rebuilt(_ bend: (inout [[UInt8]]) throws -> Void) throws -> Verdict {
        let world = try TestPKI.good.get()
        var reader = DERReader(world.leaf.signedBytes)
        let sequence = try reader.enter(.sequence)
        var elements: [[UInt8]] = []
        while !reader.isAtEnd { elements.append(Array(reader.bytes[try reader.readAny().element])) }
        try reader.leave(sequence)
        let algorithm = elements[2]
        try bend(&elements)
        let signed = DERWriter.element(.sequence, elements.joined())
        let signature = try world.intermediate.privateKey.sign(signed, with: .ecdsa(.sha256))
        let der = DERWriter.sequence(signed, algorithm, DERWriter.bitString(signature))
        var trust = world.trust
        trust.chain[0] = der
        trust.rules = .rfc5280
        return trust.evaluate()
    }

    @Test("an RSA algorithm written with NULL in one place only is reported by the profile alone")
    func algorithmForm() throws {
        let root = try CertificateIssuer.selfSigned(
            .authority(named: "RSA Root", validity: .current), key: .generate(.rsa(bits: 2_048)))
        let key = try PrivateKey.generate(.p256)
        let leaf = try root.issue(.server(names: [TestPKI.host], validity: .current), for: key.publicKey)
        // The signed part without the NULL, signed again; beside the signature the NULL stays.
        let sha256WithRSA = try #require(OID(dotted: "1.2.840.113549.1.1.11"))
        let withNull = DERWriter.sequence(
            DERWriter.objectIdentifier(sha256WithRSA), DERWriter.element(.null, []))
        let withoutNull = DERWriter.sequence(DERWriter.objectIdentifier(sha256WithRSA))
        var reader = DERReader(leaf.signedBytes)
        let sequence = try reader.enter(.sequence)
        var elements: [[UInt8]] = []
        while !reader.isAtEnd { elements.append(Array(reader.bytes[try reader.readAny().element])) }
        try reader.leave(sequence)
        #expect(elements[2] == withNull)
        elements[2] = withoutNull
        let signed = DERWriter.element(.sequence, elements.joined())
        let signature = try root.privateKey.sign(signed, with: .rsaPKCS1(.sha256))
        let der = DERWriter.sequence(signed, withNull, DERWriter.bitString(signature))
        var trust = TestPKI.trust([leaf], anchors: [root.certificate])
        trust.chain = [der]
        #expect(trust.evaluate().result == .unspecified)
        trust.rules = .rfc5280
        #expect(trust.evaluate().errors == ["rfc5280.algorithm"])
    }

    @Test("taking a certificate apart and signing it again changes nothing by itself")
    func rebuildingIsNeutral() throws {
        #expect(try rebuilt({ _ in }).result == .unspecified)
    }

    @Test("a year before 2050 written as GeneralizedTime is reported by the profile alone")
    func timeForm() throws {
        let verdict = try rebuilt { elements in
            elements[4] = DERWriter.sequence(
                DERWriter.element(.generalizedTime, Array("20260101000000Z".utf8)),
                DERWriter.element(.utcTime, Array("270101000000Z".utf8)))
        }
        #expect(verdict.errors == ["rfc5280.time-form"])
    }

    @Test("a unique identifier is reported by the profile alone")
    func uniqueIdentifier() throws {
        let verdict = try rebuilt { elements in
            elements.insert(DERWriter.element(.contextPrimitive(2), [0, 0xAB]), at: 7)
        }
        #expect(verdict.errors == ["rfc5280.unique-identifier"])
    }
}

extension ProfileRuleCase {
    static let all = formCases + webCases + appleCases

    private static func criticalExtension(_ bend: CertificateExtension, _ isCritical: Bool) -> CertificateExtension {
        CertificateExtension(identifier: bend.identifier, isCritical: isCritical, value: bend.value)
    }

    private static let formCases: [ProfileRuleCase] = [
        ProfileRuleCase(rule: "rfc5280.version", set: .rfc5280, depth: 2, root: { $0.flaws.version = 1 }),
        ProfileRuleCase(
            rule: "rfc5280.serial-number", set: .rfc5280, depth: 0, leaf: { $0.flaws.rawSerialNumber = [0x80] }),
        ProfileRuleCase(
            rule: "rfc5280.authority-name", set: .rfc5280, depth: 0,
            intermediate: { $0.subject = DistinguishedName(commonName: nil) }),
        ProfileRuleCase(
            rule: "rfc5280.authority-key-identifier", set: .rfc5280, depth: 0, leaf: { $0.addsKeyIdentifiers = false }),
        ProfileRuleCase(
            rule: "rfc5280.subject-key-identifier", set: .rfc5280, depth: 1,
            intermediate: { $0.set(criticalExtension(.subjectKeyIdentifier([1, 2, 3]), true)) }),
        ProfileRuleCase(
            rule: "rfc5280.basic-constraints", set: .rfc5280, depth: 1,
            intermediate: {
                $0.set(criticalExtension(.basicConstraints(BasicConstraints(isAuthority: true)), false))
            }),
        ProfileRuleCase(
            rule: "rfc5280.key-usage", set: .rfc5280, depth: 0,
            leaf: { $0.set(.keyUsage([.digitalSignature, .keyCertSign])) }),
        ProfileRuleCase(
            rule: "rfc5280.name-constraints", set: .rfc5280, depth: 1,
            intermediate: { $0.set(.nameConstraints(NameConstraints(permitted: [.dns(".host.test")]))) }),
        ProfileRuleCase(
            rule: "rfc5280.policy-constraints", set: .rfc5280, depth: 1,
            // inhibitAnyPolicy 5, not critical.
            intermediate: {
                if let identifier = OID(dotted: "2.5.29.54") {
                    $0.set(CertificateExtension(identifier: identifier, isCritical: false, value: [2, 1, 5]))
                }
            }),
        ProfileRuleCase(
            rule: "rfc5280.alternative-names", set: .rfc5280, depth: 0,
            // An address in the place of a DNS name.
            leaf: { $0.set(.subjectAlternativeNames([.dns(TestPKI.host), .dns("192.0.2.1")])) }),
        ProfileRuleCase(
            rule: "rfc5280.access", set: .rfc5280, depth: 0,
            leaf: {
                if let identifier = OID(dotted: "2.5.29.31") {
                    $0.set(CertificateExtension(identifier: identifier, isCritical: false, value: [0x30, 0]))
                }
            }),
    ]

    private static let webCases: [ProfileRuleCase] = [
        ProfileRuleCase(
            rule: "webpki.leaf-is-authority", set: .webpki, depth: 0,
            leaf: { $0.set(.basicConstraints(BasicConstraints(isAuthority: true))) }),
        ProfileRuleCase(
            rule: "webpki.eku", set: .webpki, depth: 0, result: .recoverableTrustFailure,
            leaf: { $0.set(.extendedKeyUsage([.serverAuthentication, .anyExtendedKeyUsage])) }),
        ProfileRuleCase(
            rule: "webpki.name-kind", set: .webpki, depth: 0,
            leaf: { $0.set(.subjectAlternativeNames([.dns(TestPKI.host), .email("post@host.test")])) }),
        ProfileRuleCase(
            rule: "webpki.key-usage", set: .webpki, depth: 0,
            leaf: { $0.set(.keyUsage([.digitalSignature, .cRLSign])) }),
        ProfileRuleCase(
            rule: "webpki.public-suffix-wildcard", set: .webpki, depth: 0,
            leaf: { $0.set(.subjectAlternativeNames([.dns(TestPKI.host), .dns("*.co.uk")])) }),
        ProfileRuleCase(
            rule: "webpki.name-form", set: .webpki, depth: 0,
            leaf: { $0.set(.subjectAlternativeNames([.dns(TestPKI.host), .dns("under_score.host.test")])) }),
        ProfileRuleCase(
            rule: "webpki.critical-names", set: .webpki, depth: 0,
            leaf: {
                $0.set(.subjectAlternativeNames([.dns(TestPKI.host)], isCritical: true))
                $0.subject = DistinguishedName(commonName: TestPKI.host)
            }),
        ProfileRuleCase(
            rule: "webpki.common-name", set: .webpki, depth: 0, result: .recoverableTrustFailure,
            leaf: { $0.subject = DistinguishedName(commonName: "elsewhere.test") }),
        ProfileRuleCase(
            rule: "webpki.key", set: .webpki, depth: 0, result: .recoverableTrustFailure, leafKey: .ed25519),
        ProfileRuleCase(
            rule: "webpki.signature", set: .webpki, depth: 0, result: .recoverableTrustFailure,
            leaf: { $0.signatureAlgorithm = .ecdsa(.sha224) }),
        ProfileRuleCase(
            rule: "webpki.authority-key-identifier", set: .webpki, depth: 2,
            // In a root the identifier must be its own.
            root: {
                $0.set(.subjectKeyIdentifier([1, 2, 3]))
                $0.set(.authorityKeyIdentifier([4, 5, 6]))
            }),
        ProfileRuleCase(
            rule: "webpki.root-eku", set: .webpki, depth: 2,
            root: { $0.set(.extendedKeyUsage([.serverAuthentication])) }),
    ]

    static func days(_ count: Int, extraSeconds: Double = 0) -> Validity {
        let start = moment.addingTimeInterval(-86_400)
        return Validity(from: start, through: start.addingTimeInterval(Double(count) * 86_400 + extraSeconds))
    }

    private static let appleCases: [ProfileRuleCase] = [
        ProfileRuleCase(
            rule: "apple.key-size", set: .apple, depth: 0, result: .recoverableTrustFailure,
            leafKey: .ellipticCurve("secp224r1")),
        ProfileRuleCase(
            rule: "apple.key-kind", set: .apple, depth: 0, result: .recoverableTrustFailure,
            leafKey: .ellipticCurve("secp256k1")),
        ProfileRuleCase(
            rule: "apple.key-kind", set: .apple, depth: 0, result: .recoverableTrustFailure,
            leafKey: .ellipticCurve("brainpoolP256r1")),
        ProfileRuleCase(
            rule: "apple.key-kind", set: .apple, depth: 0, result: .recoverableTrustFailure, leafKey: .ed25519),
        ProfileRuleCase(
            rule: "apple.eku", set: .apple, depth: 0, result: .recoverableTrustFailure,
            leaf: { template in template.extensions.removeAll { $0.identifier.description == "2.5.29.37" } }),
        ProfileRuleCase(
            rule: "apple.wildcard", set: .apple, depth: 0, severity: .warning, result: .unspecified,
            leaf: { $0.set(.subjectAlternativeNames([.dns(TestPKI.host), .dns("*.localhost")])) }),
        ProfileRuleCase(
            rule: "apple.lifetime", set: .apple, depth: 0, result: .recoverableTrustFailure,
            leaf: { $0.validity = days(826) }),
        ProfileRuleCase(
            rule: "apple.lifetime-announced", set: .apple, depth: 0, severity: .warning, result: .unspecified,
            isShipped: true, leaf: { $0.validity = days(201) }),
    ]
}
