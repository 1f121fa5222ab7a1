import BelayCertificates
import BelayTrust
import Testing

@Suite("Name constraints")
struct NameConstraintTests {
    /// What an intermediate with constraints makes of a leaf with names (besides the host, which is in nobody's way).
    private func errors(
        permitted: [GeneralName] = [], excluded: [GeneralName] = [], names: [GeneralName],
        subject: DistinguishedName = .empty
    ) throws -> Set<String> {
        let world = try TestPKI(
            intermediate: {
                $0.set(.nameConstraints(NameConstraints(permitted: permitted, excluded: excluded)))
            },
            leaf: {
                $0.subject = subject
                $0.setNames(names)
            })
        return world.trust.with { $0.policies = [.basicX509] }.evaluate().errors
    }

    private func check(_ name: GeneralName, permittedBy base: GeneralName, isPermitted: Bool) throws {
        let errors = try errors(permitted: [base], names: [name])
        #expect(errors == (isPermitted ? [] : ["constraints.not-permitted"]), "\(name) permitted by \(base)")
    }

    private func check(_ name: GeneralName, excludedBy base: GeneralName, isExcluded: Bool) throws {
        let errors = try errors(excluded: [base], names: [name])
        #expect(errors == (isExcluded ? ["constraints.excluded"] : []), "\(name) excluded by \(base)")
    }

    @Test(
        "DNS: a base stands for itself and everything below it",
        arguments: [
            ("host.test", "host.test", true, true), ("www.host.test", "host.test", true, true),
            ("a.b.host.test", "HOST.test", true, true), ("xhost.test", "host.test", false, false),
            ("test", "host.test", false, false), ("other.test", "host.test", false, false),
            ("anything", "", true, true),
            ("www.host.test", ".host.test", true, true), ("host.test", ".host.test", false, false),
            // A wildcard stands for many names: it is permitted when all of them are, excluded when one of them is.
            ("*.host.test", "host.test", true, true), ("*.test", "host.test", false, true),
            ("*.host.test", "www.host.test", false, true), ("*.host.test", "a.www.host.test", false, false),
            ("*.host.test", "other.test", false, false), ("*.host.test", ".host.test", true, true),
            ("*.a.host.test", ".host.test", true, true),
            // Names that cannot be read are never permitted, and might always be excluded.
            ("www..host.test", "host.test", false, true), ("w*.host.test", "host.test", false, true),
            (".host.test", "host.test", false, true), ("host.test.", "host.test", false, true),
            ("www host.test", "other.test", false, true), ("", "host.test", false, true),
            ("*.", "host.test", false, true),
        ])
    func dns(name: String, base: String, isPermitted: Bool, isExcluded: Bool) throws {
        try check(.dns(name), permittedBy: .dns(base), isPermitted: isPermitted)
        try check(.dns(name), excludedBy: .dns(base), isExcluded: isExcluded)
    }

    @Test(
        "IP: an address lies in a block of its own family",
        arguments: [
            ([192, 0, 2, 7], [192, 0, 2, 0, 255, 255, 255, 0], true, true),
            ([192, 0, 3, 7], [192, 0, 2, 0, 255, 255, 255, 0], false, false),
            ([192, 0, 2, 129], [192, 0, 2, 128, 255, 255, 255, 128], true, true),
            ([192, 0, 2, 127], [192, 0, 2, 128, 255, 255, 255, 128], false, false),
            ([10, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0], true, true),
            // Another family is neither permitted nor excluded; an address of five octets is none.
            ([UInt8](repeating: 0, count: 16), [0, 0, 0, 0, 0, 0, 0, 0], false, false),
            ([192, 0, 2, 7, 0], [192, 0, 2, 0, 255, 255, 255, 0], false, true),
            ([], [192, 0, 2, 0, 255, 255, 255, 0], false, true),
        ] as [([UInt8], [UInt8], Bool, Bool)])
    func ipv4(address: [UInt8], block: [UInt8], isPermitted: Bool, isExcluded: Bool) throws {
        try check(.ipAddress(address), permittedBy: .ipAddress(block), isPermitted: isPermitted)
        try check(.ipAddress(address), excludedBy: .ipAddress(block), isExcluded: isExcluded)
    }

