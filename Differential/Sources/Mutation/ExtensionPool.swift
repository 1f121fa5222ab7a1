import BelayCertificates

/// Extensions to be put where others were: honest ones, odd ones, and ones that no authority should write.
enum ExtensionPool {
    private static func identifier(_ last: UInt8) -> OID { OID(dotted: "2.5.29.\(last)") ?? .commonName }

    private static func make(_ last: UInt8, critical: Bool, _ value: [UInt8]) -> CertificateExtension {
        CertificateExtension(identifier: identifier(last), isCritical: critical, value: value)
    }

    /// The policy 1.2.3.`number`; 0 is any-policy.
    private static func policy(_ number: Int) -> [UInt8] {
        let octets: [UInt8] = number == 0 ? [0x55, 0x1D, 0x20, 0] : [0x2A, 3, UInt8(clamping: number)]
        return DERWriter.element(.objectIdentifier, octets)
    }

    static func policies(_ numbers: [Int], critical: Bool = false) -> CertificateExtension {
        make(32, critical: critical, DERWriter.element(.sequence, numbers.flatMap { DERWriter.sequence(policy($0)) }))
    }

    static func mappings(_ pairs: [(Int, Int)], critical: Bool = true) -> CertificateExtension {
        let list = pairs.flatMap { DERWriter.sequence(policy($0.0), policy($0.1)) }
        return make(33, critical: critical, DERWriter.element(.sequence, list))
    }

    static func policyConstraints(explicit: Int?, mapping: Int?, critical: Bool = true) -> CertificateExtension {
        func field(_ number: UInt8, _ value: Int?) -> [UInt8] {
            value.map { DERWriter.element(.contextPrimitive(number), [UInt8(clamping: $0)]) } ?? []
        }
        return make(36, critical: critical, DERWriter.sequence(field(0, explicit), field(1, mapping)))
    }

    static func inhibitAnyPolicy(_ skip: Int, critical: Bool = true) -> CertificateExtension {
        make(54, critical: critical, DERWriter.integer(skip))
    }

    /// An extension at random.
    static func random(_ random: inout SeededGenerator) -> CertificateExtension {
        let critical = random.oneIn(2)
        switch random.index(15) {
        case 0, 1:
            return basicConstraints(&random)
        case 2, 3:
            let usage = KeyUsage(rawValue: UInt16.random(in: 0..<512, using: &random) << 7)
            return .keyUsage(usage, isCritical: critical)
        case 4, 5:
            return .extendedKeyUsage(some(purposes, upTo: 3, &random), isCritical: critical)
        case 6, 7:
            return .subjectAlternativeNames(some(NamePool.presented, upTo: 4, &random), isCritical: critical)
        case 8, 9:
            return .nameConstraints(
                NameConstraints(
                    permitted: some(NamePool.constraints, upTo: 2, &random),
                    excluded: some(NamePool.constraints, upTo: 2, &random)), isCritical: critical)
        case 10:
            return policies(some([0, 1, 2, 3, 4], upTo: 3, &random), critical: critical)
        case 11:
            let pairs = (0..<random.index(3)).map { _ in (random.index(4), random.index(4)) }
            return mappings(pairs, critical: critical)
        case 12:
            return policyConstraints(
                explicit: random.pick([nil, 0, 1, 2], else: nil), mapping: random.pick([nil, 0, 1], else: nil),
                critical: critical)
        case 13:
            return inhibitAnyPolicy(random.index(3), critical: critical)
        default:
            return other(&random, critical: critical)
        }
    }

    private static func basicConstraints(_ random: inout SeededGenerator) -> CertificateExtension {
        let length = random.oneIn(2) ? random.pick([0, 1, 2, 127, 128, 70_000], else: 0) : nil
        return .basicConstraints(
            BasicConstraints(isAuthority: random.oneIn(2), pathLength: length), isCritical: random.oneIn(2))
    }

    private static func other(_ random: inout SeededGenerator, critical: Bool) -> CertificateExtension {
        switch random.index(6) {
        case 0: return .subjectKeyIdentifier([UInt8](repeating: 7, count: random.index(24)))
        case 1: return .authorityKeyIdentifier([UInt8](repeating: 7, count: random.index(24)))
        case 2: return .revocationLists(at: ["http://host.test/a.crl"])
        case 3: return .informationAccess(issuers: ["http://host.test/a.cer"], onlineStatus: ["http://host.test/"])
        case 4:
            return CertificateExtension(
                identifier: OID(dotted: "1.2.3.4.5") ?? .commonName, isCritical: critical, value: [5, 0])
        default:
            // A key identifier with issuer and serial number instead of a key.
            let name = DERWriter.element(.contextConstructed(4), DistinguishedName(commonName: "Root").der)
            let value = DERWriter.sequence(
                DERWriter.element(.contextConstructed(1), name), DERWriter.element(.contextPrimitive(2), [1]))
            return make(35, critical: critical, value)
        }
    }

    private static let purposes: [OID] = [
        .serverAuthentication, .clientAuthentication, .emailProtection, .anyExtendedKeyUsage,
        OID(dotted: "1.3.6.1.5.5.7.3.9") ?? .emailProtection, OID(dotted: "1.3.6.1.4.1.311.10.3.3") ?? .emailProtection,
        OID(dotted: "1.2.3.4") ?? .emailProtection,
    ]

