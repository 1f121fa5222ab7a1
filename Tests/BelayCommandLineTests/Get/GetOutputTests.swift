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

    @Test("a link leads to the file that it names, also where that is not there yet, and stays; a circle is refused")
    func links() async throws {
        let site = try GetSite()
        let folder = try Folder()
        let inner = folder.path + "/inner"
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        func link(_ name: String, _ target: String) throws -> String {
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: target)
            return folder.path + "/" + name
        }
        // A link to a link to nothing: relative to the folder of the link that says so.
        _ = try link("inner/second", "body")
        let first = try link("first", "inner/second")
        #expect(try await site.get("-o", first).status == 0)
        #expect(try String(contentsOfFile: inner + "/body", encoding: .utf8) == "answer")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: first) == "inner/second")
        #expect(try FileManager.default.contentsOfDirectory(atPath: inner).sorted() == ["body", "second"])
        let nowhere = try link("nowhere", "missing/body")
        #expect(try await site.get("-o", nowhere).errors.contains("cannot be written"))
        let circle = try link("circle", "circle")
        let run = try await site.get("-o", circle)
        #expect(run.status == 3 && run.errors.contains("symbolic links"), "\(run.errors)")
        #expect(try await site.get("-o", link("folder", "inner")).errors.contains("it is a folder"))
        await site.server.stop()
    }

    @Test("/dev/stdout and its like are the descriptors that the program was given, and leave what is there")
    func descriptors() async throws {
        let site = try GetSite(answering: HTTPAnswer(content: Self.bytes))
        let folder = try Folder()
        let program = try Program.executable().path
        // What /dev/stdout and /dev/stderr are. Those themselves a fault here would take away from the whole machine.
        let links = ["out": "/proc/self/fd/1", "errors": "/proc/self/fd/2"]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: target)
        }
        for (name, redirection) in [
            (folder.path + "/out", ""), ("/dev/fd/1", ""), ("/proc/self/fd/1", ""), (folder.path + "/errors", "2>&1"),
            ("/dev/fd/7", "7>&1"),
        ] {
            let file = try folder.write("all", "before\n")
            let words = ([program, "get", site.url] + site.options + ["-o", name]).map { "'\($0)'" }
            let script = "{ \(words.joined(separator: " ")) \(redirection); echo after; } >> '\(file)'"
            let result = try await Tool.finish("bash", ["-c", script])
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: file)) == Data("before\n".utf8) + Data(Self.bytes)
                    + Data("after\n".utf8),
                "\(name)")
        }
        let json = try await site.get("-o", folder.path + "/out", "--format", "json")
        #expect(json.status == 2 && json.errors.contains("writes to standard output itself"))
        await site.server.stop()
    }

    @Test("a pipe with a name gets the body once it is read; without a reader --max-time is the end")
    func pipes() async throws {
        let site = try GetSite(answering: HTTPAnswer(content: Array(repeating: 0x61, count: 300_000)))
        let folder = try Folder()
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        async let reader = Tool.finish("cat", [pipe])
        #expect(try await site.get("-o", pipe).status == 0)
        #expect(try await reader.output.count == 300_000)
        let alone = try await site.get("-o", pipe, "--max-time", "2")
        #expect(alone.status == 3 && alone.errors.contains("--max-time"), "\(alone.errors)")
        // A reader that goes away in the middle.
        async let short = Tool.finish("head", ["-c", "10", pipe])
        let broken = try await site.get("-o", pipe)
        #expect(broken.status == 3 && broken.errors.contains("Broken pipe"), "\(broken.errors)")
        #expect(try await short.output.count == 10)
        // What waits ends by the signal that a person sends.
        let program = try Program.executable().path
        let result = try await Tool.finish(
            "python3", ["-c", Self.interrupter] + [program, "get", site.url] + site.options + ["-v", "-o", pipe])
        #expect(result.text == "-2\n", "\(result.all)")
        await site.server.stop()
    }

    /// Starts a program, sends SIGINT when it says that it is writing, and prints its status.
    private static let interrupter = """
        import signal, subprocess, sys
        process = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "writing to" in line: process.send_signal(signal.SIGINT); break
        print(process.wait(timeout=50))
        """

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
        // Joiners and marks of direction are text: a family, a Persian word.
        let marks = try GetSite(answering: .text("👩‍👧 می‌خواهم\u{200F}\n"))
        #expect(try await TerminalTests.run(["get", marks.url] + marks.options).contains("می‌خواهم\u{200F}"))
        await marks.server.stop()
        for bytes in [
            [0x61, 0x00, 0x62], [0xFF, 0xFE], Array("\u{1B}]0;title\u{7}".utf8), Array("\u{9B}2J".utf8), [0x7F],
            Array("a\u{202E}b".utf8), Array("a\u{2066}b".utf8), Array("hidden\rshown".utf8),
        ] as [[UInt8]] {
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
        #expect(try await site.get("--max-filesize", "1k").status == 0)
        await site.server.stop()
        let stage = try await Stage.shared.value
        let silent = try stage.laboratory.server(.silent)
        let run = try await Program.run(
            "get", "https://\(silent.host)", "--connect-to", "\(silent.target)", "--max-time", "0.3")
        #expect(run.status == 3 && run.errors.contains("no end after 0.3 s") && run.errors.contains("--max-time"))
        #expect(run.errors.contains("speaks TLS"), "\(run.errors)")
    }
}
