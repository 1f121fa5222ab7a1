extension CertificateExtension {
    private init(_ kind: ExtensionKind, isCritical: Bool, _ value: [UInt8]) {
        self.init(identifier: OID(octets: [0x55, 0x1D, kind.rawValue]), isCritical: isCritical, value: value)
    }

    /// Basic constraints (RFC 5280, section 4.2.1.9), critical.
    public static func basicConstraints(
        _ constraints: BasicConstraints, isCritical: Bool = true
    ) -> CertificateExtension {
        let isAuthority = constraints.isAuthority ? DERWriter.boolean(true) : []
        let pathLength = constraints.pathLength.map { DERWriter.integer($0) } ?? []
        return CertificateExtension(
            .basicConstraints, isCritical: isCritical, DERWriter.sequence(isAuthority, pathLength))
    }

    /// The key usage (RFC 5280, section 4.2.1.3), critical.
    public static func keyUsage(_ usage: KeyUsage, isCritical: Bool = true) -> CertificateExtension {
        CertificateExtension(.keyUsage, isCritical: isCritical, DERWriter.namedBits(usage.rawValue))
    }

    /// The extended key usage (RFC 5280, section 4.2.1.12), not critical.
    public static func extendedKeyUsage(_ purposes: [OID], isCritical: Bool = false) -> CertificateExtension {
        CertificateExtension(
            .extendedKeyUsage, isCritical: isCritical,
            DERWriter.element(.sequence, purposes.flatMap { DERWriter.objectIdentifier($0) }))
    }

    /// Subject alternative names (RFC 5280, section 4.2.1.6); they must be critical where the subject is empty.
    public static func subjectAlternativeNames(
        _ names: [GeneralName], isCritical: Bool = false
    ) -> CertificateExtension {
        CertificateExtension(
            .subjectAlternativeName, isCritical: isCritical, DERWriter.element(.sequence, names.flatMap(\.der)))
    }

    /// Name constraints (RFC 5280, section 4.2.1.10), critical.
    public static func nameConstraints(_ constraints: NameConstraints, isCritical: Bool = true) -> CertificateExtension
    {
        func subtrees(_ names: [GeneralName], _ number: UInt8) -> [UInt8] {
            guard !names.isEmpty else { return [] }
            return DERWriter.element(.contextConstructed(number), names.flatMap { DERWriter.sequence($0.der) })
        }
        return CertificateExtension(
            .nameConstraints, isCritical: isCritical,
            DERWriter.sequence(subtrees(constraints.permitted, 0), subtrees(constraints.excluded, 1)))
    }

    /// The identifier of the certificate's own key (RFC 5280, section 4.2.1.2).
    public static func subjectKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        CertificateExtension(
            .subjectKeyIdentifier, isCritical: false, DERWriter.element(.octetString, identifier))
    }

    /// The identifier of the issuer's key (RFC 5280, section 4.2.1.1).
    public static func authorityKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        CertificateExtension(
            .authorityKeyIdentifier, isCritical: false,
            DERWriter.sequence(DERWriter.element(.contextPrimitive(0), identifier)))
    }

    /// Where the revocation lists are, by URI (RFC 5280, section 4.2.1.13).
    public static func revocationLists(at uris: [String]) -> CertificateExtension {
        let points = uris.flatMap { uri in
            let fullName = DERWriter.element(.contextConstructed(0), GeneralName.uri(uri).der)
            return DERWriter.sequence(DERWriter.element(.contextConstructed(0), fullName))
        }
        return CertificateExtension(.crlDistributionPoints, isCritical: false, DERWriter.element(.sequence, points))
    }

    /// Where the issuer's certificate and the OCSP responder are, by URI (RFC 5280, section 4.2.2.1).
    public static func informationAccess(
        issuers: [String] = [], onlineStatus: [String] = []
    ) -> CertificateExtension {
        func descriptions(_ method: OID, _ uris: [String]) -> [UInt8] {
            uris.flatMap { DERWriter.sequence(DERWriter.objectIdentifier(method), GeneralName.uri($0).der) }
        }
        let list = descriptions(.onlineStatus, onlineStatus) + descriptions(.certificateAuthorityIssuers, issuers)
        return CertificateExtension(
            identifier: .authorityInformationAccess, isCritical: false, value: DERWriter.element(.sequence, list))
    }

    /// The extension in DER, as certificates and revocation lists hold it.
    package var der: [UInt8] {
        DERWriter.sequence(
            DERWriter.objectIdentifier(identifier), isCritical ? DERWriter.boolean(true) : [],
            DERWriter.element(.octetString, value))
    }
}

extension OID {
    /// The extension `authorityInfoAccess` (RFC 5280, section 4.2.2.1).
    public static let authorityInformationAccess = OID(octets: [0x2B, 6, 1, 5, 5, 7, 1, 1])
}
