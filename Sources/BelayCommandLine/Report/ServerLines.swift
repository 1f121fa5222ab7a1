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

    /// Lines of an nginx `server` block, with names that the authority has checked; those for mutual TLS are comments.
    var nginx: [String] {
        let hosts = names.filter { IPAddress($0) == nil }
        return [
            "listen 443 ssl;",
            "server_name \((hosts.isEmpty ? ["_"] : hosts).joined(separator: " "));",
            "ssl_certificate \(Self.word(certificate) ?? "CERTIFICATE");",
            "ssl_certificate_key \(key.map { Self.word($0) ?? "KEY" } ?? "KEY");",
        ] + (isKeyProtected ? ["ssl_password_file FILE;"] : []) + [
            "ssl_protocols TLSv1.2 TLSv1.3;",
            "# Clients have to show a certificate of this authority:",
            "# ssl_client_certificate \(Self.word(root) ?? "ROOT");",
            "# ssl_verify_client on;",
            "# ssl_verify_depth 2;",
        ]
    }

    /// Lines for HAProxy, which finds the key beside the certificate.
    var haproxy: [String] {
        // Between single quotes HAProxy reads no variables.
        func word(_ path: String, _ name: String) -> String {
            let path = Self.absolute(path)
            return printable(path) == path ? ShellText.quoted(path) : name
        }
        let file = word(certificate, "CERTIFICATE")
        return [
            "global",
            "    ssl-load-extra-del-ext",
            "    ssl-load-extra-files key",
            "frontend https",
            "    bind :443 ssl crt \(file) ssl-min-ver TLSv1.2 alpn h2,http/1.1",
            "    # Clients have to show a certificate of this authority:",
            "    # bind :443 ssl crt \(file) ssl-min-ver TLSv1.2 alpn h2,http/1.1 ca-file \(word(root, "ROOT")) verify required",
        ]
    }

    /// Where the server is reached.
    var url: String {
        guard let name = names.first else { return "https://HOST" }
        if name.hasPrefix("*.") { return "https://www\(name.dropFirst())" }
        return name.contains(":") ? "https://[\(name)]" : "https://\(name)"
    }

    /// Servers start elsewhere.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    /// An absolute path as nginx reads it; nil where it cannot be written there: between quotes too `$` begins a variable.
    private static func word(_ path: String) -> String? {
        let path = absolute(path)
        guard !path.contains("$"), printable(path) == path else { return nil }
        if path.unicodeScalars.allSatisfy({ !" \t;'\"\\{}#".unicodeScalars.contains($0) }) { return path }
        return "\"" + path.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}
