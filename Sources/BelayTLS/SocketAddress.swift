import Glibc

/// An IPv4 or IPv6 address with a port: where a connection goes.
public struct SocketAddress: Sendable, Hashable {
    /// The address: 4 bytes for IPv4, 16 for IPv6, in network order.
    public let bytes: [UInt8]
    /// The port.
    public let port: UInt16
    /// The interface of a link-local IPv6 address, by index; 0 for all others.
    public let scope: UInt32

    /// An address from its bytes; nil unless there are 4 or 16 of them.
    public init?(bytes: [UInt8], port: UInt16, scope: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        self.port = port
        self.scope = scope
    }

    /// An address from its text (`192.0.2.1`, `2001:db8::1`, with or without brackets); nil when it is a name.
    public init?(literal: String, port: UInt16) {
        var text = Substring(literal)
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        var version4 = in_addr()
        var version6 = in6_addr()
        if inet_pton(AF_INET, String(text), &version4) == 1 {
            bytes = withUnsafeBytes(of: &version4) { Array($0) }
        } else if inet_pton(AF_INET6, String(text), &version6) == 1 {
            bytes = withUnsafeBytes(of: &version6) { Array($0) }
        } else {
            return nil
        }
        self.port = port
        scope = 0
    }

    /// Whether this is an IPv6 address.
    public var isIPv6: Bool { bytes.count == 16 }

    /// The same address with another port.
    public func with(port: UInt16) -> SocketAddress {
        SocketAddress(unchecked: bytes, port: port, scope: scope)
    }

    /// 127.0.0.1.
    public static func loopbackIPv4(port: UInt16) -> SocketAddress {
        SocketAddress(unchecked: [127, 0, 0, 1], port: port, scope: 0)
    }

    /// ::1.
    public static func loopbackIPv6(port: UInt16) -> SocketAddress {
        SocketAddress(unchecked: [UInt8](repeating: 0, count: 15) + [1], port: port, scope: 0)
    }

    private init(unchecked bytes: [UInt8], port: UInt16, scope: UInt32) {
        self.bytes = bytes
        self.port = port
        self.scope = scope
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The address and port as in a URL: `192.0.2.1:443`, `[2001:db8::1]:443`.
    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The address alone: `192.0.2.1`, `2001:db8::1`.
    public var host: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let base = buffer.baseAddress,
                inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, base, socklen_t(buffer.count)) != nil
            else { return "" }
            return String(cString: base)
        }
    }
}

extension SocketAddress {
    /// Reads the kernel's form; nil for a family other than IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch CInt(address.pointee.sa_family) {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                SocketAddress(
                    unchecked: withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) },
                    port: UInt16(bigEndian: pointer.pointee.sin_port), scope: 0)
            }
        case AF_INET6:
            self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                SocketAddress(
                    unchecked: withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) },
                    port: UInt16(bigEndian: pointer.pointee.sin6_port), scope: pointer.pointee.sin6_scope_id)
            }
        default:
            return nil
        }
    }

    /// Lends the kernel's form of the address.
    func withKernelForm<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
