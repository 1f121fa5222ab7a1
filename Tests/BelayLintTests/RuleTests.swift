import BelayCertificates
import BelayLint
import BelayTransportSecurity
import BelayTrust
import Foundation
import TestSupport
import Testing

/// A configuration, and the finding that it must give.
struct RuleCase: CustomTestStringConvertible, Sendable {
    let rule: String
    let severity: Finding.Severity
    let path: String
    let inside: String
    var beside = ""
    var testDescription: String { "\(rule) at \(path)" }

    init(_ rule: String, _ severity: Finding.Severity, _ path: String, _ inside: String, beside: String = "") {
        (self.rule, self.severity, self.path, self.inside, self.beside) = (rule, severity, path, inside, beside)
    }

    static let all: [RuleCase] = global + exceptions + pins + reader

    static let global: [RuleCase] = [
        .init("lint.arbitrary-loads", .warning, "NSAllowsArbitraryLoads", Plist.yes("NSAllowsArbitraryLoads")),
        .init(
            "lint.arbitrary-loads-ignored", .warning, "NSAllowsArbitraryLoads",
            Plist.yes("NSAllowsArbitraryLoads") + Plist.no("NSAllowsLocalNetworking")),
        .init(
            "lint.review-justification", .note, "NSAllowsArbitraryLoads",
            Plist.yes("NSAllowsArbitraryLoads") + Plist.yes("NSAllowsArbitraryLoadsForMedia")),
        .init(
            "lint.media-loads", .warning, "NSAllowsArbitraryLoadsForMedia", Plist.yes("NSAllowsArbitraryLoadsForMedia")),
        .init(
            "lint.web-content", .warning, "NSAllowsArbitraryLoadsInWebContent",
            Plist.yes("NSAllowsArbitraryLoadsInWebContent")),
        .init(
            "lint.review-justification", .note, "NSExceptionDomains/localhost/NSExceptionAllowsInsecureHTTPLoads",
            Plist.exceptions(Plist.entry("localhost", Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))),
        .init("lint.local-networking", .note, "NSAllowsLocalNetworking", Plist.yes("NSAllowsLocalNetworking")),
        .init("lint.local-denied", .warning, "NSAllowsLocalNetworking", Plist.no("NSAllowsLocalNetworking")),
        .init("lint.equals-default", .note, "NSAllowsArbitraryLoads", Plist.no("NSAllowsArbitraryLoads")),
        .init("lint.empty", .note, "NSExceptionDomains", Plist.exceptions("")),
        .init(
            "lint.equals-default", .note, "NSRequiresNIAPTLSPackageVersion",
            Plist.text("NSRequiresNIAPTLSPackageVersion", "none")),
    ]

