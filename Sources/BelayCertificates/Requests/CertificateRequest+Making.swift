extension CertificateRequest {
    /// Makes a request and signs it with the key that it is for.
    ///
    /// - Parameters:
    ///   - subject: whom the certificate shall name.
    ///   - extensions: what it shall say besides; the authority decides.
    ///   - key: the key, an old one where the certificate's pin shall stay.
    /// - Throws: ``IssuingError``.
    public static func make(
        subject: DistinguishedName, extensions: [CertificateExtension] = [], key: PrivateKey
    ) throws(IssuingError) -> CertificateRequest {
        let list = DERWriter.element(.sequence, extensions.flatMap(\.der))
        let attribute = DERWriter.sequence(
            DERWriter.objectIdentifier(.extensionRequest), DERWriter.element(.set, list))
        let signed = DERWriter.sequence(
            DERWriter.integer(0), subject.der, key.publicKey.der,
            DERWriter.element(.contextConstructed(0), extensions.isEmpty ? [] : attribute))
        let der = try CertificateIssuer.sign(signed, key, key.usualSignatureAlgorithm)
        do throws(CertificateRequestError) { return try CertificateRequest(der: der) } catch {
            throw .unreadableRequest(error.description)
        }
    }

    /// Makes a request for a certificate that takes another's place: the same names, usages and purposes, and, with the
    /// same key, the same pin.
    ///
    /// What only an authority can say (key identifiers, where lists are published, policies, timestamps) is left out.
    ///
    /// - Throws: ``IssuingError``.
    public static func make(
        renewing certificate: Certificate, key: PrivateKey
    ) throws(IssuingError) -> CertificateRequest {
        let kinds: [ExtensionKind] = [.subjectAlternativeName, .keyUsage, .extendedKeyUsage]
        let kept = certificate.extensions.filter { found in
            kinds.contains { found.identifier.octets == [0x55, 0x1D, $0.rawValue] }
        }
        return try make(subject: certificate.subject, extensions: kept, key: key)
    }
}
