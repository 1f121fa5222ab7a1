import BelayCertificates
import BelayLint
import BelayTransportSecurity
import BelayTrust
import Foundation
import TestSupport
import Testing

/// Something to correct: the inside of NSAppTransportSecurity before and after. What is expected was written by hand.
struct FixCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let before: String
    /// nil where it is left to a person.
    let after: String?

    init(_ name: String, _ before: String, _ after: String?) {
        testDescription = name
        self.before = before
        self.after = after
    }

    private static func entry(_ name: String, _ key: String, _ before: String, _ after: String?) -> FixCase {
        func text(_ value: String) -> String {
            "<key>NSExceptionDomains</key>\n<dict>\n<key>a.test</key>\n<dict>\n<key>\(key)</key>\n\(value)\n</dict>\n</dict>"
        }
        return FixCase(name, text(before), after.map(text))
    }

    private static func domain(_ before: String, _ after: String?, _ inside: String = "") -> FixCase {
        func text(_ key: String) -> String {
            "<key>NSExceptionDomains</key>\n<dict>\n<key>\(key)</key>\n<dict>\(inside)</dict>\n</dict>"
        }
        return FixCase(before, text(before), after.map(text))
    }

    private static let http = "NSExceptionAllowsInsecureHTTPLoads"
    private static let version = "NSExceptionMinimumTLSVersion"

    static let values: [FixCase] = [
        FixCase(
            "a key for the whole app with the settings of a domain",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>NSAllowsArbitraryLoads</key>\n<dict>\n<key>NSIncludesSubdomains</key>\n<true/>\n</dict>\n</dict>",
            nil),
        .entry("YES", http, "<string>YES</string>", "<true/>"),
        .entry("true", http, "<string> True\n</string>", "<true/>"),
        .entry("1", http, "<integer>1</integer>", "<true/>"), .entry("1.0", http, "<real>1.0</real>", "<true/>"),
        .entry("NO", http, "<string>NO</string>", "<false/>"), .entry("0", http, "<integer>0</integer>", "<false/>"),
        .entry("2", http, "<integer>2</integer>", nil), .entry("maybe", http, "<string>maybe</string>", nil),
        .entry("list", http, "<array/>", nil),
        .entry("1.2", version, "<string>1.2</string>", "<string>TLSv1.2</string>"),
        .entry("TLS1.3", version, "<string>TLS1.3</string>", "<string>TLSv1.3</string>"),
        .entry("TLSV1.1", version, "<string>TLSV1.1</string>", "<string>TLSv1.1</string>"),
        .entry("real", version, "<real>1.2</real>", "<string>TLSv1.2</string>"),
        .entry("TLSv1", version, "<string>TLSv1</string>", nil),
        .entry("SSLv3", version, "<string>SSLv3</string>", nil),
        .entry("DTLS", version, "<string>DTLSv1.2</string>", nil),
        .entry("TLSv1.4", version, "<string>TLSv1.4</string>", nil),
        .entry(
            "package", "NSExceptionRequiresNIAPTLSPackageVersion", "<string>fcp_V2.1</string>",
            "<string>FCP_v2.1</string>"),
        FixCase("for all", "<key>NSAllowsArbitraryLoads</key>\n<string>YES</string>", nil),
        FixCase(
            "for nobody", "<key>NSAllowsArbitraryLoads</key>\n<string>NO</string>",
            "<key>NSAllowsArbitraryLoads</key>\n<false/>"),
    ]

    static let domains: [FixCase] = [
        .domain("https://a.test", "a.test"), .domain("http://a.test:8080/path?x", "a.test"),
        .domain("a.test/path", "a.test"), .domain("a.test:443", "a.test"), .domain(" a.test", "a.test"),
        .domain("A.Test", "a.test"), .domain("bücher.test", "xn--bcher-kva.test"), .domain("[::1]", "::1"),
        .domain("[::1]:8080", "::1"), .domain("2001:DB8:0::1", "2001:db8::1"), .domain("192.168/16", "192.168.0.0/16"),
        .domain("192.168.0.77/16", "192.168.0.0/16"), .domain("192.168.100.10/24", "192.168.100.0/24"),
        .domain("a.test.", "a.test"), .domain("$(HOST)", nil), .domain("a b.test", nil), .domain("*", nil),
        .domain("10.0.0.0/024", nil), .domain("192.168.100.0/33", nil), .domain("a.*.test", nil), .domain("*.com", nil),
        // Below another name the entry protects, as it does now.
        .domain("*.a.test", nil, "<key>NSIncludesSubdomains</key><false/>"),
        .domain("*.a.test", "a.test", "<key>NSIncludesSubdomains</key><true/>"),
    ]

    private static let pins =
        "<key>NSPinnedDomains</key>\n<dict>\n<key>a.test</key>\n<dict>\n<key>NSPinnedLeafIdentities</key>\n<array>\n"
    private static func pin(_ text: String) -> String {
        "<dict><key>SPKI-SHA256-BASE64</key><string>\(text)</string></dict>\n"
    }
    private static let end = "</array>\n</dict>\n</dict>"

    static let keys: [FixCase] = [
        FixCase(
            "a wildcard",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>*.a.test</key>\n<dict>\n  <key>\(http)</key>\n  <true/>\n</dict>\n</dict>",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>a.test</key>\n<dict>\n  <key>NSIncludesSubdomains</key>\n  <true/>\n  <key>\(http)</key>\n  <true/>\n</dict>\n</dict>"
        ),
        FixCase(
            "a wildcard over nothing", "<key>NSExceptionDomains</key>\n<dict>\n<key>*.a.test</key>\n<dict/>\n</dict>",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>a.test</key>\n<dict><key>NSIncludesSubdomains</key><true/></dict>\n</dict>"
        ),
        FixCase(
            "an entry twice",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>a.test</key>\n<dict>\n</dict>\n<key>a.test</key>\n<dict><key>\(http)</key><true/></dict>\n</dict>",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>a.test</key>\n<dict><key>\(http)</key><true/></dict>\n</dict>"),
        FixCase(
            "a key twice in a line", "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsArbitraryLoads</key><true/>",
            "<key>NSAllowsArbitraryLoads</key><true/>"),
        FixCase(
            "old and new",
            Plist.exceptions(
                "\n<key>a.test</key><dict>\n<key>NSTemporaryExceptionAllowsInsecureHTTPLoads</key>\n<false/>\n"
                    + Plist.yes(http) + "\n</dict>"),
            Plist.exceptions("\n<key>a.test</key><dict>\n" + Plist.yes(http) + "\n</dict>")),
        FixCase(
            "misspelt and right",
            "<key>NSAllowArbitraryLoads</key>\n<true/>\n<key>NSAllowsArbitraryLoads</key>\n<true/>",
            "<key>NSAllowsArbitraryLoads</key>\n<true/>"),
        FixCase(
            "misspelt and right, of two minds",
            "<key>NSAllowArbitraryLoads</key>\n<true/>\n<key>NSAllowsArbitraryLoads</key>\n<false/>", nil),
        // An entry has more lines than its key, which is what is reported.
        FixCase(
            "a domain in two spellings",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>A.test</key>\n<dict>\n</dict>\n<key>a.test</key>\n<dict>\n</dict>\n</dict>",
            nil),
        FixCase("misspelt, for all", "<key>NSAllowArbitraryLoads</key>\n<true/>", nil),
        .entry("transparency", "NSRequiresCertificateTransparency", "<false/>", "").without(
            "NSRequiresCertificateTransparency"),
        .entry("transparency that older systems follow", "NSRequiresCertificateTransparency", "<true/>", nil),
        FixCase(
            "empty", Plist.yes("NSAllowsLocalNetworking") + "\n<key>NSExceptionDomains</key>\n<dict/>",
            Plist.yes("NSAllowsLocalNetworking")),
        FixCase(
            "subdomains of an address",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>192.0.2.1</key>\n<dict>\n<key>NSIncludesSubdomains</key>\n<true/>\n</dict>\n</dict>",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>192.0.2.1</key>\n<dict>\n</dict>\n</dict>"),
        FixCase(
            "among the domains",
            "<key>NSExceptionDomains</key>\n<dict>\n    <key>NSAllowsLocalNetworking</key>\n    <true/>\n    <key>a.test</key>\n    <dict/>\n</dict>",
            "<key>NSExceptionDomains</key>\n<dict>\n    <key>a.test</key>\n    <dict/>\n</dict>\n<key>NSAllowsLocalNetworking</key>\n<true/>"
        ),
        FixCase(
            "pins among the exceptions",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>NSPinnedDomains</key>\n<dict>\n</dict>\n</dict>",
            "<key>NSExceptionDomains</key>\n<dict>\n</dict>\n<key>NSPinnedDomains</key>\n<dict>\n</dict>"),
        FixCase(
            "in an entry",
            "<key>NSExceptionDomains</key>\n<dict>\n<key>a.test</key>\n<dict>\n<key>NSAllowsLocalNetworking</key>\n<true/>\n</dict>\n</dict>",
            nil),
        FixCase(
            "a pin twice", pins + pin(Plist.one) + pin(Plist.two) + pin(Plist.one) + end,
            pins + pin(Plist.one) + pin(Plist.two) + end),
        FixCase("a prefix", pins + pin("sha256/" + Plist.one) + end, pins + pin(Plist.one) + end),
        FixCase("no padding", pins + pin(String(Plist.one.dropLast())) + end, pins + pin(Plist.one) + end),
        FixCase("SHA-1", pins + pin("Kq5sNclPz7QV2+lfQIuc6R7oRu0=") + end, nil),
    ]

    /// Without the line of a key and the one of its value.
    private func without(_ key: String) -> FixCase {
        FixCase(testDescription, before, after?.replacingOccurrences(of: "<key>\(key)</key>\n\n", with: ""))
    }
}

