import BelayCertificates
import BelayLaboratory
import BelayTLS
import Foundation
import SessionTestSupport
import Testing

@Suite("belay get: options that curl has send what curl sends")
struct GetBesideCurlTests {
    private static let folder = Result {
        let folder = try Folder()
        _ = try folder.write("text", "first line\r\nsecond line\n")
        _ = try folder.write("fields", "X-From-File: one\r\nX-Second: two\n")
        return folder
    }

    /// Requests as far as both clients should agree: all but who they say that they are, and fields that are about them.
    private func essence(_ request: HTTPRequest, withAgent: Bool) -> [String] {
        let own = withAgent ? ["host"] : ["host", "user-agent"]
        let fields = request.fields.filter { !own.contains($0.name) }.map { "\($0.name): \($0.value)" }.sorted()
        return ["\(request.method) \(request.target)"] + fields + [String(decoding: request.content, as: UTF8.self)]
    }

    @Test(
        "request line, header and body",
        arguments: [
            [], ["-X", "DELETE"], ["--request", "PURGE"], ["-I"], ["--http1.1"],
            ["-d", "a=1", "-d", "b=two words"], ["-d", "@FOLDER/text"], ["--data-raw", "@FOLDER/text"],
            ["--data-binary", "@FOLDER/text"], ["--data-binary", "@-"], ["-X", "PUT", "-d", "x"],
            ["--data-urlencode", "q=red shoes & socks=ü~"], ["--data-urlencode", "=a=b"],
            ["--data-urlencode", "plain text"], ["--data-urlencode", "name@FOLDER/text"],
            ["--data-urlencode", "@FOLDER/text"], ["-d", "a=1", "-H", "Content-Type: text/plain"],
            ["--json", "{\"a\": 1}"], ["--json", "{\"a\":", "--json", "1}"], ["--json", "@FOLDER/text"],
            ["--json", "1", "-H", "Accept: text/plain"], ["-G", "-d", "a=1", "-d", "b=2"],
            ["-G", "--data-urlencode", "q=red shoes"], ["-H", "X-Test: one", "-H", "X-Empty;"],
            ["-H", "Accept: application/json"], ["-H", "@FOLDER/fields"], ["-A", "me/1.0"],
            ["-e", "https://from.test/a"],
            ["-b", "id=7; lang=de"],
        ])
    func same(_ options: [String]) async throws {
        let folder = try Self.folder.get().path
        let options = options.map { option in
            option.range(of: "FOLDER").map { option.replacingCharacters(in: $0, with: folder) } ?? option
        }
        let site = try GetSite()
        let theirs = try await site.curl(options, input: Array("from standard input".utf8))
        #expect(theirs.status == 0, "\(theirs.errors)")
        let ours = try await site.get(options, input: "from standard input")
        #expect(ours.status == 0, "\(ours.errors)")
        let requests = await site.server.requests
        try #require(requests.count == 2)
        let withAgent = options.contains("-A")
        #expect(essence(requests[1], withAgent: withAgent) == essence(requests[0], withAgent: withAgent))
        await site.server.stop()
    }

    @Test("--form sends what curl's --data-urlencode sends")
    func form() async throws {
        let site = try GetSite()
        _ = try await site.curl(["--data-urlencode", "q=red shoes", "--data-urlencode", "size=41&42"])
        #expect(try await site.get("--form", "q=red shoes", "--form", "size=41&42").status == 0)
        let requests = await site.server.requests
        try #require(requests.count == 2)
        #expect(essence(requests[1], withAgent: false) == essence(requests[0], withAgent: false))
        await site.server.stop()
    }

    @Test("the command line that --curl prints makes curl send the same", arguments: [true, false])
    func description(isForm: Bool) async throws {
        let site = try GetSite()
        let options =
            isForm ? ["-d", "it's=here", "-H", "X-Test: a \"b\""] : ["--json", "{\"name\": \"O'Hara\"}", "-X", "PUT"]
        let printed = try await site.get(options + ["--curl"])
        #expect(printed.status == 0 && !printed.output.isEmpty, "\(printed.errors)")
        #expect(site.server.statistics.connections == 0)
        let theirs = try await Tool.finish(
            "bash", ["-c", printed.output.replacing("curl ", with: "curl --silent --noproxy '*' ")])
        #expect(theirs.status == 0, "\(theirs.errors)")
        #expect(try await site.get(options).status == 0)
        let requests = await site.server.requests
        try #require(requests.count == 2)
        #expect(requests[0].method == requests[1].method && requests[0].target == requests[1].target)
        #expect(requests[0].content == requests[1].content)
        #expect(requests[0]["content-type"] == requests[1]["content-type"])
        #expect(requests[0]["x-test"] == requests[1]["x-test"])
        await site.server.stop()
    }

