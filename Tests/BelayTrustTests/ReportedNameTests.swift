import BelayCertificates
import BelayTrust
import Foundation
import Testing

/// The kinds of name that people report: common names alone, addresses in many spellings, wildcards that reach too far or
/// stand for part of a label, hosts in Unicode. Each refusal says why the name that looks right is not.
@Suite("Names that people reported")
struct ReportedNameTests {
    private func verdict(
        _ names: [GeneralName]?, commonName: String? = nil, host: String, rules: RuleSet = .standard
    ) throws -> Verdict {
        let world = try TestPKI(leaf: { template in
            template.subject = DistinguishedName(commonName: commonName, organization: "Example")
            template.remove(RuleCase.subjectAlternativeName)
            if let names { template.setNames(names) }
        })
        return try world.trust.with {
            $0.policies = [.tlsServer(name: try ServerName(host))]
            $0.rules = rules
            $0.explains = true
        }.evaluate()
    }

    @Test(
        "a common name counts for nothing: alone, beside names of other kinds, for hosts and for addresses",
        arguments: [
            ("host.test", "host.test", nil), ("192.168.1.1", "192.168.1.1", nil), ("fd00::1", "[fd00::1]", nil),
            ("*.host.test", "www.host.test", nil), ("bücher.test", "bücher.test", nil),
            ("host.test", "host.test", [.email("admin@host.test")]),
            ("host.test", "host.test", [.uri("https://host.test/")]),
            ("host.test", "host.test", [.directory(DistinguishedName(commonName: "host.test"))]),
            ("host.test", "host.test", [.ipAddress([192, 0, 2, 1])]),
            ("host.test", "host.test", [.dns("other.test")]), ("192.0.2.1", "192.0.2.1", [.dns("192.0.2.1")]),
            ("192.0.2.1", "192.0.2.1", [.dns("host.test")]),
            ("192.0.2.1", "192.0.2.1", [.email("a@host.test"), .uri("https://192.0.2.1/")]),
        ] as [(String, String, [GeneralName]?)])
    func commonName(_ name: String, host: String, names: [GeneralName]?) throws {
        for rules in RuleSet.all {
            let verdict = try verdict(names, commonName: name, host: host, rules: rules)
            #expect(!verdict.isTrusted)
            let isHostListed = names?.contains {
                if case .dns = $0 { true } else if case .ipAddress = $0 { true } else { false }
            }
            let rule = isHostListed == true ? "name.mismatch" : "name.no-alternative-names"
            let finding = try #require(verdict.finding(rule), "\(rules.name): \(verdict.errors)")
            if isHostListed != true { #expect(finding.message.contains("the common name '\(name)' does not count")) }
            // Where the story names the certificate, the message goes on without its "it".
            let words = finding.message.dropFirst("it ".count)
            #expect(verdict.explanation?.ways.contains { $0.obstacle.contains(words) } == true)
        }
    }

    @Test(
        "an IPv6 address is its 16 octets, however it is spelled",
        arguments: [
            "[fd00::1]", "fd00::1", "[FD00::1]", "[fd00:0:0:0:0:0:0:1]", "[fd00:0000:0000::0001]", "[fd00::0:0:1]",
            "[fd00:0::0.0.0.1]",
        ])
    func spellings(_ host: String) throws {
        let octets: [UInt8] = [0xFD, 0] + [UInt8](repeating: 0, count: 13) + [1]
        #expect(try verdict([.ipAddress(octets)], host: host).isTrusted)
        #expect(try !verdict([.ipAddress(octets.dropLast() + [2])], host: host).isTrusted)
    }

    @Test("an address mapped from IPv4 is another than the IPv4 address, both ways")
    func mapped() throws {
        let short: [UInt8] = [192, 0, 2, 1]
        let long: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + short
        for (octets, host, isMatch) in [
            (short, "192.0.2.1", true), (long, "192.0.2.1", false), (short, "[::ffff:192.0.2.1]", false),
            (long, "[::ffff:192.0.2.1]", true), (long, "[::ffff:c000:201]", true),
        ] {
            #expect(try verdict([.ipAddress(octets)], host: host).isTrusted == isMatch, "\(host)")
        }
    }

    @Test(
        "the zone of a link-local address is not compared",
        arguments: ["fe80::1%eth0", "[fe80::1%25eth0]", "[fe80::1%3]"])
    func zones(_ host: String) throws {
        let octets: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        #expect(try verdict([.ipAddress(octets)], host: host).isTrusted)
        #expect(try !verdict([.dns("fe80::1")], host: host).isTrusted)
    }

    @Test(
        "a wildcard over a single label stands for nothing, whatever is below it",
        arguments: [
            ("*.vault-internal", "vault-0.vault-internal"), ("*.localhost", "app.localhost"), ("*.com", "example.com"),
            ("*.TEST", "host.test"), ("*.xn--p1ai", "example.xn--p1ai"),
        ])
    func singleLabel(_ name: String, host: String) throws {
        for rules in RuleSet.all {
            let verdict = try verdict([.dns(name)], host: host, rules: rules)
            let finding = try #require(verdict.finding("name.mismatch"))
            #expect(finding.message.contains("'\(name)' is a wildcard over a single label"))
        }
        // A good name beside it is good.
        #expect(try verdict([.dns(name), .dns(host)], host: host).isTrusted)
    }

    @Test("a wildcard over a public suffix is the standard's to accept and no public authority's to issue")
    func publicSuffix() throws {
        for (name, host) in [("*.co.uk", "shop.co.uk"), ("*.github.io", "someone.github.io")] {
            #expect(try verdict([.dns(name)], host: host).isTrusted)
            #expect(
                try verdict([.dns(name)], host: host, rules: .webpki).errors.contains("webpki.public-suffix-wildcard"))
        }
    }

