import FoundationEssentials

/// What a certificate to be issued shall say; the issuer adds its name, the key and the signature.
///
/// ```swift
/// let root = try CertificateIssuer.selfSigned(.authority(named: "Example Root"), key: .generate(.p256))
/// let server = try root.issueIdentity(.server(names: ["www.example.com", "192.0.2.1"]), key: .generate(.p256))
/// ```
public struct CertificateTemplate: Sendable, Hashable {
    /// Whom the certificate names.
    public var subject: DistinguishedName
    /// From when to when it may be used.
    public var validity: Validity
    /// The serial number, big-endian; nil for 16 random bytes.
    public var serialNumber: [UInt8]?
    /// The extensions in order. Key identifiers are added by the issuer: see ``addsKeyIdentifiers``.
    public var extensions: [CertificateExtension]
    /// Whether the issuer adds subject and authority key identifiers where ``extensions`` has none.
    public var addsKeyIdentifiers = true
    /// The algorithm of the signature; nil for what the issuer's key usually signs with.
    public var signatureAlgorithm: SignatureAlgorithm?

    /// What no certificate should have and tests need.
    package var flaws = Flaws()

    /// Puts a template together.
    public init(subject: DistinguishedName, validity: Validity, extensions: [CertificateExtension] = []) {
        self.subject = subject
        self.validity = validity
        self.extensions = extensions
    }

    /// Departures from what an honest issuer writes.
    package struct Flaws: Sendable, Hashable {
        /// The version as people count; the extensions are left out below 3 unless ``extensionsInAnyVersion``.
        package var version = 3
        /// Writes extensions into certificates of version 1 and 2 too.
        package var extensionsInAnyVersion = false
        /// An issuer name other than the issuer's.
        package var issuer: DistinguishedName?
        /// Turns over the last bit of the signature.
        package var corruptsSignature = false
        /// An AlgorithmIdentifier in the signed part that differs from the one beside the signature.
        package var innerAlgorithm: SignatureAlgorithm?
        /// The contents octets of the serial number as they are, negative or too long.
        package var rawSerialNumber: [UInt8]?
        /// A SubjectPublicKeyInfo as it is, instead of the key's.
        package var rawPublicKey: [UInt8]?
    }
}

extension CertificateTemplate {
    /// An authority: may issue certificates and revocation lists, with at most `pathLength` intermediates below it.
    public static func authority(
        named name: String, organization: String? = nil, pathLength: Int? = nil,
        nameConstraints: NameConstraints? = nil, validity: Validity = .days(3_650)
    ) -> CertificateTemplate {
        var extensions: [CertificateExtension] = [
            .basicConstraints(BasicConstraints(isAuthority: true, pathLength: pathLength)),
            .keyUsage([.keyCertSign, .cRLSign]),
        ]
        if let nameConstraints { extensions.append(.nameConstraints(nameConstraints)) }
        return CertificateTemplate(
            subject: DistinguishedName(commonName: name, organization: organization), validity: validity,
            extensions: extensions)
    }

    /// A TLS server. Each name is a DNS name or an IP address; the first is the common name too, where it has room.
    ///
    /// An RSA key that shall also serve key exchanges without forward secrecy needs `keyEncipherment` in its usage.
    public static func server(
        names: [String], organization: String? = nil, keyUsage: KeyUsage = .digitalSignature,
        validity: Validity = .days(90)
    ) -> CertificateTemplate {
        // ub-common-name (RFC 5280, appendix A.1) is 64 characters.
        let commonName = names.first { $0.unicodeScalars.count <= 64 }
        let subject = DistinguishedName(commonName: commonName, organization: organization)
        return CertificateTemplate(
            subject: subject, validity: validity,
            extensions: [
                .basicConstraints(BasicConstraints(isAuthority: false)),
                .keyUsage(keyUsage),
                .extendedKeyUsage([.serverAuthentication]),
                .subjectAlternativeNames(names.map { GeneralName(host: $0) }, isCritical: subject.isEmpty),
            ])
    }

    /// A TLS client, named by its common name and, where one is given, an e-mail address.
    public static func client(
        named name: String, email: String? = nil, organization: String? = nil, validity: Validity = .days(90)
    ) -> CertificateTemplate {
        var extensions: [CertificateExtension] = [
            .basicConstraints(BasicConstraints(isAuthority: false)),
            .keyUsage(.digitalSignature),
            .extendedKeyUsage([.clientAuthentication]),
        ]
        if let email { extensions.append(.subjectAlternativeNames([.email(email)])) }
        return CertificateTemplate(
            subject: DistinguishedName(commonName: name, organization: organization), validity: validity,
            extensions: extensions)
    }

    /// Puts an extension in the place of one with the same identifier, or at the end.
    package mutating func set(_ new: CertificateExtension) {
        if let index = extensions.firstIndex(where: { $0.identifier == new.identifier }) {
            extensions[index] = new
        } else {
            extensions.append(new)
        }
    }

    /// Takes out the extension with an identifier.
    package mutating func remove(_ identifier: OID) {
        extensions.removeAll { $0.identifier == identifier }
    }
}

extension Validity {
    /// So many days, from an hour before `start`, so that clocks that are a little slow accept the certificate as well.
    public static func days(_ count: Int, from start: Date = Date()) -> Validity {
        let first = start.addingTimeInterval(-3_600)
        return Validity(from: first, through: first.addingTimeInterval(Double(count) * 86_400 - 1))
    }
}
