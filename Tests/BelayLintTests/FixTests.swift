import BelayLint
import Foundation
import TestSupport
import Testing

@Suite("Lint: corrections")
struct FixTests {
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

    @Test("only the reported keys differ, byte for byte")
    func bytes() throws {
        let original = Plist.infoPlist(Self.inside)
        let fix = try #require(LintFix(Array(original.utf8), file: "Info.plist"))
        let expected =
            original.replacingOccurrences(of: "A.test", with: "a.test")
            .replacingOccurrences(of: "AllowInsecure", with: "AllowsInsecure")
            .replacingOccurrences(of: "NSTemporaryException", with: "NSException")
        #expect(String(decoding: fix.bytes, as: UTF8.self) == expected)
        let lines = zip(original.split(separator: "\n"), expected.split(separator: "\n")).enumerated()
            .filter { $0.element.0 != $0.element.1 }.map { $0.offset + 1 }
        #expect(fix.corrected.compactMap(\.line) == lines && lines.count == 3)
        // What is left has no certain correction.
        #expect(LintFix(fix.bytes, file: "Info.plist") == nil)
    }

    @Test("a correction never makes a key that is there already")
    func siblings() {
        let inside = Plist.exceptions(
            Plist.entry(
                "a.test",
                Plist.yes("NSExceptionAllowsInsecureHTTPLoads")
                    + Plist.yes("NSTemporaryExceptionAllowsInsecureHTTPLoads")))
        #expect(LintFix(Array(Plist.infoPlist(inside).utf8), file: "x") == nil)
    }

    @Test("--fix writes beside the file, and over it only with --in-place")
    func command() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let original = Plist.infoPlist(Self.inside)
        let file = try folder.write("Info.plist", original)
        let beside = try await Program.run("lint", file, "--fix")
        #expect(beside.status == 1 && beside.errors.contains("Info.fixed.plist"))
        #expect(try folder.read("Info.plist") == Array(original.utf8))
        let fixed = try folder.read("Info.fixed.plist")
        #expect(String(decoding: fixed, as: UTF8.self).contains("<key>a.test</key>"))
        _ = try await Program.run("lint", file, "--fix", "--in-place")
        #expect(try folder.read("Info.plist") == fixed)
        #expect(try await Program.run("lint", file, "--in-place").status == 2)
        #expect(try await Program.run("lint", "-", "--fix").status == 2)
    }
}
