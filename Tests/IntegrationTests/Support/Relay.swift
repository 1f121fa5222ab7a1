import Foundation
import TestSupport

/// A relay between clients and a server that writes down the TLS records which the clients send, by what is legible on the wire.
final class Relay: Sendable {
    let port: UInt16
    private let listener: Int32
    private let journal: Journal<[Conversation]>

    /// One connection that went through to its end.
    struct Conversation: Sendable {
        /// The client's records, in their order.
        var clientRecords: [Record] = []
        /// Bytes of the client's that belong to no whole record.
        var rest = 0
        var serverBytes = 0

        /// The lengths of the client's records of a type.
        func lengths(_ type: UInt8) -> [Int] { clientRecords.filter { $0.type == type }.map(\.length) }
    }

    /// A record: its content type (RFC 8446, section 5.1) and the length of its fragment.
    struct Record: Sendable, Hashable {
        static let alert: UInt8 = 21
        static let applicationData: UInt8 = 23

        let type: UInt8
        let length: Int
    }

    /// Starts to relay to a port of 127.0.0.1.
    init(to target: UInt16) throws {
        let (listener, port) = try LoopbackSocket.listening()
        self.listener = listener
        self.port = port
        let journal = Journal<[Conversation]>([])
        self.journal = journal
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread.detachNewThread {
                    let conversation = Relay.relay(client, to: target)
                    Task { await journal.update { $0.append(conversation) } }
                }
            }
            close(listener)
        }
    }

    deinit {
        // It wakes the thread that accepts, which closes it.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The connections, once so many have come to their end.
    func conversations(_ count: Int = 1) async -> [Conversation] {
        _ = await journal.wait { $0.count >= count }
        return await journal.value
    }

    private static func relay(_ client: Int32, to target: UInt16) -> Conversation {
        var conversation = Conversation()
        defer { close(client) }
        guard let server = try? LoopbackSocket.connected(to: target) else { return conversation }
        defer { close(server) }
        var unread: [UInt8] = []
        var isOpen = [client: true, server: true]
        while isOpen.values.contains(true) {
            var sockets = isOpen.filter(\.value).keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&sockets, nfds_t(sockets.count), 60_000) > 0 else { break }
            for socket in sockets where socket.revents != 0 {
                let (source, sink) = socket.fd == client ? (client, server) : (server, client)
                let bytes = receive(source)
                guard !bytes.isEmpty, send(bytes, to: sink) else {
                    isOpen[source] = false
                    shutdown(sink, Int32(SHUT_WR))
                    continue
                }
                if source == client { unread += bytes } else { conversation.serverBytes += bytes.count }
            }
        }
        conversation.clientRecords = records(&unread)
        conversation.rest = unread.count
        return conversation
    }

    private static func receive(_ socket: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(count, 0)))
    }

    private static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Takes the whole records from the front.
    private static func records(_ bytes: inout [UInt8]) -> [Record] {
        var records: [Record] = []
        var rest = bytes[...]
        while rest.count >= 5 {
            let header = Array(rest.prefix(5))
            let length = Int(header[3]) << 8 | Int(header[4])
            guard rest.count >= 5 + length else { break }
            records.append(Record(type: header[0], length: length))
            rest = rest.dropFirst(5 + length)
        }
        bytes = Array(rest)
        return records
    }
}
