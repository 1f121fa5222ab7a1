import BelayTrust
import COpenSSL

/// What a client answers to a server that asks who it is: its identity, if the server deserves to see it.
///
/// A session holds it as long as its SSL lives, and only the thread that is inside that SSL touches it.
final class CertificateAnswer {
    private let identity: KeyMaterial?
    private let subject: TLSStream.Subject
    private let isAccepted: @Sendable (PeerEvidence) -> Bool
    /// Whether there is an identity and the server did not get to see it.
    private(set) var withheldIdentity = false

    init(
        identity: KeyMaterial?, subject: TLSStream.Subject,
        presentingIf isAccepted: @escaping @Sendable (PeerEvidence) -> Bool
    ) {
        self.identity = identity
        self.subject = subject
        self.isAccepted = isAccepted
    }

    /// Sets the answer up; the session has no certificate until the server is accepted, so that nothing can slip out.
    func prepare(_ handle: OpaquePointer) throws(Unprepared) {
        if let identity {
            // Tried before anything is sent: a key that OpenSSL refuses is no reason to bother a server.
            guard identity.use(in: handle) else {
                throw Unprepared(reason: .identityUnusable(OpenSSLError.drain().text))
            }
            SSL_certs_clear(handle)
        }
        SSL_set_cert_cb(handle, CertificateAnswer.callback, Unmanaged.passUnretained(self).toOpaque())
    }

    /// OpenSSL calls it when the server has asked for a certificate, shown its own, and proved that it has the key: after
    /// ServerKeyExchange (TLS 1.2) or CertificateVerify (TLS 1.3). Without a certificate set then, an empty list is sent.
    private static let callback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> CInt = {
        handle, argument in
        guard let handle, let argument, let record = HandshakeRecord.of(session: handle) else { return 0 }
        let answer = Unmanaged<CertificateAnswer>.fromOpaque(argument).takeUnretainedValue()
        // The verdict uses OpenSSL as well: what it leaves in this thread's queue of errors is not the handshake's.
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return answer.answer(handle, record) ? 1 : 0
    }

    /// Decides; false where the handshake cannot go on.
    private func answer(_ handle: OpaquePointer, _ record: HandshakeRecord) -> Bool {
        withheldIdentity = identity != nil
        guard let negotiated = Negotiated(handle, record) else { return false }
        guard isAccepted(subject.evidence(negotiated, record)), let identity else { return true }
        withheldIdentity = false
        return identity.use(in: handle)
    }
}

extension KeyMaterial {
    /// Makes it the certificate and key of a session.
    func use(in handle: OpaquePointer) -> Bool {
        SSL_use_cert_and_key(handle, leaf, key, chain, 1) == 1
    }
}