    @Test("IPv6 lies in a block by the bits of its mask")
    func ipv6() throws {
        func address(_ text: String) throws -> [UInt8] { try #require(IPAddress(text)).octets }
        let block = GeneralName.ipAddress(try address("2001:db8::") + address("ffff:fffe::"))
        for (text, isInside) in [("2001:db8::1", true), ("2001:db9::1", true), ("2001:dba::1", false), ("::", false)] {
            try check(.ipAddress(address(text)), permittedBy: block, isPermitted: isInside)
            try check(.ipAddress(address(text)), excludedBy: block, isExcluded: isInside)
        }
    }

    @Test(
        "e-mail: a base is a mailbox, a host, or with a dot the hosts below it",
        arguments: [
            ("a@host.test", "a@host.test", true, true), ("a@HOST.test", "a@host.test", true, true),
            // The local part minds its case (RFC 5280, section 7.5).
            ("A@host.test", "a@host.test", false, false), ("b@host.test", "a@host.test", false, false),
            ("a@host.test", "host.test", true, true), ("a@www.host.test", "host.test", false, false),
            ("a@www.host.test", ".host.test", true, true), ("a@host.test", ".host.test", false, false),
            ("host.test", "host.test", false, true), ("@host.test", "host.test", false, true),
            ("a@b@host.test", "host.test", false, true), ("\"a@b\"@host.test", "host.test", true, true),
            ("a@host..test", "host.test", false, true), ("a@", "host.test", false, true),
            // What stands before the @ is words with single dots between, or a quoted string (RFC 5321, section 4.1.2).
            ("a.b+c@host.test", "host.test", true, true), (".@host.test", "host.test", false, true),
            ("a..b@host.test", "host.test", false, true), ("a b@host.test", "host.test", false, true),
            ("\"a b\\\"\"@host.test", "host.test", true, true), ("\"a\"b\"@host.test", "host.test", false, true),
            ("\"@host.test", "host.test", false, true), ("\"a\\\"@host.test", "host.test", false, true),
        ])
    func email(name: String, base: String, isPermitted: Bool, isExcluded: Bool) throws {
        try check(.email(name), permittedBy: .email(base), isPermitted: isPermitted)
        try check(.email(name), excludedBy: .email(base), isExcluded: isExcluded)
    }

    @Test(
        "URI: the host of the authority counts, and must be a name",
        arguments: [
            ("https://host.test/a", "host.test", true, true), ("https://u:p@HOST.test:8443/a", "host.test", true, true),
            ("https://www.host.test", "host.test", false, false), ("https://www.host.test", ".host.test", true, true),
            ("https://host.test", ".host.test", false, false), ("https://192.0.2.1/", "host.test", false, true),
            ("https://[2001:db8::1]/", "host.test", false, true), ("urn:example:host.test", "host.test", false, true),
            ("https:///a", "host.test", false, true), ("https://other.test/@host.test", "host.test", false, false),
            ("https://host.test@other.test/", "host.test", false, false),
            ("https://other.test#@host.test", "host.test", false, false),
            // What has no scheme, or characters that no URI has, is none (RFC 3986, sections 2 and 3.1).
            ("ht ps://host.test/", "host.test", false, true), ("://host.test/", "host.test", false, true),
            ("1a://host.test/", "host.test", false, true), ("https://host.test/ b", "host.test", false, true),
            ("a+b-c.1://host.test/", "host.test", true, true),
        ])
    func uri(name: String, base: String, isPermitted: Bool, isExcluded: Bool) throws {
        try check(.uri(name), permittedBy: .uri(base), isPermitted: isPermitted)
        try check(.uri(name), excludedBy: .uri(base), isExcluded: isExcluded)
    }

    /// A name of single attributes with octets that may be none of the kind of string.
    private static func name(_ attributes: [(OID, DERTag, [UInt8])]) throws -> DistinguishedName {
        try DistinguishedName(
            der: DERWriter.element(
                .sequence,
                attributes.flatMap { type, tag, octets in
                    DERWriter.set(of: [
                        DERWriter.sequence(DERWriter.objectIdentifier(type), DERWriter.element(tag, octets))
                    ])
                }))
    }

    private typealias Attribute = DistinguishedName.Attribute

    @Test("directory: the subject counts, by whole relative names from the front")
    func directory() throws {
        let base = DistinguishedName(commonName: nil, organization: "Example", country: "XX")
        func check(_ subject: DistinguishedName, isInside: Bool, isPossiblyInside: Bool? = nil) throws {
            let names = [GeneralName.dns(TestPKI.host)]
            let permitted = try errors(permitted: [.directory(base)], names: names, subject: subject)
            #expect(permitted == (isInside ? [] : ["constraints.not-permitted"]), "\(subject)")
            let excluded = try errors(excluded: [.directory(base)], names: names, subject: subject)
            #expect(excluded == (isPossiblyInside ?? isInside ? ["constraints.excluded"] : []), "\(subject)")
        }
        try check(DistinguishedName(commonName: "a", organization: "Example", country: "XX"), isInside: true)
        try check(base, isInside: true)
        try check(DistinguishedName(commonName: "a", organization: " EXAMPLE  ", country: "xx"), isInside: true)
        try check(DistinguishedName(commonName: "a", organization: "Example"), isInside: false)
        try check(DistinguishedName(commonName: nil, country: "XX"), isInside: false)
        try check(DistinguishedName(commonName: "a", organization: "Other", country: "XX"), isInside: false)
        // A relative name of two attributes is another one.
        let both = DistinguishedName(relativeNames: [
            [Attribute(type: .country, tag: .printableString, text: "XX")],
            [Attribute(type: .organization, text: "Example"), Attribute(type: .commonName, text: "a")],
        ])
        try check(both, isInside: false)
        // The same text as a BMPString, in full-width letters, or with an invisible character must not escape.
        let wide = Array("Example".utf8).flatMap { [UInt8(0), $0] }
        let values: [(DERTag, [UInt8])] = [
            (.bmpString, wide), (.utf8String, Array("Ｅxample".utf8)), (.utf8String, Array("Ex\u{AD}ample".utf8)),
            (.universalString, [0, 0, 0]),
        ]
        for (tag, octets) in values {
            let subject = try Self.name([(.country, .printableString, Array("XX".utf8)), (.organization, tag, octets)])
            try check(subject, isInside: false, isPossiblyInside: true)
        }
        // Letters beyond ASCII that are plainly others stay outside.
        let foreign = DistinguishedName(commonName: nil, organization: "Exämple", country: "XX")
        try check(foreign, isInside: false, isPossiblyInside: false)
    }

    @Test("an excluded name with letters beyond ASCII excludes them in either case")
    func foreignCase() throws {
        let base = DistinguishedName(commonName: nil, organization: "Müller")
        let names = [GeneralName.dns(TestPKI.host)]
        for organization in ["Müller", "MÜLLER", "Mu\u{308}ller"] {
            let subject = DistinguishedName(commonName: nil, organization: organization)
            #expect(
                try errors(excluded: [.directory(base)], names: names, subject: subject) == ["constraints.excluded"])
        }
    }

