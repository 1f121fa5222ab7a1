import BelayCertificates
import BelayLaboratory
import Foundation
import Testing

@Suite("belay trust evaluate --ndjson")
struct NDJSONTests {
    /// A case of the laboratory's one-way server, as a line of JSON.
    static func line(_ id: String, _ change: (inout [String: Any]) -> Void = { _ in }) async throws -> String {
        let stage = try await Stage.shared.value
        let server = try stage.laboratory.server(.oneWay)
        var fields: [String: Any] = [
            "id": id, "host": server.host, "chain": server.chain.map { Data($0).base64EncodedString() },
            "anchors": stage.laboratory.world.authorities.systemRoots.map(\.pem),
        ]
        change(&fields)
        return String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
    }

    static func run(_ lines: [String]) async throws -> (run: Program.Run, answers: [[String: Any]]) {
        let run = try await Program.run(
            ["trust", "evaluate", "--ndjson"], input: lines.map { $0 + "\n" }.joined())
        let answers = try run.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        return (run, answers)
    }

    @Test("each line is answered in order, whatever the verdict, with status 0")
    func order() async throws {
        var lines: [String] = []
        for index in 0..<300 {
            lines.append(try await Self.line("case-\(index)") { if index % 3 == 0 { $0["host"] = "other.test" } })
        }
        let (run, answers) = try await Self.run(lines)
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(answers.compactMap { $0["id"] as? String } == (0..<300).map { "case-\($0)" })
        #expect(answers.compactMap { $0["trusted"] as? Bool } == (0..<300).map { $0 % 3 != 0 })
    }

    @Test("an answer has the documented fields, with the digests of the path")
    func fields() async throws {
        let stage = try await Stage.shared.value
        let (_, answers) = try await Self.run([try await Self.line("a")])
        let answer = try #require(answers.first)
        #expect(Set(answer.keys) == ["id", "trusted", "result", "reasons", "path", "pathComplete"])
        #expect(answer["result"] as? String == "unspecified" && answer["pathComplete"] as? Bool == true)
        let leaf = try #require(try stage.laboratory.server(.oneWay).leaf)
        let printed = try await OpenSSL.run("x509", "-noout", "-fingerprint", "-sha256", input: Array(leaf.pem.utf8))
        let digest = printed.split(separator: "=")[1].filter { $0.isHexDigit }.lowercased()
        #expect((answer["path"] as? [String])?.first == digest)
    }