    static let exceptions: [RuleCase] = [
        .init(
            "lint.cleartext-allowed", .warning, "NSExceptionDomains/a.test/NSExceptionAllowsInsecureHTTPLoads",
            Plist.exceptions(Plist.entry("a.test", Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))),
        .init(
            "lint.old-tls-version", .warning, "NSExceptionDomains/a.test/NSExceptionMinimumTLSVersion",
            Plist.exceptions(Plist.entry("a.test", Plist.text("NSExceptionMinimumTLSVersion", "TLSv1.1")))),
        .init(
            "lint.no-forward-secrecy", .warning, "NSExceptionDomains/a.test/NSExceptionRequiresForwardSecrecy",
            Plist.exceptions(Plist.entry("a.test", Plist.no("NSExceptionRequiresForwardSecrecy")))),
        .init(
            "lint.equals-default", .note, "NSExceptionDomains/a.test/NSExceptionMinimumTLSVersion",
            Plist.exceptions(Plist.entry("a.test", Plist.text("NSExceptionMinimumTLSVersion", "TLSv1.2")))),
        .init(
            "lint.only-legacy-keys", .warning, "NSExceptionDomains/a.test",
            Plist.exceptions(Plist.entry("a.test", Plist.yes("NSTemporaryExceptionAllowsInsecureHTTPLoads")))),
        .init(
            "lint.legacy-overruled", .warning,
            "NSExceptionDomains/a.test/NSThirdPartyExceptionAllowsInsecureHTTPLoads",
            Plist.exceptions(
                Plist.entry(
                    "a.test",
                    Plist.yes("NSThirdPartyExceptionAllowsInsecureHTTPLoads")
                        + Plist.no("NSExceptionAllowsInsecureHTTPLoads")))),
        .init(
            "lint.equals-default", .note, "NSExceptionDomains/a.test/NSExceptionRequiresForwardSecrecy",
            Plist.exceptions(Plist.entry("a.test", Plist.yes("NSExceptionRequiresForwardSecrecy")))),
        .init(
            "lint.equals-default", .note, "NSExceptionDomains/a.test/NSExceptionRequiresNIAPTLSPackageVersion",
            Plist.exceptions(Plist.entry("a.test", Plist.text("NSExceptionRequiresNIAPTLSPackageVersion", "none")))),
        .init(
            "lint.tightens", .warning, "NSExceptionDomains/a.test",
            Plist.yes("NSAllowsArbitraryLoads")
                + Plist.exceptions(Plist.entry("a.test", Plist.no("NSExceptionRequiresForwardSecrecy")))),
        .init(
            "lint.tightens", .warning, "NSExceptionDomains/a.test",
            Plist.yes("NSAllowsArbitraryLoadsInWebContent")
                + Plist.exceptions(Plist.entry("a.test", Plist.text("NSExceptionMinimumTLSVersion", "TLSv1.0")))),
        .init("lint.strict-entry", .warning, "NSExceptionDomains/a.test", Plist.exceptions(Plist.entry("a.test"))),
        .init(
            "lint.strict-entry", .note, "NSExceptionDomains/a.test",
            Plist.yes("NSAllowsArbitraryLoads") + Plist.exceptions(Plist.entry("a.test"))),
        .init(
            "lint.strict-entry", .note, "NSExceptionDomains/b.a.test",
            Plist.exceptions(
                Plist.entry(
                    "a.test", Plist.yes("NSIncludesSubdomains") + Plist.yes("NSExceptionAllowsInsecureHTTPLoads"))
                    + Plist.entry("b.a.test"))),
        .init(
            "lint.local-host", .note, "NSExceptionDomains/printer.local",
            Plist.exceptions(Plist.entry("printer.local", Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))),
        .init(
            "lint.local-host-strict", .warning, "NSExceptionDomains/localhost",
            Plist.exceptions(Plist.entry("localhost"))),
        .init(
            "lint.local-host-strict", .warning, "NSExceptionDomains/intranet",
            Plist.exceptions(Plist.entry("intranet"))),
        .init(
            "lint.local-host-strict", .warning, "NSExceptionDomains/printer.local",
            Plist.exceptions(Plist.entry("printer.local", Plist.no("NSExceptionRequiresForwardSecrecy")))),
        .init(
            "lint.shared-domain", .warning, "NSExceptionDomains/github.io",
            Plist.exceptions(
                Plist.entry(
                    "github.io", Plist.yes("NSIncludesSubdomains") + Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))),
        .init(
            "lint.shared-domain", .error, "NSExceptionDomains/com",
            Plist.exceptions(
                Plist.entry("com", Plist.yes("NSIncludesSubdomains") + Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))
        ),
        .init(
            "lint.built-in-entry", .warning, "NSExceptionDomains/apple.com",
            Plist.exceptions(Plist.entry("apple.com", Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))),
        .init(
            "lint.address-key", .note, "NSExceptionDomains/192.0.2.1",
            Plist.exceptions(Plist.entry("192.0.2.1", Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))),
        .init(
            "lint.address-key", .warning, "NSExceptionDomains/192.0.2.0/24",
            Plist.exceptions(Plist.entry("192.0.2.0/24", Plist.yes("NSExceptionAllowsInsecureHTTPLoads"))),
            beside: Plist.text("MinimumOSVersion", "15.0")),
        .init(
            "lint.address-subdomains", .note, "NSExceptionDomains/192.0.2.1/NSIncludesSubdomains",
            Plist.exceptions(Plist.entry("192.0.2.1", Plist.yes("NSIncludesSubdomains")))),
        .init(
            "lint.placeholder-domain", .note, "NSExceptionDomains/yourserver.com",
            Plist.exceptions(Plist.entry("yourserver.com", Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))),
        .init(
            "lint.changes-nothing", .note, "NSExceptionDomains/b.a.test",
            Plist.exceptions(
                Plist.entry(
                    "a.test", Plist.yes("NSIncludesSubdomains") + Plist.yes("NSExceptionAllowsInsecureHTTPLoads"))
                    + Plist.entry(
                        "b.a.test", Plist.yes("NSIncludesSubdomains") + Plist.yes("NSExceptionAllowsInsecureHTTPLoads"))
            )),
        .init(
            "lint.deep-subdomain", .note, "NSExceptionDomains/a.test/NSIncludesSubdomains",
            Plist.exceptions(
                Plist.entry(
                    "a.test", Plist.yes("NSIncludesSubdomains") + Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))
                + Plist.pinned("c.b.a.test", leaf: [Plist.one, Plist.two])),
    ]

