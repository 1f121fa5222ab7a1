import FoundationEssentials

/// An X.509 certificate (RFC 5280, section 4.1): a value over its DER bytes.
///
/// Making one walks the whole encoding strictly (DER only, times in seconds and UTC, no duplicate extensions, the same
/// algorithm inside and out) and remembers where everything is. Fields are decoded when they are asked for. Two
/// certificates are equal when their bytes are.
///
/// ```swift
/// let certificate = try Certificate(der: bytes)
/// print(certificate.subject, certificate.validity.notAfter, certificate.pin)
/// ```
public struct Certificate: Sendable {
    /// The bytes and where each field stands among them; shared by all copies of the value.
    let layout: CertificateLayout

    /// Reads a certificate.
    ///
    /// - Throws: ``DERError`` with the byte offset where the encoding is not a certificate in DER.
    public init(der: [UInt8]) throws(DERError) {
        layout = try CertificateLayout(der)
    }

    /// The exact bytes.
    public var der: [UInt8] { layout.der }

    /// The version as people count: 1, 2 or 3.
    public var version: Int { layout.version }

    /// The serial number: big-endian two's complement, as encoded.
    public var serialNumber: [UInt8] { Array(layout.der[layout.serialNumber]) }

    /// Who issued it.
    public var issuer: DistinguishedName { DistinguishedName(layout.der, in: layout.issuer) }

    /// Whom it names.
    public var subject: DistinguishedName { DistinguishedName(layout.der, in: layout.subject) }

    /// From when to when it may be used, both ends included.
    public var validity: Validity { Validity(notBefore: layout.notBefore, notAfter: layout.notAfter) }

    /// The algorithm of the issuer's signature.
    public var signatureAlgorithm: SignatureAlgorithm {
        SignatureAlgorithm(layout.der, in: layout.signatureAlgorithm)
    }

    /// The issuer's signature over ``signedBytes``.
    public var signature: [UInt8] { Array(layout.der[layout.signature]) }

    /// The signed part, the TBSCertificate.
    public var signedBytes: [UInt8] { Array(layout.der[layout.signedPart]) }

    /// The key it certifies.
    public var publicKey: PublicKey { PublicKey(layout.der, in: layout.publicKey) }

    /// The SHA-256 digest of the certificate: its fingerprint.
    public var fingerprint: SHA256Digest { SHA256Digest(of: layout.der) }

    /// The pin of its key.
    public var pin: SPKIPin { SPKIPin(SHA256Digest(of: layout.der, in: layout.publicKey.element)) }

    /// The extensions in the order in which they stand.
    public var extensions: [CertificateExtension] {
        layout.extensions.map { CertificateExtension(layout.der, slot: $0) }
    }

    /// Whether issuer and subject are the same name (RFC 5280, section 6.1: "self-issued").
    public var isSelfIssued: Bool { issuer == subject }
}

extension Certificate: Hashable {
    /// Whether both are the same bytes.
    public static func == (left: Certificate, right: Certificate) -> Bool {
        left.layout === right.layout || areEqual(left.layout.der, right.layout.der)
    }

    /// Hashes a part of the bytes.
    public func hash(into hasher: inout Hasher) {
        // The signature alone tells certificates apart; equality still compares every byte.
        let signature = layout.signature
        layout.der.withUnsafeBytes { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[signature.suffix(32)]))
        }
    }
}

extension Certificate: CustomStringConvertible {
    /// The subject, issuer and end of validity in a line.
    public var description: String {
        "\(subject) (issued by \(issuer), valid until \(CivilTime.text(layout.notAfter)))"
    }
}
