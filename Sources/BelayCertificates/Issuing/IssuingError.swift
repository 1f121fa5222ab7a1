/// Why a certificate or revocation list could not be issued.
public enum IssuingError: Error, Sendable, Hashable {
    /// The issuer's key could not sign, or a new key could not be made.
    case key(PrivateKeyError)
    /// The signature algorithm has no encoding.
    case unencodableAlgorithm(SignatureAlgorithm)
    /// What came out is not a certificate that a strict reader accepts.
    case malformed(DERError)
    /// What came out is not a request that a strict reader accepts, with the reason.
    case unreadableRequest(String)
}

extension IssuingError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .key(let error): "cannot issue: \(error)"
        case .unencodableAlgorithm(let algorithm):
            "cannot issue: \(algorithm) cannot be written. Choose RSA, RSA-PSS, ECDSA or EdDSA with a SHA-2 hash"
        case .unreadableRequest(let reason): "cannot ask: \(reason)"
        case .malformed(let error): "cannot issue: the certificate would not be well formed: \(error)"
        }
    }
}
