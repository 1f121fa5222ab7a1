/// The extensions that Belay decodes.
package enum ExtensionKind: UInt8, Sendable {
    // Those under id-ce (2.5.29) have their last arc as raw value.
    case subjectKeyIdentifier = 14
    case keyUsage = 15
    case subjectAlternativeName = 17
    case basicConstraints = 19
    case crlNumber = 20
    case reasonCode = 21
    case deltaCRLIndicator = 27
    case issuingDistributionPoint = 28
    case certificateIssuer = 29
    case nameConstraints = 30
    case crlDistributionPoints = 31
    case certificatePolicies = 32
    case policyMappings = 33
    case authorityKeyIdentifier = 35
    case policyConstraints = 36
    case extendedKeyUsage = 37
    case inhibitAnyPolicy = 54
    case authorityInformationAccess = 201
    case signedCertificateTimestamps = 202
    case other = 255

    /// Recognises a checked object identifier.
    @inline(__always)
    init(_ bytes: [UInt8], in range: Range<Int>) {
        let start = range.lowerBound
        if range.count == 3, bytes[start] == 0x55, bytes[start &+ 1] == 0x1D {
            let arc = bytes[start &+ 2]
            self = arc < 128 ? ExtensionKind(rawValue: arc) ?? .other : .other
        } else if bytes[range].elementsEqual(ExtensionKind.authorityInformationAccessOctets) {
            self = .authorityInformationAccess
        } else if bytes[range].elementsEqual(ExtensionKind.timestampOctets) {
            self = .signedCertificateTimestamps
        } else {
            self = .other
        }
    }

    private static let authorityInformationAccessOctets: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 1, 1]
    private static let timestampOctets: [UInt8] = [0x2B, 6, 1, 4, 1, 0xD6, 0x79, 2, 4, 2]
}

/// Where an extension stands among the bytes of a certificate.
struct ExtensionSlot: Sendable {
    let identifier: Range<Int>
    let isCritical: Bool
    /// The contents of the OCTET STRING.
    let value: Range<Int>
    let kind: ExtensionKind
}

/// An extension as it stands in a certificate, not decoded (RFC 5280, section 4.1.2.9).
public struct CertificateExtension: Sendable, Hashable {
    /// What it is.
    public let identifier: OID
    /// Whether a reader that does not understand it must refuse the certificate.
    public let isCritical: Bool
    /// The contents of its OCTET STRING.
    public let value: [UInt8]

    /// Puts an extension together, for example to issue a certificate with it.
    public init(identifier: OID, isCritical: Bool, value: [UInt8]) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
    }

    init(_ der: [UInt8], slot: ExtensionSlot) {
        identifier = OID(octets: der[slot.identifier])
        isCritical = slot.isCritical
        value = Array(der[slot.value])
    }
}
