import BelayCertificates
import BelayLint
import BelayTransportSecurity
import BelayTrust
import Foundation
import TestSupport
import Testing

@Suite("Lint: situations that people reported")
struct ReportedSituationTests {
    private func allows(_ url: String, _ inside: String) throws -> Bool {
        let document = try PlistReader().read(Array(Plist.infoPlist(inside).utf8))
        let configuration = TransportSecurityConfiguration(document, file: "Info.plist")
        return configuration.decision(for: try TransportSecurityURL(url), as: .simulation).isAllowed
    }

    private func findings(_ inside: String, _ rule: String) -> [LintFinding] {
        Plist.lint(inside).findings.filter { $0.rule.identifier == rule }
    }

    @Test("G1: a scheme in a domain key never matches, and the URL is judged by the defaults")
    func scheme() throws {
        let inside = Plist.exceptions(
            Plist.entry("https://api.lab.test", Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))
        let finding = try #require(findings(inside, "ats.domain-key").first)
        #expect(finding.severity == .error && finding.message.contains("no host matches"))
        #expect(try !allows("http://api.lab.test/", inside))
    }

    @Test("G3: for a wildcard in a domain key NSIncludesSubdomains is named")
    func wildcard() throws {
        let inside = Plist.exceptions(Plist.entry("*.lab.test", Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))
        let finding = try #require(findings(inside, "ats.domain-key").first)
        #expect(finding.severity == .error)
        #expect(finding.finding.expected?.contains("NSIncludesSubdomains") == true)
        #expect(try !allows("http://a.lab.test/", inside))
    }

    @Test("G5: a dot at the end of a key is meant literally")
    func trailingDot() throws {
        let inside = Plist.exceptions(Plist.entry("lab.test.", Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))
        #expect(findings(inside, "ats.domain-key").first?.severity == .warning)
        #expect(try allows("http://lab.test./", inside))
        #expect(try !allows("http://lab.test/", inside))
    }

    @Test("G7: to list a domain is to hold it to App Transport Security again")
    func listing() throws {
        let inside = Plist.yes("NSAllowsArbitraryLoads") + Plist.exceptions(Plist.entry("lab.test"))
        #expect(findings(inside, "lint.strict-entry").first?.severity == .note)
        #expect(try !allows("http://lab.test/", inside))
        #expect(try allows("http://elsewhere.test/", inside))
    }

    @Test("G9: old spellings are recognised, and reported as such")
    func legacy() throws {
        let inside = Plist.exceptions(
            Plist.entry("lab.test", Plist.yes("NSThirdPartyExceptionAllowsInsecureHTTPLoads")))
        let finding = try #require(findings(inside, "ats.legacy-key").first)
        #expect(finding.severity == .warning && finding.finding.expected == "NSExceptionAllowsInsecureHTTPLoads")
        #expect(findings(inside, "ats.unknown-key").isEmpty)
    }

    @Test("G11: an exception for a name is none for an address, and the reverse")
    func nameAndAddress() throws {
        let http = Plist.yes("NSExceptionAllowsInsecureHTTPLoads")
        let name = Plist.exceptions(Plist.entry("nas.test", http))
        let address = Plist.exceptions(Plist.entry("10.0.0.5", http))
        #expect(try allows("http://nas.test/", name))
        #expect(try !allows("http://10.0.0.5/", name))
        #expect(try allows("http://10.0.0.5/", address))
        #expect(try !allows("http://nas.test/", address))
    }

    @Test("G13: the key of a leaf among those of authorities is named as what it is")
    func leafAmongAuthorities() throws {
        let leaf = try SelfSigned(days: 300)
        let inside = Plist.pinned("lab.test", authority: [leaf.pin, Plist.one])
        let report = Plist.lint(inside, certificates: [leaf.certificate])
        let finding = try #require(report.findings.first { $0.rule.identifier == "lint.leaf-as-authority" })
        #expect(finding.severity == .error && finding.message.contains("that key is the leaf's"))
    }

    @Test("G15: an obsolete key is said to have no effect")
    func obsolete() throws {
        let inside = Plist.exceptions(
            Plist.entry(
                "lab.test",
                Plist.no("NSRequiresCertificateTransparency") + Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))
        let finding = try #require(findings(inside, "ats.obsolete-key").first)
        #expect(finding.severity == .note && finding.meaning.contains("changes no connection"))
    }

    @Test("a hash of a whole certificate is told by the certificate, and the pin of its key is named")
    func certificateHash() throws {
        let leaf = try SelfSigned(days: 300)
        let report = Plist.lint(
            Plist.pinned("lab.test", leaf: [leaf.fingerprint, Plist.one]), certificates: [leaf.certificate])
        let finding = try #require(report.findings.first { $0.rule.identifier == "lint.certificate-hash" })
        #expect(finding.severity == .error && finding.fix.contains(leaf.pin))
    }

    @Test(
        "to pin only the leaf is warned of where certificates live 100 days or less", arguments: [(100, 1), (101, 0)])
    func shortLived(_ days: Int, _ count: Int) throws {
        let leaf = try SelfSigned(days: days)
        let certificates = [leaf.certificate]
        let alone = Plist.lint(Plist.pinned("lab.test", leaf: [leaf.pin, Plist.one]), certificates: certificates)
        #expect(alone.findings.count { $0.rule.identifier == "lint.short-lived-leaf-pin" } == count)
        let both = Plist.lint(
            Plist.pinned("lab.test", leaf: [leaf.pin, Plist.one], authority: [Plist.one, Plist.two]),
            certificates: certificates)
        #expect(both.findings.count { $0.rule.identifier == "lint.short-lived-leaf-pin" } == 0)
    }
}

/// A certificate that OpenSSL made, with the digests that OpenSSL computes.
private struct SelfSigned {
    let certificate: Certificate
    let pin: String
    let fingerprint: String

    init(days: Int) throws {
        let folder = try TemporaryFolder()
        let file = folder("leaf.pem")
        try Tool.succeed(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                folder("key.pem"), "-out", file, "-days", "\(days)", "-subj", "/CN=lab.test", "-addext",
                "basicConstraints=critical,CA:FALSE",
            ])
        certificate = try #require(try Certificate.read(contentsOf: file).first)
        try Tool.succeed("openssl", ["x509", "-in", file, "-outform", "DER", "-out", folder("leaf.der")])
        try Tool.succeed(
            "openssl", ["pkey", "-in", folder("key.pem"), "-pubout", "-outform", "DER", "-out", folder("key.der")])
        pin = try Self.digest(folder("key.der"))
        fingerprint = try Self.digest(folder("leaf.der"))
    }

    private static func digest(_ file: String) throws -> String {
        let result = try Tool.succeed("openssl", ["dgst", "-sha256", "-hex", "-r", file])
        let digits = Array(result.text.prefix(64).utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        return Data(bytes).base64EncodedString()
    }
}
