import BelayLaboratory
import BelayTLS
import Foundation
import SessionTestSupport
import Testing

@Suite("belay get: where the response goes")
struct GetOutputTests {
    private static let bytes = [UInt8](0...255)

    @Test("the body is standard output, byte for byte, and nothing else is")
    func body() async throws {
        let site = try GetSite(answering: HTTPAnswer(content: Self.bytes))
        let folder = try Folder()
        let program = try Program.executable().path
        let words = [program, "get", site.url] + site.options + ["-v"]
        let result = try await Tool.finish(words[0], Array(words.dropFirst()))
        #expect(result.status == 0 && result.output == Self.bytes)
        #expect(result.errors.contains("> GET /path?page=1 HTTP/1.1"))
        let file = folder.path + "/body"
        let run = try await site.get("-o", file)
        #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(Self.bytes))
        await site.server.stop()
    }

    @Test("a file is there whole or not at all, keeps its permissions, and nothing else is left in its folder")
    func wholeFile() async throws {
        let site = try GetSite {
            $0.answer = { request, _ in
                request.target == "/half"
                    ? HTTPAnswer(200, [("Content-Length", "1000")], content: [1]).closing()
                    : .text("new")
            }
        }
        let folder = try Folder()
        let file = try folder.write("body", "old")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        let half = try await Program.run(["get", "https://\(RawTLSServer.host)/half"] + site.options + ["-o", file])
        #expect(half.status == 3, "\(half)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        #expect(try await site.get("-o", link).status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["body", "link"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
        await site.server.stop()
    }

    @Test("a place that cannot be written to is known before anything is sent; a device is written to, not replaced")
    func places() async throws {
        let site = try GetSite()
        let folder = try Folder()
        for place in [folder.path, folder.path + "/missing/body"] {
            let run = try await site.get("-o", place)
            #expect(run.status == 3 && run.errors.contains("cannot be written"), "\(run.errors)")
        }
        #expect(site.server.statistics.connections == 0)
        #expect(try await site.get("-o", "/dev/null").status == 0)
        #expect(
            try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
                == .typeCharacterSpecial)
        await site.server.stop()
    }

    @Test("--include and --head print the header as it came, before the body")
    func header() async throws {
        let site = try GetSite(answering: HTTPAnswer.text("body", [("X-Test", "one"), ("Set-Cookie", "id=7")]))
        let expected = try await site.curl(["--include"]).text
        #expect(expected.hasSuffix("\r\n\r\nbody"))
        #expect(try await site.get("-i").output == expected)
        let head = try await site.curl(["--head"]).text
        #expect(try await site.get("--head").output == head)
        await site.server.stop()
    }

    @Test(
        "with --fail a status of 400 or more ends with 1 and without the body, as with curl it ends with 22",
        arguments: [200, 204, 302, 399, 400, 404, 503])
    func fail(status: Int) async throws {
        let site = try GetSite(answering: HTTPAnswer(status, content: status == 204 ? [] : Array("text".utf8)))
        let theirs = try await site.curl(["--fail"])
        let ours = try await site.get("--fail")
        #expect((ours.status == 1) == (theirs.status == 22) && [0, 1].contains(ours.status))
        #expect(ours.output == theirs.text)
        #expect(ours.errors.contains("answered \(status)") == (status >= 400))
        let plain = try await site.get()
        #expect(plain.status == 0 && plain.output == (status == 204 ? "" : "text"))
        let folder = try Folder()
        _ = try await site.get("--fail", "-o", folder.path + "/body")
        #expect(FileManager.default.fileExists(atPath: folder.path + "/body") == (status < 400))
        await site.server.stop()
    }

    @Test("a terminal gets text, and other bytes only on request")
    func terminal() async throws {
        let text = try GetSite(answering: .text("Grüße\n"))
        let arguments = ["get", text.url] + text.options
        #expect(try await TerminalTests.run(arguments) == "Grüße\r\n")
        for bytes in [[0x61, 0x00, 0x62], [0xFF, 0xFE], Array("\u{1B}]0;title\u{7}".utf8)] as [[UInt8]] {
            let site = try GetSite(answering: HTTPAnswer(content: bytes))
            let arguments = ["get", site.url] + site.options
            #expect(try await TerminalTests.run(arguments) == "")
            #expect(try await !TerminalTests.run(arguments + ["-o", "-"]).isEmpty)
            #expect(try await site.get().status == 0)
            await site.server.stop()
        }
        await text.server.stop()
    }

    @Test("a header that is no plain text is what a terminal's message names, not the body")
    func terminalHeader() async throws {
        // A Latin-1 letter would do, but a control character is what steers terminals.
        let site = try GetSite(answering: .text("body", [("X-Title", "\u{1B}]0;title\u{7}")]))
        let program = try Program.executable().path
        let folder = try Folder()
        let command = ([program, "get", site.url, "--head"] + site.options).map { "'\($0)'" }.joined(separator: " ")
        let result = try await Tool.finish(
            "script", ["--quiet", "--return", "--command", command, folder.path + "/typescript"])
        #expect(result.text.contains("the header is no plain text"), "\(result)")
        await site.server.stop()
    }

    @Test("--max-filesize and --max-time are held to, and the option is named")
    func limits() async throws {
        let site = try GetSite(answering: HTTPAnswer(content: Self.bytes))
        let large = try await site.get("--max-filesize", "255")
        #expect(large.status == 3 && large.output.isEmpty && large.errors.contains("--max-filesize"))
        #expect(try await site.get("--max-filesize", "256").status == 0)
        await site.server.stop()
        let stage = try await Stage.shared.value
        let silent = try stage.laboratory.server(.silent)
        let run = try await Program.run(
            "get", "https://\(silent.host)", "--connect-to", "\(silent.target)", "--max-time", "0.3")
        #expect(run.status == 3 && run.errors.contains("no end after 0.3 s") && run.errors.contains("--max-time"))
        #expect(run.errors.contains("speaks TLS"), "\(run.errors)")
    }
}
