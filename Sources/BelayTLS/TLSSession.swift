import BelayTrust
import COpenSSL

/// One SSL object, its transport and its record: the only owner of the SSL.
///
/// Not for sharing: an actor holds it, so that no two threads are ever inside the same SSL.
final class TLSSession {
    let handle: OpaquePointer
    let transport: Transport
    let record = HandshakeRecord()
    private let context: TLSContext
    /// What a server that asks is answered; on a client's side only.
    private(set) var answer: CertificateAnswer?

    /// Begins a session over a connected socket.
    init(context: TLSContext, socket: Socket) throws(TLSContextError) {
        ERR_clear_error()
        let transport = Transport(socket: socket)
        guard let handle = SSL_new(context.handle) else { throw .failed(OpenSSLError.drain().text) }
        guard let bio = context.transportMethod.makeBIO(over: transport) else {
            SSL_free(handle)
            throw .failed(OpenSSLError.drain().text)
        }
        // One BIO for both directions; its only reference goes to the SSL.
        SSL_set_bio(handle, bio, bio)
        transport.readLimit = TLSContext.maximumHandshake
        self.context = context
        self.handle = handle
        self.transport = transport
        let argument = Unmanaged.passUnretained(record).toOpaque()
        belay_tls_set_message_argument(handle, argument)
        SSL_set_ex_data(handle, 0, argument)
    }

    deinit {
        SSL_free(handle)
    }

    /// Sets up the server's side; everything else is in its context.
    func prepareServer() {
        SSL_set_accept_state(handle)
    }

    /// Sets up the client's side: name, protocols, and what a server that asks for a certificate is answered.
    func prepareClient(
        serverName: String?, applicationProtocols: [UInt8], answer: CertificateAnswer
    ) throws(Unprepared) {
        ERR_clear_error()
        SSL_set_connect_state(handle)
        if let serverName, belay_tls_set_server_name(handle, serverName) != 1 {
            throw Unprepared(reason: .unusableOptions("\"\(serverName)\" is no name for the server name indication"))
        }
        if !applicationProtocols.isEmpty,
            SSL_set_alpn_protos(handle, applicationProtocols, CUnsignedInt(applicationProtocols.count)) != 0
        {
            throw Unprepared(
                reason: .unusableOptions("the application protocols cannot be offered: \(OpenSSLError.drain().text)"))
        }
        self.answer = answer
        try answer.prepare(handle)
    }

    /// How one operation of OpenSSL ended.
    enum Step {
        case done(Int)
        /// Nothing more can happen before the socket is ready.
        case waits(EventLoop.Direction)
        /// The peer said goodbye.
        case ended
        case failed(OpenSSLError)
    }

    /// Runs one operation and tells how it ended. An operation that made progress without ending is run again.
    func step(until deadline: Deadline, _ operation: (OpaquePointer) -> CInt) -> Step {
        while true {
            ERR_clear_error()
            transport.beginOperation()
            let result = operation(handle)
            if result > 0 { return .done(Int(result)) }
            switch SSL_get_error(handle, result) {
            case SSL_ERROR_WANT_READ:
                // OpenSSL also returns after a record that was no data. Only a socket found empty is worth waiting for.
                guard transport.foundEmpty || deadline.hasPassed else { continue }
                return .waits(.read)
            case SSL_ERROR_WANT_WRITE:
                return .waits(.write)
            case SSL_ERROR_ZERO_RETURN:
                ERR_clear_error()
                return .ended
            default:
                return .failed(OpenSSLError.drain())
            }
        }
    }

    /// What was negotiated.
    var negotiated: Negotiated? { Negotiated(handle, record) }

    /// The name the client asked for; on a server's side only.
    var requestedServerName: String? {
        SSL_get_servername(handle, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    /// Whether the handshake resumed an earlier session, in which case nobody showed a certificate.
    var isResumed: Bool { SSL_session_reused(handle) == 1 }
}

/// Why a session could not be set up.
struct Unprepared: Error {
    let reason: TLSError.Reason
}

/// What both sides agreed on.
struct Negotiated: Sendable, Hashable {
    let version: TLSVersion
    let cipherSuite: CipherSuite
    let group: String?
    let applicationProtocol: String?
}

extension Negotiated {
    /// What an SSL object has agreed on so far; nil before there is a suite.
    init?(_ handle: OpaquePointer, _ record: HandshakeRecord) {
        // In the middle of a handshake the suite is pending.
        guard let version = TLSVersion(rawValue: UInt16(truncatingIfNeeded: SSL_version(handle))),
            let cipher = SSL_get_pending_cipher(handle) ?? SSL_get_current_cipher(handle)
        else { return nil }
        let name = SSL_CIPHER_standard_name(cipher).map { String(cString: $0) } ?? ""
        var selected: UnsafePointer<UInt8>?
        var length: CUnsignedInt = 0
        SSL_get0_alpn_selected(handle, &selected, &length)
        let protocolName = selected.map {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
        }
        self.init(
            version: version, cipherSuite: CipherSuite(code: SSL_CIPHER_get_protocol_id(cipher), name: name),
            group: record.group.map(groupName), applicationProtocol: protocolName)
    }
}

/// The IANA name of a named group.
private func groupName(_ number: UInt16) -> String {
    switch number {
    case 19: "secp192r1"
    case 21: "secp224r1"
    case 22: "secp256k1"
    case 23: "secp256r1"
    case 24: "secp384r1"
    case 25: "secp521r1"
    case 26: "brainpoolP256r1"
    case 27: "brainpoolP384r1"
    case 28: "brainpoolP512r1"
    case 29: "x25519"
    case 30: "x448"
    case 256: "ffdhe2048"
    case 257: "ffdhe3072"
    case 258: "ffdhe4096"
    case 259: "ffdhe6144"
    case 260: "ffdhe8192"
    case 4588: "X25519MLKEM768"
    default: "group \(number)"
    }
}
