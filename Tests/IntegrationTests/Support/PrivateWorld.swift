import BelayCertificates
import Foundation
import TestSupport

/// An authority that `belay ca` made, and nginx and HAProxy with the lines that it printed.
struct PrivateWorld: Provided {
    /// A server program, one-way or mutual.
    enum Server: String, CaseIterable, Sendable {
        case nginx, nginxMutual, haproxy, haproxyMutual

        var isMutual: Bool { self == .nginxMutual || self == .haproxyMutual }
    }

    static let host = "api.shop.test"
    static let passphrase = "open sesame"

    let folder: TemporaryFolder
    private let peers: [Peer]
    let ports: [Server: UInt16]

    @TaskLocal static var current: PrivateWorld?

    static func withCurrent(_ value: PrivateWorld, _ body: @Sendable () async throws -> Void) async throws {
        try await $current.withValue(value, operation: body)
    }

    func end() async {
        for peer in peers { await peer.stop() }
        folder.remove()
    }

    /// Runs `belay ca`; anything but success is an error.
    static func authority(_ arguments: [String]) async throws -> Program.Run {
        let run = try await Program.run(["ca"] + arguments, environment: ["CA": "authority", "P12": passphrase])
        guard run.status == 0 else { throw Tool.Failed(description: "belay ca \(arguments): \(run.errors)") }
        return run
    }

    static func make() async throws -> PrivateWorld {
        let folder = try TemporaryFolder()
        let ca = ["--ca", folder("ca"), "--passphrase-env", "CA", "--out", folder("tls")]
        _ = try await authority(
            [
                "init", "--name", "Shop", "--intermediate", "--permit", "shop.test", "--out", folder("ca"),
                "--passphrase-env", "CA",
            ])
        let issued = try await authority(["issue", "server", host, "--format", "json"] + ca).json()
        _ = try await authority(["issue", "client", "ada", "--new-passphrase-env", "P12"] + ca)
        try folder.write("passphrase", passphrase + "\n")

        let nginxLines = try lines(issued, "nginx")
        let haproxyLines = try lines(issued, "haproxy")
        let (nginx, nginxPorts) = try await Peer.start("nginx", ports: 2) {
            $0.contains("getrlimit(RLIMIT_NOFILE)")
        } arguments: { ports in
            try folder.write("nginx.conf", Self.nginx(nginxLines, ports, in: folder))
            return ["-e", "stderr", "-p", folder.path, "-c", folder("nginx.conf")]
        }
        let (haproxy, haproxyPorts): (Peer, [UInt16])
        do {
            (haproxy, haproxyPorts) = try await Peer.start("haproxy", ports: 2) {
                $0.contains("Loading success") || $0.contains("New worker")
            } arguments: { ports in
                try folder.write("haproxy.cfg", Self.haproxy(haproxyLines, ports))
                return ["-W", "-f", folder("haproxy.cfg")]
            }
        } catch {
            await nginx.stop()
            throw error
        }
        return PrivateWorld(
            folder: folder, peers: [nginx, haproxy],
            ports: [
                .nginx: nginxPorts[0], .nginxMutual: nginxPorts[1], .haproxy: haproxyPorts[0],
                .haproxyMutual: haproxyPorts[1],
            ])
    }

    private static func lines(_ report: [String: Any], _ name: String) throws -> [String] {
        guard let lines = report[name] as? [String] else { throw Tool.Failed(description: "no lines for \(name)") }
        return lines
    }

    /// The printed lines in a server each; for the mutual one those that are comments are uncommented.
    private static func nginx(_ lines: [String], _ ports: [UInt16], in folder: TemporaryFolder) -> String {
        func server(_ port: UInt16, mutual: Bool) -> String {
            let used = lines.compactMap { line -> String? in
                if line == "listen 443 ssl;" { return "listen 127.0.0.1:\(port) ssl;" }
                guard line.hasPrefix("# ") else { return line }
                return mutual && line.hasSuffix(";") ? String(line.dropFirst(2)) : nil
            }
            return "server { \(used.joined(separator: "\n")) location / { return 200 \"nginx $ssl_client_s_dn\\n\"; } }"
        }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder($0));" }
        return """
            daemon off; master_process off; pid \(folder("pid")); error_log stderr notice;
            events { worker_connections 64; }
            http {
                \(temporary.joined(separator: " "))
                access_log off;
                \(server(ports[0], mutual: false))
                \(server(ports[1], mutual: true))
            }

            """
    }

    /// The printed lines, with the frontend once one-way and once mutual.
    private static func haproxy(_ lines: [String], _ ports: [UInt16]) -> String {
        let start = lines.firstIndex(of: "frontend https") ?? lines.endIndex
        let binds = lines[start...].filter { $0.contains("bind :443") }
        func frontend(_ name: String, _ port: UInt16, _ bind: String) -> String {
            let used = bind.replacingOccurrences(of: "# ", with: "")
                .replacingOccurrences(of: ":443", with: "127.0.0.1:\(port)")
            return """
                frontend \(name)
                \(used)
                    http-request return status 200 content-type text/plain lf-string "haproxy %[ssl_c_s_dn(cn)]\\n"
                """
        }
        return """
            \(lines[..<start].joined(separator: "\n"))
            defaults
                mode http
                timeout client 10s
                timeout connect 10s
                timeout server 10s
            \(frontend("oneway", ports[0], binds.first ?? ""))
            \(frontend("mutual", ports[1], binds.last ?? ""))

            """
    }
}
