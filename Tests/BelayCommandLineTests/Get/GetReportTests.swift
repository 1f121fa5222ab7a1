import BelayLaboratory
import Foundation
import SessionTestSupport
import Testing

@Suite("belay get: the JSON")
struct GetReportTests {
    private func faults(_ json: [String: Any]) throws -> [String] {
        try JSONSchema(named: "get.schema.json").faults(in: json)
    }

    @Test("a response is all there: status, header, body, connection, trust and times")
    func response() async throws {
        let site = try GetSite(answering: .text("Grüße", [("X-Test", "one"), ("X-Test", "two")]))
        let run = try await site.get("--format", "json", "--explain")
        let json = try run.json()
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(try faults(json) == [])
        #expect(json["status"] as? Int == 200 && json["httpVersion"] as? String == "HTTP/1.1")
        let fields = (json["headers"] as? [[String: String]])?.filter { $0["name"] == "X-Test" }.compactMap {
            $0["value"]
        }
        #expect(fields == ["one", "two"])
        let body = try #require(json["body"] as? [String: Any])
        #expect(body["text"] as? String == "Grüße" && body["length"] as? Int == 7 && body["base64"] is NSNull)
        let trust = try #require(json["trust"] as? [String: Any])
        #expect(trust["trusted"] as? Bool == true && (trust["path"] as? [Any])?.count == 3)
        #expect((json["connection"] as? [String: Any])?["version"] as? String == "TLS 1.3")
        let metrics = try #require(json["metrics"] as? [String: Int])
        #expect(metrics["handshake"] ?? 0 > 0 && metrics["total"] ?? 0 >= metrics["firstByte"] ?? 0)
        await site.server.stop()
    }

    @Test("bytes that are no text are base64, and those that went to a file are only counted")
    func bytes() async throws {
        let bytes: [UInt8] = [0xFF, 0x00, 0xFE]
        let site = try GetSite(answering: HTTPAnswer(content: bytes))
        let inline = try await site.get("--format", "json").json()
        #expect(try faults(inline) == [])
        // printf '\377\000\376' | base64
        #expect((inline["body"] as? [String: Any])?["base64"] as? String == "/wD+")
        let folder = try Folder()
        let outside = try await site.get("--format", "json", "-o", folder.path + "/body").json()
        #expect(try faults(outside) == [])
        let body = try #require(outside["body"] as? [String: Any])
        #expect(
            body["base64"] is NSNull && body["length"] as? Int == 3 && body["file"] as? String == folder.path + "/body")
        await site.server.stop()
    }

    @Test("redirects are listed, and the URL that answered is named")
    func redirects() async throws {
        let site = try GetSite {
            $0.answer = { request, _ in
                request.target == "/second" ? .text("second") : .redirect(303, to: "/second")
            }
        }
        let json = try await site.get("--format", "json", "-L").json()
        #expect(try faults(json) == [])
        let list = try #require(json["redirects"] as? [[String: Any]])
        #expect(list.map { $0["status"] as? Int } == [303])
        #expect(json["finalURL"] as? String == "https://\(RawTLSServer.host)/second")
        await site.server.stop()
    }

    @Test("a refusal, a failure and an input that cannot be read say so in the document, too")
    func failures() async throws {
        let site = try GetSite()
        let pin = try Folder.shared.write("json-pin", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n")
        let refused = try await site.get("--format", "json", "--pins", pin)
        #expect(refused.status == 1 && refused.errors.isEmpty)
        let trust = try #require(try refused.json()["trust"] as? [String: Any])
        #expect(trust["trusted"] as? Bool == false && trust["result"] as? String == "deny")
        let cleartext = try await Program.run("get", "http://a.test/?q=1", "--format", "json")
        #expect(cleartext.status == 1)
        let input = try await site.get("--format", "json", "--anchor", "/nonexistent")
        #expect(input.status == 3)
        await site.server.stop()
        let gone = try await site.get("--format", "json")
        #expect(gone.status == 3 && gone.errors.hasPrefix("belay: error: "))
        for (run, phase, code) in [
            (refused, "handshake", -1202), (cleartext, "prepare", -1022), (input, "input", nil),
            (gone, "connect", -1004),
        ] as [(Program.Run, String, Int?)] {
            let json = try run.json()
            #expect(try faults(json) == [])
            #expect(json["status"] is NSNull && json["body"] is NSNull)
            let error = try #require(json["error"] as? [String: Any])
            #expect(error["phase"] as? String == phase)
            #expect(error["appleCode"] as? Int == code)
            #expect((error["remedy"] as? String)?.isEmpty == false)
        }
    }

    @Test("with --fail the document has the response that failed")
    func fail() async throws {
        let site = try GetSite(answering: .json("{\"why\": \"gone\"}", status: 410))
        let run = try await site.get("--format", "json", "--fail")
        let json = try run.json()
        #expect(run.status == 1 && json["status"] as? Int == 410)
        #expect((json["body"] as? [String: Any])?["text"] as? String == "{\"why\": \"gone\"}")
        await site.server.stop()
    }

    @Test("header values are in the document as they came, and nothing in it steers a terminal")
    func controlCharacters() async throws {
        let hostile = "a\u{1B}[2J\u{7F}\u{85}\u{9B}2J\u{202E}\u{2066}\u{E0041}é👩‍👧"
        let site = try GetSite(answering: HTTPAnswer.text(hostile, [("X-Hostile", hostile)]))
        let run = try await site.get("--format", "json")
        #expect(run.status == 0, "\(run.errors)")
        let unsafe = run.output.unicodeScalars.filter { scalar in
            scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
        }
        #expect(unsafe.isEmpty, "\(unsafe)")
        #expect(run.output.contains("a\\u001b[2J\\u007f\\u0085\\u009b2J\\u202e\\u2066\\udb40\\udc41é👩\\u200d👧"))
        // Another reader of JSON gets exactly what the server sent.
        let read = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        let headers = try #require(read["headers"] as? [[String: String]])
        #expect(headers.first { $0["name"] == "X-Hostile" }?["value"] == hostile)
        #expect((read["body"] as? [String: Any])?["text"] as? String == hostile)
        // In text they are shown as escapes, and a terminal gets no header as it came.
        let verbose = try await site.get("-v", "-o", "/dev/null")
        #expect(
            verbose.errors.contains("< X-Hostile: a\\u{1b}[2J\\u{7f}\\u{85}\\u{9b}2J\\u{202e}"), "\(verbose.errors)")
        #expect(
            !verbose.errors.unicodeScalars.contains { [0x1B, 0x7F, 0x85, 0x9B, 0x202E, 0x2066].contains($0.value) })
        await site.server.stop()
    }
}
