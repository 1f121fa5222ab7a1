import BelayTLS
import BelayTrust

/// An absolute `http` or `https` URL in the form in which it is requested.
///
/// ```swift
/// let base = try SessionURL("https://Bücher.test/api/v1").asBase
/// let url = try base.resolving("users/1?full=yes")
/// print(url.text)      // https://xn--bcher-kva.test/api/v1/users/1?full=yes
/// ```
///
/// Reading is strict where a mistake could lead to another server: no user name or password, hosts that
/// `ServerName` reads and libcurl takes for the same, ports from 1 to 65535, no control characters. It is generous where
/// nobody could be misled: characters that may not stand in a path, query or fragment (spaces, letters beyond ASCII) are
/// percent-encoded as UTF-8, as browsers do.
public struct SessionURL: Sendable, Hashable {
    /// The schemes that a session speaks.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// In the clear.
        case http
        /// Over TLS.
        case https

        /// 80 or 443.
        public var defaultPort: UInt16 { self == .https ? 443 : 80 }
    }

    private let parts: Parts

    /// The scheme.
    public var scheme: Scheme { parts.scheme }
    /// The host as it was written, an IPv6 address without brackets: App Transport Security compares this one.
    public var hostLiteral: String { parts.hostLiteral }
    /// The host in its normal form: trust and rules compare this one.
    public var host: ServerName { parts.host }
    /// The port; the scheme's own where the URL names none.
    public var port: UInt16 { parts.port }
    /// The path, percent-encoded; it begins with a slash and has no dot segments.
    public var path: String { parts.path }
    /// The query, percent-encoded, without its question mark; nil where there is none.
    public var query: String? { parts.query }
    /// The fragment, percent-encoded, without its number sign; nil where there is none. It is never sent.
    public var fragment: String? { parts.fragment }
    /// The URL for libcurl: host with A-labels, no fragment, no port where it is the scheme's own.
    public var text: String { parts.text }

    /// An object, since requests take their URL along through many hands.
    private final class Parts: Sendable, Hashable {
        let scheme: Scheme
        let hostLiteral: String
        let host: ServerName
        let port: UInt16
        let path: String
        let query: String?
        let fragment: String?
        let text: String

        init(
            scheme: Scheme, hostLiteral: String, host: ServerName, port: UInt16, path: String, query: String?,
            fragment: String?, text: String
        ) {
            self.scheme = scheme
            self.hostLiteral = hostLiteral
            self.host = host
            self.port = port
            self.path = path
            self.query = query
            self.fragment = fragment
            self.text = text
        }

        static func == (first: Parts, second: Parts) -> Bool {
            // Scheme, port, path and query are in the text.
            first === second
                || first.text == second.text && first.hostLiteral == second.hostLiteral && first.host == second.host
                    && first.fragment == second.fragment
        }

        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }

    init(
        scheme: Scheme, hostLiteral: String, host: ServerName, port: UInt16, path: String, query: String?,
        fragment: String?
    ) {
        var text = Self.authority(scheme, hostLiteral, host, port)
        text += path
        if let query {
            text += "?"
            text += query
        }
        parts = Parts(
            scheme: scheme, hostLiteral: hostLiteral, host: host, port: port, path: path, query: query,
            fragment: fragment, text: text)
    }

    /// Scheme and authority. A trailing dot that was written stays: it keeps search domains out of the resolution.
    static func authority(_ scheme: Scheme, _ hostLiteral: String, _ host: ServerName, _ port: UInt16) -> String {
        var text = scheme.rawValue
        text += "://"
        text += writtenHost(host, hostLiteral)
        if port != scheme.defaultPort {
            text += ":"
            text += String(port)
        }
        return text
    }

    /// The host in its normal form, with what its spelling adds: the trailing dot of a name, and the zone of a link-local
    /// address (RFC 6874).
    private static func writtenHost(_ host: ServerName, _ literal: String) -> String {
        switch host {
        case .dns(let name): literal.utf8.last == 0x2E ? name + "." : name
        case .ip(let address): zone(of: literal).map { "[\(address)%25\($0)]" } ?? host.urlText
        }
    }

    /// The zone that a host was written with: which of this machine's interfaces leads to a link-local address.
    static func zone(of literal: String) -> String? {
        literal.utf8.contains(0x25) ? ScopedAddress(literal)?.zone : nil
    }

    /// The whole URL, with its fragment.
    public var absoluteText: String { fragment.map { "\(text)#\($0)" } ?? text }

    /// Path and query, as the first line of a request has them (RFC 9112, section 3.2.1).
    public var pathAndQuery: String { query.map { "\(path)?\($0)" } ?? path }

    /// Who answers for the resource.
    public var origin: Origin { Origin(scheme: scheme, host: host, port: port, zone: Self.zone(of: hostLiteral)) }

    /// Whom a connection is meant for.
    public var endpoint: TLSEndpoint {
        let zone = Self.zone(of: hostLiteral).map { "%" + $0 } ?? ""
        return TLSEndpoint(hostLiteral: hostLiteral, host: host.description + zone, port: port)
    }

    /// Whether the URL is `https`.
    public var isSecure: Bool { scheme == .https }
}

extension SessionURL: CustomStringConvertible {
    /// The URL for messages and logs: a query is only hinted at, since tokens and signatures travel in it.
    public var description: String {
        guard let query else { return text }
        return String(text.dropLast(query.count)) + "…"
    }
}
