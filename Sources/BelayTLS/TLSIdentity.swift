import BelayCertificates
import COpenSSL

/// A client identity made ready for handshakes: read once, used by as many as wanted.
public struct TLSIdentity: Sendable {
    let material: KeyMaterial

    /// Takes a reference to `key` (an EVP_PKEY) and checks that it belongs to the first certificate.
    init(certificates: [[UInt8]], key: OpaquePointer) throws(TLSIdentityError) {
        do {
            material = try KeyMaterial(certificates: certificates, key: key)
        } catch {
            throw TLSIdentityError(detail: error.description)
        }
        guard material.isConsistent else { throw TLSIdentityError(detail: KeyMaterialError.keyMismatch.description) }
    }
}

/// A client identity that cannot be used.
public struct TLSIdentityError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public let detail: String

    /// What is wrong, and what to do.
    public var description: String {
        "The client identity cannot be used: \(detail). Check that the private key is the one its certificate was issued for."
    }
}
