import COpenSSL

/// A private key.
///
/// A value: copies share one key of OpenSSL, which never changes. Two private keys are equal when their public keys are.
/// Its description never shows key material.
///
/// ```swift
/// let key = try PrivateKey.generate(.p256)
/// let signature = try key.sign(message, with: key.usualSignatureAlgorithm)
/// ```
public struct PrivateKey: Sendable {
    private let handle: KeyHandle
    /// The public half.
    public let publicKey: PublicKey
    /// Whether the key is on a PKCS#11 token, which it never leaves: it signs, and cannot be written anywhere.
    public let isOnToken: Bool

    /// Takes over a key of OpenSSL, which is freed with the last copy of this value, or at once where this fails.
    init(owning pointer: OpaquePointer, isOnToken: Bool = false) throws(PrivateKeyError) {
        handle = KeyHandle(pointer)
        self.isOnToken = isOnToken
        let encoded = opensslDER { i2d_PUBKEY(pointer, $0) }
        guard let encoded, let publicKey = try? PublicKey(der: encoded) else {
            throw .malformed(OpenSSLErrors.take().reason)
        }
        self.publicKey = publicKey
    }

    /// What a new key shall be.
    public enum Specification: Sendable, Hashable {
        /// RSA with a modulus of so many bits and the exponent 65537.
        case rsa(bits: Int)
        /// The same, for RSASSA-PSS only (RFC 4055, section 1.2).
        case rsaPSS(bits: Int)
        /// An elliptic curve by OpenSSL's name, for example `brainpoolP256r1`.
        case ellipticCurve(String)
        /// Ed25519 (RFC 8032).
        case ed25519
        /// Ed448 (RFC 8032).
        case ed448

        /// The curve P-256 (FIPS 186-4).
        public static let p256 = Specification.ellipticCurve("prime256v1")
        /// The curve P-384 (FIPS 186-4).
        public static let p384 = Specification.ellipticCurve("secp384r1")
        /// The curve P-521 (FIPS 186-4).
        public static let p521 = Specification.ellipticCurve("secp521r1")
    }

    /// Makes a new key.
    ///
    /// - Throws: ``PrivateKeyError/generationFailed(_:)`` where OpenSSL has no such key.
    public static func generate(_ specification: Specification) throws(PrivateKeyError) -> PrivateKey {
        ERR_clear_error()
        guard let pointer = newKey(specification) else { throw .generationFailed(OpenSSLErrors.take().reason) }
        return try PrivateKey(owning: pointer)
    }

    private static func newKey(_ specification: Specification) -> OpaquePointer? {
        let name =
            switch specification {
            case .rsa: "RSA"
            case .rsaPSS: "RSA-PSS"
            case .ellipticCurve: "EC"
            case .ed25519: "ED25519"
            case .ed448: "ED448"
            }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, name, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_keygen_init(context) == 1 else { return nil }
        switch specification {
        case .rsa(let bits), .rsaPSS(let bits):
            guard EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(clamping: bits)) == 1 else { return nil }
        case .ellipticCurve(let curve):
            guard EVP_PKEY_CTX_set_group_name(context, curve) == 1 else { return nil }
        case .ed25519, .ed448:
            break
        }
        var key: OpaquePointer?
        return EVP_PKEY_generate(context, &key) == 1 ? key : nil
    }

    /// Lends the key to a call into OpenSSL; it must not outlive the call unless `EVP_PKEY_up_ref` was called, and must
    /// not be changed.
    package func withKey<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(handle) { try body(handle.pointer) }
    }

    /// Whether this key belongs to a public key, also where that is encoded in another way than OpenSSL would.
    public func matches(_ other: PublicKey) -> Bool {
        if publicKey == other { return true }
        let decoded = other.der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_PUBKEY(nil, &position, buffer.count)
        }
        defer { EVP_PKEY_free(decoded) }
        let isSame = decoded.map { decoded in withKey { EVP_PKEY_eq($0, decoded) == 1 } } ?? false
        ERR_clear_error()
        return isSame
    }
}

/// The one owner of an `EVP_PKEY`.
private final class KeyHandle: @unchecked Sendable {
    // Safe to share: the EVP_PKEY is complete before it comes here and is never changed afterwards, its count of
    // references is atomic, the caches inside it are guarded by OpenSSL's own locks, and every operation makes a context
    // of its own. Where the key is on a token, libp11 takes a session of its own for every operation, under its own lock.
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }
}

extension PrivateKey: Hashable {
    /// Whether both have the same public half.
    public static func == (left: PrivateKey, right: PrivateKey) -> Bool { left.publicKey == right.publicKey }

    /// Hashes the public half.
    public func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}

extension PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Kind and size, for example `private key (EC P-256)`; never the key itself.
    public var description: String { "private key (\(publicKey)\(isOnToken ? ", on a token" : ""))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Nothing: a dump shows no part of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The DER that an `i2d` function of OpenSSL writes; nil where it fails.
func opensslDER(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8]? {
    var output: UnsafeMutablePointer<UInt8>?
    let count = Int(encode(&output))
    guard count > 0, let output else { return nil }
    // The output may be a private key.
    defer { CRYPTO_clear_free(output, count, nil, 0) }
    return Array(UnsafeBufferPointer(start: output, count: count))
}
