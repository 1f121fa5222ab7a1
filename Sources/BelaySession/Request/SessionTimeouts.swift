/// How long a request and its phases may take. nil is no limit of this kind, or the session's in a request.
public struct SessionTimeouts: Sendable, Hashable {
    /// Until there is a connection: address, TCP, TLS, and the proxy's share of these.
    public var connect: Duration?
    /// Without a byte in either direction, as Foundation's `timeoutIntervalForRequest` counts.
    public var idle: Duration?
    /// From the start to the response's last byte, redirects included, as `timeoutIntervalForResource` counts.
    public var total: Duration?

    /// Limits; none that is left out.
    public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }

    /// What sessions start with: 30 seconds to connect and 60 without a byte, no limit for the whole.
    public static let standard = SessionTimeouts(connect: .seconds(30), idle: .seconds(60))

    /// These, and the other's where these are silent.
    public func over(_ other: SessionTimeouts) -> SessionTimeouts {
        SessionTimeouts(connect: connect ?? other.connect, idle: idle ?? other.idle, total: total ?? other.total)
    }
}
