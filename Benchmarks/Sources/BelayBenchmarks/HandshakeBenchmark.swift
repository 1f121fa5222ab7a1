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
        guard access(Nginx.program, X_OK) == 0 else {
            report.skip("handshakes: \(Nginx.program) is not there (Debian: nginx)")
            return
        }
        let server = try Nginx(material.server, site: "ssl_protocols TLSv1.3;")
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
