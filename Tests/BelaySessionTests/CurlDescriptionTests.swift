import BelaySession
import Foundation
import TestSupport
import Testing

@Suite("Requests as command lines")
struct CurlDescriptionTests {
    /// What bash gives to curl: its arguments, and its standard input where there is some.
    private func runInBash(_ command: String) throws -> (arguments: [String], input: [UInt8]) {
        // A function takes curl's place; it writes the arguments, an empty line of NUL, and what is piped in.
        let script = """
            set -eu
            curl() { printf '%s\\0' "$@"; printf '\\0'; case " $* " in *' --data-binary @- '*) cat ;; esac; }
            \(command)
            """
        let result = try Tool.run("bash", ["-c", script])
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors) in \(command)")
        let output = result.output
        guard let end = output.indices.first(where: { $0 > 0 && output[$0] == 0 && output[$0 - 1] == 0 }) else {
            throw Tool.Failed(description: "no end of the arguments: \(result.all)")
        }
        let arguments = output[..<end].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        return (arguments, Array(output[(end + 1)...]))
    }

    @Test("bash gives curl what the request has")
    func plain() throws {
        let request = Request.post(
            "https://example.com/a?x=1", body: .text("it's $HOME `id` \"q\" \\ !! * é\n\tend"),
            headers: ["X-A": "it's; rm"])
        let (arguments, _) = try runInBash(request.curlDescription())
        #expect(
            arguments == [
                "--header", "X-A: it's; rm", "--header",
                "Content-Type: text/plain; charset=utf-8", "--data-raw", "it's $HOME `id` \"q\" \\ !! * é\n\tend",
                "--url", "https://example.com/a?x=1",
            ])
    }

    @Test("every byte of a body survives")
    func everyByte() throws {
        let all = (0...255).map { UInt8($0) }
        // Digits after each byte: an escape that is too short would swallow them.
        let bytes = all + all.flatMap { [$0, 0x37] } + Array("%s%n\\0'-".utf8)
        let (arguments, input) = try runInBash(
            Request.post("https://example.com/", body: .bytes(bytes)).curlDescription())
        #expect(arguments.contains("@-"))
        #expect(input == bytes)
    }

    @Test(
        "every byte that an argument can hold survives in a body of text",
        arguments: [
            "", "@/etc/passwd", "-", "--version", "'", "''", "\\", "$'a'", "\n", "a\n", "~", "*", "{a,b}", "#", "!",
        ])
    func awkwardTexts(text: String) throws {
        let (arguments, _) = try runInBash(Request.post("https://example.com/", body: .text(text)).curlDescription())
        // Split drops an empty argument, so the one for an empty body is looked for in the command.
        if text.isEmpty {
            #expect(Request.post("https://example.com/", body: .text("")).curlDescription().contains("--data-raw ''"))
        } else {
            let flag = try #require(arguments.firstIndex(of: "--data-raw"))
            #expect(arguments[flag + 1] == text)
        }
    }

    @Test("control characters reach neither the terminal nor the shell raw")
    func controlCharacters() throws {
        var request = Request.get("https://example.com/\u{1B}]0;x\u{7}\u{0}'\r\nrm")
        request.headers = ["X": "a\u{1B}[2J"]
        let text = request.curlDescription()
        #expect(!text.utf8.contains { $0 < 0x20 && $0 != 0x0A })
        let (arguments, _) = try runInBash(text)
        #expect(arguments.last == "https://example.com/\u{1B}]0;x\u{7}\u{FFFD}'\r\nrm")
        #expect(arguments.contains("X: a\u{1B}[2J"))
        // Those of Unicode too: C1, line separators, reversals of direction.
        let value = "a\u{85}\u{9B}2J\u{2028}\u{202E}b'\\7é"
        request.headers = ["X": value]
        let other = request.curlDescription()
        #expect(!other.unicodeScalars.contains { [0x85, 0x9B, 0x2028, 0x202E].contains($0.value) })
        #expect(try runInBash(other).arguments.contains("X: " + value))
        let body = Request.post("https://example.com/", body: .text("\u{1B}[2J\u{202E}")).curlDescription()
        #expect(!body.unicodeScalars.contains("\u{1B}") && !body.unicodeScalars.contains("\u{202E}"))
        #expect(try runInBash(body).input == Array("\u{1B}[2J\u{202E}".utf8))
    }

    private func secretive() throws -> Request {
        Request.post(
            "https://example.com/x?api_key=hunter2&user%5Bpwd%5D=hunter2&page=3",
            body: try .json(
                ["user": "ada", "credentials": ["pin": "hunter2"], "list": [["authToken": "hunter2"]]] as JSONValue),
            headers: ["Authorization": "Bearer hunter2", "Cookie": "sid=hunter2", "X-Request": "7"])
    }

    @Test("secrets of headers, URL and JSON are redacted unless asked for")
    func redaction() throws {
        let text = try secretive().curlDescription()
        #expect(!text.contains("hunter2"))
        for kept in ["page=3", "X-Request: 7", "\"user\":\"ada\"", "Authorization: <redacted>"] {
            #expect(text.contains(kept))
        }
        #expect(try secretive().curlDescription(redacting: false).components(separatedBy: "hunter2").count == 7)
        let form = Request.post("https://example.com/", parameters: ["password": "hunter2", "name": "ada"])
        #expect(form.curlDescription().contains("'name=ada&password=<redacted>'"))
    }

    @Test(
        "parameters of every kind of signature, ticket and session are redacted in URL and form",
        arguments: [
            "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "X-Goog-Signature", "Signature",
            "AWSAccessKeyId", "OSSAccessKeyId", "sig", "sas", "hdnts", "access_token", "refresh_token", "id_token",
            "id_token_hint", "code", "code_verifier", "client_assertion", "SAMLResponse", "ticket", "jwt", "PHPSESSID",
            "JSESSIONID", "session", "csrfmiddlewaretoken", "_csrf", "passcode", "pw", "api-key", "apikey", "auth_key",
            "oauth_verifier", "oauth_signature", "user[password]", "newPassword", "hmac", "otp", "cvc",
        ])
    func parameters(name: String) {
        let url = Request.get("https://example.com/?a=1&\(name)=hunter2&page=3").curlDescription()
        #expect(!url.contains("hunter2") && url.contains("a=1") && url.contains("page=3"))
        let form = Request.post("https://example.com/", parameters: Parameters([name: .string("hunter2")]))
            .curlDescription()
        #expect(!form.contains("hunter2"))
    }

    @Test("a name and password in a URL that cannot be sent are redacted too")
    func userInformation() {
        for url in [
            "https://ada:hunter2@example.com/", "//ada:hunter2@x", "https://a:hunter2/x@y", "https://a@hunter2@x",
        ] {
            #expect(!Request.get(url).curlDescription().contains("hunter2"), "\(url)")
        }
        #expect(Request.get("https://example.com/@ada").curlDescription().contains("/@ada"))
    }

    @Test("a long body is not shown but its place is")
    func longBody() {
        let text = Request.post("https://example.com/", body: .bytes([UInt8](repeating: 0x61, count: 70_000)))
            .curlDescription()
        #expect(text.utf8.count < 1000)
        #expect(text.contains("--data-binary @request-body-of-70000-bytes"))
    }

    @Test("curl reads it as the request that it is")
    func curl() async throws {
        let folder = try TemporaryFolder()
        let code = folder.path + "/code.c"
        let request = Request(
            .put, "https://example.com/a b?q={x}", headers: ["X-Empty": "", "X-A": "1"], body: .text("@body"))
        // No network: the socket that it is to use is not there. The C code that curl writes says what it has understood.
        let command =
            request.curlDescription() + " --silent --unix-socket \(folder.path)/none --libcurl \(code) || test $? = 7"
        _ = try Tool.succeed("bash", ["-c", command])
        let written = String(decoding: try folder.read("code.c"), as: UTF8.self)
        for line in [
            "CURLOPT_URL, \"https://example.com/a%20b\\?q=%7Bx%7D\"", "CURLOPT_CUSTOMREQUEST, \"PUT\"",
            "CURLOPT_POSTFIELDS, \"@body\"", "curl_slist_append(slist1, \"X-Empty;\")",
            "curl_slist_append(slist1, \"X-A: 1\")",
            "curl_slist_append(slist1, \"Content-Type: text/plain; charset=utf-8\")",
        ] {
            #expect(written.contains(line), "\(line) in \(written)")
        }
    }
}