    @Test("the command line that --curl prints sends the password when belay would send it", arguments: [true, false])
    func describedPassword(isAsked: Bool) async throws {
        let site = try GetSite {
            $0.answer = { request, _ in
                if request["authorization"] != nil { return .text("in") }
                return HTTPAnswer(401, [("WWW-Authenticate", "Digest realm=\"shop\", nonce=\"abc\", qop=\"auth\"")])
            }
        }
        let printed = try await site.get(["-u", "ada", "--curl"] + (isAsked ? ["--anyauth"] : []))
        #expect(
            printed.status == 0 && printed.errors.contains("curl asks for the password itself"), "\(printed.errors)")
        let line = printed.output.replacing("curl ", with: "curl --silent --noproxy '*' ")
            .replacing("--user ada", with: "--user ada:geheim")
        #expect(try await Tool.finish("bash", ["-c", line]).text == "in")
        let sent = await site.server.requests.map { $0["authorization"]?.split(separator: " ").first ?? "" }
        #expect(sent == (isAsked ? ["", "Digest"] : ["Basic"]))
        await site.server.stop()
    }

    @Test("--curl leaves out no option without a word")
    func describedOptions() async throws {
        let options = [
            "--timeout", "2.5", "--require-crl", "--rules", "rfc5280", "--explain", "--pinning", "certificate",
            "--info-plist", "default", "--ct-log-list", "x", "--expect-name", "b.test", "--format", "json",
            "--identity", "x.jks", "--key-passphrase-file", "x", "--identity-name", "me", "--anchor", "/",
        ]
        let run = try await Program.run(["get", "a.test", "--curl"] + options)
        #expect(run.status == 0 && run.output.contains("--speed-limit 1 --speed-time 3"), "\(run)")
        let missing =
            "--expect-name, --identity-name, --require-crl, --ct-log-list, --rules, --explain, "
            + "--pinning certificate, --info-plist, --format json"
        for remark in ["has nothing for \(missing)", "no key stores of Java", "passphrase itself", "takes no folder"] {
            #expect(run.errors.contains(remark), "\(run.errors)")
        }
    }

    @Test("a password goes out as curl sends it: at once by Basic, and with --anyauth by what the server asks for")
    func passwords() async throws {
        let site = try GetSite {
            $0.answer = { request, _ in
                if request.target.hasPrefix("/path"), request["authorization"] != nil { return .text("in") }
                return HTTPAnswer(
                    401,
                    [
                        ("WWW-Authenticate", "Basic realm=\"shop\""),
                        ("WWW-Authenticate", "Digest realm=\"shop\", nonce=\"abc\", qop=\"auth\", algorithm=SHA-256"),
                    ])
            }
        }
        #expect(try await site.curl(["-u", "ada:geheim"]).text == "in")
        let folder = try Folder()
        let run = try await site.get("-u", "ada", "--password-file", folder.write("password", "geheim\n"))
        #expect(run.output == "in" && run.status == 0, "\(run.errors)")
        #expect(try await site.get(["-u", "ada"], environment: ["BELAY_PASSWORD": "geheim"]).output == "in")
        let direct = await site.server.requests
        #expect(direct.map { $0["authorization"] } == Array(repeating: direct.first?["authorization"], count: 3))
        // base64 of ada:geheim
        #expect(direct.first?["authorization"] == "Basic YWRhOmdlaGVpbQ==")

        let asked = try await site.get(["-u", "ada", "--anyauth", "-v"], environment: ["BELAY_PASSWORD": "geheim"])
        #expect(asked.output == "in", "\(asked.errors)")
        #expect(!asked.errors.contains("geheim") && asked.errors.contains("> Authorization: <redacted>"))
        let later = await site.server.requests.dropFirst(3)
        #expect(later.first?["authorization"] == nil)
        #expect(later.last?["authorization"]?.hasPrefix("Digest username=\"ada\"") == true)
        await site.server.stop()
    }

    @Test("a password of an environment variable is there no more once it is read, as /proc shows")
    func environment() async throws {
        let seen = Protected<[String]>([])
        let site = try GetSite {
            $0.answer = { request, _ in
                let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
                for process in folders where Int(process) != nil {
                    let environment = (try? FileReading.bytes(ofFile: "/proc/\(process)/environ")) ?? []
                    let text = String(decoding: environment, as: UTF8.self)
                    if text.contains("BELAY_TEST=\(request["x-test"] ?? "?")") { seen.withLock { $0.append(text) } }
                }
                return .text("in")
            }
        }
        let mark = UUID().uuidString
        let run = try await site.get(
            ["-u", "ada", "-H", "X-Test: \(mark)"], environment: ["BELAY_PASSWORD": "geheim", "BELAY_TEST": mark])
        await site.server.stop()
        #expect(run.output == "in", "\(run.errors)")
        #expect(await site.server.requests.first?["authorization"] == "Basic YWRhOmdlaGVpbQ==")
        let texts = seen.withLock { $0 }
        #expect(texts.count == 1 && texts.allSatisfy { $0.contains("BELAY_PASSWORD=") && !$0.contains("geheim") })
    }

    @Test("a password goes out to the origin of the URL alone, also over a redirect that leads back")
    func passwordsAndRedirects() async throws {
        let site = try GetSite {
            $0.identity = try SharedWorld.server([RawTLSServer.host, "other.test"])
            $0.answer = { request, _ in
                switch (request["host"]?.hasPrefix("other.test") == true, request.target) {
                case (true, _): .redirect(to: "https://\(RawTLSServer.host)/end")
                case (false, "/end"): .text("end")
                default: .redirect(to: "https://other.test/there")
                }
            }
        }
        let folder = try Folder()
        let run = try await site.get("-L", "-u", "ada", "--password-file", folder.write("password", "geheim\n"))
        #expect(run.status == 0 && run.output == "end", "\(run.errors)")
        let sent = await site.server.requests.map { $0["authorization"] }
        await site.server.stop()
        #expect(sent.count == 3 && sent[0] == "Basic YWRhOmdlaGVpbQ==" && sent[1] == nil)
    }

    /// One port that speaks TLS and plain HTTP; https redirects to http, which asks for a password. It runs a command against itself and
    /// prints each request's first line and the scheme of what authenticates.
    private static let twoFaced = """
        import socket, ssl, subprocess, sys, threading
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1])
        listener = socket.create_server(("127.0.0.1", 0))
        seen = []
        def serve(connection):
            secure = connection.recv(1, socket.MSG_PEEK) == b"\\x16"
            if secure: connection = context.wrap_socket(connection, server_side=True)
            head = b""
            while b"\\r\\n\\r\\n" not in head:
                part = connection.recv(65536)
                if not part: return
                head += part
            lines = head.decode().split("\\r\\n")
            fields = [line.split(" ")[1] for line in lines if line.lower().startswith("authorization:")]
            seen.append(" ".join(["https" if secure else "http", lines[0].split(" ")[1]] + fields))
            ask = "WWW-Authenticate: Basic realm=shop\\r\\n"
            if not secure: answer = "401 No\\r\\n" + ask
            elif fields: answer = "302 There\\r\\nLocation: http://server.test:443/plain\\r\\n"
            else: answer = "401 No\\r\\n" + ask
            connection.sendall(("HTTP/1.1 " + answer + "Content-Length: 0\\r\\nConnection: close\\r\\n\\r\\n").encode())
            connection.close()
        def run():
            while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        threading.Thread(target=run, daemon=True).start()
        place = "127.0.0.1:%d" % listener.getsockname()[1]
        done = subprocess.run(sys.argv[2:] + ["--connect-to", place], capture_output=True, text=True, timeout=50)
        print("\\n".join(seen))
        print(done.stderr, file=sys.stderr)
        """

    @Test("with --anyauth a redirect from https to http on the same port gets no password")
    func passwordsAndSchemes() async throws {
        let folder = try Folder()
        let file = try folder.write("server.pem", try SharedWorld.server([RawTLSServer.host]).pem())
        let password = try folder.write("password", "geheim\n")
        let program = try Program.executable().path
        let result = try await Tool.finish(
            "python3",
            [
                "-c", Self.twoFaced, file, program, "get", "https://\(RawTLSServer.host)/", "-L", "--allow-http",
                "--no-system-anchors", "--anchor", try SharedWorld.anchorsFile(), "-u", "ada", "--anyauth",
                "--password-file", password, "--timeout", "30", "--no-proxy",
            ])
        #expect(result.text == "https /\nhttps / Basic\nhttp /plain\n", "\(result.errors)")
    }
}