    /// Entries whose keys are not of those that tighten by accident.
    static let silent: [(rule: String, inside: String)] = [
        ("lint.tightens", Plist.exceptions(Plist.entry("a.test", Plist.no("NSExceptionRequiresForwardSecrecy")))),
        (
            "lint.tightens",
            Plist.yes("NSAllowsArbitraryLoads")
                + Plist.exceptions(
                    Plist.entry(
                        "a.test",
                        Plist.no("NSExceptionRequiresForwardSecrecy") + Plist.yes("NSExceptionAllowsInsecureHTTPLoads"))
                )
        ),
        // NSAllowsArbitraryLoads is dead here.
        (
            "lint.tightens",
            Plist.yes("NSAllowsArbitraryLoads") + Plist.yes("NSAllowsLocalNetworking")
                + Plist.exceptions(Plist.entry("a.test", Plist.no("NSExceptionRequiresForwardSecrecy")))
        ),
        // For the app a package holds, and not for the host.
        (
            "lint.equals-default",
            Plist.text("NSRequiresNIAPTLSPackageVersion", "recommended")
                + Plist.exceptions(
                    Plist.entry("a.test", Plist.text("NSExceptionRequiresNIAPTLSPackageVersion", "none")))
        ),
        ("lint.local-host-strict", Plist.exceptions(Plist.entry("intranet", Plist.yes("NSIncludesSubdomains")))),
    ]

    private static let leaf = "NSPinnedDomains/a.test/NSPinnedLeafIdentities"

