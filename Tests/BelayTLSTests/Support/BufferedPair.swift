import COpenSSL
import Glibc

@testable import BelayTLS

/// A client whose records go through a `RecordBuffer` over a pair of sockets, and the other end of it.
///
/// The sockets keep the bounds of what is sent at once, so that a test can count it.
final class BufferedPair: RecordBuffer.Owner {
    let client: OpaquePointer
    /// What the client makes of the server's messages.
    let record = HandshakeRecord()
    private let context: OpaquePointer
    private let server: OpaquePointer
    private let serverContext: TLSContext
    private let near: CInt
    private let far: CInt
    private(set) var buffer: RecordBuffer?
    private(set) var readings = 0
    private(set) var gatherings = 0

    struct Failed: Error {}

    init(kind: __socket_type = SOCK_SEQPACKET, gathers: Bool, handshake: Bool = true) throws {
        var configuration = TLSServerConfiguration(identity: try TestCertificate.make("server.test").identity())
        configuration.sendsTickets = false
        serverContext = try TLSContext(server: configuration)
        guard let context = SSL_CTX_new(TLS_client_method()), let client = SSL_new(context),
            let server = SSL_new(serverContext.handle)
        else { throw Failed() }
        (self.context, self.client, self.server) = (context, client, server)
        record.limit = TLSContext.maximumHandshake
        SSL_set_msg_callback(client, HandshakeRecord.callback)
        belay_tls_set_message_argument(client, Unmanaged.passUnretained(record).toOpaque())
        SSL_set_connect_state(client)
        SSL_set_accept_state(server)
        for session in [client, server] { SSL_set_bio(session, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem())) }
        var ends: [CInt] = [-1, -1]
        let flags = CInt(kind.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, flags, 0, &ends) == 0 else { throw Failed() }
        (near, far) = (ends[0], ends[1])
        for _ in 0..<(handshake ? 4 : 0) {
            SSL_do_handshake(client)
            Self.carry(from: client, to: server)
            SSL_do_handshake(server)
            Self.carry(from: server, to: client)
        }
        guard SSL_is_init_finished(client) == (handshake ? 1 : 0) else { throw Failed() }
        guard let buffer = RecordBuffer.install(in: client, socket: near, owner: self) else { throw Failed() }
        buffer.gathers = gathers
        self.buffer = buffer
    }

    deinit {
        SSL_free(client)
        SSL_CTX_free(context)
        SSL_free(server)
        close(near)
        close(far)
    }

    func isBuffered(_ socket: CInt, by buffer: RecordBuffer) {}
    func hasRead(_ socket: CInt) { readings += socket == near ? 1 : 0 }
    func hasGathered(_ socket: CInt) { gatherings += socket == near ? 1 : 0 }

    private static func carry(from sender: OpaquePointer, to receiver: OpaquePointer) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = BIO_read(SSL_get_wbio(sender), &bytes, CInt(bytes.count))
        if count > 0 { BIO_write(SSL_get_rbio(receiver), bytes, count) }
    }

    // MARK: - The client

    /// What SSL_write says.
    @discardableResult
    func write(_ bytes: [UInt8]) -> CInt {
        ERR_clear_error()
        return SSL_write(client, bytes, CInt(bytes.count))
    }

    /// What SSL_read says, and what it read.
    func read(atMost limit: Int = 1 << 15) -> (result: CInt, bytes: [UInt8]) {
        ERR_clear_error()
        var bytes = [UInt8](repeating: 0, count: limit)
        let result = SSL_read(client, &bytes, CInt(limit))
        return (result, Array(bytes.prefix(Int(max(0, result)))))
    }

    func error(_ result: CInt) -> CInt { SSL_get_error(client, result) }

    // MARK: - The other end

    /// What was sent, each piece by itself.
    func takeSent() -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(far, &bytes, bytes.count, 0), count > 0 {
            pieces.append(Array(bytes.prefix(count)))
        }
        return pieces
    }

    /// What the server makes of records.
    func decrypt(_ records: [UInt8]) -> [UInt8] {
        BIO_write(SSL_get_rbio(server), records, CInt(records.count))
        var content: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 15)
        while case let count = SSL_read(server, &bytes, CInt(bytes.count)), count > 0 {
            content += bytes.prefix(Int(count))
        }
        return content
    }

    /// What the server says to the beginning of a handshake.
    func answer(to records: [UInt8]) -> [UInt8] {
        BIO_write(SSL_get_rbio(server), records, CInt(records.count))
        SSL_do_handshake(server)
        return output()
    }

    /// Whether the server has read the client's goodbye.
    var serverHasGoodbye: Bool { SSL_get_shutdown(server) & SSL_RECEIVED_SHUTDOWN != 0 }

    /// The records of a server, one for each content.
    func records(_ contents: [[UInt8]]) -> [UInt8] {
        for content in contents { SSL_write(server, content, CInt(content.count)) }
        return output()
    }

    /// The server changes its keys so many times, and asks the client to do the same.
    func keyUpdates(_ count: Int) -> [UInt8] {
        for _ in 0..<count {
            SSL_key_update(server, CInt(SSL_KEY_UPDATE_REQUESTED))
            SSL_do_handshake(server)
        }
        return output()
    }

    /// The server's goodbye.
    func goodbye() -> [UInt8] {
        SSL_shutdown(server)
        return output()
    }

    private func output() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = BIO_read(SSL_get_wbio(server), &bytes, CInt(bytes.count))
        return Array(bytes.prefix(Int(max(0, count))))
    }

    func send(_ bytes: [UInt8]) { Glibc.send(far, bytes, bytes.count, 0) }

    /// The server hangs up.
    func hangUp() { shutdown(far, CInt(SHUT_RDWR)) }

    /// What has come on another socket that got the number of the client's.
    func replaceNearSocket() -> CInt {
        var ends: [CInt] = [-1, -1]
        socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &ends)
        dup2(ends[0], near)
        close(ends[0])
        return ends[1]
    }
}
