import COpenSSL

/// A certificate chain and its private key in OpenSSL's form: the only owner of those objects.
final class KeyMaterial: @unchecked Sendable {
    // Safe to share: the objects are made in `init` and never changed; OpenSSL counts references to them atomically.
    let leaf: OpaquePointer
    let chain: OpaquePointer
    let key: OpaquePointer

    /// Reads the certificates, the leaf first, and takes a reference to `key` (an EVP_PKEY).
    ///
    /// - Throws: `KeyMaterialError` naming the certificate that OpenSSL cannot read.
    init(certificates: [[UInt8]], key: OpaquePointer) throws(KeyMaterialError) {
        ERR_clear_error()
        guard let first = certificates.first else { throw .noCertificate }
        guard let leaf = KeyMaterial.read(first) else {
            throw .unreadableCertificate(index: 0, detail: OpenSSLError.drain().text)
        }
        guard let chain = belay_tls_stack_new() else {
            X509_free(leaf)
            throw .outOfMemory
        }
        for (index, certificate) in certificates.enumerated().dropFirst() {
            guard let read = KeyMaterial.read(certificate), belay_tls_stack_push(chain, read) > 0 else {
                X509_free(leaf)
                belay_tls_stack_free(chain)
                throw .unreadableCertificate(index: index, detail: OpenSSLError.drain().text)
            }
        }
        guard EVP_PKEY_up_ref(key) == 1 else {
            X509_free(leaf)
            belay_tls_stack_free(chain)
            throw .outOfMemory
        }
        self.leaf = leaf
        self.chain = chain
        self.key = key
    }

    deinit {
        X509_free(leaf)
        belay_tls_stack_free(chain)
        EVP_PKEY_free(key)
    }

    /// Whether the key is the one in the leaf.
    var isConsistent: Bool {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return X509_check_private_key(leaf, key) == 1
    }

    private static func read(_ certificate: [UInt8]) -> OpaquePointer? {
        certificate.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_X509(nil, &position, buffer.count)
        }
    }
}

/// Why certificates and a key are no use to OpenSSL.
enum KeyMaterialError: Error, Hashable, CustomStringConvertible {
    case noCertificate
    case unreadableCertificate(index: Int, detail: String)
    case keyMismatch
    case unusable(String)
    case outOfMemory

    var description: String {
        switch self {
        case .noCertificate: "it holds no certificate"
        case .unreadableCertificate(let index, let detail): "OpenSSL cannot read certificate \(index): \(detail)"
        case .keyMismatch: "the private key does not belong to the certificate"
        case .unusable(let detail): detail
        case .outOfMemory: "out of memory"
        }
    }
}
