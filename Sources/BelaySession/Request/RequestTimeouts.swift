/// How long one request may take where it differs from its session; nil is the session's limit.
public struct RequestTimeouts: Sendable, Hashable {
    /// Resolving the name, connecting and the TLS handshake together.
    public var connect: Duration?
    /// Resolving the name alone.
    public var resolve: Duration?
    /// Connecting alone.
    public var tcpConnect: Duration?
    /// The TLS handshake alone.
    public var handshake: Duration?
    /// From the end of the request to the first byte of the response.
    public var firstByte: Duration?
    /// Time in which not a byte moves, looked at four times a second.
    public var idle: Duration?
    /// Everything together.
    public var total: Duration?

    /// Limits; the session's where one is left out.
    public init(
        connect: Duration? = nil, resolve: Duration? = nil, tcpConnect: Duration? = nil, handshake: Duration? = nil,
        firstByte: Duration? = nil, idle: Duration? = nil, total: Duration? = nil
    ) {
        self.connect = connect
        self.resolve = resolve
        self.tcpConnect = tcpConnect
        self.handshake = handshake
        self.firstByte = firstByte
        self.idle = idle
        self.total = total
    }

    /// What holds for the request in a session.
    public func applied(to session: SessionTimeouts) -> SessionTimeouts {
        var timeouts = session
        if let connect { timeouts.connect = connect }
        if let resolve { timeouts.resolve = resolve }
        if let tcpConnect { timeouts.tcpConnect = tcpConnect }
        if let handshake { timeouts.handshake = handshake }
        if let firstByte { timeouts.firstByte = firstByte }
        if let idle { timeouts.idle = idle }
        if let total { timeouts.total = total }
        return timeouts
    }
}
