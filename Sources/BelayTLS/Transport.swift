import COpenSSL
import Glibc

/// The bytes between OpenSSL and the socket, and what was noticed about them.
///
/// OpenSSL's own socket layer would raise SIGPIPE in the whole process when a peer is gone; this one does not. It also counts,
/// keeps the first bytes (to say what a peer speaks that does not speak TLS), and ends a handshake that never ends.
final class Transport {
    let socket: Socket
    /// How many bytes may still be read before reading fails; nil without limit.
    var readLimit: Int?
    private(set) var bytesRead = 0
    private(set) var bytesWritten = 0
    private(set) var exceededLimit = false
    private(set) var reachedEnd = false
    /// `errno` of the last failed call, 0 when none failed.
    private(set) var failure: CInt = 0
    /// The first bytes received, at most 256.
    private(set) var opening: [UInt8] = []
    /// Whether the socket was found empty since the last `beginOperation`.
    private(set) var foundEmpty = false

    private static let openingLimit = 256

    init(socket: Socket) {
        self.socket = socket
    }

    func beginOperation() {
        foundEmpty = false
    }

    fileprivate func read(into buffer: UnsafeMutablePointer<CChar>, count: Int) -> ReadResult {
        if let readLimit, bytesRead >= readLimit {
            exceededLimit = true
            return .failed
        }
        while true {
            let received = recv(socket.descriptor, buffer, count, 0)
            if received > 0 {
                bytesRead += received
                if opening.count < Transport.openingLimit {
                    let bytes = UnsafeRawBufferPointer(start: buffer, count: received)
                    opening.append(contentsOf: bytes.prefix(Transport.openingLimit - opening.count))
                }
                return .received(received)
            }
            if received == 0 {
                reachedEnd = true
                return .end
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                foundEmpty = true
                return .wouldBlock
            default:
                failure = errno
                return .failed
            }
        }
    }

    fileprivate func write(_ buffer: UnsafePointer<CChar>, count: Int) -> ReadResult {
        while true {
            let sent = send(socket.descriptor, buffer, count, CInt(MSG_NOSIGNAL))
            if sent >= 0 {
                bytesWritten += sent
                return .received(sent)
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default:
                failure = errno
                return .failed
            }
        }
    }

    /// Takes bytes that have arrived off the socket, without looking at them.
    func discardPending(atMost limit: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
            var left = limit
            while left > 0, case let received = recv(socket.descriptor, buffer.baseAddress, buffer.count, 0),
                received > 0
            {
                left -= received
            }
        }
    }

    fileprivate enum ReadResult {
        case received(Int)
        case end
        case wouldBlock
        case failed
    }
}

/// The table of functions through which OpenSSL reaches a `Transport`.
final class TransportMethod {
    private let method: OpaquePointer

    init?() {
        guard let method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "belay socket") else { return nil }
        self.method = method
        BIO_meth_set_read(method) { bio, buffer, count in
            guard let bio, let buffer, count > 0, let transport = transport(of: bio) else { return -1 }
            belay_bio_clear_retry(bio)
            switch transport.read(into: buffer, count: Int(count)) {
            case .received(let received): return CInt(received)
            case .end: return 0
            case .wouldBlock:
                belay_bio_retry_read(bio)
                return -1
            case .failed: return -1
            }
        }
        BIO_meth_set_write(method) { bio, buffer, count in
            guard let bio, let buffer, count > 0, let transport = transport(of: bio) else { return -1 }
            belay_bio_clear_retry(bio)
            switch transport.write(buffer, count: Int(count)) {
            case .received(let sent): return CInt(sent)
            case .wouldBlock:
                belay_bio_retry_write(bio)
                return -1
            case .end, .failed: return -1
            }
        }
        BIO_meth_set_ctrl(method) { bio, command, _, _ in
            switch command {
            case CInt(BIO_CTRL_FLUSH): return 1
            case CInt(BIO_CTRL_EOF):
                guard let bio, let transport = transport(of: bio) else { return 0 }
                return transport.reachedEnd ? 1 : 0
            default: return 0
            }
        }
    }

    deinit {
        BIO_meth_free(method)
    }

    /// A BIO over a transport, which must outlive it.
    func makeBIO(over transport: Transport) -> OpaquePointer? {
        guard let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(transport).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }
}

private func transport(of bio: OpaquePointer) -> Transport? {
    guard let data = BIO_get_data(bio) else { return nil }
    return Unmanaged<Transport>.fromOpaque(data).takeUnretainedValue()
}
