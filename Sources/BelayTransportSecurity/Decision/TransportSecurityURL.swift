import BelayCertificates
import BelayTrust

/// What App Transport Security looks at of a URL: the scheme, and the host as it is written. Port, path and query never count.
public struct TransportSecurityURL: Sendable, Hashable {
    /// The scheme in lower case.
    public let scheme: String
    /// The host in lower case, otherwise as it is written; names beyond ASCII as A-labels, as URLs carry them; an IPv6 address without
    /// brackets. Empty where the URL has none.
    public let host: String
    /// The address, where the host is one; its zone is no part of it.
    public let address: IPAddress?

    /// Reads a URL.
    ///
    /// - Throws: ``TransportSecurityURLError`` where it is none, or its host cannot be one.
    public init(_ text: String) throws(TransportSecurityURLError) {
        guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" }) else {
            throw TransportSecurityURLError(.character)
        }
        guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first, Self.isLetter(first),
            text[..<colon].utf8.allSatisfy({ Self.isLetter($0) || "0123456789+-.".utf8.contains($0) })
        else { throw TransportSecurityURLError(.noScheme) }
        scheme = lowercasedASCII(text[..<colon])
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else {
            guard !Self.isWeb(scheme) else { throw TransportSecurityURLError(.noHost) }
            (host, address) = ("", nil)
            return
        }
        var authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        (host, address) = try Self.host(authority)
        guard !host.isEmpty || !Self.isWeb(scheme) else { throw TransportSecurityURLError(.noHost) }
    }

    /// Whether TLS protects the connection.
    public var isSecure: Bool { scheme == "https" || scheme == "wss" }

    /// Whether the connection is one of HTTP, or of a WebSocket, in the clear.
    public var isCleartext: Bool { scheme == "http" || scheme == "ws" }

    private static func isWeb(_ scheme: String) -> Bool { ["http", "https", "ws", "wss"].contains(scheme) }

    private static func isLetter(_ unit: UInt8) -> Bool { (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7A }

    private static func host(
        _ authority: Substring
    ) throws(TransportSecurityURLError) -> (String, IPAddress?) {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]"), isPort(authority[authority.index(after: end)...]) else {
                throw TransportSecurityURLError(.host(String(authority)))
            }
            let literal = authority[authority.index(after: authority.startIndex)..<end]
            guard let scoped = ScopedAddress("[\(literal)]") else {
                throw TransportSecurityURLError(.host(String(authority)))
            }
            return (lowercasedASCII(literal), scoped.address)
        }
        let end = authority.firstIndex(of: ":") ?? authority.endIndex
        guard isPort(authority[end...]) else { throw TransportSecurityURLError(.port) }
        guard let literal = decoded(authority[..<end]) else {
            throw TransportSecurityURLError(.host(String(authority[..<end])))
        }
        guard literal.utf8.allSatisfy({ $0 < 0x80 }) else {
            // A dot at the end stays one.
            guard case .dns(let name)? = try? ServerName(literal) else {
                throw TransportSecurityURLError(.host(literal))
            }
            return (name + (literal.utf8.last == 0x2E ? "." : ""), nil)
        }
        guard literal.utf8.allSatisfy({ isHostUnit($0) }) else {
            throw TransportSecurityURLError(.host(literal))
        }
        return (lowercasedASCII(literal), IPAddress(literal))
    }

    /// A host without its percent-encodings (RFC 3986, section 3.2.2): connections go to the host that they stand for. nil where one is
    /// broken, or what it stands for is no text.
    private static func decoded(_ host: Substring) -> String? {
        guard host.utf8.contains(0x25) else { return String(host) }
        var bytes: [UInt8] = []
        var rest = host.utf8[...]
        while let unit = rest.popFirst() {
            guard unit == 0x25 else {
                bytes.append(unit)
                continue
            }
            let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            guard digits.count == 2 else { return nil }
            bytes.append(UInt8(digits[0] << 4 | digits[1]))
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Letters, digits and what else may stand in a registered name (RFC 3986, section 3.2.2).
    private static func isHostUnit(_ unit: UInt8) -> Bool {
        isLetter(unit) || "0123456789-._~!$&'()*+,;=".utf8.contains(unit)
    }

    private static func isPort(_ text: Substring) -> Bool {
        if text.isEmpty { return true }
        return text.hasPrefix(":") && text.dropFirst().utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
            && text.utf8.count <= 6
            && (Int(text.dropFirst()) ?? 0) <= 65_535
    }
}

extension TransportSecurityURL {
    /// Whether the host is what Apple's systems take for a destination on a network of the device, as far as that can be said without
    /// one: a name without a dot, a name under `.local`, loopback and link-local addresses.
    var isLocalName: Bool {
        guard address == nil, !host.isEmpty else { return false }
        return !host.contains(".") || host.hasSuffix(".local") || host.hasSuffix(".local.")
    }

    /// Whether resolvers read the name as an address in one of its historic forms (`2130706433`, `0x7f.1`), which leads anywhere.
    var isHistoricAddress: Bool {
        guard address == nil, let last = host.split(separator: ".").last else { return false }
        let digits = last.hasPrefix("0x") ? last.dropFirst(2) : last
        let isHexadecimal = last.hasPrefix("0x")
        return digits.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || (isHexadecimal && $0 >= 0x61 && $0 <= 0x66) }
    }
}

extension IPAddress {
    /// Whether it is a loopback or link-local address, which no router passes on (RFC 1122, RFC 3927, RFC 4291).
    var staysOnLink: Bool {
        if octets.count == 4 { return octets[0] == 127 || (octets[0] == 169 && octets[1] == 254) }
        let isLoopback = octets.dropLast().allSatisfy { $0 == 0 } && octets.last == 1
        return isLoopback || (octets[0] == 0xFE && octets[1] & 0xC0 == 0x80)
    }

    /// Whether it is of those that are for private networks (RFC 1918, RFC 4193, RFC 6598). Routers within such a network pass it on.
    var isPrivate: Bool {
        if octets.count == 16 { return octets[0] & 0xFE == 0xFC }
        switch octets[0] {
        case 10: return true
        case 172: return octets[1] & 0xF0 == 16
        case 192: return octets[1] == 168
        case 100: return octets[1] & 0xC0 == 64
        default: return false
        }
    }
}

/// Why a text is no URL that can be judged. The text is not repeated: it may hold a password.
public struct TransportSecurityURLError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// It does not begin with a scheme and a colon.
        case noScheme
        /// It has no host.
        case noHost
        /// It has a space, a control character or a backslash.
        case character
        /// The host is neither a name nor an address.
        case host(String)
        /// The port is no number up to 65535.
        case port
    }

    /// What is wrong.
    public let reason: Reason

    init(_ reason: Reason) { self.reason = reason }
}

extension TransportSecurityURLError: CustomStringConvertible {
    /// What is wrong and what is wanted.
    public var description: String {
        let what =
            switch reason {
            case .noScheme: "it has no scheme"
            case .noHost: "it has no host"
            case .character: "it has a space, a control character or a backslash"
            case .host(let host): "'\(printable(host))' is neither a host name nor an address"
            case .port: "its port is no number from 0 to 65535"
            }
        return
            "not a URL: \(what). Write scheme://host, for example https://www.example.com/ or http://[2001:db8::1]:8080/"
    }
}
