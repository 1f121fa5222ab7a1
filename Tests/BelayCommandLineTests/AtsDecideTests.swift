import Foundation
import Testing

@Suite("belay ats decide")
struct AtsDecideTests {
    private static let plist = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
            <key>NSAppTransportSecurity</key>
            <dict>
                <key>NSExceptionDomains</key>
                <dict>
                    <key>example.com</key>
                    <dict>
                        <key>NSIncludesSubdomains</key>
                        <true/>
                        <key>NSExceptionAllowsInsecureHTTPLoads</key>
                        <true/>
                        <key>NSExceptionMinimumTLSVersion</key>
                        <string>1.0</string>
                    </dict>
                </dict>
            </dict>
        </dict>
        </plist>
        """

    private func file() throws -> String { try Folder.shared.write("ats-\(UUID().uuidString).plist", Self.plist) }

    @Test("a load that may go on has status 0, one that is refused 1 and Apple's code")
    func verdicts() async throws {
        let file = try file()
        let allowed = try await Program.run("ats", "decide", "http://www.example.com/", "--info-plist", file)
        #expect(allowed.status == 0 && allowed.output.hasPrefix("allowed  http://www.example.com"))
        #expect(
            allowed.output.contains("NSAppTransportSecurity > NSExceptionDomains > example.com > NSIncludesSubdomains"))
        // What is wrong with the file is listed, and does not change what Apple's systems do.
        #expect(allowed.output.contains("ats.minimum-tls-version") && allowed.output.contains("line 16"))
        let refused = try await Program.run("ats", "decide", "http://example.org/", "--info-plist", file)
        #expect(refused.status == 1 && refused.output.hasPrefix("refused (-1022)  http://example.org"))
        let usual = try await Program.run("ats", "decide", "https://example.org/", "--info-plist", "default")
        #expect(
            usual.status == 0 && usual.output.contains("TLS 1.2 or newer")
                && usual.output.contains("nobody may overrule"))
        let differing = try await Program.run(
            "ats", "decide", "http://192.0.2.1/", "--info-plist", "default", "--os", "ios10+")
        #expect(differing.status == 1 && differing.output.hasPrefix("depends on the system"))
        #expect(differing.output.contains("from ios17"))
    }

    @Test("context and system make a difference")
    func contexts() async throws {
        func status(_ more: String...) async throws -> Int32 {
            try await Program.run(["ats", "decide", "http://192.168.1.1/", "--info-plist", "default"] + more).status
        }
        #expect(try await status() == 1)
        #expect(try await status("--context", "local") == 0)
        #expect(try await status("--os", "ios16") == 0)
        #expect(try await status("--os", "macos14") == 1)
        #expect(try await status("--os", "sdk<ios9") == 0)
    }

    @Test("JSON has the fields of the format, what is wrong with the file, and the explanation that was asked for")
    func json() async throws {
        let run = try await Program.run(
            "ats", "decide", "http://a.b.example.com/x", "--info-plist", file(), "--format", "json", "--explain")
        let json = try run.json()
        #expect(run.status == 0)
        #expect(json["allowed"] as? Bool == true && json["https_required"] as? Bool == false)
        #expect(json["min_tls"] as? String == "TLSv1.2" && json["suites"] as? String == "ats")
        #expect(json["matched"] as? String == "example.com" && json["error"] is NSNull)
        #expect(
            (json["decided_by"] as? [[String]])?.first == [
                "NSAppTransportSecurity", "NSExceptionDomains", "example.com",
            ])
        let finding = try #require((json["findings"] as? [[String: Any]])?.first)
        #expect(finding["rule"] as? String == "ats.minimum-tls-version" && finding["line"] as? Int == 16)
        let steps = try #require((json["explanation"] as? [String: Any])?["steps"] as? [[String: Any]])
        #expect((steps.first?["keyPath"] as? [String])?.last == "a.b.example.com")
        let documentation = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Documentation/json.md"), encoding: .utf8)
        for key in json.keys { #expect(documentation.contains("`\(key)`"), "\(key)") }
    }

    @Test("over a range of systems the story is told for each from which on other keys are looked at")
    func explanations() async throws {
        let arguments = ["ats", "decide", "http://192.0.2.1/", "--info-plist", "default", "--explain"]
        let run = try await Program.run(arguments + ["--os", "ios9+", "--format", "json"])
        let told = try #require(try run.json()["explanations"] as? [[String: Any]])
        // Keys for local destinations come with iOS 10, addresses as keys with iOS 17; pins and packages have nothing to look at here.
        #expect(told.map { $0["system"] as? String } == ["ios9", "ios10", "ios17"])
        let text = try await Program.run(arguments + ["--os", "ios9-16"])
        #expect(text.output.contains("on ios9 and later") && text.output.contains("on ios10 and later"))
        #expect(!text.output.contains("ios17"))
        let one = try await Program.run(arguments + ["--os", "ios17.2"])
        #expect(one.output.contains("Looked at, on ios17.2\n"))
    }

    @Test("a file that cannot be read, or is no property list, has status 3, in JSON as well")
    func unreadable() async throws {
        let missing = try await Program.run("ats", "decide", "http://a.test/", "--info-plist", "/nowhere.plist")
        #expect(missing.status == 3 && missing.errors.contains("/nowhere.plist") && missing.output.isEmpty)
        let broken = try Folder.shared.write("broken.plist", "<plist><dict>\n<true/></dict></plist>")
        let run = try await Program.run("ats", "decide", "http://a.test/", "--info-plist", broken, "--format", "json")
        let json = try run.json()
        #expect(run.status == 3 && json["allowed"] is NSNull)
        #expect(((json["read_error"] as? [String: Any])?["message"] as? String)?.contains("line 2, column 1") == true)
    }

    @Test("libraries print nothing: characters that cannot be converted are told once, as the error")
    func conversion() async throws {
        let text = "<?xml version=\"1.0\" encoding=\"EUC-JP\"?>\n<plist><string>öß</string></plist>"
        let file = try Folder.shared.write("japanese.plist", text)
        let run = try await Program.run("ats", "decide", "http://a.test/", "--info-plist", file)
        #expect(run.status == 3 && run.output.isEmpty)
        #expect(run.errors.split(separator: "\n").count == 1 && run.errors.hasPrefix("belay: error: "), "\(run.errors)")
    }

    @Test("standard input is read, in every form of property lists")
    func standardInput() async throws {
        for text in [
            "{ NSExceptionDomains = { \"a.test\" = { }; }; }",
            "<dict><key>NSExceptionDomains</key><dict><key>a.test</key><dict/></dict></dict>",
        ] {
            let run = try await Program.run(
                ["ats", "decide", "https://a.test/", "--info-plist", "-", "--format", "json"], input: text)
            #expect(try run.json()["matched"] as? String == "a.test")
        }
    }

    @Test(
        "wrong use has status 2",
        arguments: [
            [], ["a.test"], ["http://a.test/", "--os", "windows"], ["http://a.test/", "--context", "disk"],
            ["http://a.test/", "--ndjson"], ["--ndjson", "--info-plist", "default"], ["--ndjson", "--explain"],
            ["--ndjson", "--os", "ios17"], ["--ndjson", "--context", "web"],
        ])
    func wrongUse(arguments: [String]) async throws {
        let run = try await Program.run(["ats", "decide"] + arguments)
        #expect(run.status == 2 && run.output.isEmpty && !run.errors.isEmpty)
    }

    @Test("cases are answered line by line; one that is none does not end the run, and the status is 3")
    func cases() async throws {
        let lines = (0..<300).map { index in
            #"{"id":"c\#(index)","plist":{"NSExceptionDomains":{"h\#(index).test":{}}},"url":"http://h\#(index).test/","os":"ios17+"}"#
        }
        let run = try await Program.run(["ats", "decide", "--ndjson"], input: lines.joined(separator: "\n"))
        #expect(run.status == 0)
        let answers = try run.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(answers.map { $0["id"] as? String } == (0..<300).map { "c\($0)" })
        #expect(answers.map { $0["matched"] as? String } == (0..<300).map { "h\($0).test" })
        #expect(answers.allSatisfy { $0["error"] as? Int == -1_022 })
        let bad = try await Program.run(["ats", "decide", "--ndjson"], input: "{}\n\n" + lines[0] + "\n")
        #expect(bad.status == 3)
        let output = bad.output.split(separator: "\n")
        #expect(output.count == 2 && output[0].contains(#""error":{"line":1,"#) && output[1].contains(#""id":"c0""#))
    }

    @Test("the places of findings steer no terminal, whatever keys and files are called")
    func terminal() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = try folder.write(
            "\u{1B}[31m\u{202E}.plist",
            "{ NSAppTransportSecurity = { \"a\\U001b]0;x\\U0007\\U009b\\U202e\\nb\" = 1; }; }")
        for command in [["ats", "decide", "https://a.test/"], ["check", "a.test", "--os", "ios18.4"]] {
            let run = try await Program.run(command + ["--info-plist", file])
            let text = run.output + run.errors
            #expect(
                text.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0.properties.generalCategory != .control && $0 != "\u{202E}"
                }, "\(text)")
            #expect(text.contains("\\u{1b}[31m\\u{202e}.plist, "), "\(text)")
            #expect(text.contains(", NSAppTransportSecurity, a\\u{1b}]0;x\\u{7}\\u{9b}\\u{202e}\\u{a}b"), "\(text)")
        }
    }

    @Test("the catalogue has the rules of Info.plist files")
    func rules() async throws {
        let run = try await Program.run("rules", "ats")
        #expect(run.status == 0 && run.output.contains("ats.wrong-type") && run.output.contains("ats.cleartext"))
    }
}
