import BelayTrust
import TestSupport

/// The servers that come with TLS libraries.
enum ForeignServer: String, CaseIterable, Sendable {
    case openssl
    case gnutls

    /// Whether clients must say who they are.
    enum Clients: Sendable {
        case anonymous
        /// They need a certificate of the client root's, which alone is known.
        case identified
    }

    func world() throws -> ForeignWorld {
        let worlds = try ForeignWorlds.provided()
        return self == .openssl ? worlds.openssl : worlds.gnutls
    }

    /// Starts a server of one version with the world's certificates, and stops it after `body`.
    func run(
        _ version: TLSVersion, clients: Clients = .anonymous, _ body: (Site) async throws -> Void
    ) async throws {
        let folder = try world().folder
        switch self {
        case .openssl:
            var arguments = version == .tls12 ? ["-tls1_2"] : ["-tls1_3"]
            if clients == .identified {
                arguments += ["-Verify", "3", "-verify_return_error", "-CAfile", folder("client-root.pem")]
            }
            try await OpenSSLServer.run(in: try world(), arguments, body)
        case .gnutls:
            var arguments = ["--http", "--x509certfile", folder("chain.pem"), "--x509keyfile", folder("server.key")]
            arguments += ["--priority", "NORMAL:-VERS-ALL:+VERS-TLS1.\(version == .tls12 ? 2 : 3)"]
            switch clients {
            case .anonymous: arguments.append("--disable-client-cert")
            case .identified:
                arguments += [
                    "--require-client-cert", "--verify-client-cert", "--x509cafile", folder("client-root.pem"),
                ]
            }
            // It listens on all interfaces; there is no option for one.
            let (peer, ports) = try await Peer.start("gnutls-serv", ports: 1) {
                $0.contains("IPv4 0.0.0.0 port") && $0.contains("...done")
            } arguments: { ports in
                arguments + ["--port", "\(ports[0])"]
            }
            try await peer.use { _ in try await body(Site(port: ports[0], anchors: folder("root.pem"))) }
        }
    }
}

/// `openssl s_server`, answering in HTTP with what it knows of the connection.
enum OpenSSLServer {
    /// Starts it on a port that the kernel chooses, and stops it after `body`.
    ///
    /// - Parameters:
    ///   - certificate: the name of the files with its certificate and key, without suffix.
    ///   - chain: the name of the file with what it sends after it.
    static func run(
        in world: ForeignWorld, certificate: String = "server", chain: String? = "intermediate",
        address: String = "127.0.0.1",
        _ arguments: [String], _ body: (Site) async throws -> Void
    ) async throws {
        let folder = world.folder
        let host = address.contains(":") ? "[\(address)]" : address
        var all = ["s_server", "-accept", "\(host):0", "-www", "-no_dhe"]
        all += ["-cert", folder("\(certificate).pem"), "-key", folder("\(certificate).key")]
        if let chain { all += ["-cert_chain", folder("\(chain).pem")] }
        let peer = try await Peer.start("openssl", all + arguments) { port(in: $0) != nil }
        try await peer.use { peer in
            guard let port = port(in: await peer.output) else {
                throw Peer.NotReady(program: "openssl", output: await peer.output)
            }
            try await body(Site(address: address, port: port, anchors: folder("root.pem")))
        }
    }

    /// The port in its line `ACCEPT 127.0.0.1:40000`.
    private static func port(in output: String) -> UInt16? {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.first { $0.hasPrefix("ACCEPT ") }?.split(separator: ":").last.flatMap { UInt16($0) }
    }
}
