import BelayCertificates
import BelayTLS
import BelayTrust

/// One exchange with a server, complete and checked: what the engine needs to make it.
///
/// An object: it goes from thread to thread, and a handle keeps it to find out whether the next one asks for the same.
final class TransferOrder: Sendable {
    /// Absolute, with the host as an A-label.
    let url: String
    /// For cleartext there is nothing to judge, and whoever made the order has allowed it.
    let isEncrypted: Bool
    let content: TransferContent
    let terms: ConnectionTerms
    let settings: TransferSettings
    let answers: ConnectionAnswers
    let password: TransferPassword?
    /// Whether the connection is for this exchange alone.
    let isAlone: Bool
    /// Told what happens while it happens, on the engine's thread; nil where nobody wants to know.
    let trace: (@Sendable (TransferTrace) -> Void)?

    init(
        url: String, isEncrypted: Bool, content: TransferContent, terms: ConnectionTerms, settings: TransferSettings,
        answers: ConnectionAnswers, password: TransferPassword?, isAlone: Bool,
        trace: (@Sendable (TransferTrace) -> Void)?
    ) {
        self.url = url
        self.isEncrypted = isEncrypted
        self.content = content
        self.terms = terms
        self.settings = settings
        self.answers = answers
        self.password = password
        self.isAlone = isAlone
        self.trace = trace
    }

    /// Whether what libcurl was told for this order holds for an equal one: there is no body, password, listener or connection
    /// that nobody else is to have.
    var isRepeatable: Bool { content.body == nil && password == nil && !isAlone && trace == nil }

    /// Whether libcurl has to be told the same for another order, but for the URL. Both are repeatable.
    ///
    /// What is added to an order and set by ``Transfer/prepare(sharing:usesCookies:)`` belongs here too, or the next order would
    /// be sent with it.
    func hasOptions(of other: TransferOrder) -> Bool {
        terms.identifier == other.terms.identifier && isEncrypted == other.isEncrypted && settings == other.settings
            && content == other.content
    }
}

/// What is sent, to whatever host.
final class TransferContent: Sendable, Equatable {
    let method: String
    /// Lines of the form `Name: value`.
    let headers: [String]
    let body: [UInt8]?
    let timeouts: SessionTimeouts

    init(method: String, headers: [String], body: [UInt8]?, timeouts: SessionTimeouts) {
        self.method = method
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
    }

    /// The same with this as what authenticates, whatever else does.
    func authorized(by value: String) -> TransferContent {
        let name = "authorization"
        let others = headers.filter { line in
            let start = line.prefix { $0 != ":" && $0 != ";" }
            return !String(start).equalsIgnoringCase(name)
        }
        return TransferContent(
            method: method, headers: others + ["Authorization: \(value)"], body: body, timeouts: timeouts)
    }

    /// The same with what is left of the time after a part of it is gone; nil where nothing is left.
    func rest(after gone: Duration) -> TransferContent? {
        guard let total = timeouts.total else { return self }
        guard total > gone else { return nil }
        var timeouts = timeouts
        timeouts.total = total - gone
        return TransferContent(method: method, headers: headers, body: body, timeouts: timeouts)
    }

    static func == (first: TransferContent, second: TransferContent) -> Bool {
        first === second
            || first.method == second.method && first.timeouts == second.timeouts && first.body == second.body
                && first.headers.count == second.headers.count
                && zip(first.headers, second.headers).allSatisfy { $0.hasSameBytes(as: $1) }
    }
}

/// What is the same for all exchanges of a session.
final class TransferSettings: Sendable, Equatable {
    let route: TransferRoute
    let limits: TransferLimits
    let protocols: HTTPProtocols
    let decompresses: Bool

    init(_ configuration: SessionConfiguration) {
        route = TransferRoute(
            connectTo: configuration.connectTo, unixSocket: configuration.unixSocket, proxy: configuration.proxy)
        limits = TransferLimits(body: configuration.maximumBodySize, headers: configuration.maximumHeaderSize)
        protocols = configuration.protocols
        decompresses = configuration.decompresses
    }

    static func == (first: TransferSettings, second: TransferSettings) -> Bool {
        first === second
            || first.route == second.route && first.limits == second.limits && first.protocols == second.protocols
                && first.decompresses == second.decompresses
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

/// A name and password for HTTP Basic.
struct TransferPassword: Sendable {
    let user: String
    let password: Secret
}

/// Which versions of HTTP are spoken.
public enum HTTPProtocols: Sendable, Hashable {
    /// HTTP/2 where the server chooses it, HTTP/1.1 otherwise.
    case automatic
    /// HTTP/1.1 alone.
    case http1
}
