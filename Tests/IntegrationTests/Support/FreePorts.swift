import Foundation

/// Ports that the kernel has just called free.
enum FreePorts {
    static func find(_ count: Int) throws -> [UInt16] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        var ports: [UInt16] = []
        for _ in 0..<count {
            let (socket, port) = try LoopbackSocket.listening()
            sockets.append(socket)
            ports.append(port)
        }
        return ports
    }
}

/// TCP sockets on 127.0.0.1.
enum LoopbackSocket {
    struct Failed: Error {
        let call: String
        let code: Int32
    }

    /// A listening socket on a port that the kernel chooses.
    static func listening() throws -> (socket: Int32, port: UInt16) {
        let socket = try make()
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withKernelForm(of: &address) { pointer in
            bind(socket, pointer, length) == 0 && listen(socket, SOMAXCONN) == 0
                && getsockname(socket, pointer, &length) == 0
        }
        guard isBound else {
            defer { close(socket) }
            throw Failed(call: "bind", code: errno)
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    /// A socket that is connected to a port.
    static func connected(to port: UInt16) throws -> Int32 {
        let socket = try make()
        var address = address(port: port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard withKernelForm(of: &address, { connect(socket, $0, length) == 0 }) else {
            defer { close(socket) }
            throw Failed(call: "connect", code: errno)
        }
        return socket
    }

    private static func make() throws -> Int32 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Failed(call: "socket", code: errno) }
        return socket
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private static func withKernelForm<Result>(
        of address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
