import Foundation

/// Stands between clients and a server on loopback, passes on what they send, and does something of its own before the first words of
/// the server's on each connection: in the middle of a handshake, that is.
package final class InterveningRelay: Sendable {
    package let port: UInt16
    private let listener: CInt

    /// The call that failed.
    package struct Failed: Error {
        package let call: String
    }

    /// - Parameter server: the port that it passes on to.
    package convenience init(
        to server: UInt16, intervene: @escaping @Sendable (Int) -> Void = { _ in },
        alter: @escaping @Sendable (inout [UInt8]) -> Void = { _ in }
    ) throws {
        try self.init(amongst: [server], intervene: intervene, alter: alter)
    }

    /// - Parameters:
    ///   - servers: the ports that it passes on to, one connection after the other, as a balancer does.
    ///   - intervene: gets the number of the connection, from 0. The server's words wait until it is done.
    ///   - alter: may change each piece of what the server says before it is passed on.
    package init(
        amongst servers: [UInt16], intervene: @escaping @Sendable (Int) -> Void = { _ in },
        alter: @escaping @Sendable (inout [UInt8]) -> Void = { _ in }
    ) throws {
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw Failed(call: "socket") }
        var address = Self.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard isListening else { throw Failed(call: "bind") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            var number = 0
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Self.pass(client, to: servers[number % servers.count], number, alter, intervene)
                number += 1
            }
        }
    }

    /// Nobody is taken any more; connections that are there go on.
    package func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func pass(
        _ client: CInt, to port: UInt16, _ number: Int, _ alter: @escaping @Sendable (inout [UInt8]) -> Void,
        _ intervene: @escaping @Sendable (Int) -> Void
    ) {
        let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, size) == 0 }
        }
        guard isConnected else {
            close(client)
            close(server)
            return
        }
        // Whoever is done last closes both.
        let directions = DispatchGroup()
        for (source, target, isServer) in [(client, server, false), (server, client, true)] {
            directions.enter()
            Thread.detachNewThread {
                copy(source, target, alter: isServer ? alter : { _ in }) { if isServer { intervene(number) } }
                shutdown(target, CInt(SHUT_WR))
                directions.leave()
            }
        }
        directions.notify(queue: .global()) {
            close(client)
            close(server)
        }
    }

    private static func copy(
        _ source: CInt, _ target: CInt, alter: (inout [UInt8]) -> Void, beforeFirst: () -> Void
    ) {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        var isFirst = true
        while true {
            let count = recv(source, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            if isFirst { beforeFirst() }
            isFirst = false
            var piece = Array(bytes[..<count])
            alter(&piece)
            var sent = 0
            while sent < piece.count {
                let more = piece[sent...].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard more > 0 else { return }
                sent += more
            }
        }
    }
}