    @Test("kinds of names that are not constrained are free, and several bases are alternatives")
    func kinds() throws {
        let permitted: [GeneralName] = [.dns("a.test"), .dns("b.test")]
        #expect(
            try errors(permitted: permitted, names: [.dns("a.test"), .dns("x.b.test"), .ipAddress([1, 2, 3, 4])]) == [])
        #expect(
            try errors(permitted: permitted, names: [.dns("a.test"), .dns("c.test")]) == ["constraints.not-permitted"])
        #expect(
            try errors(permitted: [.dns("test")], excluded: [.dns("a.test")], names: [.dns("b.a.test")])
                == ["constraints.excluded"])
    }

    @Test("the attribute emailAddress counts where there is no e-mail address among the alternative names")
    func emailAttribute() throws {
        let type = try #require(OID(dotted: "1.2.840.113549.1.9.1"))
        let subject = DistinguishedName(relativeNames: [[Attribute(type: type, tag: .ia5String, text: "a@evil.test")]])
        let names = [GeneralName.dns(TestPKI.host)]
        #expect(
            try errors(permitted: [.email("host.test")], names: names, subject: subject) == [
                "constraints.not-permitted"
            ])
        #expect(try errors(excluded: [.email("evil.test")], names: names, subject: subject) == ["constraints.excluded"])
        #expect(
            try errors(excluded: [.email("evil.test")], names: names + [.email("a@host.test")], subject: subject) == [])
        // Octets that are no text might be anything.
        let garbage = try Self.name([(type, .ia5String, [0xFF])])
        #expect(try errors(excluded: [.email("evil.test")], names: names, subject: garbage) == ["constraints.excluded"])
    }

    @Test("kinds that cannot be compared refuse only where a name of the kind is there")
    func unsupportedKinds() throws {
        let type = try #require(OID(dotted: "1.3.6.1.4.1.99999.2"))
        let other = try #require(OID(dotted: "1.3.6.1.4.1.99999.3"))
        let constrained = GeneralName.other(type: type, value: [5, 0])
        #expect(try errors(excluded: [constrained], names: [.dns("a.test")]) == [])
        #expect(try errors(excluded: [constrained], names: [.other(type: other, value: [5, 0])]) == [])
        #expect(
            try errors(excluded: [constrained], names: [.other(type: type, value: [5, 0])])
                == ["constraints.unsupported"])
        #expect(
            try errors(permitted: [constrained], names: [.other(type: type, value: [5, 0])])
                == ["constraints.unsupported"])
    }

    @Test(
        "constraints that make no sense refuse the authority",
        arguments: [
            GeneralName.ipAddress([192, 0, 2, 0]), .ipAddress([192, 0, 2, 0, 255, 255, 255]),
            .ipAddress([192, 0, 2, 0, 255, 0, 255, 0]), .ipAddress([192, 0, 2, 0, 255, 255, 255, 5]),
            .ipAddress([]), .dns("*.host.test"), .dns("host..test"), .dns("."), .uri("https://host.test"), .uri(""),
            .email("a@"), .email("**@host.test@x..y"), .dns("host.test."),
            .email("a b@host.test"), .email("@host.test"),
        ])
    func malformed(constraint: GeneralName) throws {
        #expect(try errors(permitted: [constraint], names: [.dns("a.test")]) == ["constraints.malformed"])
        #expect(try errors(excluded: [constraint], names: [.dns("a.test")]) == ["constraints.malformed"])
    }

    @Test(
        "constraints of the anchor and of every intermediate hold for every name below, not for self-issued authorities"
    )
    func inheritance() throws {
        let constraints = NameConstraints(excluded: [
            .directory(DistinguishedName(commonName: nil, organization: "Evil"))
        ])
        let root = try CertificateIssuer.root(named: "Root") { $0.set(.nameConstraints(constraints)) }
        let evil = try root.authority(named: "I") {
            $0.subject = DistinguishedName(commonName: "I", organization: "Evil")
        }
        let verdict = TestPKI.trust([try evil.server(), evil.certificate], anchors: [root.certificate]).evaluate()
        #expect(verdict.errors == ["constraints.excluded"])
        #expect(verdict.finding("constraints.excluded")?.depth == 1)

        // An authority of the excluded name that is itself the anchor replaces its key: the self-issued certificate in
        // between is excused, a leaf of that name is not (RFC 5280, section 6.1.3).
        let own = try CertificateIssuer.root(named: "R") {
            $0.subject = DistinguishedName(commonName: "R", organization: "Evil")
            $0.set(.nameConstraints(constraints))
        }
        let renewed = try own.authority(named: "R") { $0.subject = own.certificate.subject }
        let good = TestPKI.trust([try renewed.server(), renewed.certificate], anchors: [own.certificate])
        #expect(good.evaluate().isTrusted)
        let leaf = try renewed.server { $0.subject = own.certificate.subject }
        let bad = TestPKI.trust([leaf, renewed.certificate], anchors: [own.certificate])
        #expect(bad.evaluate().errors == ["constraints.excluded"])
    }

    @Test("constraints in the leaf constrain nobody, but must be well formed")
    func leafConstraints() throws {
        let world = try TestPKI(leaf: {
            $0.set(.nameConstraints(NameConstraints(excluded: [.dns("host.test")])))
        })
        #expect(world.trust.evaluate().isTrusted)
        let empty = try TestPKI(leaf: {
            $0.set(CertificateExtension(identifier: RuleCase.nameConstraints, isCritical: true, value: [0x30, 0]))
        })
        #expect(empty.trust.evaluate().errors == ["extension.malformed"])
    }
}
