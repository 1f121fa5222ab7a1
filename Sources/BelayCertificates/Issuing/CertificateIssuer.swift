import COpenSSL

/// Who issues certificates: a name and a key.
public struct CertificateIssuer: Sendable {
    /// The issuer's certificate.
    public let certificate: Certificate
    /// The certificates that a peer must send besides its own for a path to this issuer's root: this issuer's and those
    /// of the authorities above it, the root left out.
    public let intermediates: [Certificate]
    /// The key that signs.
    public let privateKey: PrivateKey

    /// An issuer with its certificate and key.
    ///
    /// - Parameters:
    ///   - certificate: the issuer's certificate.
    ///   - above: the certificates of the authorities above it, the nearest first, without the root.
    ///   - privateKey: the issuer's key.
    /// - Throws: ``IdentityError/keyMismatch(certificate:)`` where the key is not that of the certificate.
    public init(
        certificate: Certificate, below above: [Certificate] = [], privateKey: PrivateKey
    ) throws(IdentityError) {
        guard privateKey.matches(certificate.publicKey) else {
            throw .keyMismatch(certificate: certificate.nameInErrors)
        }
        self.init(checked: certificate, below: above, privateKey)
    }

    private init(checked certificate: Certificate, below above: [Certificate] = [], _ privateKey: PrivateKey) {
        self.certificate = certificate
        intermediates = certificate.isSelfIssued ? [] : [certificate] + above
        self.privateKey = privateKey
    }

    /// Issues a certificate for a key.
    ///
    /// - Throws: ``IssuingError``, also where an extension that Belay knows would be malformed, for example a DNS name
    ///   that is not ASCII.
    public func issue(_ template: CertificateTemplate, for publicKey: PublicKey) throws(IssuingError) -> Certificate {
        try Self.checked(try encode(template, for: publicKey))
    }

    /// Issues a certificate for a key and puts both together, with ``intermediates`` as chain.
    ///
    /// - Throws: ``IssuingError``.
    public func issueIdentity(_ template: CertificateTemplate, key: PrivateKey) throws(IssuingError) -> Identity {
        let leaf = try issue(template, for: key.publicKey)
        return Identity(presenting: leaf, intermediates, withKey: key)
    }

    /// Issues the certificate of an authority below this one.
    ///
    /// - Throws: ``IssuingError``.
    public func issueAuthority(
        _ template: CertificateTemplate, key: PrivateKey
    ) throws(IssuingError) -> CertificateIssuer {
        CertificateIssuer(checked: try issue(template, for: key.publicKey), below: intermediates, key)
    }

    /// A self-signed issuer.
    ///
    /// - Throws: ``IssuingError``.
    public static func selfSigned(
        _ template: CertificateTemplate, key: PrivateKey
    ) throws(IssuingError) -> CertificateIssuer {
        let der = try encode(
            template, for: key.publicKey, issuer: template.subject, issuerKey: key,
            issuerKeyIdentifier: template.ownKeyIdentifier ?? key.publicKey.keyIdentifier)
        return CertificateIssuer(checked: try checked(der), key)
    }

    private static func checked(_ der: [UInt8]) throws(IssuingError) -> Certificate {
        do throws(DERError) {
            let certificate = try Certificate(der: der)
            _ = try certificate.basicConstraints
            _ = try certificate.keyUsage
            _ = try certificate.extendedKeyUsage
            _ = try certificate.subjectAlternativeNames
            _ = try certificate.nameConstraints
            _ = try certificate.authorityInformationAccess
            _ = try certificate.revocationListDistributionPoints
            return certificate
        } catch {
            throw .malformed(error)
        }
    }

    /// The bytes of a certificate, which with a template's flaws or hostile extensions may be none that anybody accepts:
    /// nothing is checked.
    package func encode(
        _ template: CertificateTemplate, for publicKey: PublicKey
    ) throws(IssuingError) -> [UInt8] {
        try Self.encode(
            template, for: publicKey, issuer: certificate.subject, issuerKey: privateKey,
            issuerKeyIdentifier: keyIdentifier)
    }

    /// What goes into the authority key identifier of what this issuer signs: its certificate's own identifier, which
    /// need not be a hash of the key.
    var keyIdentifier: [UInt8] {
        certificate.extensions.lazy.compactMap(\.keyIdentifierValue).first ?? privateKey.publicKey.keyIdentifier
    }

