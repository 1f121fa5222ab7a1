// The extensions that Belay knows, as typed values. Each is nil (or empty) where the certificate does not have it, and
// throws where it has one that is not what RFC 5280 says; a reader must then refuse the certificate.

extension Certificate {
    /// What the key may be used for (RFC 5280, section 4.2.1.3).
    public var keyUsage: KeyUsage? {
        get throws(DERError) {
            guard let slot = layout.slot(.keyUsage) else { return nil }
            return try KeyUsage(layout.der, in: slot.value)
        }
    }

    /// The purposes the certificate is for (RFC 5280, section 4.2.1.12).
    public var extendedKeyUsage: ExtendedKeyUsage? {
        get throws(DERError) {
            guard let slot = layout.slot(.extendedKeyUsage) else { return nil }
            return try ExtendedKeyUsage(layout.der, in: slot.value)
        }
    }

    /// Whether the certificate may issue others (RFC 5280, section 4.2.1.9).
    public var basicConstraints: BasicConstraints? {
        get throws(DERError) {
            guard let slot = layout.slot(.basicConstraints) else { return nil }
            return try BasicConstraints(layout.der, in: slot.value)
        }
    }

    /// The names of the subject besides its distinguished name (RFC 5280, section 4.2.1.6); nil without the extension.
    public var subjectAlternativeNames: [GeneralName]? {
        get throws(DERError) {
            guard let slot = layout.slot(.subjectAlternativeName) else { return nil }
            var reader = DERReader(layout.der, in: slot.value)
            let names = try GeneralName.readList(&reader)
            try reader.finish()
            return names
        }
    }

    /// The names that the subject may certify (RFC 5280, section 4.2.1.10).
    public var nameConstraints: NameConstraints? {
        get throws(DERError) {
            guard let slot = layout.slot(.nameConstraints) else { return nil }
            return try NameConstraints(layout.der, in: slot.value)
        }
    }

    /// The identifier of the certified key (RFC 5280, section 4.2.1.2).
    public var subjectKeyIdentifier: [UInt8]? {
        get throws(DERError) {
            guard let slot = layout.slot(.subjectKeyIdentifier) else { return nil }
            var reader = DERReader(layout.der, in: slot.value)
            let contents = try reader.read(.octetString)
            try reader.finish()
            return Array(layout.der[contents])
        }
    }

    /// The identifier of the issuer's key (RFC 5280, section 4.2.1.1).
    public var authorityKeyIdentifier: AuthorityKeyIdentifier? {
        get throws(DERError) {
            guard let slot = layout.slot(.authorityKeyIdentifier) else { return nil }
            return try AuthorityKeyIdentifier(layout.der, in: slot.value)
        }
    }

    /// Where the issuer's certificate and status are published (RFC 5280, section 4.2.2.1).
    public var authorityInformationAccess: [InformationAccess] {
        get throws(DERError) {
            guard let slot = layout.slot(.authorityInformationAccess) else { return [] }
            return try InformationAccess.readList(layout.der, in: slot.value)
        }
    }

    /// Where revocation lists are published (RFC 5280, section 4.2.1.13).
    public var revocationListDistributionPoints: [DistributionPoint] {
        get throws(DERError) {
            guard let slot = layout.slot(.crlDistributionPoints) else { return [] }
            return try DistributionPoint.readList(layout.der, in: slot.value, issuer: issuer)
        }
    }

    /// The addresses at which the issuer's certificate is published, as far as they can be read.
    public var issuerLocations: [String] {
        guard let list = try? authorityInformationAccess else { return [] }
        return list.compactMap { access in
            if access.method == .certificateAuthorityIssuers, case .uri(let uri) = access.location { uri } else { nil }
        }
    }

    /// The object identifiers of critical extensions that Belay does not understand; with one of them the certificate
    /// must be refused (RFC 5280, section 4.2).
    public var unhandledCriticalExtensions: [OID] {
        layout.extensions.filter { $0.isCritical && !$0.kind.isUnderstood }
            .map { OID(octets: layout.der[$0.identifier]) }
    }

    /// Whether any extension of the certificate has to be handled as critical and is not understood.
    package var hasUnhandledCriticalExtension: Bool {
        for slot in layout.extensions where slot.isCritical && !slot.kind.isUnderstood { return true }
        return false
    }
}

extension ExtensionKind {
    /// Whether path validation acts on the extension, as whoever accepts it when it is critical must.
    fileprivate var isUnderstood: Bool {
        switch self {
        case .keyUsage, .extendedKeyUsage, .basicConstraints, .subjectAlternativeName, .nameConstraints,
            .subjectKeyIdentifier, .authorityKeyIdentifier, .certificatePolicies, .policyMappings, .policyConstraints,
            .inhibitAnyPolicy:
            true
        case .crlDistributionPoints:
            // It says where revocation lists are; a verifier that is given the lists has done what it asks.
            true
        default:
            false
        }
    }
}
