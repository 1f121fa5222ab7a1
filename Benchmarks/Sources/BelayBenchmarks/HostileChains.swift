import BelayCertificates
import BelayTrust
import FoundationEssentials

/// A chain made to keep a verifier busy.
struct HostileChain {
    let name: String
    let includes: String
    let trust: ServerTrust
    /// A rule that must be among the errors; nil where the chain is good.
    let rule: String?
}

/// Chains of every kind that costs, each as large as the limits let it be.
struct HostileChains {
    private static let moment = Date(timeIntervalSince1970: 1_780_272_000)
    private static let validity = Validity(from: moment - 86_400, through: moment + 86_400)

    static func all() throws -> [HostileChain] {
        try [
            web(.p256, "P-256"), web(.p521, "P-521"), web(.ellipticCurve("brainpoolP512r1"), "brainpoolP512r1"),
            web(.ed448, "Ed448"), namesakes(), hugeKeys(bits: 16_384, exponent: [1, 0, 1]),
            hugeKeys(bits: 16_384, exponent: [UInt8](repeating: 0xFF, count: 8)),
            bigLeaf(),
            names(10_000, constraints: 24), names(10_000, constraints: 200), longNames(),
            deepNames(5_000, constraints: 40, of: 200), deepNames(1_000, constraints: 10, of: 100),
            filled("names") {
                .subjectAlternativeNames([GeneralName](repeating: .dns("a.example.com"), count: $0 / 15))
            },
            filled("policies", policies),
            manyPolicies(500), manyPolicies(2_000), purposes(), lists(),
        ]
    }

    /// Chains that grow, to show that their cost grows no faster: intermediates, and names below constraints.
    static func growing() throws -> [(name: String, chains: [(size: Int, chain: HostileChain)])] {
        func chains(_ sizes: [Int], _ make: (Int) throws -> HostileChain) throws -> [(size: Int, chain: HostileChain)] {
            try sizes.map { ($0, try make($0)) }
        }
        return [
            // Of the whole path: the leaf, one intermediate less than certificates that are sent, the anchor not counted.
            ("certificates sent", try chains([2, 3, 4, 5, 6, 7, 8, 16, 31]) { try line($0 - 1) }),
            ("names of the leaf", try chains([10, 100, 1_000, 10_000]) { try names($0, constraints: 0) }),
            ("names, ten constraints", try chains([10, 100, 1_000, 10_000]) { try names($0, constraints: 10) }),
            ("certificates of one subject", try chains([12, 25, 50, 99], namesakes)),
            ("entries of a revocation list", try chains([12_500, 25_000, 50_000, 100_000], list)),
        ]
    }

    private static func authority(
        _ name: String, _ key: PrivateKey, by issuer: CertificateIssuer? = nil,
        _ bend: (inout CertificateTemplate) -> Void = { _ in }
    ) throws -> CertificateIssuer {
        var template = CertificateTemplate.authority(named: name, validity: validity)
        bend(&template)
        return try issuer?.issueAuthority(template, key: key) ?? CertificateIssuer.selfSigned(template, key: key)
    }

    private static func leaf(
        _ issuer: CertificateIssuer, _ names: [GeneralName] = [.dns(Material.host)],
        _ bend: (inout CertificateTemplate) -> Void = { _ in }
    ) throws -> Certificate {
        var template = CertificateTemplate.server(names: [Material.host], validity: validity)
        template.extensions.removeAll { $0.identifier == OID(dotted: "2.5.29.17") }
        template.extensions.append(.subjectAlternativeNames(names))
        bend(&template)
        return try issuer.issue(template, for: PrivateKey.generate(.p256).publicKey)
    }

    private static func trust(_ chain: [Certificate], anchors: [Certificate]) throws -> ServerTrust {
        var trust = ServerTrust(
            chain: chain.map(\.der), policies: [.tlsServer(name: try ServerName(Material.host))],
            anchors: AnchorStore(anchors))
        trust.evaluationTime = moment
        trust.explains = true
        return trust
    }

    private static func stranger() throws -> Certificate { try authority("X", .generate(.p256)).certificate }