@Suite("Lint: corrections")
struct FixTests {
    private func fix(_ inside: String, mayEase: Bool = false) throws -> LintFix {
        try LintFix(Array(Plist.infoPlist(inside).utf8), file: "Info.plist", mayEase: mayEase)
    }

    @Test(
        "each correction changes what it is about and no other byte, or is left to a person",
        arguments: FixCase.values + FixCase.domains + FixCase.keys)
    func cases(_ test: FixCase) throws {
        let fix = try fix(test.before)
        #expect(String(decoding: fix.bytes, as: UTF8.self) == Plist.infoPlist(test.after ?? test.before))
        #expect(fix.corrected.isEmpty == (test.after == nil))
        try PublishedPlists.checkLines(Plist.infoPlist(test.before), fix, file: "Info.plist")
    }

    @Test("a corrected file does not have the findings that were corrected")
    func relint() throws {
        for test in FixCase.values + FixCase.domains + FixCase.keys where test.after != nil {
            let fix = try fix(test.before)
            func count(_ bytes: [UInt8], _ rule: String) -> Int {
                Linter().lint(bytes, file: "Info.plist").findings.count { $0.rule.identifier == rule }
            }
            for rule in Set(fix.corrected.map(\.finding.rule.identifier)) {
                let corrected = fix.corrected.count { $0.finding.rule.identifier == rule }
                #expect(
                    count(fix.bytes, rule) + corrected == count(Array(Plist.infoPlist(test.before).utf8), rule),
                    "\(test.testDescription) \(rule)")
            }
        }
    }

    private static let inside = """
        <!-- a comment,  with   spaces -->
        \t<key>NSExceptionDomains</key><dict>
          <key>A.test</key><dict>
            <key>NSExceptionAllowInsecureHTTPLoads</key> <true/>
            <key>NSTemporaryExceptionMinimumTLSVersion</key><string>TLSv1.1</string>
            <key>NSIncludesSubdomains</key><string>YES</string>
          </dict>
        </dict>
        """

    @Test("several corrections are made at once; what they allow is told, and nothing is left to correct")
    func several() throws {
        let original = Plist.infoPlist(Self.inside)
        let fix = try fix(Self.inside)
        let expected = original.replacingOccurrences(of: "A.test", with: "a.test")
            .replacingOccurrences(of: "AllowInsecure", with: "AllowsInsecure")
            .replacingOccurrences(of: "NSTemporaryException", with: "NSException")
            .replacingOccurrences(of: "<string>YES</string>", with: "<true/>")
        #expect(String(decoding: fix.bytes, as: UTF8.self) == expected)
        #expect(fix.corrected.compactMap(\.finding.line) == [8, 9, 10, 11] && fix.left.isEmpty)
        #expect(fix.effects.contains("http to all of a.test is allowed"))
        #expect(fix.effects.contains("TLS 1.1 is the oldest version for all of a.test"))
        let again = try LintFix(fix.bytes, file: "Info.plist")
        #expect(again.corrected.isEmpty && again.left.isEmpty && again.bytes == fix.bytes)
    }

    @Test("what would ease other hosts than those that are named is left to a person, who can ask for it")
    func easing() throws {
        let inside = "<key>NSAllowArbitraryLoads</key>\n<true/>\n<key>NSAllowsLocalNetworkin</key>\n<true/>"
        let alone = "<key>NSAllowArbitraryLoads</key>\n<true/>"
        let left = try fix(alone)
        #expect(left.corrected.isEmpty && left.left.count == 1 && left.left[0].isEasing)
        #expect(left.left[0].obstacle?.contains("http to every other host is allowed") == true)
        let made = try fix(alone, mayEase: true)
        #expect(made.corrected.count == 1 && made.effects.contains("http to every other host is allowed"))
        // Beside the other key NSAllowsArbitraryLoads allows nothing but on iOS 9, which the app does not exclude.
        #expect(try fix(inside).corrected.map(\.finding.keyPath.last) == ["NSAllowsLocalNetworkin"])
        let newer = Plist.infoPlist(inside, beside: Plist.text("MinimumOSVersion", "15.0"))
        #expect(try LintFix(Array(newer.utf8), file: "x").corrected.count == 2)
        // Hosts below a public suffix are strangers'.
        let shared = Plist.exceptions(
            Plist.entry(
                "github.io", Plist.yes("NSIncludesSubdomains") + Plist.text("NSExceptionAllowsInsecureHTTPLoads", "YES")
            ))
        #expect(try fix(shared).left.map(\.isEasing) == [true])
    }

    @Test(
        "a misspelt key around exceptions is left to a person; who asks for it is told what it allows",
        arguments: [
            ("NSExceptionDomain", "com", "hosts below com"), ("nsexceptiondomains", "a.test", "all of a.test"),
            ("NSExceptionDomain", "192.0.2.0/24", "192.0.2.0/24"),
        ])
    func container(misspelt: String, host: String, told: String) throws {
        let inside =
            "<key>\(misspelt)</key>\n<dict>"
            + Plist.entry(
                host, Plist.yes("NSExceptionAllowsInsecureHTTPLoads") + Plist.yes("NSIncludesSubdomains")) + "</dict>"
        let left = try fix(inside)
        #expect(left.corrected.isEmpty && left.left.map(\.isEasing) == [true] && left.effects.isEmpty)
        #expect(left.bytes == Array(Plist.infoPlist(inside).utf8))
        let made = try fix(inside, mayEase: true)
        #expect(made.corrected.count == 1 && made.effects.contains("http to \(told) is allowed"), "\(made.effects)")
        let root = Plist.infoPlist(inside.replacingOccurrences(of: misspelt, with: "NSExceptionDomains"))
            .replacingOccurrences(of: "NSAppTransportSecurity", with: "NSAppTransportSecuirty")
        let whole = try LintFix(Array(root.utf8), file: "Info.plist")
        #expect(whole.corrected.isEmpty && whole.left.map(\.isEasing) == [true])
        let asked = try LintFix(Array(root.utf8), file: "Info.plist", mayEase: true)
        #expect(asked.corrected.count == 1 && asked.effects.contains("http to \(told) is allowed"))
    }

    @Test("a misspelt key around pins and strict entries is corrected, and told with the hosts")
    func stricterContainer() throws {
        let pinned = Plist.pinned("a.test", leaf: [Plist.one])
            .replacingOccurrences(of: "<key>NSPinnedDomains</key>", with: "<key>NSPinnedDomain</key>\n")
        let pins = try fix(pinned)
        #expect(pins.corrected.count == 1 && pins.left.isEmpty)
        #expect(pins.effects.contains("a.test is pinned"), "\(pins.effects)")
        let strict =
            Plist.yes("NSAllowsArbitraryLoads") + "\n<key>NSExceptionDomain</key>\n<dict>" + Plist.entry("b.test")
            + "</dict>"
        let entries = try fix(strict)
        #expect(entries.corrected.count == 1 && entries.effects.contains("http to b.test is refused"))
        // Only the one that would ease a host is left.
        let both = try fix(
            "<key>NSExceptionDomain</key>\n<dict>"
                + Plist.entry("c.test", Plist.text("NSExceptionMinimumTLSVersion", "TLSv1.0")) + "</dict>\n" + pinned)
        #expect(both.corrected.map(\.finding.keyPath.last) == ["NSPinnedDomain"] && both.left.count == 1)
    }

    @Test("a variant for a platform is told with its place, and no correction makes another key of it")
    func platformKey() throws {
        for suffix in ["~ipad", "-iphoneos", "-tv"] {
            let variant =
                "\n<key>NSAppTransportSecurity\(suffix)</key>\n<dict>" + Plist.yes("NSAllowsArbitraryLoads") + "</dict>"
            for text in [Plist.infoPlist("", beside: variant), "<plist><dict>\(variant)\n</dict></plist>"] {
                let linted = Linter().lint(Array(text.utf8), file: "Info.plist")
                let found = linted.findings.filter { $0.rule.identifier == "ats.platform-key" }
                #expect(
                    found.map(\.keyPath) == [["NSAppTransportSecurity\(suffix)"]] && found.first?.severity == .error)
                #expect(
                    found.first?.line == text.split(separator: "\n").firstIndex { $0.contains(suffix) }.map { $0 + 1 })
                #expect(found.first?.message.contains("Belay decides by the plain key only") == true)
                #expect(found.first?.meaning.isEmpty == false)
                let fix = try LintFix(Array(text.utf8), file: "Info.plist")
                #expect(fix.bytes == Array(text.utf8) && fix.corrected.isEmpty && fix.left.isEmpty)
            }
        }
    }

    @Test("a strict entry that protects a host now is not taken away from it")
    func protection() throws {
        // The name with the dot is another host, which only this entry keeps from NSAllowsArbitraryLoads.
        let inside = Plist.yes("NSAllowsArbitraryLoads") + "\n" + Plist.exceptions(Plist.entry("a.test."))
        let fix = try fix(inside)
        #expect(fix.corrected.isEmpty && fix.left.count == 1)
    }

    @Test("a key that is moved needs lines of its own to stand in; keys at the top level get their dictionary")
    func places() throws {
        let plist = "<plist version=\"1.0\"><dict>\n\t<key>NSAllowsLocalNetworking</key>\n\t<true/>\n</dict></plist>\n"
        let wrapped = try LintFix(
            Array(
                plist.replacingOccurrences(
                    of: "<dict>\n", with: "<dict>\n\t<key>CFBundleName</key><string>x</string>\n"
                ).utf8), file: "x")
        #expect(
            String(decoding: wrapped.bytes, as: UTF8.self).contains(
                "\t<key>NSAppTransportSecurity</key><dict><key>NSAllowsLocalNetworking</key>\n\t<true/></dict>\n"))
        let nested = """
            <plist version="1.0"><dict>
              <key>NSExtension</key>
              <dict>
                <key>NSAppTransportSecurity</key>
                <dict>
                  <key>NSAllowsLocalNetworking</key>
                  <true/>
                </dict>
              </dict>
            </dict>
            </plist>
            """
        let moved = try LintFix(Array(nested.utf8), file: "x")
        let expected = """
            <plist version="1.0"><dict>
              <key>NSExtension</key>
              <dict>
              </dict>
              <key>NSAppTransportSecurity</key>
              <dict>
                  <key>NSAllowsLocalNetworking</key>
                  <true/>
                </dict>
            </dict>
            </plist>
            """
        #expect(String(decoding: moved.bytes, as: UTF8.self) == expected)
    }

    @Test("ends of lines stay as they are")
    func carriageReturns() throws {
        let text = Plist.infoPlist(FixCase.keys[0].before).replacingOccurrences(of: "\n", with: "\r\n")
        let fixed = try LintFix(Array(text.utf8), file: "x").bytes
        #expect(
            String(decoding: fixed, as: UTF8.self)
                == Plist.infoPlist(FixCase.keys[0].after ?? "").replacingOccurrences(of: "\n", with: "\r\n"))
    }

    @Test("files that cannot be corrected in place are named with the reason")
    func forms() throws {
        let binary = try Tool.succeed(
            "python3",
            [
                "-c",
                "import plistlib,sys; sys.stdout.buffer.write(plistlib.dumps({'NSAllowsArbitraryLoads': 1}, fmt=plistlib.FMT_BINARY))",
            ]
        )
        .output
        func failure(_ bytes: [UInt8]) -> LintFixError? {
            do throws(LintFixError) { _ = try LintFix(bytes, file: "App.plist") } catch { return error }
            return nil
        }
        #expect(failure(binary)?.reason == .form(.binary))
        #expect(failure(binary)?.description.contains("App.plist: not corrected, it is a binary property list") == true)
        #expect(failure(Array("{ NSAllowsArbitraryLoads = YES; }".utf8))?.reason == .form(.oldStyle))
        #expect(failure(Array("<plist><dict>".utf8))?.reason == .notReadable)
        let wide =
            "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><dict><key>NSAllowArbitraryLoads</key><true/></dict></plist>"
        #expect(failure(wide.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })?.reason == .encoding)
    }

    @Test("--fix writes beside the file, and over it only with --in-place")
    func command() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let original = Plist.infoPlist(Self.inside)
        let file = try folder.write("Info.plist", original)
        let beside = try await Program.run("lint", file, "--fix")
        #expect(beside.status == 1 && beside.errors.contains("Info.fixed.plist"))
        #expect(beside.errors.contains("now http to all of a.test is allowed"))
        #expect(try folder.read("Info.plist") == Array(original.utf8))
        let fixed = try folder.read("Info.fixed.plist")
        #expect(String(decoding: fixed, as: UTF8.self).contains("<key>a.test</key>"))
        let again = try await Program.run("lint", file, "--fix")
        #expect(again.errors.contains("is there already") && again.errors.contains("--in-place"), "\(again.errors)")
        // What is corrected keeps its permissions, and a link is not followed.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        try FileManager.default.createSymbolicLink(atPath: folder("Link.plist"), withDestinationPath: file)
        let link = try await Program.run("lint", folder("Link.plist"), "--fix", "--in-place")
        #expect(link.errors.contains("symbolic link") && !link.errors.contains("correction in"), "\(link.errors)")
        #expect(try folder.read("Info.plist") == Array(original.utf8))
        _ = try await Program.run("lint", file, "--fix", "--in-place")
        #expect(try folder.read("Info.plist") == fixed)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try await Program.run("lint", file, "--in-place").status == 2)
        #expect(try await Program.run("lint", file, "--fix-easing").status == 2)
        #expect(try await Program.run("lint", "-", "--fix").status == 2)
    }
}

