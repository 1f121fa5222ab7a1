import Glibc

/// An IP address by its octets: 4 for IPv4, 16 for IPv6.
public struct IPAddress: Sendable, Hashable {
    /// The octets in network order.
    public let octets: [UInt8]

    /// Takes 4 or 16 octets; nil for any other count.
    public init?(octets: [UInt8]) {
        guard octets.count == 4 || octets.count == 16 else { return nil }
        self.octets = octets
    }

    /// Reads an address in any spelling of RFC 4291, section 2.2, or four decimal numbers; brackets around IPv6 are
    /// accepted as URLs have them. Zone identifiers (`%eth0`) and the historic forms of IPv4 (`127.1`, `0x7f.1`) are
    /// not addresses here.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        // C would read the text up to a NUL and take what is before it for the whole.
        guard !text.utf8.contains(0) else { return nil }
        var mustBeIPv6 = false
        if text.hasPrefix("[") {
            guard text.hasSuffix("]") else { return nil }
            text = String(text.dropFirst().dropLast())
            mustBeIPv6 = true
        }
        if text.contains(":") {
            var address = in6_addr()
            guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
            octets = withUnsafeBytes(of: &address) { Array($0) }
        } else {
            var address = in_addr()
            guard !mustBeIPv6, inet_pton(AF_INET, text, &address) == 1 else { return nil }
            octets = withUnsafeBytes(of: &address) { Array($0) }
        }
    }

    /// Octets as people write them: an address, an address and mask (RFC 5280, section 4.2.1.10), or hexadecimal digits.
    package static func text(_ octets: [UInt8]) -> String {
        if let address = IPAddress(octets: octets) { return address.description }
        if octets.count == 8 || octets.count == 32,
            let base = IPAddress(octets: Array(octets.prefix(octets.count / 2))),
            let mask = IPAddress(octets: Array(octets.suffix(octets.count / 2)))
        {
            return "\(base)/\(mask)"
        }
        return "#\(hexadecimal(octets))"
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical text (RFC 5952 for IPv6, without brackets).
    public var description: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = octets.count == 4 ? AF_INET : AF_INET6
        return octets.withUnsafeBytes { raw in
            guard inet_ntop(family, raw.baseAddress, &buffer, socklen_t(buffer.count)) != nil else { return "" }
            let length = buffer.firstIndex(of: 0) ?? buffer.count
            return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
