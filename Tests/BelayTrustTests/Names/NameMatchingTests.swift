import BelayCertificates
import BelayTrust
import Testing

@Suite("Names in certificates: RFC 9525")
struct NameMatchingTests {
    /// What a leaf with these alternative names says to a host.
    private func verdict(_ names: [GeneralName], host: String, commonName: String = "host.test") throws -> Verdict {
        let world = try TestPKI(leaf: {
            $0.subject = DistinguishedName(commonName: commonName)
            $0.setNames(names)
        })
        return try world.trust.with { $0.policies = [.tlsServer(name: try ServerName(host))] }.evaluate()
    }

    @Test(
        "a DNS name stands for itself, a wildcard for one whole left-most label",
        arguments: [
            ("host.test", "host.test", true), ("HOST.Test", "host.test", true), ("host.test", "HOST.TEST.", true),
            ("host.test", "www.host.test", false), ("www.host.test", "host.test", false),
            ("*.host.test", "www.host.test", true), ("*.HOST.test", "www.host.test", true),
            ("*.host.test", "host.test", false), ("*.host.test", "a.b.host.test", false),
            ("*.host.test", "xhost.test", false), ("*.host.test", "xn--bcher-kva.host.test", true),
            ("*.host.test", "a.host.test.evil.test", false),
            // Partial wildcards, and wildcards elsewhere (section 6.3).
            ("w*.host.test", "www.host.test", false), ("*w.host.test", "www.host.test", false),
            ("w*w.host.test", "www.host.test", false), ("www.*.test", "www.host.test", false),
            ("*.*.test", "www.host.test", false), ("**.host.test", "www.host.test", false),
            ("*", "host.test", false), ("*.", "host.test", false), ("*.test", "host.test", false),
            ("*.test.", "host.test", false), ("x*.host.test", "xn--tst-bma.host.test", false),
            // Malformed.
            ("", "host.test", false), (".host.test", "www.host.test", false), ("host.test.", "host.test", false),
            (" host.test", "host.test", false), ("host.test␀", "host.test", false),
            ("host.test␀.evil.test", "host.test", false), ("www.host.test\n", "www.host.test", false),
            ("https://host.test", "host.test", false), ("192.0.2.1", "192.0.2.1", false),
            ("*.0.2.1", "192.0.2.1", false), ("xn--bcher-kva.test", "bücher.test", true),
        ])
    func dnsNames(presented: String, host: String, isMatch: Bool) throws {
        let verdict = try verdict([.dns(presented.withNUL)], host: host)
        #expect(verdict.isTrusted == isMatch, "\(verdict.findings)")
        if !isMatch { #expect(verdict.errors == ["name.mismatch"]) }
    }

    @Test(
        "an address is compared by its octets and never with a DNS name",
        arguments: [
            ([192, 0, 2, 1], "192.0.2.1", true), ([192, 0, 2, 2], "192.0.2.1", false),
            ([0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "[2001:DB8:0::1]", true),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1], "192.0.2.1", false),
            ([192, 0, 2, 1], "::ffff:192.0.2.1", false), ([192, 0, 2, 1, 0], "192.0.2.1", false),
            ([192, 0, 2], "192.0.2.1", false), ([], "192.0.2.1", false),
            ([192, 0, 2, 1, 255, 255, 255, 255], "192.0.2.1", false),
        ] as [([UInt8], String, Bool)])
    func addresses(octets: [UInt8], host: String, isMatch: Bool) throws {
        let verdict = try verdict([.ipAddress(octets)], host: host)
        #expect(verdict.isTrusted == isMatch, "\(verdict.findings)")
    }

    @Test("a device reached by address whose certificate has only a common name is refused")
    func commonNameOnly() throws {
        let world = try TestPKI(leaf: {
            $0.subject = DistinguishedName(commonName: "192.168.1.1")
            $0.remove(RuleCase.subjectAlternativeName)
        })
        let verdict = try world.trust.with { $0.policies = [.tlsServer(name: try ServerName("192.168.1.1"))] }
            .evaluate()
        #expect(verdict.errors == ["name.no-alternative-names"])
        #expect(verdict.finding("name.no-alternative-names")?.message.contains("192.168.1.1") == true)
    }

    @Test("IPv6 in another spelling is the same address")
    func addressSpelling() throws {
        let octets: [UInt8] = [0xFD, 0] + [UInt8](repeating: 0, count: 13) + [1]
        #expect(try verdict([.ipAddress(octets)], host: "[fd00::1]").isTrusted)
    }

    @Test("a wildcard over a single label is refused with the explanation")
    func broadWildcard() throws {
        let verdict = try verdict([.dns("*.vault-internal")], host: "vault-0.vault-internal")
        #expect(verdict.errors == ["name.mismatch"])
        #expect(verdict.finding("name.mismatch")?.message.contains("single label") == true)
    }

    @Test("a partial wildcard does not stand for an A-label")
    func partialWildcard() throws {
        let verdict = try verdict([.dns("x*.host.test")], host: "xn--tst-bma.host.test")
        #expect(verdict.finding("name.mismatch")?.message.contains("left-most label") == true)
    }

    @Test(
        "names of other kinds leave the common name without effect",
        arguments: [
            [GeneralName.email("admin@host.test")], [.ipAddress([192, 0, 2, 1])], [.uri("https://host.test/")],
            [.directory(DistinguishedName(commonName: "host.test"))],
        ])
    func otherKinds(names: [GeneralName]) throws {
        let verdict = try verdict(names, host: "host.test", commonName: "host.test")
        #expect(!verdict.isTrusted)
        #expect(verdict.errors.isSubset(of: ["name.mismatch", "name.no-alternative-names"]))
        #expect(verdict.errors.count == 1)
    }

    @Test("a host that was typed in Unicode matches its A-labels")
    func unicodeHost() throws {
        #expect(try verdict([.dns("xn--bcher-kva.test")], host: "bücher.test").isTrusted)
    }

    @Test("a name with bytes beyond ASCII, and two extensions of names, make the certificate malformed")
    func malformedNames() throws {
        let beyond = try verdict([.dns("bücher.test"), .dns("host.test")], host: "host.test")
        #expect(beyond.errors.contains("extension.malformed"))
        #expect(beyond.result == .fatalTrustFailure)
        let world = try TestPKI.good.get()
        var template = CertificateTemplate.server(names: ["a.test"], validity: .current)
        template.extensions.append(.subjectAlternativeNames([.dns(TestPKI.host)]))
        let twice = try world.intermediate.encode(template, for: world.leafKey.publicKey)
        let verdict = world.trust.with { $0.chain[0] = twice }.evaluate()
        #expect(verdict.errors == ["der.malformed"])
    }

    @Test("several policies must all hold")
    func severalNames() throws {
        let world = try TestPKI(leaf: { $0.setNames([.dns("a.test"), .dns("b.test")]) })
        func judge(_ names: String...) throws -> Bool {
            try world.trust.with { $0.policies = try names.map { .tlsServer(name: try ServerName($0)) } }.evaluate()
                .isTrusted
        }
        #expect(try judge("a.test", "b.test"))
        #expect(try !judge("a.test", "c.test"))
    }
}