    private static func encode(
        _ template: CertificateTemplate, for publicKey: PublicKey, issuer: DistinguishedName, issuerKey: PrivateKey,
        issuerKeyIdentifier: [UInt8]
    ) throws(IssuingError) -> [UInt8] {
        let flaws = template.flaws
        let algorithm = template.signatureAlgorithm ?? issuerKey.usualSignatureAlgorithm
        let innerAlgorithm = flaws.innerAlgorithm ?? algorithm
        guard let innerDER = innerAlgorithm.der else { throw .unencodableAlgorithm(innerAlgorithm) }
        let version = DERWriter.element(.contextConstructed(0), DERWriter.integer(flaws.version - 1))
        let signed = DERWriter.sequence(
            flaws.version == 1 ? [] : version,
            serialNumber(of: template),
            innerDER,
            (flaws.issuer ?? issuer).der,
            DERWriter.sequence(
                DERWriter.time(template.validity.notBeforeSeconds), DERWriter.time(template.validity.notAfterSeconds)),
            template.subject.der,
            flaws.rawPublicKey ?? publicKey.der,
            extensions(of: template, publicKey, issuerKeyIdentifier))
        return try sign(signed, issuerKey, algorithm, corrupting: flaws.corruptsSignature)
    }

    /// Wraps a signed part with algorithm and signature (RFC 5280, sections 4.1.1 and 5.1.1).
    static func sign(
        _ signed: [UInt8], _ key: PrivateKey, _ algorithm: SignatureAlgorithm, corrupting: Bool = false
    ) throws(IssuingError) -> [UInt8] {
        guard let algorithmDER = algorithm.der else { throw .unencodableAlgorithm(algorithm) }
        var signature: [UInt8]
        do throws(PrivateKeyError) { signature = try key.sign(signed, with: algorithm) } catch { throw .key(error) }
        if corrupting, let last = signature.indices.last { signature[last] ^= 1 }
        return DERWriter.sequence(signed, algorithmDER, DERWriter.bitString(signature))
    }

    private static func serialNumber(of template: CertificateTemplate) -> [UInt8] {
        if let raw = template.flaws.rawSerialNumber { return DERWriter.element(.integer, raw) }
        return DERWriter.integer(template.serialNumber ?? randomSerialNumber())
    }

    /// 16 bytes, positive (RFC 5280, section 4.1.2.2), more random bits than anybody demands.
    private static func randomSerialNumber() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var octets = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // Neither negative nor shorter than it looks.
        octets[0] = octets[0] & 0x7F | 0x40
        return octets
    }

    private static func extensions(
        of template: CertificateTemplate, _ publicKey: PublicKey, _ issuerKeyIdentifier: [UInt8]
    ) -> [UInt8] {
        guard template.flaws.version == 3 || template.flaws.extensionsInAnyVersion else { return [] }
        var list = template.extensions
        if template.addsKeyIdentifiers {
            for added in [
                CertificateExtension.subjectKeyIdentifier(publicKey.keyIdentifier),
                CertificateExtension.authorityKeyIdentifier(issuerKeyIdentifier),
            ] where !list.contains(where: { $0.identifier == added.identifier }) {
                list.append(added)
            }
        }
        guard !list.isEmpty else { return [] }
        return DERWriter.element(.contextConstructed(3), DERWriter.element(.sequence, list.flatMap(\.der)))
    }
}

extension CertificateTemplate {
    /// The subject key identifier among the extensions, if there is one.
    fileprivate var ownKeyIdentifier: [UInt8]? { extensions.lazy.compactMap(\.keyIdentifierValue).first }
}

extension CertificateExtension {
    /// The octets, where this is a subject key identifier.
    fileprivate var keyIdentifierValue: [UInt8]? {
        guard identifier.octets == [0x55, 0x1D, ExtensionKind.subjectKeyIdentifier.rawValue] else { return nil }
        var reader = DERReader(value)
        guard let contents = try? reader.read(.octetString) else { return nil }
        return Array(value[contents])
    }
}

extension PublicKey {
    /// The key identifier by method 1 of RFC 5280, section 4.2.1.2: the SHA-1 digest of the key's bits.
    ///
    /// It only tells keys apart, so that SHA-1's weakness does not matter; every other tool computes the same.
    public var keyIdentifier: [UInt8] {
        let octets = keyBytes
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        SHA1(octets, octets.count, &digest)
        return digest
    }
}
