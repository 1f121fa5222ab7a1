import Foundation
import Testing

@Suite("belay demo")
struct DemoTests {
    private var published: String {
        get throws {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Fixtures/security-policy.json")
            return try String(contentsOf: file, encoding: .utf8)
        }
    }

    @Test("it prints the table, says that all is as expected, and writes the page it names")
    func text() async throws {
        let folder = try Folder()
        let report = "\(folder.path)/page.html"
        let run = try await Program.run("demo", "--report", report)
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(run.output.contains("176 of 176 answers are as expected."))
        #expect(run.output.contains("  valid only, name checked      ✓ ✗ ✗ ✗ ✗ ✗ ✗ ✗ ✓ ✗ ✓ ✗ ✗ ✗"))
        #expect(!run.output.contains("\u{1B}"), "no colours where there is no terminal")
        #expect(run.output.hasSuffix("Report: \(report)\n"))
        #expect(try String(contentsOfFile: report, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))
    }

    @Test("in JSON it prints the measured table in exactly the shape of the published one, and writes no page unasked")
    func json() async throws {
        // In a folder of its own: a page may lie in any other.
        let folder = try Folder()
        let run = try await Tool.finish(
            "env", ["--chdir", folder.path, try Program.executable().path, "demo", "--format", "json"])
        #expect(run.status == 0)
        #expect(run.text == (try published) + "\n")
        #expect(run.errors == "")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("a page that cannot be written is an error that names the file")
    func unwritable() async throws {
        let run = try await Program.run("demo", "--report", "/no/such/folder/page.html")
        #expect(run.status == 3)
        #expect(run.errors.contains("/no/such/folder/page.html"))
    }

    @Test("a link in the page's place is not followed, which is known before anything is measured")
    func link() async throws {
        let folder = try TemporaryFolder()
        let precious = try folder.write("precious", "precious")
        try FileManager.default.createSymbolicLink(atPath: folder("page.html"), withDestinationPath: precious)
        let run = try await Program.run("demo", "--report", folder("page.html"))
        #expect(run.status == 3 && run.output.isEmpty && run.errors.contains("symbolic link"), "\(run.errors)")
        #expect(run.errors.contains("--report") && !run.errors.contains("cells"))
        #expect(try folder.read("precious") == Array("precious".utf8))
    }

    @Test("a page both wanted and not is wrong use")
    func contradiction() async throws {
        #expect(try await Program.run("demo", "--report", "x.html", "--no-report").status == 2)
    }
}
