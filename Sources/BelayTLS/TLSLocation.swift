import BelayCertificates

/// Where a TLS server is, and how one gets to TLS there: from the first byte, or by asking for it in a protocol that begins in the clear.
///
/// ```swift
/// let mail = try TLSLocation("smtp://mail.example.com")              // port 25, STARTTLS
/// let other = try TLSLocation("mail.example.com:2525", startTLS: .smtp)
/// let web = try TLSLocation("www.example.com")                       // port 443, TLS from the first byte
/// ```
public struct TLSLocation: Sendable, Hashable {
    /// Whom the connection is meant for.
    public let endpoint: TLSEndpoint
    /// The protocol that asks for TLS; nil where TLS begins with the first byte.
    public let startTLS: StartTLSProtocol?

    /// Puts a location together.
    public init(endpoint: TLSEndpoint, startTLS: StartTLSProtocol? = nil) {
        self.endpoint = endpoint
        self.startTLS = startTLS
    }

    /// Takes the location from a URL, or from a host with a port perhaps.
    ///
    /// The schemes are those of services with TLS from the first byte (`https`, `wss`, `smtps`, `submissions`, `imaps`, `pop3s`, `ftps`,
    /// `ldaps`) and of those that change to it (`smtp`, `submission`, `imap`, `pop3`, `ftp`, `ldap`, `postgres`, `postgresql`), each
    /// with its port at IANA. Path, query and fragment say nothing about a connection and are passed over.
    ///
    /// - Parameters:
    ///   - text: the URL or host; without a scheme `https` is meant, or the protocol of `startTLS`.
    ///   - startTLS: the protocol, where the text does not say it.
    /// - Throws: ``EndpointError``, also where the scheme and `startTLS` contradict each other.
    public init(_ text: String, startTLS: StartTLSProtocol? = nil) throws(EndpointError) {
        guard case .scheme(let scheme) = URLBeginning(of: text) else {
            self.init(
                endpoint: try TLSEndpoint(url: text, defaultPort: startTLS?.defaultPort ?? 443), startTLS: startTLS)
            return
        }
        if scheme == "http" { _ = try TLSEndpoint(url: text) }
        guard let service = Self.services[scheme] else { throw EndpointError(text, .unknownService(scheme)) }
        if let startTLS, startTLS != service.startTLS {
            throw EndpointError(text, .contradictory(scheme: scheme, startTLS))
        }
        // The scheme has letters of ASCII alone; "://" follows it.
        let rest = Substring(text.utf8.dropFirst(scheme.utf8.count + 3))
        self.init(
            endpoint: try TLSEndpoint(
                authority: rest.prefix { !"/?#".contains($0) }, of: text, defaultPort: service.port),
            startTLS: service.startTLS)
    }

    private static let services: [String: (port: UInt16, startTLS: StartTLSProtocol?)] = {
        var services: [String: (port: UInt16, startTLS: StartTLSProtocol?)] = [
            "https": (443, nil), "wss": (443, nil), "smtps": (465, nil), "submissions": (465, nil),
            "submission": (587, .smtp), "imaps": (993, nil), "pop3s": (995, nil), "ftps": (990, nil),
            "ldaps": (636, nil), "postgresql": (StartTLSProtocol.postgres.defaultPort, .postgres),
        ]
        for name in StartTLSProtocol.allCases { services[name.rawValue] = (name.defaultPort, name) }
        return services
    }()

    /// The schemes that are known, sorted.
    static var schemes: [String] { services.keys.sorted() }
}

extension TLSLocation: CustomStringConvertible {
    /// The host and port, and the protocol where there is one: `mail.example.com:25 (SMTP)`.
    public var description: String { "\(endpoint)" + (startTLS.map { " (\($0))" } ?? "") }
}