    @Test("a line that is no case is answered with its number, the run goes on, and the status is 3")
    func badLines() async throws {
        let lines = [
            try await Self.line("first"), "this is not JSON", "",
            try await Self.line("second") { $0["colour"] = "red" },
            #"{"id":"third"}"#, "[1,2]", "{\"id\":\"\u{1B}[2J\",\"chain\":1}", "  \t ", try await Self.line("last"),
        ]
        let (run, answers) = try await Self.run(lines)
        #expect(run.status == 3)
        #expect(answers.count == 7)
        let faults = answers.compactMap { $0["error"] as? [String: Any] }
        #expect(faults.compactMap { $0["line"] as? Int } == [2, 4, 5, 6, 7])
        #expect(answers[1]["id"] is NSNull && answers[2]["id"] as? String == "second")
        #expect((faults[1]["message"] as? String)?.contains("colour") == true)
        #expect(answers.last?["trusted"] as? Bool == true)
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test("a line longer than 16 MiB is an error of that line, also when it is the last and has no end")
    func longLine() async throws {
        let long = #"{"id":""# + String(repeating: "x", count: 17 << 20)
        let (run, answers) = try await Self.run([long, try await Self.line("after")])
        #expect(run.status == 3 && answers.count == 2 && answers[1]["trusted"] as? Bool == true)
        let fault = try #require(answers[0]["error"] as? [String: Any])
        #expect(fault["line"] as? Int == 1 && (fault["message"] as? String)?.contains("16 MiB") == true)
        let unended = try await Program.run(["trust", "evaluate", "--ndjson"], input: long)
        #expect(unended.status == 3 && unended.output.contains("\"line\":1"))
    }

    @Test("a last line without a line break is answered, CRLF is a line break, and no input is no error")
    func ends() async throws {
        let line = try await Self.line("x")
        let run = try await Program.run(["trust", "evaluate", "--ndjson"], input: line + "\r\n" + line)
        #expect(run.status == 0 && run.output.split(separator: "\n").count == 2)
        let empty = try await Program.run(["trust", "evaluate", "--ndjson"], input: "")
        #expect(empty.status == 0 && empty.output.isEmpty)
    }

    @Test("an answer is written before the input ends")
    func streaming() async throws {
        var lines: [String] = []
        for index in 0..<3 { lines.append(try await Self.line("s\(index)")) }
        let program = try Program.executable()
        let answers = try await blocking { [lines] in
            let process = Process()
            process.executableURL = program
            process.arguments = ["trust", "evaluate", "--ndjson"]
            let input = Pipe()
            let output = Pipe()
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            var answers: [String] = []
            for line in lines {
                try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
                // Blocks until the answer is there; the input stays open.
                answers.append(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
            }
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            return answers + ["\(process.terminationStatus)"]
        }
        for index in 0..<3 {
            #expect(
                answers[index].hasPrefix("{\"id\":\"s\(index)\",\"trusted\":true") && answers[index].hasSuffix("\n"))
        }
        #expect(answers.last == "0")
    }

    @Test("a reader that goes away ends the program without a word")
    func brokenPipe() async throws {
        let line = try await Self.line("p")
        let folder = try Folder()
        let file = try folder.write("cases.ndjson", String(repeating: line + "\n", count: 4_000))
        let program = try Program.executable().path
        let (text, complaints) = try await blocking {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = [
                "-c", "\"$0\" trust evaluate --ndjson < \"$1\" | head -n 1; echo \"status ${PIPESTATUS[0]}\"", program,
                file,
            ]
            let output = Pipe()
            let errors = Pipe()
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let complaints = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (text, complaints)
        }
        #expect(text.hasSuffix("status 141\n") && complaints.isEmpty, "\(text.suffix(40))")
        withExtendedLifetime(folder) {}
    }

    @Test(
        "options that a case says for itself are wrong use beside --ndjson",
        arguments: [
            ["--host", "a.test"], ["--chain", "x"], ["--anchor", "x"], ["--pins", "x"], ["--no-system-anchors"],
            ["--time", "2026-01-01T00:00:00Z"], ["--rules", "standard"],
        ])
    func options(_ options: [String]) async throws {
        let run = try await Program.run(["trust", "evaluate", "--ndjson"] + options)
        #expect(run.status == 2 && run.errors.contains(options[0]))
    }

    @Test("memory does not grow with the number of lines")
    func memory() async throws {
        let line = Data((#"{"id":"m","chain":[],"note":""# + String(repeating: "n", count: 20_000) + "\"}\n").utf8)
        let few = try await peak(300, of: line)
        let many = try await peak(3_000, of: line)
        // 2,700 lines more are 54 MB of input.
        #expect(many - few < 8_000, "\(few) kB, then \(many) kB")
    }

    /// The most memory, in kilobytes, that was in use when so many lines were answered.
    private func peak(_ count: Int, of line: Data) async throws -> Int {
        let program = try Program.executable()
        let status = try await blocking {
            let process = Process()
            process.executableURL = program
            process.arguments = ["trust", "evaluate", "--ndjson"]
            process.environment = ["PATH": "/usr/bin:/bin", "ASAN_OPTIONS": Program.sanitizing]
            let input = Pipe()
            let output = Pipe()
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            let handle = input.fileHandleForWriting
            Thread.detachNewThread {
                for _ in 0..<count { try? handle.write(contentsOf: line) }
            }
            var answered = 0
            while answered < count {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { return "" }
                answered += data.count { $0 == 0x0A }
            }
            let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
            try handle.close()
            process.waitUntilExit()
            return status
        }
        let field = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(field.filter(\.isNumber)))
    }
}
