import Glibc

/// A listener on loopback whose queue is full: whoever connects is answered by nobody.
package final class FullListener {
    package let port: UInt16
    private let sockets: [CInt]

    /// The call that failed.
    package struct Failed: Error {
        package let call: String
    }

    package init() throws {
        var sockets: [CInt] = []
        func made() throws -> CInt {
            let made = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            guard made >= 0 else { throw Failed(call: "socket") }
            sockets.append(made)
            return made
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = try made()
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard code else { throw Failed(call: "bind") }
        // More than the queue holds: the last stay in the middle of their handshakes.
        for _ in 0..<8 {
            let client = try made()
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, size) }
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        self.sockets = sockets
    }

    deinit { for socket in sockets { close(socket) } }
}
