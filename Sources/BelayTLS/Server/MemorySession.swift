import COpenSSL

/// A server's TLS session whose bytes go to and come from memory, so that a script can send them as it likes.
final class MemorySession {
    private let handle: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer
    private let context: TLSContext

    init?(context: TLSContext) {
        ERR_clear_error()
        guard let handle = SSL_new(context.handle) else { return nil }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(handle)
            return nil
        }
        // Both BIOs belong to the SSL from here on.
        SSL_set_bio(handle, input, output)
        SSL_set_accept_state(handle)
        self.handle = handle
        self.input = input
        self.output = output
        self.context = context
    }

    deinit {
        SSL_free(handle)
    }

    func feed(_ bytes: [UInt8]) {
        _ = BIO_write(input, bytes, CInt(clamping: bytes.count))
    }

    /// Goes on with the handshake; true when it is complete.
    @discardableResult
    func advance() -> Bool {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return SSL_do_handshake(handle) == 1
    }

    /// Reads application data; empty when there is none.
    func read() -> [UInt8] {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            count = max(0, Int(SSL_read(handle, buffer.baseAddress, CInt(clamping: buffer.count))))
        }
    }

    /// Writes application data and the goodbye.
    func finish(with bytes: [UInt8]) {
        ERR_clear_error()
        _ = SSL_write(handle, bytes, CInt(clamping: bytes.count))
        _ = SSL_shutdown(handle)
        ERR_clear_error()
    }

    /// What is to be sent.
    func takeOutput() -> [UInt8] {
        let waiting = BIO_ctrl_pending(output)
        return [UInt8](unsafeUninitializedCapacity: waiting) { buffer, count in
            count = waiting == 0 ? 0 : max(0, Int(BIO_read(output, buffer.baseAddress, CInt(clamping: waiting))))
        }
    }
}

/// Drives a `MemorySession` through a handshake and one answer. An actor, since a session is not for sharing.
actor DripDriver {
    private let session: MemorySession
    private var isConnected = false

    init?(context: TLSContext) {
        guard let session = MemorySession(context: context) else { return nil }
        self.session = session
    }

    func feed(_ bytes: [UInt8]) {
        session.feed(bytes)
    }

    /// Goes on as far as the input allows: the output to send, and whether that is all.
    func advance() -> (output: [UInt8], isOver: Bool) {
        if !isConnected { isConnected = session.advance() }
        var isOver = false
        if isConnected, !session.read().isEmpty {
            session.finish(with: Array(httpAnswer("Slowly, but completely.\n").utf8))
            isOver = true
        }
        return (session.takeOutput(), isOver)
    }
}
