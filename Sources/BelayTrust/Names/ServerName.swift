import BelayCertificates
import CIDN2

/// The name that a server must prove: a DNS name in its normal form, or an IP address (RFC 9525, section 2).
///
/// ```swift
/// let name = try ServerName("Bücher.test.")     // xn--bcher-kva.test
/// ```
public enum ServerName: Sendable, Hashable {
    /// A DNS name: lower case, A-labels, without the trailing dot.
    case dns(String)
    /// An IP address.
    case ip(IPAddress)

    /// Reads a host as people and URLs write it: a name in any case, with U-labels or A-labels and one trailing dot
    /// perhaps; an IPv4 address; an IPv6 address with or without brackets.
    ///
    /// The zone of a link-local address (`fe80::1%eth0`, in URLs `%25eth0`) says which of this machine's interfaces leads
    /// there. It is no part of the address that a certificate names (RFC 4007, section 11.2; RFC 6874).
    ///
    /// - Throws: ``ServerNameError`` where it is none of these.
    public init(_ host: String) throws(ServerNameError) {
        guard !host.isEmpty else { throw ServerNameError(host, .empty) }
        // C libraries would read the text up to a NUL and take what is before it for the whole.
        guard !host.utf8.contains(0) else { throw ServerNameError(host, .invalidCharacter(host)) }
        if host.contains("://") { throw ServerNameError(host, .hasScheme) }
        if Self.hasPort(host) { throw ServerNameError(host, .hasPort) }
        if host.utf8.contains(0x3A) || host.utf8.first == 0x5B {
            guard let scoped = ScopedAddress(host) else { throw ServerNameError(host, .notAnAddress) }
            self = .ip(scoped.address)
            return
        }
        // An IPv4 address ends in a digit; hardly any name does.
        if host.utf8.last?.isDigit == true, let address = IPAddress(host) {
            self = .ip(address)
            return
        }
        self = .dns(try Self.normalise(host))
    }

    /// Whether a text is a host and a port: a colon and digits at its end, and no other colon outside brackets.
    private static func hasPort(_ host: String) -> Bool {
        guard let colon = host.utf8.lastIndex(of: 0x3A) else { return false }
        let port = host.utf8[host.utf8.index(after: colon)...]
        let before = host.utf8[..<colon]
        guard !port.isEmpty, port.allSatisfy(\.isDigit), !before.isEmpty else { return false }
        return before.first == 0x5B ? before.last == 0x5D : !before.contains(0x3A)
    }

    private static func normalise(_ host: String) throws(ServerNameError) -> String {
        var ascii = host
        if !host.utf8.allSatisfy({ $0 < 0x80 }) { ascii = try toASCII(host) }
        ascii = lowercaseASCII(ascii)
        if ascii.utf8.last == 0x2E { ascii.removeLast() }
        guard ascii.utf8.count <= 253 else { throw ServerNameError(host, .tooLong) }
        let labels = ascii.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        for label in labels {
            guard !label.isEmpty else { throw ServerNameError(host, .emptyLabel) }
            guard label.count <= 63 else { throw ServerNameError(host, .labelTooLong(String(Substring(label)))) }
            // Underscores are no letters of host names, but the hosts of real services have them.
            guard label.allSatisfy({ $0.isHostCharacter }), label.first != 0x2D, label.last != 0x2D else {
                throw ServerNameError(host, .invalidCharacter(String(Substring(label))))
            }
        }
        // A resolver would read a name that ends in a number as an address of some historic form.
        if let last = labels.last, isNumber(last) { throw ServerNameError(host, .notAnAddress) }
        return ascii
    }

    /// Whether a label is a number to the functions that read historic forms of addresses: decimal, octal, hexadecimal.
    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.starts(with: [0x30, 0x78]) {
            return label.dropFirst(2).allSatisfy { $0.isDigit || $0 >= 0x61 && $0 <= 0x66 }
        }
        return label.allSatisfy(\.isDigit)
    }

    private static func toASCII(_ host: String) throws(ServerNameError) -> String {
        var output: UnsafeMutablePointer<UInt8>?
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        let status = Array(host.utf8CString).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: UInt8.self) { idn2_lookup_u8($0.baseAddress, &output, flags) }
        }
        guard status == IDN2_OK.rawValue, let output else {
            throw ServerNameError(host, .notInternationalised(String(cString: idn2_strerror(status))))
        }
        defer { idn2_free(output) }
        return String(cString: output)
    }

    /// The name for the server name indication of TLS (RFC 6066, section 3): nil for an address, which is never sent.
    public var serverNameIndication: String? {
        if case .dns(let name) = self { name } else { nil }
    }
}

extension ServerName: CustomStringConvertible {
    /// The normal form; an IPv6 address without brackets.
    public var description: String {
        switch self {
        case .dns(let name): name
        case .ip(let address): address.description
        }
    }
}

/// Why a text is no host.
public struct ServerNameError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        case empty
        case tooLong
        case emptyLabel
        case labelTooLong(String)
        case invalidCharacter(String)
        case notAnAddress
        /// It is a URL.
        case hasScheme
        /// It is a host and a port.
        case hasPort
        case notInternationalised(String)
    }

    /// The text.
    public let host: String
    /// What is wrong with it.
    public let reason: Reason

    init(_ host: String, _ reason: Reason) {
        self.host = host
        self.reason = reason
    }
}

extension ServerNameError: CustomStringConvertible {
    /// What is wrong, where, and what a host looks like.
    public var description: String {
        let what =
            switch reason {
            case .empty: "it is empty"
            case .tooLong: "it is longer than 253 characters"
            case .emptyLabel: "it has an empty label (two dots in a row, or a dot in front)"
            case .labelTooLong(let label): "the label '\(printable(label))' is longer than 63 characters"
            case .invalidCharacter(let label):
                "the label '\(printable(label))' has a character that host names do not have, or a hyphen at an end"
            case .notAnAddress: "it looks like an IP address but is none"
            case .hasScheme: "it is a URL; leave out the scheme ('https://') and what follows the host"
            case .hasPort: "it has a port; leave out the port"
            case .notInternationalised(let text): "it is no internationalised name (\(text))"
            }
        return "'\(printable(host))' is not a host: \(what). "
            + "Write a name such as www.example.com, or an address such as 192.0.2.1 or [2001:db8::1], alone"
    }
}

extension UInt8 {
    /// Whether the octet is a decimal digit of ASCII.
    fileprivate var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// Whether the octet may stand in a label of a host name; the underscore is tolerated.
    var isHostCharacter: Bool {
        switch self {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2D, 0x5F: true
        default: false
        }
    }
}

/// Letters of ASCII in lower case; everything else as it is.
func lowercaseASCII(_ text: some StringProtocol) -> String {
    guard text.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return String(text) }
    return String(decoding: text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
}
