import Glibc

/// A TCP connection without TLS, for servers that misbehave. All its waits together have one limit.
package struct RawConnection: Sendable {
    let socket: Socket
    private let deadline: Deadline
    private let state: TLSServerState

    /// The connection is over, in whatever way: there is nothing a script could do about it.
    package struct Over: Error {}

    init(socket: Socket, limit: Duration, state: TLSServerState) {
        self.socket = socket
        self.state = state
        deadline = Deadline(after: limit)
    }

    /// Reads what is there, waiting for the first byte; empty at the end.
    package func read() async throws(Over) -> [UInt8] {
        while true {
            var received = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
                received = recv(socket.descriptor, buffer.baseAddress, buffer.count, 0)
                count = max(0, received)
            }
            if received >= 0 {
                state.update { $0.rawBytesReceived += received }
                return bytes
            }
            try await wait(for: .read)
        }
    }

    /// Reads one TLS record: the client's first message.
    func readRecord() async throws(Over) -> [UInt8] {
        var record: [UInt8] = []
        while record.count < 5 || record.count < 5 + Int(record[3]) << 8 + Int(record[4]) {
            let bytes = try await read()
            guard !bytes.isEmpty, record.count < 65_536 else { throw Over() }
            record += bytes
        }
        return record
    }

    package func write(_ bytes: [UInt8]) async throws(Over) {
        var position = 0
        while position < bytes.count {
            let sent = bytes.withUnsafeBytes { buffer in
                send(
                    socket.descriptor, buffer.baseAddress.map { $0 + position }, buffer.count - position,
                    CInt(MSG_NOSIGNAL))
            }
            if sent >= 0 { position += sent } else { try await wait(for: .write) }
        }
    }

    /// Writes so many bytes at a time, with a pause after each.
    func drip(_ bytes: [UInt8], _ count: Int, pause: Duration) async throws(Over) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try await write(Array(rest.prefix(max(1, count))))
            rest = rest.dropFirst(max(1, count))
            guard case .timedOut = await socket.loop.sleep(until: min(deadline, Deadline(after: pause))),
                !deadline.hasPassed
            else { throw Over() }
        }
    }

    /// Waits until the other side ends the connection.
    package func waitForEnd() async throws(Over) {
        while try await !read().isEmpty {}
    }

    private func wait(for direction: EventLoop.Direction) async throws(Over) {
        if errno == EINTR { return }
        guard errno == EAGAIN,
            case .ready = await socket.loop.readiness(of: socket, for: direction, until: deadline)
        else { throw Over() }
    }
}
