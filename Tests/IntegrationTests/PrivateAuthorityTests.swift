import BelayCertificates
import TestSupport
import Testing

/// Servers with what `belay ca` issued and printed, and clients of every library.
@Suite("A private authority", Provides<PrivateWorld>())
struct PrivateAuthorityTests {
    private let world: PrivateWorld

    init() throws {
        world = try PrivateWorld.provided()
    }

    private func port(_ server: PrivateWorld.Server) throws -> UInt16 { try #require(world.ports[server]) }

    private func check(_ server: PrivateWorld.Server, _ options: String...) async throws -> Program.Run {
        try await Program.run(
            [
                "check", "https://\(PrivateWorld.host)", "--connect-to", "127.0.0.1:\(try port(server))", "--anchor",
                world.folder("ca/root.cer"), "--no-system-anchors", "--rules", "apple",
            ] + options)
    }

    private func curl(_ server: PrivateWorld.Server, _ options: String...) throws -> Tool.Result {
        let port = try port(server)
        return try Tool.run(
            "curl",
            [
                "--silent", "--show-error", "--max-time", "20", "--noproxy", "*", "--cacert",
                world.folder("ca/root.pem"),
                "--resolve", "\(PrivateWorld.host):\(port):127.0.0.1", "https://\(PrivateWorld.host):\(port)/",
            ] + options)
    }

    private func openssl(_ server: PrivateWorld.Server, _ options: String...) throws -> Tool.Result {
        try Tool.run(
            "openssl",
            [
                "s_client", "-connect", "127.0.0.1:\(try port(server))", "-servername", PrivateWorld.host, "-CAfile",
                world.folder("ca/root.pem"), "-verify_return_error", "-verify_hostname", PrivateWorld.host, "-quiet",
            ] + options, input: Array("GET / HTTP/1.0\r\nHost: \(PrivateWorld.host)\r\n\r\n".utf8))
    }

    /// The identity in the form that the other programs take.
    private func identityInPEM() throws -> String {
        let passphrase = "file:" + world.folder("passphrase")
        let made = try Tool.openssl(
            "pkcs12", "-in", world.folder("tls/ada.p12"), "-passin", passphrase, "-nodes")
        return try world.folder.write("ada.pem", made.output)
    }

    @Test(
        "One-way: belay by Apple's rules, curl and OpenSSL connect with nothing but the root",
        arguments: [PrivateWorld.Server.nginx, .haproxy])
    func oneWay(server: PrivateWorld.Server) async throws {
        let run = try await check(server)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        let curl = try curl(server)
        #expect(curl.status == 0 && curl.text.hasPrefix("nginx") || curl.text.hasPrefix("haproxy"), "\(curl.all)")
        let openssl = try openssl(server)
        #expect(
            openssl.errors.contains("verify return:1") && !openssl.errors.contains("verify error"), "\(openssl.errors)")
    }

    @Test("Without the root nobody trusts the server", arguments: [PrivateWorld.Server.nginx, .haproxy])
    func untrusted(server: PrivateWorld.Server) async throws {
        let run = try await Program.run(
            "check", "https://\(PrivateWorld.host)", "--connect-to", "127.0.0.1:\(try port(server))")
        #expect(run.status == 1, "\(run.output)\(run.errors)")
    }

    @Test(
        "Mutual: the client's PKCS#12 file is accepted from belay and curl, and its PEM form from OpenSSL",
        arguments: [PrivateWorld.Server.nginxMutual, .haproxyMutual])
    func mutual(server: PrivateWorld.Server) async throws {
        let file = world.folder("tls/ada.p12")
        let run = try await check(server, "--identity", file, "--passphrase-file", world.folder("passphrase"))
        #expect(run.status == 0 && run.output.contains("one was sent"), "\(run.output)\(run.errors)")
        let config = try world.folder.write("curlrc", "pass = \"\(PrivateWorld.passphrase)\"\n")
        let curl = try curl(server, "--config", config, "--cert-type", "P12", "--cert", file)
        #expect(curl.status == 0 && curl.text.contains("ada"), "\(curl.all)")
        let identity = try identityInPEM()
        let openssl = try openssl(server, "-cert", identity, "-key", identity, "-cert_chain", identity)
        #expect(openssl.text.contains("ada"), "\(openssl.all)")
    }

    @Test(
        "Mutual: without an identity, and with one of another authority, there is no answer",
        arguments: [PrivateWorld.Server.nginxMutual, .haproxyMutual])
    func strangers(server: PrivateWorld.Server) async throws {
        let none = try curl(server)
        #expect(!none.text.contains("ada") && (none.status != 0 || none.text.contains("400")), "\(none.all)")
        let other = try CertificateIssuer.selfSigned(.authority(named: "Other"), key: .generate(.p256))
        let stranger = try other.issueIdentity(.client(named: "ada"), key: .generate(.p256))
        let file = try world.folder.write("stranger.pem", stranger.pem())
        let refused = try curl(server, "--cert", file)
        #expect(refused.status != 0 || refused.text.contains("400"), "\(refused.all)")
    }

    @Test("A request made by belay csr renews the server's certificate, and its pin stays")
    func renewal() async throws {
        let old = try #require(try Certificate.read(contentsOf: world.folder("tls/\(PrivateWorld.host).crt")).first)
        let csr = try await Program.run(
            "csr", "--key", world.folder("tls/\(PrivateWorld.host).key"), "--certificate",
            world.folder("tls/\(PrivateWorld.host).crt"), "--out", world.folder("renew.csr"))
        #expect(csr.status == 0 && csr.output.contains("the pin stays"), "\(csr.errors)")
        _ = try await PrivateWorld.authority([
            "issue", "server", "--csr", world.folder("renew.csr"), "--ca", world.folder("ca"), "--passphrase-env", "CA",
            "--out", world.folder("renewed"),
        ])
        let renewed = try #require(
            try Certificate.read(contentsOf: world.folder("renewed/\(PrivateWorld.host).crt")).first)
        #expect(renewed.pin == old.pin && renewed != old)
        #expect(try renewed.subjectAlternativeNames == (try old.subjectAlternativeNames))
    }
}
