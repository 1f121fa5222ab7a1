import BelayLaboratory
import Foundation
import SessionTestSupport
import Testing

@Suite("belay get: its options")
struct GetUseTests {
    private static let secret = "geheim"

    @Test(
        "wrong use ends with status 2 and a word on what is right, without the secret",
        arguments: [
            ([], "missing argument '<url>'"), (["ftp://a.test"], "Write https://"), (["https://"], "has no host"),
            (["https://user:geheim@a.test"], "--user NAME"), (["https://a.test:geheim/"], "the port is no number"),
            (["https:/localhost"], "Write https://host"), (["https//localhost"], "Write https://host"),
            (["http:/localhost"], "Write https://host"), (["HTTPS:localhost/?q=geheim"], "Write https://host"),
            (["a.test", "-u", "ada:geheim"], "--password-file"),
            (["a.test", "-u", "ada"], "BELAY_PASSWORD"), (["a.test", "--password-file", "x"], "--user"),
            (["a.test", "--anyauth"], "--user"), (["a.test", "-H", "geheim"], "no ':'"),
            (["a.test", "-H", "X-Token:"], "write 'X-Token;'"), (["a.test", "-H", "X-A: geheim\nX-B: 1"], "line feed"),
            (["a.test", "-e", "\u{1B}geheim"], "control character 0x1B"),
            (["a.test", "-A", "geheim\r\nX: 1"], "carriage return"), (["a.test", "-b", "a=geheim\n"], "line feed"),
            (["a.test", "-H", "X Y: geheim"], "not a header field's name"),
            (["a.test", "-H", "Content-Length: 3"], "set by the session"), (["a.test", "-X", "A B"], "not a method"),
            (["a.test", "-d", "x", "--json", "1"], "a request has one"), (["a.test", "--form", "x"], "name=value"),
            (["a.test", "--form", "file=@x"], "multipart/form-data"),
            (["a.test", "-F", "file=@x"], "multipart/form-data"),
            (["a.test", "-G"], "--data"), (["a.test", "-I", "-d", "x"], "--head"),
            (["a.test", "-I", "-X", "GET"], "--head"),
            (["a.test", "-b", "cookies.txt"], "name=value"), (["a.test", "-c", "jar"], "in memory"),
            (["a.test", "-b", "a=1", "-H", "Cookie: b=2"], "leave one"), (["a.test", "-k"], "--anchor FILE"),
            (["a.test", "--cacert", "x"], "--anchor FILE"), (["a.test", "--cert", "x"], "--identity FILE"),
            (["a.test", "--pinnedpubkey", "x"], "--pins FILE"), (["a.test", "--noproxy", "*"], "--no-proxy"),
            (["a.test", "-T", "x"], "--data-binary @file"), (["a.test", "-O"], "--output FILE"),
            (["a.test", "-s"], "not needed"), (["a.test", "-w", "x"], "--format json"),
            (["a.test", "-x", "http://ada:geheim@p.test"], "https_proxy"), (["a.test", "-x", "https://p.test"], "TLS"),
            (["a.test", "-x", "http://p.test", "--no-proxy"], "contradict"),
            (["a.test", "--max-redirs", "3"], "--location"),
            (["a.test", "--unix-socket", "x", "--connect-to", "b.test:1"], "two ways"),
            (["a.test", "--unix-socket", String(repeating: "x", count: 108)], "at most 107 bytes"),
            (["a.test", "--format", "json", "-i"], "leave out '--include'"),
            (["a.test", "--os", "ios17"], "means nothing without '--info-plist'"),
            (["a.test", "-m", "soon"], "expected seconds"),
            (["a.test", "--max-filesize", "10x"], "500k or 2M"), (["a.test", "--max-filesize=-1"], "500k or 2M"),
            (["a.test", "--max-filesize", "9999999999999G"], "more than there can be"),
            (["a.test", "--connect-to", "a.test:443:127.0.0.1:8443"], "for every host"),
            (["a.test", "--connect-to", "a.test:443:[::1]:8443"], "for every host"),
            (["a.test", "--connect-to", "::1:443"], "[::1]:8443"), (["a.test", "--connect-to", "::"], "--connect-to"),
            (["a.test", "--resolve", "a.test:443:127.0.0.1"], "for every host"),
            (["a.test", "-d", "@-", "--json", "@-"], "a request has one"),
            (["a.test", "-H", "@-", "-d", "@-"], "read only once"),
        ])
    func wrongUse(_ arguments: [String], _ word: String) async throws {
        let run = try await Program.run(["get"] + arguments)
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(run.errors.contains(word), "\(run.errors)")
        #expect(!run.errors.contains(Self.secret))
    }

    @Test("a socket that is not there is named, and ports and firewalls are not blamed")
    func missingSocket() async throws {
        // The longest path that Linux takes.
        let path = "/nonexistent/" + String(repeating: "s", count: 94)
        let run = try await Program.run("get", "a.test", "--unix-socket", path)
        #expect(run.status == 3 && run.output.isEmpty)
        #expect(run.errors.contains("the socket '\(path)': No such file"), "\(run.errors)")
        #expect(run.errors.contains("Check the path") && !run.errors.contains("firewall"), "\(run.errors)")
    }

