import BelayTLS
import Dispatch
import FuzzingSupport
import Glibc

/// Whatever a server says before TLS, the dialogue ends within its limits, in an error that has words: the consent to TLS may be given, but
/// no input goes on with a handshake that a key signed.
///
/// The first byte chooses the protocol, the rest is all that the server says.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStartTLS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = fuzzInput(start, count)
    guard let first = input.first else { return 0 }
    let protocols = StartTLSProtocol.allCases
    bench.say(Array(input.dropFirst()), in: protocols[Int(first) % protocols.count])
    return 0
}

/// The one server, made with the first input.
private let bench = Bench()

private struct Bench: Sendable {
    private let listener: CInt
    private let port: UInt16
    private let client: TLSClient?

    init() {
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isReady = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        client = (try? EventLoop()).map { TLSClient(loop: $0) }
        demand(isReady && client != nil, "there is no server to talk to")
    }

    /// Has a client connect, tells it everything at once, and hangs up.
    func say(_ bytes: [UInt8], in name: StartTLSProtocol) {
        guard let client else { return }
        let endpoint = TLSEndpoint(hostLiteral: "127.0.0.1", host: "127.0.0.1", port: port)
        let location = TLSLocation(endpoint: endpoint, startTLS: name)
        let isOver = DispatchSemaphore(value: 0)
        Task {
            do throws(TLSError) {
                let served = try await client.fetchChain(of: location, timeouts: TLSTimeouts(all: .seconds(10)))
                demand(served.evidence == nil, "a key was proved that nobody has")
            } catch {
                demand(!error.description.isEmpty, "an error without words")
                demand(error.summary.utf8.count < 8_192, "an error as long as what the server said")
            }
            isOver.signal()
        }
        var connection = accept(listener, nil, nil)
        // libFuzzer's clock is a signal.
        while connection < 0, errno == EINTR { connection = accept(listener, nil, nil) }
        demand(connection >= 0, "nobody connected")
        // All of it fits into the buffers of the loopback interface.
        bytes.withUnsafeBytes { _ = send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        shutdown(connection, CInt(SHUT_WR))
        isOver.wait()
        // The port is free again at once.
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close(connection)
    }
}
