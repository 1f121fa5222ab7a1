import BelayCertificates
import BelayLaboratory
import BelaySession
import Foundation
import SessionTestSupport
import TestSupport

/// An nginx that the session talks to, and proxies that it talks through.
struct SessionNginx: Provided {
    /// The servers; each has a port of its own. All are for `www.shop.test` and `stock.shop.test`.
    enum Server: String, CaseIterable {
        /// HTTP/1.1.
        case plain
        /// HTTP/2.
        case http2
        /// Clients must show a certificate; TLS 1.2, 1.3.
        case mutual12
        case mutual13
        /// The same, and no issuers are named.
        case anyIssuer
        /// On ::1 alone.
        case ipv6
        /// Without TLS.
        case cleartext
    }

    let nginx: Peer
    let tinyproxy: Peer
    let microsocks: Peer
    let folder: TemporaryFolder
    let ports: [Server: UInt16]
    let httpProxy: UInt16
    let socksProxy: UInt16

    @TaskLocal static var current: SessionNginx?

    static func withCurrent(_ value: SessionNginx, _ body: @Sendable () async throws -> Void) async throws {
        try await $current.withValue(value, operation: body)
    }

    /// The socket of the file system that it listens on, with TLS.
    var unixSocket: String { folder("socket") }

    static let user = "user"
    static let password = "pass phrase"

    func place(_ server: Server) -> String {
        "\(server == .ipv6 ? "[::1]" : "127.0.0.1"):\(ports[server] ?? 0)"
    }

    /// A session for which every host is the server.
    func session(
        _ server: Server, policy: ConnectionPolicy? = nil, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        try Session(
            baseURL: "https://\(Site.host)/", configuration: .tests(at: place(server), change),
            policy: policy ?? .tests())
    }

    func end() async {
        for peer in [nginx, tinyproxy, microsocks] { await peer.stop() }
        folder.remove()
    }

    static func make() async throws -> SessionNginx {
        let folder = try TemporaryFolder()
        let identity = try SharedWorld.server([Site.host, Site.otherHost, "127.0.0.1", "::1"])
        try folder.write("chain.pem", identity.certificates.map(\.pem).joined())
        try folder.write("key.pem", identity.privateKey.pkcs8PEM())
        try folder.write("client-root.pem", SharedWorld.get().authorities.clientRoot.certificate.pem)
        try folder.write("users", "\(user):{PLAIN}\(password)\n")
        try FileManager.default.createDirectory(atPath: folder("files"), withIntermediateDirectories: true)
        try folder.write(
            "files/large.txt", String(repeating: "The quick brown fox jumps over the lazy dog.\n", count: 5_000))
        let servers = Server.allCases
        let (nginx, ports) = try await NginxProcess.start(in: folder, ports: servers.count) { ports in
            configuration(in: folder, zip(servers, ports).map { $0.configuration(port: $1) })
        }
        let (tinyproxy, httpPorts) = try await Peer.start("tinyproxy", ports: 1) {
            $0.contains("Accepting connections")
        } arguments: { ports in
            // Without a user it would warn; without a log file it writes to standard output.
            try folder.write(
                "tinyproxy.conf",
                "Port \(ports[0])\nListen 127.0.0.1\nMaxClients 100\nTimeout 60\nLogLevel Info\nDisableViaHeader Yes\n"
            )
            return ["-d", "-c", folder("tinyproxy.conf")]
        }
        let (microsocks, socksPorts) = try await Peer.startSilent("microsocks") { port in
            ["-i", "127.0.0.1", "-p", "\(port)"]
        }
        return SessionNginx(
            nginx: nginx, tinyproxy: tinyproxy, microsocks: microsocks, folder: folder,
            ports: Dictionary(uniqueKeysWithValues: zip(servers, ports)), httpProxy: httpPorts[0],
            socksProxy: socksPorts)
    }

    private static func configuration(in folder: TemporaryFolder, _ blocks: [String]) -> String {
        """
        access_log off; absolute_redirect off;
        ssl_protocols TLSv1.2 TLSv1.3;
        keepalive_timeout 600;
        gzip_types text/plain; gzip_min_length 100; gzip_http_version 1.0; gzip_proxied any;
        \(blocks.joined(separator: "\n"))
        server { listen unix:\(folder("socket")) ssl; \(Server.places) }
        """
    }
}

extension SessionNginx.Server {
    /// What can be asked for.
    static let places = #"""
        location / { return 200 "$server_protocol $ssl_protocol $host $connection_requests\n"; }
        location /echo {
            return 200 "$request_method $request_uri|authorization=$http_authorization|cookie=$http_cookie|token=$http_x_api_token|client=$ssl_client_s_dn\n";
        }
        location /client { return 200 "$ssl_client_verify $ssl_client_s_dn\n"; }
        location /basic { auth_basic "shop"; auth_basic_user_file users; try_files /large.txt =404; root files; }
        location /large.txt { add_header X-Connection $connection; root files; }
        location /gzip/ { gzip on; alias files/; }
        location /cookie { add_header Set-Cookie "basket=7; Path=/; Secure"; return 200 "set\n"; }
        location /away { return 307 https://stock.shop.test/echo; }
        location /away-with-cookie { add_header Set-Cookie "basket=7; Path=/" always; return 302 https://stock.shop.test/echo; }
        location /here { return 302 /echo?from=here; }
        location /post { return 303 /echo; }
        location /to-http { return 301 http://www.shop.test/echo; }
        """#

    fileprivate func configuration(port: UInt16) -> String {
        switch self {
        case .plain: "server { listen 127.0.0.1:\(port) ssl; \(Self.places) }"
        case .http2:
            "server { listen 127.0.0.1:\(port) ssl http2; \(Self.places) }"
        case .mutual12:
            mutual(port, "ssl_protocols TLSv1.2; ssl_client_certificate client-root.pem; ssl_verify_client on;")
        case .mutual13:
            mutual(port, "ssl_protocols TLSv1.3; ssl_client_certificate client-root.pem; ssl_verify_client on;")
        case .anyIssuer: mutual(port, "ssl_verify_client optional_no_ca;")
        case .ipv6: "server { listen [::1]:\(port) ssl; \(Self.places) }"
        case .cleartext: "server { listen 127.0.0.1:\(port); \(Self.places) }"
        }
    }

    private func mutual(_ port: UInt16, _ settings: String) -> String {
        "server { listen 127.0.0.1:\(port) ssl; \(settings) \(Self.places) }"
    }
}
