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

    /// Refuses a proxy whose own certificate nothing would judge.
    func check(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationError) {
        switch self {
        case .none: return
        case .url(let url):
            if Self.isEncrypted(url) { throw .encryptedProxy(source: "the configuration") }
        case .environment:
            for name in Self.variables {
                if let url = environment[name], Self.isEncrypted(url) {
                    throw .encryptedProxy(source: "the environment variable \(name)")
                }
            }
        }
    }

    /// libcurl takes any number of slashes.
    private static func isEncrypted(_ url: String) -> Bool {
        url.drop { $0.isWhitespace }.lowercased().hasPrefix("https:")
    }
}
