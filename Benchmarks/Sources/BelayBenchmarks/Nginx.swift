import BelayCertificates
import CPeers
import Glibc

/// nginx with one worker, on a socket that this program opened: nothing has to be waited for.
struct Nginx {
    static let program = "/usr/sbin/nginx"
    let port: UInt16
    private let process: Int32
    private let folder: String

    /// Starts it.
    ///
    /// - Parameters:
    ///   - site: directives of its one site, beside the certificate.
    ///   - listen: parameters of its socket beside `ssl`.
    ///   - files: what it serves, by name.
    init(_ identity: Identity, site: String, listen: String = "", files: [String: String] = [:]) throws {
        var port: UInt16 = 0
        let listener = peer_listen(&port)
        guard listener >= 0 else { throw BenchmarkError("there is no free port on loopback") }
        defer { close(listener) }
        self.port = port
        folder = try Scratch.makeFolder()
        do {
            try Scratch.write(identity.certificates.map(\.pem).joined(), to: folder + "/chain.pem")
            let key = try identity.privateKey.pkcs8PEM().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            try Scratch.write(key, to: folder + "/key.pem")
            let root = folder + "/files"
            guard mkdir(root, 0o755) == 0 else { throw BenchmarkError("\(root) cannot be made") }
            for (name, text) in files { try Scratch.write(text, to: root + "/" + name) }
            // The worker gives up being root.
            for name in files.keys { chmod(root + "/" + name, 0o644) }
            chmod(folder, 0o755)
            try Scratch.write(
                Self.configuration("127.0.0.1:\(port) ssl \(listen)", site), to: folder + "/nginx.conf")
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

    private static func configuration(_ address: String, _ site: String) -> String {
        """
        daemon off;
        worker_processes 1;
        worker_rlimit_nofile 8192;
        pid nginx.pid;
        error_log error.log;
        events { worker_connections 4096; }
        http {
            access_log off;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            server {
                listen \(address);
                root files;
                ssl_certificate chain.pem;
                ssl_certificate_key key.pem;
                \(site)
            }
        }
        """
    }
}
