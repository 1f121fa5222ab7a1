import Foundation
import TestSupport
import Testing

@Suite("belay get and nginx", Provides<WebNginx>())
struct GetTests {
    private let nginx: WebNginx

    init() throws {
        nginx = try WebNginx.provided()
    }

    @Test("HTTP/2 is spoken where the server has it, and HTTP/1.1 on request")
    func versions() async throws {
        let second = try await nginx.get("/hello", "-v")
        #expect(second.status == 0 && second.output == "HTTP/2.0 GET \n", "\(second.errors)")
        #expect(second.errors.contains("; h2\n") && second.errors.contains("> GET /hello HTTP/2"))
        #expect(second.errors.contains("< HTTP/2 200"))
        #expect(second.errors.contains("* trusted: the chain leads to Public Root, the name matches"))
        #expect(try await nginx.get("/hello", "--http1.1").output == "HTTP/1.1 GET \n")
        #expect(try await nginx.get("/hello", "-i").output.hasPrefix("HTTP/2 200 \r\nserver: nginx"))
    }

    @Test("an error page is the body, and with --fail none")
    func missing() async throws {
        let page = try await nginx.get("/missing")
        #expect(page.status == 0 && page.output == "nothing here\n")
        let failed = try await nginx.get("/missing", "-f")
        #expect(failed.status == 1 && failed.output.isEmpty && failed.errors.contains("answered 404"))
    }

    @Test("cookies that the server sets are sent along a redirect, and forgotten after it")
    func cookies() async throws {
        #expect(try await nginx.get("/cookie", "-L").output == "HTTP/2.0 GET id=7\n")
        #expect(try await nginx.get("/hello").output == "HTTP/2.0 GET \n")
        let stays = try await nginx.get("/cookie", "-i")
        #expect(stays.output.contains("set-cookie: id=7; Path=/; Secure\r\n"))
        let told = try await nginx.get("/cookie", "-v")
        #expect(told.errors.contains("< set-cookie: <redacted>") && !told.errors.contains("id=7"))
    }

    @Test("--compressed saves bytes on the way and gives the same body")
    func compression() async throws {
        let plain = try await nginx.get("/page.txt", "-v")
        let packed = try await nginx.get("/page.txt", "-v", "--compressed")
        #expect(plain.output == WebNginx.page && packed.output == WebNginx.page)
        #expect(!plain.errors.contains("gzip") && packed.errors.contains("< content-encoding: gzip"))
        let limited = try await nginx.get("/page.txt", "--compressed", "--max-filesize", "10000")
        #expect(limited.status == 3 && limited.output.isEmpty)
    }

    @Test("a user gets in with the password, at once or when asked, and not with another one")
    func password() async throws {
        for options in [[], ["--anyauth"]] {
            let arguments = ["get", nginx.url("/private.txt"), "-u", "ada"] + nginx.options + options
            let right = try await Program.run(arguments, environment: ["BELAY_PASSWORD": "geheim"])
            #expect(right.status == 0 && right.output == "for ada\n", "\(right.errors)")
            let wrong = try await Program.run(arguments + ["-i"], environment: ["BELAY_PASSWORD": "falsch"])
            #expect(wrong.status == 0 && wrong.output.hasPrefix("HTTP/2 401"), "\(wrong.errors)")
        }
    }

    @Test("a socket of the file system leads to the same server, judged as any other")
    func unixSocket() async throws {
        let trust = ["--no-system-anchors", "--anchor", nginx.folder("roots.pem")]
        let socket = ["--unix-socket", nginx.folder("socket")]
        let run = try await Program.run(["get", nginx.url("/hello")] + trust + socket)
        #expect(run.status == 0 && run.output == "HTTP/1.1 GET \n", "\(run.errors)")
        let other = try await Program.run(["get", "https://other.test/hello"] + trust + socket)
        #expect(other.status == 1 && other.errors.contains("name.mismatch"))
        let gone = try await Program.run(
            ["get", nginx.url("/hello")] + trust + ["--unix-socket", nginx.folder("gone")])
        #expect(gone.status == 3 && gone.output.isEmpty)
    }

    @Test("cleartext is spoken only where it is allowed")
    func cleartext() async throws {
        let url = "http://127.0.0.1:\(nginx.cleartextPort)/hello"
        let refused = try await Program.run("get", url)
        #expect(refused.status == 1 && refused.errors.contains("ats.cleartext"))
        let run = try await Program.run("get", url, "--allow-http", "-v", "--format", "text")
        #expect(run.status == 0 && run.output == "HTTP/1.1 http\n")
        #expect(run.errors.contains("* in the clear: nothing is encrypted"))
        let json = try await Program.run("get", url, "--allow-http", "--format", "json").json()
        #expect(json["trust"] is NSNull && json["status"] as? Int == 200)
    }

    @Test("what a server that has not been found or does not listen means is said, with what to do")
    func unreachable() async throws {
        let name = try await Program.run("get", "https://does-not-exist.invalid/")
        #expect(
            name.status == 3 && name.errors.contains("does not resolve") && name.errors.contains("Check the spelling"))
        let proxied = try await nginx.get("/hello", "--proxy", "http://127.0.0.1:1")
        #expect(proxied.status == 3 && proxied.errors.contains("--no-proxy"), "\(proxied.errors)")
        let direct = try await Program.run(
            ["get", nginx.url("/hello"), "--no-proxy"] + nginx.options,
            environment: ["https_proxy": "http://127.0.0.1:1"])
        #expect(direct.status == 0, "\(direct.errors)")
    }
}
