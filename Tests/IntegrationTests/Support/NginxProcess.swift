import TestSupport

/// Starts an nginx that stays in the foreground and keeps everything in one folder.
enum NginxProcess {
    /// Starts it once its ports are known.
    ///
    /// - Parameter http: what goes into the `http` block, by the ports.
    static func start(
        in folder: TemporaryFolder, ports count: Int, connections: Int = 512, http: ([UInt16]) -> String
    ) async throws -> (peer: Peer, ports: [UInt16]) {
        try await Peer.start("nginx", ports: count) {
            // The last of what it says before it serves.
            $0.contains("getrlimit(RLIMIT_NOFILE)")
        } arguments: { ports in
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(folder($0));"
            }
            try folder.write(
                "nginx.conf",
                """
                daemon off; master_process off; pid \(folder("pid")); error_log stderr notice;
                events { worker_connections \(connections); }
                http {
                    \(temporary.joined(separator: " "))
                    default_type text/plain;
                    ssl_certificate chain.pem; ssl_certificate_key key.pem;
                    \(http(ports))
                }

                """)
            return ["-e", "stderr", "-p", folder.path, "-c", folder("nginx.conf")]
        }
    }
}
