import BelayCertificates
import BelayTrust
import Foundation

extension RuleCase {
    static let all =
        certificateCases + authorityCases + strengthCases + nameCases + revocationCases + pathCases + policyCases
        + otherCases

    private static let certificateCases: [RuleCase] = [
        .chain(
            "der.malformed", depth: 1, .fatalTrustFailure,
            { trust, _ in trust.chain[1].removeLast() }),
        .chain(
            "extension.malformed", depth: 0, .fatalTrustFailure,
            // A key usage of three octets.
            leaf: { $0.set(CertificateExtension(identifier: keyUsage, isCritical: true, value: [3, 4, 0, 1, 1, 1])) }),
        .chain(
            "extension.unknown-critical", depth: 1, .fatalTrustFailure,
            intermediate: { $0.set(CertificateExtension(identifier: unknown, isCritical: true, value: [5, 0])) }),
        .chain(
            "validity.expired", depth: 0, .recoverableTrustFailure,
            leaf: { $0.validity = Validity(from: moment - 86_400, through: moment - 1) }),
        .chain(
            "validity.not-yet-valid", depth: 1, .recoverableTrustFailure,
            intermediate: { $0.validity = Validity(from: moment + 1, through: moment + 86_400) }),
        .chain(
            "eku.purpose", depth: 0, .recoverableTrustFailure,
            leaf: { $0.set(.extendedKeyUsage([.clientAuthentication])) }),
        .chain(
            "eku.issuer-purpose", depth: 2, .recoverableTrustFailure,
            root: { $0.set(.extendedKeyUsage([.emailProtection])) }),
        .chain("key.usage", depth: 0, .recoverableTrustFailure, leaf: { $0.set(.keyUsage([.keyCertSign])) }),
    ]

    private static let authorityCases: [RuleCase] = [
        .chain(
            "ca.not-an-authority", depth: 1, .fatalTrustFailure,
            intermediate: { $0.set(.basicConstraints(BasicConstraints(isAuthority: false))) }),
        .chain(
            "ca.key-usage", depth: 1, .fatalTrustFailure,
            intermediate: { $0.set(.keyUsage([.digitalSignature, .cRLSign])) }),
        .chain(
            "ca.version-1-anchor", depth: 2, .unspecified, severity: .note,
            root: { $0.flaws.version = 1 }),
        .chain(
            "ca.path-length", depth: 2, .fatalTrustFailure,
            root: { $0.set(.basicConstraints(BasicConstraints(isAuthority: true, pathLength: 0))) }),
        .chain(
            "constraints.explicit-policy", depth: 0, .fatalTrustFailure,
            // requireExplicitPolicy 0: a certificate policy is demanded at once, and nobody has one.
            intermediate: {
                $0.set(
                    CertificateExtension(identifier: policyConstraints, isCritical: true, value: [0x30, 3, 0x80, 1, 0]))
            }),
        .chain("path.too-deep", depth: 1, .fatalTrustFailure, { trust, _ in trust.maximumChainDepth = 0 }),
    ]

    private static let strengthCases: [RuleCase] = [
        RuleCase(
            rule: "key.too-small", depth: 0, result: .recoverableTrustFailure,
            accepting: {
                Outcome(try TestPKI(leafKey: PrivateKey.generate(.rsa(bits: 2_048))).trust.evaluate())
            },
            refusing: {
                Outcome(try TestPKI(leafKey: PrivateKey.generate(.rsa(bits: 2_047))).trust.evaluate())
            }),
        .chain(
            "key.unsupported", depth: 0, .recoverableTrustFailure,
            // An X25519 key (RFC 8410), which agrees on keys and verifies nothing.
            leaf: {
                $0.flaws.rawPublicKey = DERWriter.sequence(
                    DERWriter.sequence(DERWriter.element(.objectIdentifier, [0x2B, 0x65, 0x6E])),
                    DERWriter.bitString([UInt8](repeating: 9, count: 32)))
            }),
        .chain(
            "key.malformed", depth: 0, .fatalTrustFailure,
            leaf: {
                $0.flaws.rawPublicKey = DERWriter.sequence(
                    DERWriter.sequence(DERWriter.element(.objectIdentifier, [0x2B, 0x65, 0x70])),
                    DERWriter.bitString([UInt8](repeating: 9, count: 31)))
            }),
        .chain(
            "signature.weak-hash", depth: 0, .recoverableTrustFailure,
            leaf: { $0.signatureAlgorithm = .ecdsa(.sha1) }),
        .chain(
            "signature.invalid", depth: 0, .fatalTrustFailure,
            leaf: { $0.flaws.corruptsSignature = true }),
    ]

