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
    /// Whether the connection is for this exchange alone.
    var isAlone = false
    /// Told what happens while it happens, on the engine's thread; nil where nobody wants to know.
    var trace: (@Sendable (TransferTrace) -> Void)?
}

/// Everything of an order that becomes an option of libcurl's and may be found as it is by the next one.
///
/// An object, so that handles keep it and compare it without copying its parts.
final class TransferOptions: Sendable, Equatable {
    private let values: Values

    struct Values: Sendable, Equatable {
        let terms: UInt64
        let isEncrypted: Bool
        let method: String
        let headers: [String]
        let route: TransferRoute
        let timeouts: SessionTimeouts
        let protocols: HTTPProtocols
        let decompresses: Bool

        static func == (first: Self, second: Self) -> Bool {
            // Bytes: Swift takes for equal what is written with other code points, and a server does not.
            first.terms == second.terms && first.isEncrypted == second.isEncrypted && first.method == second.method
                && first.headers.count == second.headers.count
                && zip(first.headers, second.headers).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
                && first.route == second.route && first.timeouts == second.timeouts
                && first.protocols == second.protocols && first.decompresses == second.decompresses
        }
    }

    init(_ values: Values) {
        self.values = values
    }

    static func == (first: TransferOptions, second: TransferOptions) -> Bool { first.values == second.values }
}

extension TransferOrder {
    /// The order's options; nil where there is a body, a password, a listener or a connection that nobody else is to have.
    ///
    /// What is added to an order and set by ``Transfer/prepare(sharing:usesCookies:)`` belongs here too, or the next order would
    /// be sent with it.
    var repeatableOptions: TransferOptions? {
        guard body == nil, password == nil, !isAlone, trace == nil else { return nil }
        return TransferOptions(
            TransferOptions.Values(
                terms: terms.identifier, isEncrypted: isEncrypted, method: method, headers: headers, route: route,
                timeouts: timeouts, protocols: protocols, decompresses: decompresses))
    }
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