extension PublishedPlists {
    /// Checks that only lines that a finding names are gone or different; lines that came are those of keys that moved, or stand in place
    /// of such ones.
    static func checkLines(_ original: String, _ fix: LintFix, file: String) throws {
        var named: Set<Int> = []
        for finding in Linter().lint(Array(original.utf8), file: file).findings {
            guard let line = finding.line else { continue }
            named.formUnion(line...(finding.endLine ?? line))
        }
        // By bytes: to a String CR and LF are one character.
        let lines = Array(original.utf8).split(separator: 0x0A, omittingEmptySubsequences: false)
        var rest = fix.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        for (index, line) in lines.enumerated() where !named.contains(index + 1) {
            guard let place = rest.firstIndex(of: line) else {
                Issue.record(
                    """
                    \(file): line \(index + 1) is not as it was: \(String(decoding: line, as: UTF8.self))
                    \(original)
                    -- became --
                    \(String(decoding: fix.bytes, as: UTF8.self))
                    """)
                return
            }
            rest = rest[rest.index(after: place)...]
        }
    }
}

@Suite("Corrections of real apps")
struct PublishedFixTests {
    /// Hosts that decisions are compared about: those of the file, below them, and others.
    private func hosts(_ configuration: TransportSecurityConfiguration) -> [String] {
        let keys = configuration.exceptionDomains.entries.map(\.key) + configuration.pinnedDomains.entries.map(\.key)
        return keys.flatMap { [$0, "x." + $0, "x.y." + $0] }
            + ["other.test", "localhost", "a.local", "10.0.0.1", "198.51.100.7", "[2001:db8::1]"]
    }

