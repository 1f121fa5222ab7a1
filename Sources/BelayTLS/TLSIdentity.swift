import BelayCertificates
import COpenSSL

/// A certificate chain and a private key made ready for handshakes: read once, used by as many as wanted.
///
/// Clients present one when a server asks who they are; servers of the laboratory always do.
public struct TLSIdentity: Sendable {
    let material: KeyMaterial

    /// Puts an identity together.
    ///
    /// - Parameters:
    ///   - certificates: DER, the leaf first, then what is to be sent after it, in exactly this order. Nothing is left out or
    ///     added.
    ///   - privateKey: the key of the leaf.
    /// - Throws: `TLSIdentityError` when the key does not belong to the leaf, or OpenSSL cannot use one of them.
    public init(certificates: [[UInt8]], privateKey: PrivateKey) throws(TLSIdentityError) {
        let made = privateKey.withKey { key in
            Result { () throws(KeyMaterialError) in try KeyMaterial(certificates: certificates, key: key) }
        }
        try self.init(made)
        guard material.isConsistent else { throw TLSIdentityError(KeyMaterialError.keyMismatch) }
    }

    /// Makes an identity ready: its certificate, and its chain after it.
    ///
    /// - Throws: `TLSIdentityError` when OpenSSL cannot use it.
    public init(_ identity: Identity) throws(TLSIdentityError) {
        try self.init(certificates: identity.certificates.map(\.der), privateKey: identity.privateKey)
    }

    /// Certificates without their key: what somebody can present who has only seen them.
    ///
    /// Handshakes with it go as far as the check of the server's signature, and fail there. It is for the laboratory.
    ///
    /// - Throws: `TLSIdentityError` when OpenSSL cannot read a certificate, or knows no such key.
    public static func withoutKey(certificates: [[UInt8]]) throws(TLSIdentityError) -> TLSIdentity {
        try TLSIdentity(
            Result { () throws(KeyMaterialError) in try KeyMaterial.impostor(presenting: certificates) })
    }

    private init(_ made: Result<KeyMaterial, KeyMaterialError>) throws(TLSIdentityError) {
        switch made {
        case .success(let material): self.material = material
        case .failure(let error): throw TLSIdentityError(error)
        }
    }
}

/// An identity that cannot be used.
public struct TLSIdentityError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public let detail: String

    init(_ error: KeyMaterialError) {
        detail = error.description
    }

    /// What is wrong, and what to do.
    public var description: String {
        "The identity cannot be used: \(detail). "
            + "Check that the private key is the one its certificate was issued for."
    }
}
