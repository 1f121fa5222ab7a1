import BelayTrust

/// Whom a connection is meant for.
///
/// ```swift
/// let endpoint = try TLSEndpoint("Bücher.Example.", port: 443)   // host: xn--bcher-kva.example
/// ```
public struct TLSEndpoint: Sendable, Hashable {
    /// The host as the caller wrote it.
    public let hostLiteral: String
    /// The host normalised: lower case, A-labels, no trailing dot; the canonical text of an address, without brackets but with
    /// the zone of a link-local one.
    public let host: String
    /// The port.
    public let port: UInt16

    /// Names an endpoint.
    ///
    /// - Parameters:
    ///   - hostLiteral: the host as the caller wrote it; it goes into the evidence unchanged.
    ///   - host: the same host normalised; the name that is resolved and sent as SNI.
    ///   - port: the TCP port.
    public init(hostLiteral: String, host: String, port: UInt16) {
        self.hostLiteral = hostLiteral
        self.host = host
        self.port = port
    }

    /// Names an endpoint by a host as people and URLs write it, and normalises it.
    ///
    /// - Throws: `ServerNameError` where it is neither a name nor an address.
    public init(_ hostLiteral: String, port: UInt16) throws(ServerNameError) {
        self.init(hostLiteral: hostLiteral, host: Self.host(try ServerName(hostLiteral), hostLiteral), port: port)
    }

    /// The normal form of a host: that of its name, and for a link-local address the zone, without which nobody gets there.
    static func host(_ name: ServerName, _ literal: String) -> String {
        name.description + (ScopedAddress(literal)?.zone.map { "%" + $0 } ?? "")
    }

    /// Names an endpoint by a host that is in normal form already.
    public init(host: String, port: UInt16) {
        self.init(hostLiteral: host, host: host, port: port)
    }

    /// The name for the server name indication: none for an address (RFC 6066, section 3), never a trailing dot.
    var serverName: String? {
        guard SocketAddress(literal: host, port: port) == nil, !host.contains("%") else { return nil }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return name.isEmpty ? nil : name
    }

    /// Whether the host is a name, which a server can be asked for, and no address.
    package var hasServerName: Bool { serverName != nil }

    /// The name to resolve: a trailing dot that the caller wrote keeps search domains out.
    var nameToResolve: String {
        hostLiteral.hasSuffix(".") && !host.hasSuffix(".") && serverName != nil ? host + "." : host
    }
}

extension TLSEndpoint: CustomStringConvertible {
    /// The host and port, for example `example.com:443`, `[::1]:443`.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
