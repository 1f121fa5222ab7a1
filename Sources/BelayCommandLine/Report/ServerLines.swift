import BelayCertificates
import FoundationEssentials

/// What a server's configuration has to say to use a certificate.
struct ServerLines {
    let names: [String]
    let certificate: String
    /// Nil where the key stayed with whoever asked.
    let key: String?
    let root: String
    let isKeyProtected: Bool

    /// Lines of an nginx `server` block; those for mutual TLS are comments.
    var nginx: [String] {
        let hosts = names.filter { IPAddress($0) == nil }
        return [
            "listen 443 ssl;",
            "server_name \((hosts.isEmpty ? ["_"] : hosts).joined(separator: " "));",
            "ssl_certificate \(Self.word(certificate));",
            "ssl_certificate_key \(key.map(Self.word) ?? "KEY");",
        ] + (isKeyProtected ? ["ssl_password_file FILE;"] : []) + [
            "ssl_protocols TLSv1.2 TLSv1.3;",
            "# Clients have to show a certificate of this authority:",
            "# ssl_client_certificate \(Self.word(root));",
            "# ssl_verify_client on;",
            "# ssl_verify_depth 2;",
        ]
    }

    /// Lines for HAProxy, which finds the key beside the certificate.
    var haproxy: [String] {
        let file = Self.word(certificate)
        return [
            "global",
            "    ssl-load-extra-del-ext",
            "    ssl-load-extra-files key",
            "frontend https",
            "    bind :443 ssl crt \(file) ssl-min-ver TLSv1.2 alpn h2,http/1.1",
            "    # Clients have to show a certificate of this authority:",
            "    # bind :443 ssl crt \(file) ssl-min-ver TLSv1.2 alpn h2,http/1.1 ca-file \(Self.word(root)) verify required",
        ]
    }

    /// Where the server is reached.
    var url: String {
        guard let name = names.first else { return "https://HOST" }
        if name.hasPrefix("*.") { return "https://www\(name.dropFirst())" }
        return name.contains(":") ? "https://[\(name)]" : "https://\(name)"
    }

    /// An absolute path as both programs read it: servers start elsewhere.
    private static func word(_ path: String) -> String {
        let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        let isPlain = absolute.unicodeScalars.allSatisfy { !" \t;'\"\\{}#$".unicodeScalars.contains($0) }
        if isPlain { return absolute }
        return "\"" + absolute.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}
