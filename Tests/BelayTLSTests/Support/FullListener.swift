import Glibc

@testable import BelayTLS

/// A listening socket whose queue is full: the kernel drops what else arrives.
final class FullListener {
    let port: UInt16
    private let sockets: [Socket]

    struct Failed: Error {}

    init(loop: EventLoop) throws {
        let address = SocketAddress.loopbackIPv4(port: 0)
        let listener = try Socket.stream(for: address, loop: loop).get()
        guard address.withKernelForm({ bind(listener.descriptor, $0, $1) }) == 0,
            listen(listener.descriptor, 0) == 0, let bound = listener.localAddress
        else { throw Failed() }
        port = bound.port
        var sockets = [listener]
        // One more than the queue holds stays in the middle of its handshake.
        for _ in 0..<8 {
            let socket = try Socket.stream(for: bound, loop: loop).get()
            sockets.append(socket)
            guard case .success(true) = socket.beginConnecting(to: bound) else { break }
        }
        self.sockets = sockets
    }
}
