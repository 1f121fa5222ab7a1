/// A pin: the SHA-256 digest of a DER SubjectPublicKeyInfo (RFC 7469, section 2.4).
///
/// It names a key, not a certificate, so that a certificate renewed with the same key keeps its pin. Any kind of key
/// has one, also a kind that Belay cannot verify signatures with.
public struct SPKIPin: Sendable, Hashable {
    /// The digest.
    public let digest: SHA256Digest

    /// Takes a digest of a SubjectPublicKeyInfo.
    public init(_ digest: SHA256Digest) {
        self.digest = digest
    }
}

extension SPKIPin: CustomStringConvertible {
    /// The digest in base64, the form that configuration files of all kinds take.
    public var description: String { digest.base64Text }
}
