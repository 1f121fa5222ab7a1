import FoundationEssentials

/// What a revocation list to be issued shall say (RFC 5280, section 5).
public struct RevocationListTemplate: Sendable, Hashable {
    /// A certificate that is revoked.
    public struct Entry: Sendable, Hashable {
        /// The serial number, big-endian.
        public var serialNumber: [UInt8]
        /// When it was revoked.
        public var date: Date
        /// Why, as a CRLReason (RFC 5280, section 5.3.1); nil to say nothing.
        public var reason: Int?
        /// More entry extensions.
        public var extensions: [CertificateExtension]

        /// Puts an entry together.
        public init(serialNumber: [UInt8], date: Date, reason: Int? = nil, extensions: [CertificateExtension] = []) {
            self.serialNumber = serialNumber
            self.date = date
            self.reason = reason
            self.extensions = extensions
        }
    }

    /// When the list was made.
    public var thisUpdate: Date
    /// When the next is due; nil to say nothing, which RFC 5280 forbids.
    public var nextUpdate: Date?
    /// The revoked certificates.
    public var entries: [Entry]
    /// The number of the list; nil for none.
    public var number: Int?
    /// Whether the authority key identifier is added.
    public var addsKeyIdentifier = true
    /// More list extensions.
    public var extensions: [CertificateExtension]
    /// The algorithm of the signature; nil for what the issuer's key usually signs with.
    public var signatureAlgorithm: SignatureAlgorithm?
    /// Turns over the last bit of the signature, for tests.
    package var corruptsSignature = false
    /// Writes the dates of the list as GeneralizedTime whatever the year, for tests.
    package var generalizesDates = false
    /// Writes the dates of the entries so.
    package var generalizesEntryDates = false
    /// An issuer name other than the issuer's, for tests.
    package var issuer: DistinguishedName?

    /// Puts a list together.
    public init(
        thisUpdate: Date, nextUpdate: Date?, entries: [Entry] = [], number: Int? = 1,
        extensions: [CertificateExtension] = []
    ) {
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
        self.entries = entries
        self.number = number
        self.extensions = extensions
    }
}

extension CertificateIssuer {
    /// Issues a revocation list, in DER.
    ///
    /// - Throws: ``IssuingError``.
    public func issue(_ template: RevocationListTemplate) throws(IssuingError) -> [UInt8] {
        let algorithm = template.signatureAlgorithm ?? privateKey.usualSignatureAlgorithm
        guard let algorithmDER = algorithm.der else { throw .unencodableAlgorithm(algorithm) }
        let entries = template.entries.flatMap { $0.der(generalizingDates: template.generalizesEntryDates) }
        func date(_ date: Date) -> [UInt8] {
            DERWriter.time(CivilTime.seconds(date), isAlwaysGeneralized: template.generalizesDates)
        }
        var extensions = template.extensions
        if template.addsKeyIdentifier { extensions.append(.authorityKeyIdentifier(keyIdentifier)) }
        if let number = template.number {
            extensions.append(
                CertificateExtension(
                    identifier: .revocationListNumber, isCritical: false, value: DERWriter.integer(number)))
        }
        let list = DERWriter.element(.sequence, extensions.flatMap(\.der))
        // Version 1 has no extensions, neither in the list nor in its entries.
        let isVersion2 = !extensions.isEmpty || template.entries.contains { $0.hasExtensions }
        let signed = DERWriter.sequence(
            isVersion2 ? DERWriter.integer(1) : [],
            algorithmDER,
            (template.issuer ?? certificate.subject).der,
            date(template.thisUpdate), template.nextUpdate.map(date) ?? [],
            // RFC 5280, section 5.1.2.6: no empty list.
            entries.isEmpty ? [] : DERWriter.element(.sequence, entries),
            extensions.isEmpty ? [] : DERWriter.element(.contextConstructed(0), list))
        return try Self.sign(signed, privateKey, algorithm, corrupting: template.corruptsSignature)
    }
}

extension RevocationListTemplate.Entry {
    fileprivate var hasExtensions: Bool { reason != nil || !extensions.isEmpty }

    fileprivate func der(generalizingDates: Bool) -> [UInt8] {
        var list = extensions
        if let reason {
            let value = DERWriter.element(.enumerated, [UInt8(clamping: reason)])
            list.append(CertificateExtension(identifier: .revocationReason, isCritical: false, value: value))
        }
        return DERWriter.sequence(
            DERWriter.integer(serialNumber),
            DERWriter.time(CivilTime.seconds(date), isAlwaysGeneralized: generalizingDates),
            list.isEmpty ? [] : DERWriter.element(.sequence, list.flatMap(\.der)))
    }
}

extension OID {
    /// The list extension `cRLNumber` (RFC 5280, section 5.2.3).
    public static let revocationListNumber = OID(octets: [0x55, 0x1D, ExtensionKind.crlNumber.rawValue])
    /// The entry extension `reasonCode` (RFC 5280, section 5.3.1).
    public static let revocationReason = OID(octets: [0x55, 0x1D, ExtensionKind.reasonCode.rawValue])
}
