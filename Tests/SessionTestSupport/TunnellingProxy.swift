import Foundation
import Synchronization
import TestSupport

/// A proxy on loopback that answers CONNECT with what it is told to, and leads nowhere. As a server of http it answers one request on
/// each connection.
package final class TunnellingProxy: Sendable {
    /// How it answers.
    package struct Answer: Sendable, CustomStringConvertible {
        /// What it says first.
        package var head: String
        /// What it says from then on, again and again until the client hangs up; nil for nothing more.
        package var filling: String?
        /// What it says once when it is told to, by ``TunnellingProxy/sayMore()``; nil for nothing.
        package var more: String?

        package init(_ head: String, filling: String? = nil, more: String? = nil) {
            self.head = head
            self.filling = filling
            self.more = more
        }

        package var description: String {
            "\(head.prefix(16).debugDescription)… \((filling ?? "").prefix(16).debugDescription)…"
        }

        /// CONNECT is read and never answered.
        package static let none = Answer("")
    }

    package let port: UInt16
    private let listener: CInt
    private let counts = Mutex((asked: 0, ended: 0))
    /// Opens when the first request for a tunnel has come.
    package let isAsked = Latch()
    private let saysMore = DispatchSemaphore(value: 0)
    private let hasSaidMore = DispatchSemaphore(value: 0)

    /// The call that failed.
    package struct Failed: Error {
        package let call: String
    }

    /// Starts a proxy.
    package init(_ answer: Answer) throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        guard listener >= 0 else { throw Failed(call: "socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard isListening else { throw Failed(call: "bind") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { [self] in
                    serve(client, answer)
                    close(client)
                    counts.withLock { $0.ended += 1 }
                }
            }
        }
    }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// How many requests for a tunnel have come.
    package var asked: Int { counts.withLock { $0.asked } }

    /// How many of the connections have ended.
    package var ended: Int { counts.withLock { $0.ended } }

    /// Has one connection that waits for it say more, and returns when it has.
    package func sayMore() {
        saysMore.signal()
        hasSaidMore.wait()
    }

    /// Nobody is taken any more.
    package func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ client: CInt, _ answer: Answer) {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        var request: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while request.suffix(4) != end[...] {
            let count = recv(client, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            request += bytes[..<count]
        }
        counts.withLock { $0.asked += 1 }
        Task { await isAsked.open() }
        guard send(answer.head, to: client) else { return }
        if let filling = answer.filling {
            while send(filling, to: client) {}
        }
        if let more = answer.more {
            saysMore.wait()
            _ = send(more, to: client)
            hasSaidMore.signal()
        }
        // Until the client hangs up.
        while recv(client, &bytes, bytes.count, 0) > 0 {}
    }

    private func send(_ text: String, to client: CInt) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