    static let pins: [RuleCase] = [
        .init(
            "lint.pinned-one-label", .note, "NSPinnedDomains/a.test/NSIncludesSubdomains",
            Plist.pinned("a.test", leaf: [Plist.one, Plist.two], Plist.yes("NSIncludesSubdomains"))),
        .init("lint.single-pin", .note, leaf, Plist.pinned("a.test", leaf: [Plist.one])),
        .init("lint.duplicate-pin", .warning, leaf, Plist.pinned("a.test", leaf: [Plist.one, Plist.one])),
        // FIPS 180-4: the digest of the empty message.
        .init(
            "lint.pin-of-nothing", .error, leaf + "/0/SPKI-SHA256-BASE64",
            Plist.pinned("a.test", leaf: ["47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", Plist.one])),
        .init(
            "lint.placeholder-pin", .error, leaf + "/1/SPKI-SHA256-BASE64",
            Plist.pinned("a.test", leaf: [Plist.one, String(repeating: "A", count: 43) + "="])),
        // FIPS 180-4: SHA-1 of "abc", in base64 and in hexadecimal.
        .init(
            "lint.pin-not-sha256", .error, leaf + "/1/SPKI-SHA256-BASE64",
            Plist.pinned("a.test", leaf: [Plist.one, "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="])),
        .init(
            "lint.pin-not-sha256", .error, leaf + "/1/SPKI-SHA256-BASE64",
            Plist.pinned("a.test", leaf: [Plist.one, "A9:99:3E:36:47:06:81:6A:BA:3E:25:71:78:50:C2:6C:9C:D0:D8:9D"])),
        // SHA-256 of "one" in hexadecimal, with a prefix, in base64url, without padding.
        .init(
            "lint.pin-encoding", .error, leaf + "/1/SPKI-SHA256-BASE64",
            Plist.pinned(
                "a.test", leaf: [Plist.two, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"])),
        .init(
            "lint.pin-encoding", .error, leaf + "/1/SPKI-SHA256-BASE64",
            Plist.pinned("a.test", leaf: [Plist.two, "sha256/" + Plist.one])),
        .init(
            "lint.pin-encoding", .error, leaf + "/1/SPKI-SHA256-BASE64",
            Plist.pinned("a.test", leaf: [Plist.two, String(Plist.one.dropLast())])),
        .init(
            "ats.pin-malformed", .error, leaf + "/1/SPKI-SHA256-BASE64",
            Plist.pinned("a.test", leaf: [Plist.two, "not a pin"])),
        .init(
            "lint.pinned-shared-domain", .warning, "NSPinnedDomains/github.io",
            Plist.pinned("github.io", leaf: [Plist.one, Plist.two])),
        .init(
            "lint.pinned-address", .note, "NSPinnedDomains/192.0.2.1",
            Plist.pinned("192.0.2.1", leaf: [Plist.one, Plist.two])),
    ]

    static let reader: [RuleCase] = [
        .init(
            "ats.unknown-key", .error, "NSExceptionDomains/a.test/NSIncludeSubdomains",
            Plist.exceptions(Plist.entry("a.test", Plist.yes("NSIncludeSubdomains")))),
        .init(
            "ats.misplaced-key", .error, "NSExceptionDomains/a.test/NSAllowsArbitraryLoads",
            Plist.exceptions(Plist.entry("a.test", Plist.yes("NSAllowsArbitraryLoads")))),
        .init(
            "ats.misplaced-key", .error, "NSExceptionDomains/a.test/NSPinnedDomains",
            Plist.exceptions(Plist.entry("a.test", "<key>NSPinnedDomains</key><dict/>"))),
        .init(
            "ats.wrong-type", .error, "NSAllowsArbitraryLoads", Plist.text("NSAllowsArbitraryLoads", "YES")),
        .init(
            "ats.domain-key", .error, "NSExceptionDomains/A.test", Plist.exceptions(Plist.entry("A.test"))),
        .init(
            "ats.domain-key", .warning, "NSExceptionDomains/$(HOST)", Plist.exceptions(Plist.entry("$(HOST)"))),
        .init(
            "ats.minimum-tls-version", .warning, "NSExceptionDomains/a.test/NSExceptionMinimumTLSVersion",
            Plist.exceptions(Plist.entry("a.test", Plist.text("NSExceptionMinimumTLSVersion", "$(MINIMUM_TLS)")))),
        // Pins are compared with hosts without their dot, and stand for no block.
        .init(
            "ats.domain-key", .error, "NSPinnedDomains/a.test.", Plist.pinned("a.test.", leaf: [Plist.one, Plist.two])),
        .init(
            "ats.domain-key", .error, "NSPinnedDomains/192.0.2.0/24",
            Plist.pinned("192.0.2.0/24", leaf: [Plist.one, Plist.two])),
        .init(
            "ats.domain-key", .error, "NSPinnedDomains/192.0.2.1/24",
            Plist.pinned("192.0.2.1/24", leaf: [Plist.one, Plist.two])),
        .init(
            "ats.minimum-tls-version", .error, "NSExceptionDomains/a.test/NSExceptionMinimumTLSVersion",
            Plist.exceptions(Plist.entry("a.test", Plist.text("NSExceptionMinimumTLSVersion", "1.0")))),
        .init(
            "ats.duplicate-key", .error, "NSAllowsArbitraryLoads",
            Plist.yes("NSAllowsArbitraryLoads") + Plist.no("NSAllowsArbitraryLoads")),
        .init(
            "ats.pins-nothing", .error, leaf,
            "<key>NSPinnedDomains</key><dict>"
                + Plist.entry("a.test", "<key>NSPinnedLeafIdentities</key><array/>") + "</dict>"),
    ]
}

@Suite("Lint: rules")
struct RuleTests {
    @Test("each rule finds the case that was made for it, at its place", arguments: RuleCase.all)
    func finds(_ example: RuleCase) {
        let report = Plist.lint(example.inside, beside: example.beside)
        let found = report.findings.filter {
            $0.rule.identifier == example.rule && $0.severity == example.severity
                && $0.keyPath.dropFirst().joined(separator: "/") == example.path
        }
        #expect(found.count == 1, "\(report.findings.map(\.description).joined(separator: "\n"))")
        #expect(found.allSatisfy { $0.line != nil && $0.column != nil && !$0.meaning.isEmpty && !$0.fix.isEmpty })
    }

    @Test("rules are silent where what they are about is not so")
    func silence() {
        for (rule, inside) in RuleCase.silent {
            #expect(!Plist.lint(inside).findings.contains { $0.rule.identifier == rule }, "\(rule): \(inside)")
        }
    }

    @Test("every rule of the linter has a case, and is in the catalogue once")
    func coverage() {
        let cases = Set(RuleCase.all.map(\.rule))
        // These need certificates, files of pins or a broken file, and have tests of their own.
        let others: Set = [
            "lint.unreadable", "lint.more-findings", "lint.old-sdk", "lint.certificate-hash", "lint.leaf-as-authority",
            "lint.short-lived-leaf-pin", "lint.pin-file", "lint.pin-file-ignored", "lint.no-pins",
        ]
        let all = LintRules.all.map(\.identifier)
        #expect(Set(all).subtracting(others).subtracting(cases).isEmpty)
        #expect(Set(all).count == all.count)
        #expect(Set(all).isDisjoint(with: TransportSecurityRules.all.map(\.identifier)))
    }

    @Test("a configuration that means what it says has no finding")
    func clean() {
        let inside =
            Plist.exceptions(Plist.entry("a.test", Plist.text("NSExceptionMinimumTLSVersion", "TLSv1.3")))
            + Plist.pinned("a.test", leaf: [Plist.one, Plist.two])
        #expect(Plist.lint(inside).findings.isEmpty)
        #expect(Linter().lint(Array("<plist><dict/></plist>".utf8), file: "x").findings.isEmpty)
    }

    @Test("a file that is no property list is an error with its place")
    func unreadable() throws {
        let finding = try #require(
            Linter().lint(Array("<plist><dict>\n<key>a</key>\n</dict></plist>".utf8), file: "x").findings.first)
        #expect(finding.rule.identifier == "lint.unreadable")
        #expect(finding.severity == .error && finding.line == 2)
    }

    @Test("an error behind more faults than are listed still fails")
    func many() {
        let old = (0..<1_100).map {
            Plist.entry("h\($0).test", Plist.yes("NSThirdPartyExceptionAllowsInsecureHTTPLoads"))
        }
        let report = Plist.lint(Plist.exceptions(old.joined()) + Plist.text("NSAllowsArbitraryLoads", "YES"))
        #expect(report.findings.contains { $0.rule.identifier == "lint.more-findings" && $0.severity == .error })
        #expect(report.policies.count == 1_102)
    }

    @Test("an address as a key is no finding where every system of the app reads it")
    func addressOnNewSystems() {
        let inside = Plist.exceptions(Plist.entry("192.0.2.1", Plist.text("NSExceptionMinimumTLSVersion", "TLSv1.3")))
        #expect(Plist.lint(inside, beside: Plist.text("MinimumOSVersion", "17.0")).findings.isEmpty)
        #expect(Plist.lint(inside, beside: Plist.text("LSMinimumSystemVersion", "14.0")).findings.isEmpty)
        #expect(!Plist.lint(inside, beside: Plist.text("LSMinimumSystemVersion", "13.5")).findings.isEmpty)
    }

    @Test(
        "an SDK from before App Transport Security is warned of, and one from before addresses as keys",
        arguments: [
            ("iphoneos8.4", true, true), ("iphoneos9.0", false, true), ("iphonesimulator16.4", false, true),
            ("iphoneos17.0", false, false), ("macosx10.10", true, true), ("macosx10.11", false, true),
            ("macosx14.2", false, false), ("watchos2.0", false, false), ("iphoneos", false, false),
        ])
    func sdk(_ name: String, _ isOld: Bool, _ readsNoAddresses: Bool) throws {
        let address = Plist.exceptions(Plist.entry("192.0.2.1", Plist.text("NSExceptionMinimumTLSVersion", "TLSv1.3")))
        let report = Plist.lint(
            address,
            beside: Plist.text("DTSDKName", name) + Plist.text("MinimumOSVersion", "17.0"))
        let old = report.findings.filter { $0.rule.identifier == "lint.old-sdk" }
        #expect(old.count == (isOld ? 1 : 0))
        #expect(old.allSatisfy { $0.keyPath == ["DTSDKName"] && $0.line == 3 && $0.severity == .warning })
        #expect(report.findings.contains { $0.rule.identifier == "lint.address-key" } == readsNoAddresses)
    }

    @Test("the place is that of the key")
    func place() throws {
        let finding = try #require(Plist.lint("\n  " + Plist.yes("NSAllowsArbitraryLoads")).findings.first)
        #expect(finding.line == 7 && finding.column == 3)
    }

    @Test("each key that App Review asks about has a draft, and no other has")
    func review() {
        let inside =
            Plist.yes("NSAllowsArbitraryLoadsInWebContent") + Plist.yes("NSAllowsLocalNetworking")
            + Plist.exceptions(
                Plist.entry(
                    "a.test",
                    Plist.yes("NSExceptionAllowsInsecureHTTPLoads")
                        + Plist.text("NSExceptionMinimumTLSVersion", "TLSv1.0")
                        + Plist.no("NSExceptionRequiresForwardSecrecy")))
        let keys = Plist.lint(inside).justifications.compactMap(\.keyPath.last)
        #expect(
            Set(keys) == [
                "NSAllowsArbitraryLoadsInWebContent", "NSExceptionAllowsInsecureHTTPLoads",
                "NSExceptionMinimumTLSVersion",
            ])
        #expect(keys.count == 3)
    }

    @Test("the table says what holds for each domain, for local hosts, and for all others")
    func table() {
        let inside =
            Plist.yes("NSAllowsArbitraryLoads")
            + Plist.exceptions(
                Plist.entry("a.test") + Plist.entry("https://b.test", Plist.yes("NSExceptionAllowsInsecureHTTPLoads")))
            + Plist.pinned("c.test", leaf: [Plist.one, Plist.two])
        let policies = Plist.lint(inside).policies
        // The second key matches no host.
        #expect(policies.map(\.hosts).first == "a.test" && policies.count == 4)
        #expect(policies.map(\.allowsHTTP) == [false, true, true, true])
        #expect(policies.map(\.minimumTLSVersion) == [.tls12, nil, nil, nil])
        #expect(policies.map(\.pins) == [nil, 2, nil, nil])
    }
}
