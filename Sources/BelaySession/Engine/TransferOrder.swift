import BelayTLS
import BelayTrust

/// One exchange with a server, complete and checked: what the engine needs to make it.
struct TransferOrder: Sendable {
    /// Absolute, with the host as an A-label.
    var url: String
    /// For cleartext there is nothing to judge, and whoever made the order has allowed it.
    var isEncrypted: Bool
    var method: String
    /// Lines of the form `Name: value`.
    var headers: [String]
    var body: [UInt8]?
    var terms: ConnectionTerms
    var answers = ConnectionAnswers()
    var route = TransferRoute()
    var limits = TransferLimits()
    var timeouts = SessionTimeouts()
    var protocols = HTTPProtocols.automatic
    var decompresses = true
    var password: TransferPassword?
}

/// Where a connection goes, when it is not where its URL says.
struct TransferRoute: Sendable, Hashable {
    /// Dial this host and port, for example `127.0.0.1:8443`.
    var connectTo: String?
    /// A socket of the file system.
    var unixSocket: String?
    var proxy = ProxySetting.environment
}

/// What a response may not exceed.
struct TransferLimits: Sendable, Hashable {
    /// In bytes, after decompression.
    var body = 64 << 20
    /// All headers together, in bytes.
    var headers = 256 << 10
    /// Responses of the 1xx kind before the real one.
    var informational = 16
}

/// A name and password for HTTP's own authentication.
struct TransferPassword: Sendable {
    enum Scheme: Sendable {
        case basic
        case digest
    }
    let scheme: Scheme
    let user: String
    let password: String
}

/// Which versions of HTTP are spoken.
public enum HTTPProtocols: Sendable, Hashable {
    /// HTTP/2 where the server chooses it, HTTP/1.1 otherwise.
    case automatic
    /// HTTP/1.1 alone.
    case http1
}

/// Which proxy connections go through.
public enum ProxySetting: Sendable, Hashable {
    /// The one that the environment names: `https_proxy`, `http_proxy`, `all_proxy`, but for hosts in `no_proxy`.
    case environment
    /// None.
    case none
    /// This one: `http://host:port`, `socks5h://host:port` and their kin. A proxy that is itself spoken to by TLS is refused.
    case url(String)
}
