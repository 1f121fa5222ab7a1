import BelayTrust

/// How a session makes connections and what it puts up with.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.timeouts.total = .seconds(20)
/// configuration.maximumBodySize = 4 << 20
/// ```
public struct SessionConfiguration: Sendable {
    /// Headers that every request gets which does not set them itself.
    public var headers: HTTPHeaders = [:]
    /// How long each phase may take, where a request does not say otherwise.
    public var timeouts = SessionTimeouts()
    /// Which versions of HTTP are spoken.
    public var protocols = HTTPProtocols.automatic
    /// The most bytes that a response's body may have, after decompression. A longer one ends the exchange.
    public var maximumBodySize = 64 << 20
    /// The most bytes that all headers of a response may have together.
    public var maximumHeaderSize = 256 << 10
    /// Connections to one host and port at a time.
    public var maximumConnectionsPerHost = 64
    /// Connections that are kept for later.
    public var maximumIdleConnections = 256
    /// Whether TLS sessions are resumed. Only those made under the very same policy are.
    public var resumesSessions = true
    /// Whether cookies are kept, in memory, and sent back.
    public var storesCookies = true
    /// Whether compressed responses are asked for and unpacked.
    public var decompresses = true
    /// Which proxy connections go through.
    public var proxy = ProxySetting.environment
    /// A socket of the file system that all connections are made to.
    public var unixSocket: String?
    /// Dial this host and port instead of the URL's, for example `127.0.0.1:8443`; the URL's name is what is verified.
    public var connectTo: String?
    /// Where redirects are followed to.
    public var redirects = RedirectPolicy()
    /// Which responses are fine, where a request does not say otherwise.
    public var acceptance = ResponseAcceptance.standard
    /// Look at every request before it goes out, and decide whether one that failed is tried again; in this order.
    public var interceptors: [any RequestInterceptor] = []
    /// Told of everything that happens, on whatever thread it happens; it must be quick.
    public var onEvent: (@Sendable (SessionEvent) -> Void)?
    /// Whether events tell of every connection that is used and of every head that is sent or received, for those who look
    /// for a fault. It costs time.
    public var announcesHeads = false
    /// Answers challenges; nil for the default handling of all.
    public var onChallenge: ChallengeHandler?
    /// Whether ``onChallenge`` is asked for passwords alone, and not about servers and identities.
    ///
    /// A server that the handler is asked about sees its first handshake given up, since nothing waits in the middle of one; the answer holds
    /// for the next. Where the policy's verdict is enough, that can be spared.
    public var asksForPasswordsOnly = false
    /// A file that the keys of all connections are appended to, for those who read them off the network. It defeats encryption:
    /// whoever has the file can read everything. The session announces it by ``SessionEvent/keysAreLogged(file:)``, and it is never
    /// taken from the environment.
    public var keyLogFile: String?

    /// The defaults.
    public init() {}
}

/// How long an exchange and its phases may take. Limits of single phases are looked at four times a second.
///
/// ```swift
/// configuration.timeouts.resolve = .seconds(2)
/// configuration.timeouts.firstByte = .seconds(10)
/// ```
///
/// The error says which phase took too long (``SessionError/phase``).
public struct SessionTimeouts: Sendable, Hashable {
    /// Resolving the name, connecting and the TLS handshake together; nil for no end.
    public var connect: Duration? = .seconds(15)
    /// Resolving the name alone; nil for no limit but ``connect``.
    public var resolve: Duration?
    /// Connecting alone, to the server or the proxy, whatever its addresses are, and the proxy's answer; nil for no limit but ``connect``.
    public var tcpConnect: Duration?
    /// The TLS handshake alone; nil for no limit but ``connect``.
    public var handshake: Duration?
    /// From the end of the request to the first byte of the response; nil for no limit but ``idle``.
    public var firstByte: Duration?
    /// Time in which not a byte moves, looked at four times a second; nil for no end.
    public var idle: Duration? = .seconds(60)
    /// Everything together, redirects and challenges not counted; nil for no end.
    public var total: Duration?

    /// The defaults: 15 s to connect, 60 s of silence, no end.
    public init() {}
}
