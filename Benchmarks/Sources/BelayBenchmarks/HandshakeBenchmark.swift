import BelayCertificates
import BelayTLS
import BelayTrust
import CPeers
import FoundationEssentials
import Glibc

/// Handshakes with a verdict, one after the other: ours beside SSL_connect with OpenSSL's verification, nginx serving both.
struct HandshakeBenchmark {
    let material: Material
    let interleaving: Interleaving

    func run(into report: inout Report) async throws {
        guard access(Server.program, X_OK) == 0 else {
            report.skip("handshakes: \(Server.program) is not there (Debian: nginx)")
            return
        }
        let server = try Server(material.server)
        defer { server.stop() }
        let root = material.root.der
        guard let peerClient = peer_client_new(root, root.count) else { throw BenchmarkError("OpenSSL has no client") }
        defer { peer_client_free(peerClient) }
        let port = server.port
        let peer = Job(
            name: "SSL_connect, blocking",
            includes: "TCP, TLS 1.3, verification of chain and name, SSL_shutdown, close; one SSL_CTX for all"
        ) { count in
            for _ in 0..<count {
                guard peer_handshake(peerClient, port, Material.host) == 1 else {
                    throw BenchmarkError("OpenSSL refuses the server")
                }
            }
        }

        let client = TLSClient(loop: try EventLoop())
        let endpoint = TLSEndpoint(host: Material.host, port: port)
        let target = TLSEndpoint(host: "127.0.0.1", port: port)
        var options = TLSOptions()
        options.minimumVersion = .tls13
        let settings = options
        let anchors = AnchorStore([material.root])
        func job(_ name: String, _ includes: String, _ cache: TrustCache?) -> Job {
            Job(name: name, includes: includes) { count in
                for _ in 0..<count {
                    let connection = try await client.handshake(with: endpoint, connectTo: target, options: settings)
                    var trust = try ServerTrust(evidence: connection.evidence, anchors: anchors)
                    trust.cache = cache
                    guard trust.evaluate().isTrusted else { throw BenchmarkError("Belay refuses the server") }
                    await connection.close()
                }
            }
        }
        let same =
            "TCP, TLS 1.3, evidence, verdict on chain and name, close_notify, close; event loop's thread included"
        try await report.compare(
            "handshake and verdict, P-256, warm",
            job(
                "TLSClient.handshake, ServerTrust.evaluate", same + "; a TrustCache that has met the server",
                TrustCache()),
            peer, .atLeast(1.1), interleaving)
        try await report.compare(
            "handshake and verdict, P-256, cold",
            job("TLSClient.handshake, ServerTrust.evaluate", same + "; no cache", nil), peer, nil, interleaving)
    }
}

/// nginx with one worker, on a socket that this program opened: nothing has to be waited for.
private struct Server {
    static let program = "/usr/sbin/nginx"
    let port: UInt16
    private let process: Int32
    private let folder: String

    init(_ identity: Identity) throws {
        var port: UInt16 = 0
        let listener = peer_listen(&port)
        guard listener >= 0 else { throw BenchmarkError("there is no free port on loopback") }
        defer { close(listener) }
        self.port = port
        folder = try Scratch.makeFolder()
        do {
            try Scratch.write(identity.certificates.map(\.pem).joined(), to: folder + "/chain.pem")
            try Scratch.write(identity.privateKey.pkcs8PEM(), to: folder + "/key.pem")
            try Scratch.write(Self.configuration(port), to: folder + "/nginx.conf")
            process = try Scratch.withArguments([
                Self.program, "-p", folder, "-c", folder + "/nginx.conf", "-e", folder + "/error.log",
            ]) { arguments in
                // How nginx hands its sockets to the next version of itself.
                try Scratch.withArguments(["NGINX=\(PEER_INHERITED);"]) { environment in
                    peer_start(arguments, environment, listener, -1)
                }
            }
        } catch {
            Scratch.remove(folder)
            throw error
        }
        guard process > 0 else {
            Scratch.remove(folder)
            throw BenchmarkError("nginx does not start")
        }
    }

    func stop() {
        peer_stop(process)
        Scratch.remove(folder)
    }

    private static func configuration(_ port: UInt16) -> String {
        """
        daemon off;
        worker_processes 1;
        pid nginx.pid;
        error_log error.log;
        events { worker_connections 1024; }
        http {
            access_log off;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            server {
                listen 127.0.0.1:\(port) ssl;
                ssl_certificate chain.pem;
                ssl_certificate_key key.pem;
                ssl_protocols TLSv1.3;
            }
        }
        """
    }
}
