import BelayCertificates
import BelayTrust

/// Who answers for a resource (RFC 6454, section 4): a scheme, a host and a port.
///
/// Credentials given for an origin are not for another, whatever it is a redirect of. Hosts are compared in their normal
/// form, so that `https://Bücher.test` and `https://xn--bcher-kva.test:443` are the same origin.
public struct Origin: Sendable, Hashable {
    /// The scheme.
    public let scheme: SessionURL.Scheme
    /// The host in its normal form.
    public let host: ServerName
    /// The port; the scheme's own where the URL has none.
    public let port: UInt16
    /// Which of this machine's interfaces leads to the host, for a link-local address; elsewhere nil. The same address beyond
    /// another interface is another machine.
    public let zone: String?

    /// Names an origin.
    ///
    /// - Parameters:
    ///   - scheme: the scheme.
    ///   - host: the host.
    ///   - port: the port; nil for the scheme's own.
    ///   - zone: the zone of a link-local address; nil for all others.
    public init(scheme: SessionURL.Scheme, host: ServerName, port: UInt16? = nil, zone: String? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.defaultPort
        self.zone = zone
    }
}

extension Origin: CustomStringConvertible {
    /// The origin as a URL begins, without the port where it is the scheme's own (RFC 6454, section 6.2).
    public var description: String {
        let suffix = port == scheme.defaultPort ? "" : ":\(port)"
        let place = zone.map { "[\(host)%25\($0)]" } ?? host.urlText
        return "\(scheme.rawValue)://\(place)\(suffix)"
    }
}

extension ServerName {
    /// The host as URLs write it: IPv6 in brackets (RFC 3986, section 3.2.2).
    var urlText: String {
        if case .ip(let address) = self, address.octets.count == 16 { "[\(address)]" } else { description }
    }
}
