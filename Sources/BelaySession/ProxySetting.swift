import FoundationEssentials

/// Which proxy connections go through.
public enum ProxySetting: Sendable, Hashable {
    /// The one that the environment names: `https_proxy`, `http_proxy`, `all_proxy`, but for hosts in `no_proxy`.
    case environment
    /// None.
    case none
    /// This one: `http://host:port`, `socks5h://host:port` and their kin. A proxy that is itself spoken to by TLS is refused.
    case url(String)
}

extension ProxySetting {
    /// The variables that libcurl reads. `HTTP_PROXY` is not among them: a server's request header could set it.
    private static let variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]

    /// Refuses a proxy whose own certificate nothing would judge, and one of a kind that is not known.
    func check(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationError) {
        switch self {
        case .none: return
        case .url(let url):
            try Self.check(url, from: "the configuration")
        case .environment:
            for name in Self.variables {
                if let url = environment[name] { try Self.check(url, from: "the environment variable \(name)") }
            }
        }
    }

    /// The schemes that libcurl knows; `socks` is version 4.
    private static let schemes: Set = ["http", "socks", "socks4", "socks4a", "socks5", "socks5h"]

    private static func check(_ url: String, from source: String) throws(ConfigurationError) {
        let text = url.drop { $0.isWhitespace }
        guard let colon = text.firstIndex(of: ":") else { return }
        let scheme = text[..<colon].lowercased()
        // libcurl takes any number of slashes, also none.
        if scheme == "https" { throw .encryptedProxy(source: source) }
        // Without slashes it is a host and its port.
        guard text[colon...].hasPrefix(":/"), !schemes.contains(scheme) else { return }
        throw .unknownProxy(scheme: scheme, source: source)
    }
}