    @Test(
        "a wildcard stands for one whole label, never for part of one, for several or for none",
        arguments: [
            ("x*.host.test", "xn--tst-bma.host.test"), ("xn--*.host.test", "xn--tst-bma.host.test"),
            ("*-bma.host.test", "xn--tst-bma.host.test"), ("w*.host.test", "www.host.test"),
            ("*w.host.test", "www.host.test"), ("w*w.host.test", "www.host.test"), ("*.*.test", "www.host.test"),
            ("**.host.test", "www.host.test"), ("www.*.test", "www.host.test"), ("www.host.*", "www.host.test"),
        ])
    func partial(_ name: String, host: String) throws {
        let finding = try #require(try verdict([.dns(name)], host: host).finding("name.mismatch"))
        #expect(finding.message.contains("'\(name)' the wildcard is not the whole left-most label"))
    }

    @Test(
        "a whole wildcard takes an A-label like any other label, and not two of them",
        arguments: [
            ("*.host.test", "xn--tst-bma.host.test", true), ("*.host.test", "täst.host.test", true),
            ("*.xn--bcher-kva.test", "www.bücher.test", true), ("*.host.test", "a.xn--tst-bma.host.test", false),
            ("*.host.test", "host.test", false),
        ])
    func wildcardLabels(_ name: String, host: String, isMatch: Bool) throws {
        #expect(try verdict([.dns(name)], host: host).isTrusted == isMatch)
    }

    @Test(
        "a host typed in Unicode meets its A-labels, in every case and with every full stop",
        arguments: [
            ("bücher.test", "xn--bcher-kva.test"), ("BÜCHER.TEST", "xn--bcher-kva.test"),
            ("bücher.test.", "xn--bcher-kva.test"), ("bücher。test", "xn--bcher-kva.test"),
            ("bu\u{308}cher.test", "xn--bcher-kva.test"), ("faß.test", "xn--fa-hia.test"),
            ("xn--bcher-kva.test", "XN--BCHER-KVA.TEST"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ])
    func unicode(_ host: String, name: String) throws {
        #expect(try verdict([.dns(name)], host: host).isTrusted)
        // What looks alike is another name: a Cyrillic letter.
        #expect(try !verdict([.dns("xn--bher-0pd.test")], host: host).isTrusted)
    }
}
