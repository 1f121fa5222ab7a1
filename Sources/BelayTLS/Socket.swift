import CSystem
import Glibc

/// The only owner of a socket's descriptor.
///
/// The descriptor is closed when the socket is let go of, and at no other time: whoever waits on it holds it, so a number
/// can never be used again under a waiting task.
final class Socket: Sendable {
    let descriptor: CInt
    let loop: EventLoop

    init(adopting descriptor: CInt, loop: EventLoop) {
        self.descriptor = descriptor
        self.loop = loop
    }

    deinit {
        loop.forget(descriptor)
        close(descriptor)
    }

    /// A non-blocking TCP socket of an address's family.
    static func stream(for address: SocketAddress, loop: EventLoop) -> Result<Socket, SystemError> {
        let family = address.isIPv6 ? AF_INET6 : AF_INET
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { return .failure(SystemError(call: "socket", code: errno)) }
        let socket = Socket(adopting: descriptor, loop: loop)
        // Handshake flights are small and wait for answers: they must not be held back.
        socket.setOption(CInt(IPPROTO_TCP), TCP_NODELAY, 1)
        return .success(socket)
    }

    /// Begins to connect. True when the connection stands already.
    func beginConnecting(to address: SocketAddress) -> Result<Bool, SystemError> {
        let result = address.withKernelForm { connect(descriptor, $0, $1) }
        if result == 0 { return .success(true) }
        let code = errno
        guard code == EINPROGRESS || code == EINTR else { return .failure(SystemError(call: "connect", code: code)) }
        // On the same machine it stands before `connect` returns; then the loop need not be asked.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 0) == 1 else { return .success(false) }
        if let failure = pendingError() { return .failure(failure) }
        return .success(true)
    }

    /// The error the kernel keeps for the socket, which reading it clears.
    func pendingError() -> SystemError? {
        var code: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
            return SystemError(call: "getsockopt", code: errno)
        }
        return code == 0 ? nil : SystemError(call: "connect", code: code)
    }

    func setOption(_ level: CInt, _ name: CInt, _ value: CInt) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Makes the close that follows send RST instead of FIN, as a crashed peer does.
    func resetOnClose() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    /// Says that nothing more will be sent (FIN).
    func endSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Refuses whoever connects from now on.
    func endListening() {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// The address this socket is bound to.
    var localAddress: SocketAddress? { address(getsockname) }

    private func address(
        _ call: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, &size) == 0 ? SocketAddress($0) : nil
            }
        }
    }

    /// The address of the other end.
    var peerAddress: SocketAddress? { address(getpeername) }
}

/// A system call's failure.
struct SystemError: Error, Hashable {
    let call: String
    let code: CInt
}
