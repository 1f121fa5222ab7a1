import BelayCertificates
import BelayTrust
import CSystem
import Glibc

/// A TLS server on the loopback interface: the other side for the laboratory and for tests.
///
/// ```swift
/// let server = try TLSServer(loop: loop, configuration: TLSServerConfiguration(identity: identity))
/// let endpoint = TLSEndpoint(host: "example.test", port: server.port)
/// …
/// await server.stop()
/// ```
///
/// It listens once it exists, and ends with `stop()` or when it is let go of.
public final class TLSServer: Sendable {
    /// The addresses it listens on, with the port the kernel chose.
    public let addresses: [SocketAddress]
    private let state: TLSServerState
    private let acceptor: Task<Void, Never>
    private let listeners: [Socket]

    /// Starts a server.
    public init(loop: EventLoop, configuration: TLSServerConfiguration) throws(TLSServerError) {
        let context: TLSContext
        do { context = try TLSContext(server: configuration) } catch { throw TLSServerError(detail: error.text) }
        let listeners = try TLSServer.listen(on: configuration.interfaces, loop: loop)
        self.listeners = listeners
        addresses = listeners.compactMap(\.localAddress)
        let state = TLSServerState(loop: loop)
        self.state = state
        let service = TLSService(configuration: configuration, context: context, state: state, loop: loop)
        acceptor = Task {
            await withDiscardingTaskGroup { group in
                for listener in listeners { group.addTask { await service.accept(from: listener) } }
            }
        }
    }

    deinit {
        acceptor.cancel()
    }

    /// The port it listens on.
    public var port: UInt16 { addresses.first?.port ?? 0 }

    /// What has happened so far.
    public var statistics: TLSServerStatistics { state.statistics }

    /// Waits until so many connections have been served to their end, in whatever way.
    ///
    /// - Returns: whether that was so within the limit.
    public func waitUntilServed(_ count: Int, within limit: Duration = .seconds(30)) async -> Bool {
        await wait(within: limit) { $0.served >= count }
    }

    /// Waits until what has happened is as wanted.
    ///
    /// - Returns: whether that was so within the limit.
    public func wait(
        within limit: Duration = .seconds(30), until isMet: @escaping @Sendable (TLSServerStatistics) -> Bool
    ) async -> Bool {
        await state.wait(within: limit, until: isMet)
    }

    /// Stops listening and ends all connections. When it returns the port refuses, and no handler runs any more.
    public func stop() async {
        acceptor.cancel()
        for listener in listeners { listener.endListening() }
        await acceptor.value
    }

    private static func listen(
        on interfaces: TLSServerConfiguration.Interfaces, loop: EventLoop
    ) throws(TLSServerError) -> [Socket] {
        switch interfaces {
        case .loopbackIPv4: return [try listen(at: .loopbackIPv4(port: 0), loop)]
        case .loopbackIPv6: return [try listen(at: .loopbackIPv6(port: 0), loop)]
        case .loopback:
            // The port that is free in one family may be taken in the other; then another one is.
            var last = TLSServerError(detail: "no port is free")
            for _ in 0..<32 {
                let first = try listen(at: .loopbackIPv4(port: 0), loop)
                let port = first.localAddress?.port ?? 0
                do throws(TLSServerError) {
                    return [first, try listen(at: .loopbackIPv6(port: port), loop)]
                } catch {
                    last = error
                }
            }
            throw last
        }
    }

    private static func listen(at address: SocketAddress, _ loop: EventLoop) throws(TLSServerError) -> Socket {
        let socket: Socket
        switch Socket.stream(for: address, loop: loop) {
        case .success(let made): socket = made
        case .failure(let error): throw TLSServerError(detail: "\(error.call): \(systemErrorText(error.code))")
        }
        if address.isIPv6 { socket.setOption(CInt(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        guard address.withKernelForm({ bind(socket.descriptor, $0, $1) }) == 0,
            Glibc.listen(socket.descriptor, SOMAXCONN) == 0
        else { throw TLSServerError(detail: "\(address): \(systemErrorText(errno))") }
        return socket
    }
}

/// What a server has seen.
public struct TLSServerStatistics: Sendable {
    /// TCP connections taken.
    public internal(set) var connections = 0
    /// Connections that have ended.
    public internal(set) var served = 0
    /// Handshakes completed.
    public internal(set) var handshakes = 0
    /// Bytes of application data received, in the clear: what clients sent after their handshakes.
    public internal(set) var applicationBytesReceived = 0
    /// Bytes of application data that the system has taken to be sent.
    public internal(set) var applicationBytesSent = 0
    /// Bytes received outside of TLS, by a server that misbehaves.
    public internal(set) var rawBytesReceived = 0
    /// Why handshakes and connections failed; the first hundred.
    public internal(set) var failures: [TLSError] = []
}

/// A server's figures, and who waits for them to change.
final class TLSServerState: Sendable {
    private let loop: EventLoop
    private let guarded = Protected(Values())

    private struct Values {
        var statistics = TLSServerStatistics()
        var waiting: [(isMet: @Sendable (TLSServerStatistics) -> Bool, token: EventToken)] = []
    }

    init(loop: EventLoop) {
        self.loop = loop
    }

    var statistics: TLSServerStatistics { guarded.withLock(\.statistics) }

    func update(_ change: (inout TLSServerStatistics) -> Void) {
        let reached = guarded.withLock { values -> [EventToken] in
            change(&values.statistics)
            guard !values.waiting.isEmpty else { return [] }
            let statistics = values.statistics
            let reached = values.waiting.filter { $0.isMet(statistics) }.map(\.token)
            values.waiting.removeAll { $0.isMet(statistics) }
            return reached
        }
        for token in reached { loop.signal(token) }
    }

    func fail(_ error: TLSError) {
        update { if $0.failures.count < 100 { $0.failures.append(error) } }
    }

    func wait(within limit: Duration, until isMet: @escaping @Sendable (TLSServerStatistics) -> Bool) async -> Bool {
        _ = await loop.event(until: Deadline(after: limit)) { token in
            guarded.withLock { $0.waiting.append((isMet, token)) }
            update { _ in }
        }
        return isMet(statistics)
    }
}