    /// Authorities that all certify each other, and no way out.
    private static func web(_ key: PrivateKey.Specification, _ kind: String) throws -> HostileChain {
        let authorities = try (0..<10).map { try authority("A\($0)", .generate(key)) }
        var chain = [try leaf(authorities[0])]
        for issuer in authorities {
            for (number, subject) in authorities.enumerated() where subject.certificate != issuer.certificate {
                chain.append(try authority("A\(number)", subject.privateKey, by: issuer).certificate)
            }
        }
        return HostileChain(
            name: "web of cross-certificates, \(kind)", includes: "\(chain.count) certificates, no anchor in reach",
            trust: try trust(chain, anchors: [stranger()]), rule: "path.budget-exceeded")
    }

    /// Everybody has the leaf's issuer's name, nobody its key.
    private static func namesakes(_ count: Int = 99) throws -> HostileChain {
        let chain =
            try [leaf(authority("Same", .generate(.p256)))]
            + (0..<count).map { _ in
                try authority("Same", .generate(.p256)) { $0.addsKeyIdentifiers = false }.certificate
            }
        return HostileChain(
            name: "\(count) certificates of one subject", includes: "each with a key of its own",
            trust: try trust(chain, anchors: [stranger()]), rule: "signature.invalid")
    }

    /// RSA keys that take as long as OpenSSL lets them; nobody needs to know their factors.
    private static func hugeKeys(bits: Int, exponent: [UInt8]) throws -> HostileChain {
        let maker = try authority("Same", .generate(.p256))
        var generator = SystemRandomNumberGenerator()
        let algorithm = DERWriter.sequence(
            DERWriter.element(.objectIdentifier, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]),
            DERWriter.element(.null, []))
        var template = CertificateTemplate.authority(named: "Same", validity: validity)
        template.addsKeyIdentifiers = false
        let others = try (0..<99).map { _ in
            var modulus = (0..<(bits / 8)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            modulus[0] |= 0x80
            modulus[modulus.count - 1] |= 1
            let key = DERWriter.sequence(DERWriter.integer(modulus), DERWriter.integer(exponent))
            return try maker.issue(
                template, for: PublicKey(der: DERWriter.sequence(algorithm, DERWriter.bitString(key))))
        }
        // The leaf's signature has the length that such a key's has.
        let leaf = try leaf(maker)
        let sha256: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 11]
        let rsa = DERWriter.sequence(DERWriter.element(.objectIdentifier, sha256), DERWriter.element(.null, []))
        var reader = DERReader(leaf.signedBytes)
        _ = try reader.enter(.sequence)
        var fields: [[UInt8]] = []
        while !reader.isAtEnd { fields.append(Array(leaf.signedBytes[try reader.readAny().element])) }
        fields[2] = rsa
        let part = DERWriter.element(.sequence, fields.flatMap { $0 })
        let signature = [UInt8](repeating: 0x11, count: bits / 8)
        let der = DERWriter.sequence(part, rsa, DERWriter.bitString(signature))
        return HostileChain(
            name: "RSA-\(bits), exponent of \(exponent.count * 8) bits", includes: "99 issuers with such keys",
            trust: try trust([Certificate(der: der)] + others, anchors: [stranger()]), rule: "path.budget-exceeded")
    }

    /// A signature over as many bytes as a certificate may have, checked with as many keys as the budget allows.
    private static func bigLeaf() throws -> HostileChain {
        let filler = CertificateExtension(
            identifier: OID(dotted: "1.2.3.4") ?? .commonName, isCritical: false,
            value: [UInt8](repeating: 0, count: EvaluationLimits().certificateBytes - 2_000))
        let leaf = try leaf(authority("Same", .generate(.p256))) { $0.extensions.append(filler) }
        let others = try (0..<99).map { _ in
            try authority("Same", .generate(.p256)) { $0.addsKeyIdentifiers = false }.certificate
        }
        return HostileChain(
            name: "the largest leaf, 99 issuers of its issuer's name", includes: "\(leaf.der.count) bytes",
            trust: try trust([leaf] + others, anchors: [stranger()]), rule: "path.budget-exceeded")
    }

    private static func names(_ count: Int, constraints: Int) throws -> HostileChain {
        let root = try authority("Root", .generate(.p256))
        let permitted = (1..<max(constraints, 2)).map { GeneralName.dns("p\($0).test") } + [.dns("example.com")]
        let issuer = try authority("I", .generate(.p256), by: root) {
            guard constraints > 0 else { return }
            $0.extensions.append(.nameConstraints(NameConstraints(permitted: permitted)))
        }
        let names = [GeneralName.dns(Material.host)] + (1..<count).map { .dns("n\($0).example.com") }
        return HostileChain(
            name: "\(count) names, \(constraints) constraints", includes: "leaf, intermediate, anchor",
            trust: try trust([leaf(issuer, names), issuer.certificate], anchors: [root.certificate]),
            rule: count * constraints > 250_000 ? "constraints.budget-exceeded" : nil)
    }

    /// Few names, and each of them as long as the certificate.
    private static func longNames() throws -> HostileChain {
        let root = try authority("Root", .generate(.p256))
        let excluded = (0..<400).map { GeneralName.dns("c\($0).test") }
        let issuer = try authority("I", .generate(.p256), by: root) {
            $0.extensions.append(.nameConstraints(NameConstraints(excluded: excluded)))
        }
        let long = [String](repeating: "aaaaaaa", count: 30_000).joined(separator: ".")
        return HostileChain(
            name: "a name of 240 kB, 400 constraints", includes: "leaf, intermediate, anchor",
            trust: try trust(
                [leaf(issuer, [.dns(Material.host), .dns(long)]), issuer.certificate], anchors: [root.certificate]),
            rule: "constraints.budget-exceeded")
    }

    /// Names of people and authorities with thousands of parts, under constraints of such names.
    private static func deepNames(_ parts: Int, constraints: Int, of length: Int) throws -> HostileChain {
        let root = try authority("Root", .generate(.p256))
        func deep(_ count: Int, _ end: String) -> DistinguishedName {
            let parts = (0..<count).map { number in
                [DistinguishedName.Attribute(type: .organizationalUnit, text: "Unit \(number)")]
            }
            return DistinguishedName(relativeNames: parts + [[.init(type: .commonName, text: end)]])
        }
        let excluded = (0..<constraints).map { GeneralName.directory(deep(length, "c\($0)")) }
        let issuer = try authority("I", .generate(.p256), by: root) {
            $0.subject = deep(1_000, "I")
            $0.extensions.append(.nameConstraints(NameConstraints(excluded: excluded)))
        }
        let chain = [
            try leaf(issuer) { $0.subject = deep(parts, Material.host) }, issuer.certificate,
        ]
        return HostileChain(
            name: "directory names of \(parts) parts, \(constraints) constraints of \(length)",
            includes: "leaf, intermediate, anchor",
            trust: try trust(chain, anchors: [root.certificate]),
            rule: parts > 1_000 ? "constraints.budget-exceeded" : nil)
    }

    /// As many names, or as many policies, as fit in as many certificates as fit, all of one name and key.
    private static func filled(_ what: String, _ extensions: (_ byteCount: Int) -> CertificateExtension) throws
        -> HostileChain
    {
        let root = try authority("X", .generate(.p256))
        let key = try PrivateKey.generate(.p256)
        let filler = extensions(EvaluationLimits().chainBytes / 40)
        let crosses = try (0..<36).map { _ in
            try authority("Same", key, by: root) { $0.extensions.append(filler) }
        }
        return HostileChain(
            name: "36 cross-certificates of one key, full of \(what)", includes: "no anchor in reach",
            trust: try trust([leaf(crosses[0])] + crosses.map(\.certificate), anchors: [stranger()]),
            rule: "anchor.unknown")
    }

    private static func policies(_ byteCount: Int) -> CertificateExtension {
        let list = (0..<(byteCount / 8)).flatMap { number -> [UInt8] in
            let last = UInt8(number % 128)
            let middle = UInt8(0x80 | number / 128 % 128)
            let identifier: [UInt8] = [0x2A, UInt8(0x81 + number / 16_384 % 64), middle, last]
            return DERWriter.sequence(DERWriter.element(.objectIdentifier, identifier))
        }
        return CertificateExtension(
            identifier: OID(dotted: "2.5.29.32") ?? .commonName, isCritical: false,
            value: DERWriter.element(.sequence, list))
    }

    private static func manyPolicies(_ count: Int) throws -> HostileChain {
        let root = try authority("Root", .generate(.p256))
        func policy(_ number: Int) -> [UInt8] {
            DERWriter.element(.objectIdentifier, [0x2A, 3, 0x81 + UInt8(number / 128), UInt8(number % 128)])
        }
        let policies = CertificateExtension(
            identifier: OID(dotted: "2.5.29.32") ?? .commonName, isCritical: false,
            value: DERWriter.element(.sequence, (0..<count).flatMap { DERWriter.sequence(policy($0)) }))
        let mappings = CertificateExtension(
            identifier: OID(dotted: "2.5.29.33") ?? .commonName, isCritical: true,
            value: DERWriter.element(
                .sequence, (0..<count).flatMap { DERWriter.sequence(policy($0), policy(($0 + 1) % count)) }))
        let demand = CertificateExtension(
            identifier: OID(dotted: "2.5.29.36") ?? .commonName, isCritical: true,
            value: DERWriter.sequence(DERWriter.element(.contextPrimitive(0), [0])))
        var issuer = root
        var chain: [Certificate] = []
        for number in 0..<14 {
            issuer = try authority("I\(number)", .generate(.p256), by: issuer) {
                $0.extensions += [policies, mappings, demand]
            }
            chain.insert(issuer.certificate, at: 0)
        }
        chain.insert(try leaf(issuer) { $0.extensions.append(policies) }, at: 0)
        return HostileChain(
            name: "\(count) policies, each mapped, in each of 14 intermediates", includes: "a whole path",
            trust: try trust(chain, anchors: [root.certificate]),
            rule: count > 500 ? "constraints.budget-exceeded" : nil)
    }

    private static func purposes() throws -> HostileChain {
        let root = try authority("Root", .generate(.p256))
        let many = (0..<20_000).map { number in
            OID(dotted: "1.2.3.\(number)") ?? .emailProtection
        }
        let issuer = try authority("I", .generate(.p256), by: root) { $0.extensions.append(.extendedKeyUsage(many)) }
        return HostileChain(
            name: "20,000 purposes, none of them servers", includes: "leaf, intermediate, anchor",
            trust: try trust([leaf(issuer), issuer.certificate], anchors: [root.certificate]),
            rule: "eku.issuer-purpose")
    }

    /// A line of intermediates.
    private static func line(_ count: Int) throws -> HostileChain {
        let root = try authority("Root", .generate(.p256))
        var issuer = root
        var chain: [Certificate] = []
        for number in 0..<count {
            issuer = try authority("I\(number)", .generate(.p256), by: issuer)
            chain.insert(issuer.certificate, at: 0)
        }
        chain.insert(try leaf(issuer), at: 0)
        var trust = try trust(chain, anchors: [root.certificate])
        trust.explains = false
        return HostileChain(name: "\(count)", includes: "a whole path", trust: trust, rule: nil)
    }

    private static func entries(_ count: Int) -> [RevocationListTemplate.Entry] {
        (0..<count).map { number in
            let octets = [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
            return RevocationListTemplate.Entry(serialNumber: [0x7F] + octets, date: moment - 86_400)
        }
    }

    private static func list(_ count: Int) throws -> HostileChain {
        let root = try authority("Root", .generate(.p256))
        let entries = entries(count)
        let der = try root.issue(
            RevocationListTemplate(thisUpdate: moment - 3_600, nextUpdate: moment + 3_600, entries: entries))
        var trust = try trust([leaf(root)], anchors: [root.certificate])
        trust.revocationLists = [try RevocationList(der: der)]
        return HostileChain(
            name: "\(count)", includes: "a list of \(der.count / 1_024) KiB, read before", trust: trust, rule: nil)
    }

    /// A long list, and a hundred paths on which it might be asked.
    private static func lists() throws -> HostileChain {
        let root = try authority("Root", .generate(.p256))
        let entries = entries(100_000)
        let der = try root.issue(
            RevocationListTemplate(thisUpdate: moment - 3_600, nextUpdate: moment + 3_600, entries: entries))
        // Of another name's key: expired, so that every path is followed to explain.
        let key = try PrivateKey.generate(.p256)
        let crosses = try (0..<60).map { _ in
            try authority("I", key, by: root) { $0.validity = Validity(from: moment - 86_400, through: moment - 1) }
        }
        var trust = try trust([leaf(crosses[0])] + crosses.map(\.certificate), anchors: [root.certificate])
        trust.revocationLists = [try RevocationList(der: der)]
        return HostileChain(
            name: "a revocation list of \(der.count / 1_024) KiB, 60 expired cross-certificates",
            includes: "the list was read before", trust: trust, rule: "validity.expired")
    }
}