    @Test(
        "a program that is started without standard descriptors sends nobody what it prints", arguments: [true, false])
    func closedDescriptors(isVerbose: Bool) async throws {
        let site = try GetSite(answering: HTTPAnswer(content: Array("8 bytes\n".utf8)))
        let command = [try Program.executable().path, "get", site.url] + site.options + (isVerbose ? ["-v"] : [])
        let folder = try Folder()
        let file = folder.path + "/body"
        for (closing, arguments, status) in [
            ("<&- >&- 2>&-", [], 3), (">&-", [], 3), ("<&- >&- 2>&-", ["-o", file], 0),
            ("<&- >&- 2>&-", ["-d", "@-"], 3), ("<&- 2>&-", [], 0),
        ] {
            let run = try await Tool.finish("bash", ["-c", "\"$@\" \(closing)", "bash"] + command + arguments)
            #expect(run.status == Int32(status), "\(closing) \(arguments): \(run.all)")
            #expect(run.text == (closing == "<&- 2>&-" ? "8 bytes\n" : ""))
            if closing == ">&-" { #expect(run.errors.contains("Bad file descriptor"), "\(run.errors)") }
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "8 bytes\n")
        let help = try await Tool.finish("bash", ["-c", "\"$0\" --help <&- >&- 2>&-", command[0]])
        #expect(help.status == 3)
        #expect(await site.server.requests.count == 4)
        await site.server.stop()
    }

    @Test("a password typed as a port is not repeated by check either")
    func passwordAsPort() async throws {
        let run = try await Program.run("check", "https://a.test:\(Self.secret)/")
        #expect(run.status == 2 && run.errors.contains("the port is no number") && !run.errors.contains(Self.secret))
    }

    @Test("only what stands before the first /, ? or # is a scheme or host", arguments: ["get", "check"])
    func schemeInQuery(command: String) async throws {
        let site = try GetSite()
        let url = "\(RawTLSServer.host)/?u=http://x.test"
        let run = try await Program.run([command, url] + site.options)
        #expect(run.status == 0, "\(run.errors)")
        if command == "get" { #expect(await site.server.requests.map(\.target) == ["/?u=http://x.test"]) }
        await site.server.stop()
    }

    @Test("a secret in the fragment of a redirect is not shown")
    func fragment() async throws {
        let site = try GetSite(answering: .redirect(302, to: "/x#access_token=\(Self.secret)&state=7"))
        let run = try await site.get("-v")
        #expect(run.errors.contains("< Location: /x#access_token=<redacted>&state=7"), "\(run.errors)")
        #expect(!run.errors.contains(Self.secret))
        await site.server.stop()
    }

    @Test("the help of check says that no proxy is used")
    func checkHelp() async throws {
        let words = try await Program.run("check", "--help").output.split(whereSeparator: \.isWhitespace)
        #expect(words.joined(separator: " ").contains("a direct one, whatever the proxy variables say"))
    }

    @Test("the help has every option that people know, and examples")
    func help() async throws {
        let run = try await Program.run("get", "--help")
        #expect(run.status == 0 && run.errors.isEmpty)
        for option in [
            "-X, --request", "-H, --header", "-d, --data", "--json", "--form", "-o, --output", "-f, --fail",
            "-v, --verbose",
            "-i, --include", "-I, --head", "-L, --location", "--http1.1", "--compressed", "-m, --max-time",
            "--connect-timeout", "-x, --proxy", "--unix-socket", "-u, --user", "--allow-http", "--curl", "--pins",
            "--anchor", "--identity", "--connect-to", "--expect-name", "--time", "--rules", "--explain", "--format",
        ] { #expect(run.output.contains("  \(option)")) }
        #expect(run.output.contains("Examples:\n  belay get "))
        // What is refused is not listed.
        #expect(!run.output.contains("--insecure"))
    }

    @Test("a secret in an argument is warned of, and stays out of everything that is printed")
    func secrets() async throws {
        let site = try GetSite()
        let options = ["-H", "Authorization: Bearer \(Self.secret)", "-b", "id=\(Self.secret)"]
        let run = try await site.get(options + ["-v"])
        #expect(run.status == 0 && !run.errors.contains(Self.secret))
        #expect(run.errors.contains("'Authorization' in an argument") && run.errors.contains("'Cookie' in an argument"))
        #expect(run.errors.contains("> Authorization: <redacted>") && run.errors.contains("> Cookie: <redacted>"))
        #expect(await site.server.requests.first?["authorization"] == "Bearer \(Self.secret)")
        let printed = try await site.get(options + ["--curl"])
        #expect(!printed.output.contains(Self.secret))
        let folder = try Folder()
        let quiet = try await site.get("-H", "@" + folder.write("fields", "Authorization: Bearer \(Self.secret)\n"))
        #expect(quiet.status == 0 && quiet.errors.isEmpty)
        await site.server.stop()
    }

    @Test("a password is asked for on the terminal, and not shown")
    func prompt() async throws {
        let site = try GetSite { $0.answer = { request, _ in .text(request["authorization"] ?? "nobody") } }
        let program = try Program.executable().path
        let folder = try Folder()
        let command = ([program, "get", site.url] + site.options + ["-u", "ada"]).map { "'\($0)'" }
            .joined(separator: " ")
        // util-linux's script gives the program a terminal of its own; what is typed comes once the question is there.
        let typist = """
            mkfifo "$0/in" "$0/out"
            script --quiet --return --command "$1" /dev/null < "$0/in" > "$0/out" &
            exec 3> "$0/in" 4< "$0/out"
            IFS= read -r -d : question <&4
            printf 'geheimx\\177\\n' >&3
            printf '%s:' "$question"
            cat <&4
            """
        let result = try await Tool.finish("bash", ["-c", typist, folder.path, command])
        #expect(result.text.contains("Password for ada: "))
        #expect(result.text.contains("Basic YWRhOmdlaGVpbQ=="), "\(result.all)")
        #expect(!result.text.contains(Self.secret))
        await site.server.stop()
    }
}
