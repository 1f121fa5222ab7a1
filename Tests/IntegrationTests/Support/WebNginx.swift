import BelayCertificates
import BelayLaboratory
import Foundation
import TestSupport

/// An nginx with pages for HTTP clients: over TLS, in the clear, and at a socket of the file system.
struct WebNginx: Provided {
    let peer: Peer
    let folder: TemporaryFolder
    let port: UInt16
    let cleartextPort: UInt16

    @TaskLocal static var current: WebNginx?

    /// A text that compresses well.
    static let page = String(repeating: "All work and no play. ", count: 2_000)

    static func withCurrent(_ value: WebNginx, _ body: @Sendable () async throws -> Void) async throws {
        try await $current.withValue(value, operation: body)
    }

    /// What is needed to get there and to trust it.
    var options: [String] {
        [
            "--connect-to", "127.0.0.1:\(port)", "--no-system-anchors", "--anchor", folder("roots.pem"), "--timeout",
            "30",
        ]
    }

    func url(_ path: String) -> String { "https://\(Site.host)\(path)" }

    /// Runs `belay get`.
    func get(_ path: String, _ more: String..., environment: [String: String] = [:]) async throws -> Program.Run {
        try await Program.run(["get", url(path)] + options + more, environment: environment)
    }

    func end() async {
        await peer.stop()
        folder.remove()
    }

    static func make() async throws -> WebNginx {
        let folder = try TemporaryFolder()
        let world = try LaboratoryWorld()
        let authorities = world.authorities
        let server = try authorities.publicIntermediate.issueIdentity(
            .server(names: [Site.host]), key: .generate(.p256))
        try folder.write("roots.pem", authorities.publicRoot.certificate.pem)
        try folder.write("chain.pem", server.certificates.map(\.pem).joined())
        try folder.write("key.pem", server.privateKey.pkcs8PEM())
        try FileManager.default.createDirectory(atPath: folder("site"), withIntermediateDirectories: true)
        try folder.write("site/page.txt", page)
        try folder.write("site/private.txt", "for ada\n")
        let hash = try Tool.openssl("passwd", "-apr1", "geheim").text.trimmingCharacters(in: .whitespacesAndNewlines)
        try folder.write("users", "ada:\(hash)\n")
        // nginx drops its rights where it has them, and its workers read the pages.
        for name in ["", "/site", "/site/page.txt", "/site/private.txt", "/users"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: name.hasSuffix("site") || name.isEmpty ? 0o755 : 0o644],
                ofItemAtPath: folder.path + name)
        }
        let (peer, ports) = try await NginxProcess.start(in: folder, ports: 2, connections: 256) { ports in
            configuration(in: folder, ports)
        }
        return WebNginx(peer: peer, folder: folder, port: ports[0], cleartextPort: ports[1])
    }

    private static func configuration(in folder: TemporaryFolder, _ ports: [UInt16]) -> String {
        """
        access_log off;
        server {
            listen 127.0.0.1:\(ports[0]) ssl http2; listen unix:\(folder("socket")) ssl; server_name \(Site.host);
            root site;
            location = /hello { return 200 "$server_protocol $request_method $http_cookie\\n"; }
            location = /missing { return 404 "nothing here\\n"; }
            location = /cookie { add_header Set-Cookie "id=7; Path=/; Secure"; return 302 /hello; }
            location = /page.txt { gzip on; gzip_types text/plain; gzip_http_version 1.0; }
            location = /private.txt { auth_basic "shop"; auth_basic_user_file users; }
        }
        server {
            listen 127.0.0.1:\(ports[1]); server_name \(Site.host);
            location = /hello { return 200 "$server_protocol $scheme\\n"; }
            location = /up { return 301 https://\(Site.host)/hello; }
        }
        """
    }
}