    @Test(
        "corrected, they differ in reported lines only, a foreign reader reads them, and no decision is looser that is not named",
        arguments: PublishedPlists.rows)
    func published(_ row: PublishedPlists.Row) throws {
        let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: "\(PublishedPlists.folder)/\(row.file)")))
        let fix: LintFix
        do throws(LintFixError) { fix = try LintFix(bytes, file: row.file) } catch { return }
        guard !fix.corrected.isEmpty else { return }
        try PublishedPlists.checkLines(String(decoding: bytes, as: UTF8.self), fix, file: row.file)
        try Tool.succeed(
            "python3", ["-c", "import plistlib,sys; plistlib.loads(sys.stdin.buffer.read())"], input: fix.bytes)
        let before = TransportSecurityConfiguration(try PlistReader().read(bytes), file: row.file)
        let after = TransportSecurityConfiguration(try PlistReader().read(fix.bytes), file: row.file)
        for host in hosts(before) + hosts(after) {
            guard let url = try? TransportSecurityURL("http://\(host)/") else { continue }
            for context in TransportSecurityContext.allCases {
                let old = before.decision(for: url, in: context, as: .simulation)
                let new = after.decision(for: url, in: context, as: .simulation)
                guard !new.requiresHTTPS, old.requiresHTTPS else { continue }
                // It is so by an entry of the host's own, and was said.
                let key = try #require(new.matched, "\(host)")
                #expect(
                    fix.effects.contains { $0.hasPrefix("http to ") && $0.contains(key) && $0.hasSuffix("is allowed") })
            }
        }
    }
}
