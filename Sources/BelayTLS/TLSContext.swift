import BelayTrust
import COpenSSL

/// One SSL_CTX and what it refers to: the only owner of it.
///
/// A context is set up in its initializer and only read afterwards, so that all connections with the same options share one.
final class TLSContext: @unchecked Sendable {
    // Safe to share: `handle` is changed only before `init` returns; SSL_new takes what it needs under OpenSSL's own locks.
    let handle: OpaquePointer
    let transportMethod: TransportMethod
    private let retained: AnyObject?

    /// The largest certificate list of a peer, in bytes. OpenSSL's default of 100 kB is less than some honest chains have.
    static let maximumCertificateList = 1 << 20
    /// The most a peer may send during a handshake, in bytes: the certificates, and room for the rest.
    static let maximumHandshake = maximumCertificateList + (256 << 10)

    /// What a client's context depends on.
    struct Key: Hashable, Sendable {
        let minimumVersion: TLSVersion
        let maximumVersion: TLSVersion
        let cipherSuites: CipherSuiteSelection

        /// TLS 1.0 and 1.1 sign with SHA-1 and MD5, which OpenSSL 3 has at level 0 only.
        var clientSecurityLevel: CInt { minimumVersion < .tls12 ? 0 : 2 }
    }

    /// A client's context.
    convenience init(client key: Key) throws(TLSContextError) {
        try self.init(method: TLS_client_method(), key, securityLevel: key.clientSecurityLevel, retaining: nil)
        SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
        if key.minimumVersion < .tls12 { belay_tls_allow_legacy_servers(handle) }
        guard belay_tls_request_staple(handle) == 1, belay_tls_request_timestamps(handle) == 1 else {
            throw .failed(OpenSSLError.drain().text)
        }
    }

    /// A context of either side. `object` is what its callbacks refer to.
    init(
        method: OpaquePointer?, _ key: Key, securityLevel: CInt, retaining object: AnyObject?
    ) throws(TLSContextError) {
        ERR_clear_error()
        guard key.minimumVersion <= key.maximumVersion else {
            throw .failed("the minimum version, \(key.minimumVersion), is above the maximum, \(key.maximumVersion)")
        }
        guard let handle = SSL_CTX_new(method), let transportMethod = TransportMethod() else {
            throw .failed(OpenSSLError.drain().text)
        }
        self.handle = handle
        self.transportMethod = transportMethod
        retained = object
        belay_tls_prepare(handle, TLSContext.maximumCertificateList)
        SSL_CTX_set_msg_callback(handle, HandshakeRecord.callback)
        // Collects only: the verdict is made from the evidence, by whoever asked for it.
        SSL_CTX_set_cert_verify_callback(handle, { _, _ in 1 }, nil)
        try TLSContext.apply(key, securityLevel: securityLevel, to: handle)
    }

    /// Sets versions, suites and strength on a context.
    static func apply(_ key: Key, securityLevel: CInt, to handle: OpaquePointer) throws(TLSContextError) {
        SSL_CTX_set_security_level(handle, securityLevel)
        guard
            belay_tls_set_versions(
                handle, CInt(key.minimumVersion.rawValue), CInt(key.maximumVersion.rawValue)) == 1
        else { throw .failed(OpenSSLError.drain().text) }
        guard SSL_CTX_set_cipher_list(handle, key.cipherSuites.list) == 1 else {
            throw .failed("OpenSSL knows no cipher suite in \"\(key.cipherSuites.list)\"")
        }
        if let suites = key.cipherSuites.suites {
            guard SSL_CTX_set_ciphersuites(handle, suites) == 1 else {
                throw .failed("OpenSSL does not know all TLS 1.3 suites of \"\(suites)\"")
            }
        }
    }

    deinit {
        SSL_CTX_free(handle)
    }

    /// The protocols in the form of the wire (RFC 7301, section 3.1); nil when one is empty or longer than 255 bytes.
    static func wireForm(_ protocols: [String]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for name in protocols {
            guard let length = UInt8(exactly: name.utf8.count), length > 0 else { return nil }
            bytes.append(length)
            bytes.append(contentsOf: name.utf8)
        }
        return bytes.count <= 0xFFFF ? bytes : nil
    }
}

/// A context that cannot be: the options contradict each other, or OpenSSL does not know them.
enum TLSContextError: Error, Hashable {
    case failed(String)

    var text: String {
        switch self {
        case .failed(let text): text
        }
    }
}
