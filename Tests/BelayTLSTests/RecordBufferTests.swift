import COpenSSL
import Glibc
import Testing

@testable import BelayTLS

@Suite("Records between OpenSSL and the socket")
struct RecordBufferTests {
    private static let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)

    // MARK: - Sending

    @Test("records that are gathered wait for flush, and go out in one piece")
    func gathered() throws {
        let pair = try BufferedPair(gathers: true)
        for _ in 0..<8 { #expect(pair.write(Self.request) == CInt(Self.request.count)) }
        #expect(pair.takeSent().isEmpty)
        #expect(pair.gatherings == 1)
        #expect(pair.buffer?.flush() == .sent)
        let pieces = pair.takeSent()
        #expect(pieces.count == 1)
        #expect(pair.decrypt(pieces.flatMap { $0 }) == Array(repeating: Self.request, count: 8).flatMap { $0 })
        #expect(pair.buffer?.flush() == .sent)
        #expect(pair.takeSent().isEmpty)
    }

    @Test("many records do not wait: a kilobyte is sent at once")
    func many() throws {
        let pair = try BufferedPair(gathers: true)
        // A record of TLS 1.3 has 22 bytes more than its content: ten of 80 are 1,020.
        for _ in 0..<10 { pair.write(Array(repeating: 7, count: 80)) }
        #expect(pair.takeSent().isEmpty)
        pair.write(Array(repeating: 7, count: 80))
        #expect(pair.takeSent().map(\.count) == [11 * 102])
    }

    @Test("where nothing is gathered each record goes out by itself, at once")
    func single() throws {
        let pair = try BufferedPair(gathers: false)
        for _ in 0..<3 { pair.write(Self.request) }
        #expect(pair.takeSent().map(\.count) == Array(repeating: Self.request.count + 22, count: 3))
        #expect(pair.gatherings == 0)
    }

    @Test("a long body arrives whole and in order, however slowly the other side reads", arguments: [true, false])
    func blocked(gathers: Bool) throws {
        let pair = try BufferedPair(kind: SOCK_STREAM, gathers: gathers)
        // Each attempt makes its piece anew.
        SSL_ctrl(pair.client, SSL_CTRL_MODE, Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
        let body = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        var sent = 0
        var received: [UInt8] = []
        var waits = 0
        for _ in 0..<10_000 where received.count < body.count {
            if sent < body.count {
                let piece = Array(body[sent..<min(body.count, sent + 5_000)])
                let result = pair.write(piece)
                if result > 0 {
                    sent += Int(result)
                    continue
                }
                try #require(pair.error(result) == SSL_ERROR_WANT_WRITE)
                waits += 1
            } else {
                _ = pair.buffer?.flush()
            }
            received += pair.decrypt(pair.takeSent().flatMap { $0 })
        }
        #expect(waits > 0)
        let isWhole = received == body
        #expect(isWhole, "\(received.count) of \(body.count) bytes")
    }

    @Test("flush says that the socket takes no more, and goes on where it stopped")
    func flushing() throws {
        let pair = try BufferedPair(kind: SOCK_STREAM, gathers: true)
        let record = Array(repeating: UInt8(9), count: 900)
        var written = 0
        while pair.buffer?.flush() != .blocked {
            try #require(written < 1 << 20)
            if pair.write(record) > 0 { written += record.count }
        }
        var received = 0
        for _ in 0..<10_000 where received < written {
            received += pair.decrypt(pair.takeSent().flatMap { $0 }).count
            _ = pair.buffer?.flush()
        }
        #expect(received == written)
        #expect(pair.buffer?.flush() == .sent)
    }

    @Test("a goodbye waits like everything else, and goes out behind it")
    func goodbye() throws {
        let pair = try BufferedPair(gathers: true)
        pair.write(Self.request)
        SSL_shutdown(pair.client)
        #expect(pair.takeSent().isEmpty)
        #expect(pair.buffer?.flush() == .sent)
        let pieces = pair.takeSent()
        #expect(pieces.count == 1)
        #expect(pair.decrypt(pieces.flatMap { $0 }) == Self.request)
        #expect(pair.serverHasGoodbye)
    }

    @Test("a handshake goes out in two pieces, and takes the first request along")
    func handshake() throws {
        let pair = try BufferedPair(gathers: true, handshake: false)
        #expect(SSL_do_handshake(pair.client) == -1)
        #expect(pair.takeSent().isEmpty)
        #expect(pair.buffer?.flush() == .sent)
        let hello = pair.takeSent()
        #expect(hello.count == 1)
        pair.send(pair.answer(to: hello.flatMap { $0 }))
        #expect(SSL_do_handshake(pair.client) == 1)
        pair.buffer?.gathers = false
        pair.write(Self.request)
        #expect(pair.takeSent().isEmpty)
        #expect(pair.buffer?.flush() == .sent)
        let pieces = pair.takeSent()
        #expect(pieces.count == 1)
        #expect(pair.decrypt(pieces.flatMap { $0 }) == Self.request)
        // From here on each goes by itself.
        for _ in 0..<2 { pair.write(Self.request) }
        #expect(pair.takeSent().map(\.count) == Array(repeating: Self.request.count + 22, count: 2))
    }

    @Test("a peer that is gone ends no process, and what it has said before is still read", arguments: [true, false])
    func gone(gathers: Bool) throws {
        let pair = try BufferedPair(gathers: gathers)
        pair.send(pair.records([Self.request]) + pair.goodbye())
        pair.hangUp()
        for _ in 0..<2 {
            #expect(pair.write(Self.request) == CInt(Self.request.count))
            #expect(pair.buffer?.flush() == .failed)
        }
        #expect(pair.read().bytes == Self.request)
        let (result, _) = pair.read()
        #expect(pair.error(result) == SSL_ERROR_ZERO_RETURN)
    }

    @Test("a socket that is closed is never used again, even if another one has its number", arguments: [true, false])
    func closed(gathers: Bool) throws {
        let pair = try BufferedPair(gathers: gathers)
        if gathers { pair.write(Self.request) }
        pair.buffer?.close()
        let other = pair.replaceNearSocket()
        defer { close(other) }
        #expect(pair.write(Self.request) == -1 || gathers)
        if gathers { #expect(pair.buffer?.flush() == .failed) }
        #expect(pair.read().result == -1)
        var byte: UInt8 = 0
        #expect(recv(other, &byte, 1, 0) == -1)
        #expect(errno == EAGAIN)
    }

    // MARK: - Reading

    @Test("records that came together cost one reading, and are said to be there")
    func ahead() throws {
        let pair = try BufferedPair(gathers: true)
        let contents = (0..<3).map { Array("content \($0)".utf8) }
        let before = pair.readings
        pair.send(pair.records(contents))
        #expect(pair.buffer?.unread == 0)
        for (index, content) in contents.enumerated() {
            #expect(pair.read().bytes == content)
            // A record of TLS 1.3 has 22 bytes more than its content.
            #expect(pair.buffer?.unread == contents[(index + 1)...].reduce(0) { $0 + $1.count + 22 })
        }
        #expect(pair.readings == before + 1)
        let (result, _) = pair.read()
        #expect(result == -1)
        #expect(pair.error(result) == SSL_ERROR_WANT_READ)
    }

    @Test("records that come in parts or are long are put together", arguments: [1, 7, 4_095, 4_096, 4_097, 20_000])
    func parts(size: Int) throws {
        let pair = try BufferedPair(kind: SOCK_STREAM, gathers: false)
        let contents = [1, 5_000, 16_384, 3].map { [UInt8](repeating: UInt8($0 % 251), count: $0) }
        let records = pair.records(contents)
        var received: [UInt8] = []
        for start in stride(from: 0, to: records.count, by: size) {
            pair.send(Array(records[start..<min(records.count, start + size)]))
            while case let (result, bytes) = pair.read(), result > 0 { received += bytes }
        }
        let isWhole = received == contents.flatMap { $0 }
        #expect(isWhole, "\(received.count) bytes")
    }

    @Test("an end without a goodbye is an end, and one with it is a goodbye", arguments: [true, false])
    func end(saysGoodbye: Bool) throws {
        let pair = try BufferedPair(gathers: false)
        pair.send(pair.records([Self.request]) + (saysGoodbye ? pair.goodbye() : []))
        pair.hangUp()
        #expect(pair.read().bytes == Self.request)
        let (result, _) = pair.read()
        #expect(result == 0)
        #expect(pair.error(result) == (saysGoodbye ? SSL_ERROR_ZERO_RETURN : SSL_ERROR_SYSCALL))
    }

    // MARK: - Messages without end

    @Test("a peer that asks for new keys over and over is given up; one that sends something in between is not")
    func keyUpdates() throws {
        let pair = try BufferedPair(kind: SOCK_STREAM, gathers: true)
        for _ in 0..<3 {
            pair.send(pair.keyUpdates(32) + pair.records([Self.request]))
            #expect(pair.read().bytes == Self.request)
        }
        #expect(!pair.record.exceededKeyUpdates)
        pair.send(pair.keyUpdates(34))
        let (result, _) = pair.read()
        #expect(result == 0)
        #expect(pair.record.exceededKeyUpdates)
        #expect(!pair.record.exceededLimit)
    }
}
