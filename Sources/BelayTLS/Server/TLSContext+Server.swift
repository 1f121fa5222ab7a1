import BelayTrust
import COpenSSL

extension TLSContext {
    /// A server's context. The security level is 0, so that it can present weak keys and old signatures: it serves on loopback,
    /// to show what servers do.
    convenience init(server configuration: TLSServerConfiguration) throws(TLSContextError) {
        let answers = ServerAnswers(configuration)
        guard let protocols = TLSContext.wireForm(configuration.applicationProtocols) else {
            throw .failed("an application protocol is empty or longer than 255 bytes")
        }
        answers.applicationProtocols = protocols
        try self.init(
            method: TLS_server_method(),
            Key(
                minimumVersion: configuration.minimumVersion, maximumVersion: configuration.maximumVersion,
                cipherSuites: configuration.cipherSuites),
            securityLevel: 0, retaining: answers)
        let argument = Unmanaged.passUnretained(answers).toOpaque()
        let material = configuration.identity.material
        guard SSL_CTX_use_certificate(handle, material.leaf) == 1,
            belay_tls_set_chain(handle, material.chain) == 1,
            SSL_CTX_use_PrivateKey(handle, material.key) == 1
        else { throw .failed("the identity cannot be used: \(OpenSSLError.drain().text)") }
        if !configuration.sendsTickets { belay_tls_no_tickets(handle) }
        // Without the name of a context OpenSSL fails where a client that had shown a certificate resumes.
        let name = Array("belay".utf8)
        guard belay_tls_allow_resumption(handle, configuration.remembersSessions ? 1 : 0, name, name.count) == 1 else {
            throw .failed(OpenSSLError.drain().text)
        }
        belay_tls_prefer_own_ciphers(handle)
        if !configuration.agreesToExtendedMasterSecret { belay_tls_no_extended_master_secret(handle) }
        if !protocols.isEmpty { SSL_CTX_set_alpn_select_cb(handle, ServerAnswers.selectProtocol, argument) }
        if configuration.stapledResponse != nil {
            belay_tls_set_staple_callback(handle, ServerAnswers.staple, argument)
        }
        if let list = configuration.timestampList, belay_tls_add_timestamps(handle, list, list.count) != 1 {
            throw .failed("the timestamps cannot be sent: \(OpenSSLError.drain().text)")
        }
        try demand(configuration.clientAuthentication, answers, argument)
    }

    private func demand(
        _ authentication: TLSServerConfiguration.ClientAuthentication, _ answers: ServerAnswers,
        _ argument: UnsafeMutableRawPointer
    ) throws(TLSContextError) {
        let demand: TLSServerConfiguration.Demand
        switch authentication {
        case .none: return
        case .request(let given):
            SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
            demand = given
        case .require(let given):
            SSL_CTX_set_verify(handle, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
            demand = given
        }
        answers.acceptsClient = demand.accepts
        SSL_CTX_set_cert_verify_callback(handle, ServerAnswers.verifyClient, argument)
        for issuer in demand.acceptableIssuers {
            let certificate = issuer.withUnsafeBufferPointer { buffer in
                var position = buffer.baseAddress
                return d2i_X509(nil, &position, buffer.count)
            }
            guard let certificate else {
                throw .failed("OpenSSL cannot read an acceptable issuer: \(OpenSSLError.drain().text)")
            }
            defer { X509_free(certificate) }
            guard SSL_CTX_add_client_CA(handle, certificate) == 1 else { throw .failed(OpenSSLError.drain().text) }
        }
    }
}

/// What OpenSSL asks a server during a handshake. The context keeps it; it does not change once the context is made.
private final class ServerAnswers {
    var applicationProtocols: [UInt8] = []
    var acceptsClient: (@Sendable ([[UInt8]]) -> Bool)?
    let stapledResponse: [UInt8]

    init(_ configuration: TLSServerConfiguration) {
        stapledResponse = configuration.stapledResponse ?? []
    }

    static func of(_ argument: UnsafeMutableRawPointer?) -> ServerAnswers? {
        argument.map { Unmanaged<ServerAnswers>.fromOpaque($0).takeUnretainedValue() }
    }

    static let selectProtocol: SSL_CTX_alpn_select_cb_func = {
        _, selected, selectedLength, offered, offeredLength, argument in
        guard let answers = ServerAnswers.of(argument), let selected, let selectedLength, let offered else {
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        // The server's order decides. The result points into what the client sent, which outlives the callback.
        let offers = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
        var own = answers.applicationProtocols[...]
        while let length = own.popFirst() {
            let name = own.prefix(Int(length))
            own = own.dropFirst(Int(length))
            var position = 0
            while position < offers.count {
                let end = position + 1 + Int(offers[position])
                guard end <= offers.count else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                if offers[(position + 1)..<end].elementsEqual(name) {
                    selected.pointee = offered + position + 1
                    selectedLength.pointee = length
                    return SSL_TLSEXT_ERR_OK
                }
                position = end
            }
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }

    static let staple: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> CInt = { handle, argument in
        guard let answers = ServerAnswers.of(argument), let handle else { return SSL_TLSEXT_ERR_NOACK }
        let response = answers.stapledResponse
        // OpenSSL frees the copy.
        guard let copy = belay_openssl_malloc(response.count) else { return SSL_TLSEXT_ERR_NOACK }
        copy.copyMemory(from: response, byteCount: response.count)
        _ = belay_tls_set_staple(handle, copy.assumingMemoryBound(to: UInt8.self), response.count)
        return SSL_TLSEXT_ERR_OK
    }

    static let verifyClient: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> CInt = { store, argument in
        guard let store, let answers = ServerAnswers.of(argument) else { return 0 }
        guard let accepts = answers.acceptsClient else { return 1 }
        guard let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let record = HandshakeRecord.of(session: OpaquePointer(ssl))
        else { return 0 }
        if accepts(record.certificates) { return 1 }
        // Makes the alert unknown_ca.
        X509_STORE_CTX_set_error(store, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY)
        return 0
    }
}
