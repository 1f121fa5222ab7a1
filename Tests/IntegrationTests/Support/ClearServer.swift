import BelayCertificates
import BelayTLS
import Foundation
import SessionTestSupport
import TestSupport

/// Foreign servers that begin in the clear and change to TLS: one for each protocol, with a chain for `www.shop.test`.
struct ClearServer {
    let peer: Peer
    let port: UInt16

    private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Starts the server of a protocol, and stops it after `body`, which gets its port and the chain that it sends.
    static func run(_ name: StartTLSProtocol, _ body: (UInt16, [Certificate]) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let identity = try SharedWorld.server([Site.host])
        try folder.write("chain.pem", identity.certificates.map(\.pem).joined())
        try folder.write("key.pem", identity.privateKey.pkcs8PEM())
        let server: ClearServer =
            switch name {
            case .smtp: try await python(smtp, folder)
            case .ftp: try await python(ftp, folder)
            case .imap: try await dovecot(folder, index: 0)
            case .pop3: try await dovecot(folder, index: 1)
            case .ldap: try await slapd(folder)
            case .postgres: try await postgres(folder)
            }
        try await server.peer.use { _ in try await body(server.port, identity.certificates) }
    }

    // MARK: -

    /// aiosmtpd.
    private static let smtp = """
        import asyncio, ssl, sys
        from aiosmtpd.smtp import SMTP
        async def main():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1], sys.argv[2])
            make = lambda: SMTP(object(), tls_context=context, hostname="mail.test")
            server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
            print("port", server.sockets[0].getsockname()[1], flush=True)
            await server.serve_forever()
        asyncio.run(main())
        """

    /// pyftpdlib.
    private static let ftp = """
        import sys
        from pyftpdlib.authorizers import DummyAuthorizer
        from pyftpdlib.handlers import TLS_FTPHandler
        from pyftpdlib.servers import FTPServer
        TLS_FTPHandler.certfile, TLS_FTPHandler.keyfile = sys.argv[1], sys.argv[2]
        TLS_FTPHandler.authorizer = DummyAuthorizer()
        server = FTPServer(("127.0.0.1", 0), TLS_FTPHandler)
        print("port", server.address[1], flush=True)
        server.serve_forever()
        """

    /// A server of the virtual environment that `Scripts/setup test` makes.
    private static func python(_ program: String, _ folder: TemporaryFolder) async throws -> ClearServer {
        let python = project.appendingPathComponent(".cache/starttls/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Tool.Failed(description: "\(python) is missing; Scripts/setup test installs it")
        }
        let peer = try await Peer.start(
            python, ["-c", program, folder("chain.pem"), folder("key.pem")]
        ) { Self.port(in: $0) != nil }
        guard let port = port(in: await peer.output) else {
            throw Peer.NotReady(program: python, output: await peer.output)
        }
        return ClearServer(peer: peer, port: port)
    }

    /// The port in a line `port 40000`.
    private static func port(in output: String) -> UInt16? {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.first { $0.hasPrefix("port ") }.flatMap { UInt16($0.dropFirst(5)) }
    }

    /// Dovecot, which serves IMAP and POP3. As root it wants the users that its package makes; anybody else is all of them.
    private static func dovecot(_ folder: TemporaryFolder, index: Int) async throws -> ClearServer {
        let user = NSUserName()
        let users = getuid() == 0 ? "" : "default_internal_user = \(user)\ndefault_login_user = \(user)\n"
        let chroots = getuid() == 0 ? "" : "chroot =\n"
        let (peer, ports) = try await Peer.start("/usr/sbin/dovecot", ports: 2) {
            $0.contains("starting up for imap, pop3")
        } arguments: { ports in
            func service(_ name: String, _ port: UInt16) -> String {
                "service \(name)-login {\n\(chroots)inet_listener \(name) {\nport = \(port)\n}\n"
                    + "inet_listener \(name)s {\nport = 0\n}\n}\n"
            }
            let path = try folder.write(
                "dovecot.conf",
                """
                base_dir = \(folder("run"))
                state_dir = \(folder("run"))
                log_path = /dev/stderr
                protocols = imap pop3
                listen = 127.0.0.1
                ssl = required
                ssl_cert = <\(folder("chain.pem"))
                ssl_key = <\(folder("key.pem"))
                passdb {
                  driver = static
                  args = nopassword=y
                }
                userdb {
                  driver = static
                  args = uid=65534 gid=65534 home=/nonexistent
                }
                \(users)\(service("imap", ports[0]))\(service("pop3", ports[1]))
                """)
            return ["-F", "-c", path]
        }
        return ClearServer(peer: peer, port: ports[index])
    }

    /// OpenLDAP, without any database.
    private static func slapd(_ folder: TemporaryFolder) async throws -> ClearServer {
        let configuration = try folder.write(
            "slapd.conf",
            "TLSCertificateFile \(folder("chain.pem"))\nTLSCertificateKeyFile \(folder("key.pem"))\n")
        let (peer, port) = try await Peer.startSilent("/usr/sbin/slapd") { port in
            ["-f", configuration, "-h", "ldap://127.0.0.1:\(port)/", "-d", "0"]
        }
        return ClearServer(peer: peer, port: port)
    }

    /// PostgreSQL, which does not run as root.
    private static func postgres(_ folder: TemporaryFolder) async throws -> ClearServer {
        let binaries = "/usr/lib/postgresql/15/bin"
        let data = folder("data")
        var prefix: [String] = []
        if getuid() == 0 {
            prefix = ["runuser", "-u", "nobody", "--"]
            try Tool.succeed("chown", ["-R", "nobody", folder.path])
        }
        try Tool.succeed("chmod", ["600", folder("key.pem")])
        let initialise = prefix + ["\(binaries)/initdb", "-D", data, "-A", "trust", "-U", "belay", "--no-sync"]
        try Tool.succeed(initialise[0], Array(initialise.dropFirst()))
        let (peer, ports) = try await Peer.start(prefix.first ?? "\(binaries)/postgres", ports: 1) {
            $0.contains("ready to accept connections")
        } arguments: { ports in
            let settings = [
                "listen_addresses=127.0.0.1", "port=\(ports[0])", "unix_socket_directories=", "ssl=on",
                "ssl_cert_file=\(folder("chain.pem"))", "ssl_key_file=\(folder("key.pem"))", "fsync=off",
            ]
            let program = prefix.isEmpty ? [] : Array(prefix.dropFirst()) + ["\(binaries)/postgres"]
            return program + ["-D", data] + settings.flatMap { ["-c", $0] }
        }
        return ClearServer(peer: peer, port: ports[0])
    }
}