    private static func some<Value>(_ values: [Value], upTo count: Int, _ random: inout SeededGenerator) -> [Value] {
        var picked: [Value] = []
        for _ in 0..<random.index(count + 1) { picked.append(values[random.index(values.count)]) }
        return picked
    }
}

/// Names to be put into certificates.
enum NamePool {
    static let presented: [GeneralName] = presentedHosts.map { .dns($0) } + presentedOthers

    private static let presentedHosts = [
        "www.host.test", "WWW.Host.TEST", "*.host.test", "*.test", "*", "w*.host.test", "*.www.host.test",
        "www.*.test", "host.test", "www.host.test.", ".host.test", "www..host.test", "", "a.bad.host.test",
        "*.bad.host.test", "xn--bcher-kva.test", "www_x.host.test", "-www.host.test", "192.0.2.1", "www.host.test\0",
        "a b.host.test", "other.test", "*.other.test", "com", "*.co.uk", "xn--zz.test",
    ]

    private static let presentedOthers: [GeneralName] = [
        .ipAddress([192, 0, 2, 1]), .ipAddress([192, 0, 2, 200]), .ipAddress([192, 0, 2]),
        .ipAddress([0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
        .ipAddress([192, 0, 2, 1, 255, 255, 255, 255]), .email("a@host.test"), .email("A@HOST.test"),
        .email("root@host.test"), .email("host.test"), .email("@host.test"), .email("a@b@host.test"),
        .uri("https://www.host.test/"), .uri("https://192.0.2.1/"), .uri("www.host.test"), .uri("ldap://host.test"),
        .uri("https://a@www.host.test:8443/x"), .uri("urn:a:b"), .uri(""),
        .directory(DistinguishedName(commonName: "A", organization: "Example")),
        .directory(DistinguishedName(commonName: "A", organization: "EXAMPLE ")), .directory(.empty),
        .directory(DistinguishedName(commonName: "B", organization: "Other")),
        .registeredID(OID(dotted: "1.2.3") ?? .commonName),
    ]

    static let constraints: [GeneralName] = constrainedHosts.map { .dns($0) } + constrainedOthers

    private static let constrainedHosts = [
        "host.test", ".host.test", "www.host.test", "test", "", "bad.host.test", "other.test", "HOST.test",
        "*.host.test",
        "host.test.", "xn--bcher-kva.test",
    ]

    private static let constrainedOthers: [GeneralName] = [
        .ipAddress([192, 0, 2, 0, 255, 255, 255, 0]), .ipAddress([0, 0, 0, 0, 0, 0, 0, 0]),
        .ipAddress([192, 0, 2, 0, 255, 0, 255, 0]), .ipAddress([192, 0, 2, 1]),
        .ipAddress([192, 0, 2, 7, 255, 255, 255, 0]),
        .ipAddress([UInt8](repeating: 0, count: 32)), .email("host.test"), .email(".host.test"), .email("a@host.test"),
        .email("a@HOST.test"), .email(""), .uri("host.test"), .uri(".host.test"), .uri("www.host.test"),
        .uri("https://host.test"), .directory(DistinguishedName(commonName: nil, organization: "Example")),
        .directory(DistinguishedName(commonName: nil, organization: "example")), .directory(.empty),
        .directory(DistinguishedName(commonName: nil, organization: "Other")),
        .registeredID(OID(dotted: "1.2.3") ?? .commonName),
    ]

    static let hosts = [
        "www.host.test", "WWW.HOST.TEST", "www.host.test.", "other.host.test", "host.test", "a.b.host.test",
        "192.0.2.1", "2001:db8::1", "xn--bcher-kva.test", "www_x.host.test", "a.bad.host.test",
    ]

    static let subjects: [DistinguishedName] = [
        .empty, DistinguishedName(commonName: "Root", organization: "Example"),
        DistinguishedName(commonName: "Intermediate", organization: "Example"),
        DistinguishedName(commonName: "ROOT", organization: "example"),
        DistinguishedName(commonName: " Root  ", organization: "Example"),
        DistinguishedName(commonName: "Root", organization: "Other", country: "AT"),
        DistinguishedName(relativeNames: [
            [.init(type: .organization, tag: .printableString, text: "Example")],
            [.init(type: .commonName, tag: .printableString, text: "Root")],
        ]),
        DistinguishedName(relativeNames: [
            [.init(type: .organization, tag: .teletexString, text: "Example")],
            [.init(type: .commonName, tag: .utf8String, text: "Inner")],
        ]),
        DistinguishedName(relativeNames: [
            [.init(type: .organization, tag: .utf8String, text: "Example")],
            [.init(type: OID(dotted: "1.2.840.113549.1.9.1") ?? .commonName, tag: .ia5String, text: "x@host.test")],
        ]),
        DistinguishedName(relativeNames: [
            [.init(type: .organization, text: "Example"), .init(type: .commonName, text: "Outer")]
        ]),
        DistinguishedName(commonName: "www.host.test"), DistinguishedName(commonName: "evil.test"),
    ]
}