    private static let nameCases: [RuleCase] = [
        .chain("name.mismatch", depth: 0, .recoverableTrustFailure, leaf: { $0.setNames([.dns("other.test")]) }),
        .chain(
            "name.no-alternative-names", depth: 0, .recoverableTrustFailure,
            leaf: { $0.remove(subjectAlternativeName) }),
        .chain(
            "constraints.excluded", depth: 0, .fatalTrustFailure,
            intermediate: { $0.set(.nameConstraints(NameConstraints(excluded: [.dns("host.test")]))) }),
        .chain(
            "constraints.not-permitted", depth: 0, .fatalTrustFailure,
            intermediate: { $0.set(.nameConstraints(NameConstraints(permitted: [.dns("other.test")]))) }),
        .chain(
            "constraints.malformed", depth: 1, .fatalTrustFailure,
            // A mask with a hole.
            intermediate: {
                $0.set(.nameConstraints(NameConstraints(permitted: [.ipAddress([192, 0, 2, 0, 255, 0, 255, 0])])))
            }),
        .chain(
            "constraints.unsupported", depth: 0, .fatalTrustFailure,
            intermediate: {
                $0.set(.nameConstraints(NameConstraints(excluded: [.registeredID(.clientAuthentication)])))
            }, leaf: { $0.setNames([.dns(TestPKI.host), .registeredID(.emailProtection)]) }),
        .chain(
            "constraints.budget-exceeded", depth: 1, .fatalTrustFailure,
            intermediate: { $0.set(.nameConstraints(NameConstraints(permitted: [.dns("host.test")]))) },
            { trust, _ in trust.limits.nameConstraintComparisons = 1 }),
    ]

    private static let revocationCases: [RuleCase] = [
        .lists("revocation.revoked", .fatalTrustFailure) { try [$0.intermediate.list(revoking: [$0.leaf])] },
        .lists("revocation.list-invalid", .fatalTrustFailure) {
            try [$0.intermediate.list { $0.corruptsSignature = true }]
        },
        .lists("revocation.list-stale", .recoverableTrustFailure) {
            try [$0.intermediate.list { $0.nextUpdate = moment - 1 }]
        },
        .lists("revocation.list-unsupported", .recoverableTrustFailure) {
            try [
                $0.intermediate.list(extensions: [
                    CertificateExtension(identifier: deltaIndicator, isCritical: true, value: [2, 1, 1])
                ])
            ]
        },
        .chain(
            "revocation.list-missing", depth: 0, .recoverableTrustFailure,
            { trust, _ in trust.requiresRevocationLists = true }),
        .lists("revocation.no-list", .unspecified, severity: .warning) { _ in
            try [CertificateIssuer.root(named: "Stranger").list()]
        },
    ]

    /// A case whose accepting situation has current lists of both authorities, and whose refusing one others for the leaf.
    private static func lists(
        _ rule: String, _ result: TrustResult, severity: Finding.Severity = .error,
        _ lists: @escaping @Sendable (TestPKI) throws -> [RevocationList]
    ) -> RuleCase {
        RuleCase(
            rule: rule, severity: severity, depth: 0, result: result,
            accepting: {
                let world = try TestPKI.good.get()
                return Outcome(
                    try world.trust.with { $0.revocationLists = try [world.intermediate.list(), world.root.list()] }
                        .evaluate())
            },
            refusing: {
                let world = try TestPKI.good.get()
                return Outcome(
                    try world.trust.with { $0.revocationLists = try lists(world) + [world.root.list()] }.evaluate())
            })
    }

    private static let pathCases: [RuleCase] = [
        .chain("path.no-chain", depth: nil, .invalid, { trust, _ in trust.chain = [] }),
        .chain(
            "path.too-many-certificates", depth: nil, .fatalTrustFailure,
            { trust, _ in trust.chain = Array(repeating: trust.chain[0], count: 101) }),
        .chain(
            "path.certificate-too-large", depth: 1, .fatalTrustFailure,
            { trust, _ in trust.chain[1] += [UInt8](repeating: 0, count: 1 << 19) }),
        .chain(
            "path.budget-exceeded", depth: nil, .fatalTrustFailure, { trust, _ in trust.limits.signatureChecks = 1 }),
        .chain(
            "anchor.unknown", depth: 1, .recoverableTrustFailure,
            { trust, _ in trust.anchors = AnchorStore([try CertificateIssuer.root(named: "Stranger").certificate]) }),
        .chain(
            "path.issuer-not-sent", depth: 0, .recoverableTrustFailure, { trust, _ in trust.chain.removeLast() }),
        .chain(
            "path.disorder", depth: nil, .unspecified, severity: .note,
            { trust, world in
                let lower = try world.intermediate.authority(named: "Lower")
                let leaf = try lower.server()
                trust.chain = [leaf.der, world.intermediate.certificate.der, lower.certificate.der]
            }),
        .chain(
            "path.leaf-not-first", depth: 1, .recoverableTrustFailure, severity: .warning,
            { trust, _ in trust.chain.reverse() }),
        .chain(
            "path.extra-certificate", depth: 2, .unspecified, severity: .note,
            { trust, _ in trust.chain.append(try CertificateIssuer.root(named: "Stranger").certificate.der) }),
        .chain(
            "path.alternative", depth: 2, .unspecified, severity: .note,
            { trust, world in
                let other = try CertificateIssuer.root(named: "Other")
                let cross = try other.authority(named: "Root", key: world.root.privateKey) {
                    $0.subject = world.root.certificate.subject
                }
                trust.chain.append(cross.certificate.der)
            }),
    ]

    static let basicConstraints = oid("2.5.29.19")
    static let nameConstraints = oid("2.5.29.30")
    static let keyUsage = oid("2.5.29.15")
    static let subjectAlternativeName = oid("2.5.29.17")
    static let deltaIndicator = oid("2.5.29.27")
    private static let policyConstraints = oid("2.5.29.36")
    static let unknown = oid("1.3.6.1.4.1.99999.1")

    private static func oid(_ text: String) -> OID { OID(dotted: text) ?? .anyExtendedKeyUsage }
}

extension CertificateTemplate {
    /// Sets the alternative names.
    mutating func setNames(_ names: [GeneralName]) { set(.subjectAlternativeNames(names)) }
}
