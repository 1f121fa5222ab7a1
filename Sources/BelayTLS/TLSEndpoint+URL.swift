import BelayCertificates
import BelayTrust

extension TLSEndpoint {
    /// Takes the endpoint from a URL, as far as a connection needs it.
    ///
    /// ```swift
    /// let endpoint = try TLSEndpoint(url: "https://www.example.com/path")
    /// ```
    ///
    /// A text without a scheme is a host, with a port perhaps, and `https` is meant. Path, query and fragment say nothing about
    /// a connection and are passed over. Hosts may be written with U-labels, IPv6 addresses stand in brackets.
    ///
    /// - Throws: ``EndpointError``; `http` is an error of its own, and so is a name or password in front of the host, which
    ///   would be lost.
    public init(url: String) throws(EndpointError) {
        try self.init(url: url, defaultPort: 443)
    }

    /// As ``init(url:)``, with the port that a host without a scheme has unless it says another.
    init(url: String, defaultPort: UInt16) throws(EndpointError) {
        switch URLBeginning(of: url) {
        case .host: try self.init(authority: url.prefix { !"/?#".contains($0) }, of: url, defaultPort: defaultPort)
        case .mistyped(let beginning): throw EndpointError(url, .mistypedScheme(beginning))
        case .scheme(let scheme):
            guard scheme == "https" || scheme == "http" else { throw EndpointError(url, .scheme(scheme)) }
            // The scheme has letters of ASCII alone; "://" follows it.
            let rest = Substring(url.utf8.dropFirst(scheme.utf8.count + 3))
            try self.init(
                authority: rest.prefix { !"/?#".contains($0) }, of: url, defaultPort: scheme == "http" ? 80 : 443)
            if scheme == "http" { throw EndpointError(url, .cleartext(self)) }
        }
    }

    /// Takes the endpoint from `host:port`, for example `127.0.0.1:8443`, `[::1]:8443`.
    ///
    /// - Throws: ``EndpointError``, also where there is no port.
    public init(hostAndPort text: String) throws(EndpointError) {
        try self.init(authority: text[...], of: text, defaultPort: nil)
    }

    init(authority: Substring, of text: String, defaultPort: UInt16?) throws(EndpointError) {
        guard !authority.contains("@") else { throw EndpointError(text, .userInformation) }
        var literal = authority
        var portText: Substring?
        // An address in brackets has colons of its own; without brackets it cannot have a port.
        let afterAddress = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
        if let afterAddress, let colon = authority[afterAddress...].firstIndex(of: ":"),
            !authority[authority.index(after: colon)...].contains(":")
        {
            literal = authority[..<colon]
            portText = authority[authority.index(after: colon)...]
        }
        guard !literal.isEmpty else { throw EndpointError(text, .noHost) }
        let name: ServerName
        do throws(ServerNameError) { name = try ServerName(String(literal)) } catch {
            throw EndpointError(text, .host(error))
        }
        var port = defaultPort
        // RFC 3986, section 3.2.3: an empty port is the scheme's own.
        if let portText, !(portText.isEmpty && defaultPort != nil) {
            guard portText.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt16(portText), number > 0
            else {
                let isNumber = portText.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
                throw EndpointError(text, .port(isNumber ? String(portText) : ""))
            }
            port = number
        }
        guard let port else { throw EndpointError(text, .noPort) }
        let unbracketed = literal.hasPrefix("[") ? literal.dropFirst().dropLast() : literal
        self.init(hostLiteral: String(unbracketed), host: Self.host(name, String(literal)), port: port)
    }
}

/// Why a text names no endpoint for TLS.
public struct EndpointError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// It is `http`: there is no TLS to speak. The endpoint is whom the URL means.
        case cleartext(TLSEndpoint)
        /// Another scheme than `https`.
        case scheme(String)
        /// It begins with a scheme that has no `://` after it; how it begins.
        case mistypedScheme(String)
        /// A name or password stands before the host.
        case userInformation
        /// There is no host.
        case noHost
        /// The host is none.
        case host(ServerNameError)
        /// The port is no number from 1 to 65535; empty where it is no number at all, since it may be a password.
        case port(String)
        /// There is no port where one is needed.
        case noPort
        /// The scheme of no service that is known here.
        case unknownService(String)
        /// The scheme is that of another service than the one that shall change to TLS.
        case contradictory(scheme: String, StartTLSProtocol)
    }

    /// The text.
    public let text: String
    /// What is wrong with it.
    public let reason: Reason

    init(_ text: String, _ reason: Reason) {
        self.text = text
        self.reason = reason
    }
}

extension EndpointError: CustomStringConvertible {
    /// The text, unless a password may be in it.
    private var subject: String { text.contains("@") ? "the text" : "'\(printable(text))'" }

    /// What is wrong and what is wanted.
    public var description: String {
        switch reason {
        case .cleartext: "'\(printable(text))' is cleartext HTTP. Use https"
        case .scheme(let scheme):
            "'\(printable(scheme))' is not a scheme that speaks TLS here. Write https://host or https://host:port"
        case .mistypedScheme(let beginning):
            "the URL begins with '\(printable(beginning))', and a scheme has '://' after it. Write https://host or "
                + "https://host:port"
        case .userInformation:
            // The text may hold a password, so it is not repeated.
            "the URL has a user name or password before the host. Leave it out"
        case .noHost: "\(subject) has no host. Write https://host or https://host:port"
        case .host(let error): "\(error)"
        case .port(""): "the port is no number. Write one from 1 to 65535"
        case .port(let port): "'\(printable(port))' is not a port. Write a number from 1 to 65535"
        case .unknownService(let scheme):
            "'\(printable(scheme))' is not a scheme of a service with TLS that is known here. Known are "
                + TLSLocation.schemes.joined(separator: ", ")
        case .contradictory(let scheme, let name):
            "the scheme '\(printable(scheme))' and \(name) contradict each other. Write the host without a scheme, or leave the protocol out"
        case .noPort: "\(subject) has no port. Write host:port, for example 127.0.0.1:8443 or [::1]:8443"
        }
    }
}
