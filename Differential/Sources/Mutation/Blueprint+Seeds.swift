import BelayCertificates
import FoundationEssentials

extension Blueprint {
    /// The moment at which the seeds are judged: 2026-06-01T00:00:00Z. Everything in them is valid around it.
    public static let moment: Int64 = 1_780_272_000

    /// Where keys of other kinds than the seeds' own begin in ``keys``: P-384, P-521, P-224, secp256k1, Ed25519, RSA of
    /// 2048 and 1024 bits.
    static let foreignKeys = 6

    private static let hostName = "www.host.test"

    /// Good chains from which mutations start: name constraints of every kind, certificate policies, a cross-certificate,
    /// a server known by its address, an authority whose key is replaced.
    public static func seeds() throws -> [Blueprint] {
        let keys = try (1...UInt8(foreignKeys)).map { try key($0) } + foreign()
        return try [
            constrained(keys), manyKinds(keys), policies(keys), crossed(keys), direct(keys), rollover(keys),
        ]
    }

    /// A key on P-256 whose scalar repeats an octet (RFC 5208 and 5915): the same in every run.
    private static func key(_ seed: UInt8) throws -> PrivateKey {
        let algorithm = DERWriter.sequence(
            DERWriter.element(.objectIdentifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]),
            DERWriter.element(.objectIdentifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]))
        let key = DERWriter.sequence(
            DERWriter.integer(1), DERWriter.element(.octetString, [UInt8](repeating: seed, count: 32)))
        return try PrivateKey(
            der: DERWriter.sequence(DERWriter.integer(0), algorithm, DERWriter.element(.octetString, key)))
    }

    private static func foreign() throws -> [PrivateKey] {
        try [
            .generate(.p384), .generate(.p521), .generate(.ellipticCurve("secp224r1")),
            .generate(.ellipticCurve("secp256k1")), .generate(.ed25519), .generate(.rsa(bits: 2_048)),
            .generate(.rsa(bits: 1_024)),
        ]
    }

    private static var validity: Validity {
        let moment = Date(timeIntervalSince1970: Double(Blueprint.moment))
        return Validity(from: moment.addingTimeInterval(-30 * 86_400), through: moment.addingTimeInterval(60 * 86_400))
    }

    private static func authority(
        _ name: String, pathLength: Int? = nil, constraints: NameConstraints? = nil,
        _ extensions: [CertificateExtension] = []
    ) -> CertificateTemplate {
        var template = CertificateTemplate.authority(
            named: name, organization: "Example", pathLength: pathLength, nameConstraints: constraints,
            validity: validity)
        template.extensions += extensions
        return template
    }

    private static func server(_ names: [GeneralName], _ extensions: [CertificateExtension] = []) -> CertificateTemplate
    {
        var template = CertificateTemplate.server(names: [hostName], organization: "Example", validity: validity)
        template.extensions.removeAll { $0.identifier == OID(dotted: "2.5.29.17") }
        template.extensions.append(.subjectAlternativeNames(names))
        template.extensions += extensions
        return template
    }

    /// One step of a seed: a template, the number of its key, and the number of the draft that issues it.
    private typealias Step = (template: CertificateTemplate, key: Int, issuer: Int)

    private static func build(
        _ steps: [Step], _ keys: [PrivateKey], chain: [Int], anchors: [Int] = [0], host: String = hostName
    ) throws -> Blueprint {
        var issuers: [CertificateIssuer] = []
        var drafts: [Draft] = []
        for (number, step) in steps.enumerated() {
            var template = step.template
            template.serialNumber = [0x41, UInt8(number + 1)]
            let issuer =
                step.issuer == number
                ? try CertificateIssuer.selfSigned(template, key: keys[step.key])
                : try issuers[step.issuer].issueAuthority(template, key: keys[step.key])
            issuers.append(issuer)
            let part = DERTree(issuer.certificate.signedBytes) ?? DERTree(.sequence, [])
            drafts.append(Draft(signedPart: part, key: step.key, issuer: step.issuer))
        }
        return Blueprint(drafts: drafts, keys: keys, chain: chain, anchors: anchors, host: host, time: moment)
    }

    private static func constrained(_ keys: [PrivateKey]) throws -> Blueprint {
        let constraints = NameConstraints(permitted: [.dns("host.test")], excluded: [.dns("a.bad.host.test")])
        return try build(
            [
                (authority("Root"), 0, 0),
                (authority("Intermediate", pathLength: 0, constraints: constraints), 1, 0),
                (server([.dns(hostName), .dns("*.host.test")]), 2, 1),
            ], keys, chain: [2, 1])
    }

    private static func manyKinds(_ keys: [PrivateKey]) throws -> Blueprint {
        let constraints = NameConstraints(
            permitted: [
                .dns("host.test"), .ipAddress([192, 0, 2, 0, 255, 255, 255, 0]), .email("host.test"),
                .uri(".host.test"),
            ], excluded: [.email("root@host.test"), .ipAddress([192, 0, 2, 128, 255, 255, 255, 128])])
        let person = DistinguishedName(commonName: "A", organization: "Example")
        return try build(
            [
                (authority("Root"), 0, 0),
                (authority("Outer", pathLength: 1, constraints: constraints), 1, 0),
                (authority("Inner", pathLength: 0), 2, 1),
                (
                    server([
                        .dns(hostName), .ipAddress([192, 0, 2, 1]), .email("a@host.test"),
                        .uri("https://www.host.test/"), .directory(person),
                    ]), 3, 2
                ),
            ], keys, chain: [3, 2, 1])
    }

    private static func policies(_ keys: [PrivateKey]) throws -> Blueprint {
        try build(
            [
                (authority("Root"), 0, 0),
                (
                    authority(
                        "Outer", constraints: nil,
                        [
                            ExtensionPool.policies([1, 2]), ExtensionPool.policyConstraints(explicit: 0, mapping: nil),
                            ExtensionPool.mappings([(1, 3)]),
                        ]), 1, 0
                ),
                (authority("Inner", [ExtensionPool.policies([3]), ExtensionPool.inhibitAnyPolicy(0)]), 2, 1),
                (server([.dns(hostName)], [ExtensionPool.policies([3])]), 3, 2),
            ], keys, chain: [3, 2, 1])
    }

    private static func crossed(_ keys: [PrivateKey]) throws -> Blueprint {
        try build(
            [
                (authority("Root"), 0, 0), (authority("Other Root"), 1, 1),
                (authority("Intermediate"), 2, 0), (authority("Intermediate"), 2, 1),
                (server([.dns(hostName)]), 3, 2),
            ], keys, chain: [4, 2, 3], anchors: [0])
    }

    private static func direct(_ keys: [PrivateKey]) throws -> Blueprint {
        try build(
            [(authority("Root"), 0, 0), (server([.ipAddress([192, 0, 2, 1]), .dns(hostName)]), 1, 0)], keys,
            chain: [1], host: "192.0.2.1")
    }

    private static func rollover(_ keys: [PrivateKey]) throws -> Blueprint {
        try build(
            [
                (authority("Root"), 0, 0), (authority("Outer", pathLength: 2), 1, 0),
                (authority("Outer", pathLength: 1), 2, 1), (authority("Inner"), 3, 2),
                (server([.dns(hostName)]), 4, 3),
            ], keys, chain: [4, 3, 2, 1])
    }
}
