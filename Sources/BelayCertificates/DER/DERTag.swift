/// An ASN.1 identifier octet: class, constructed bit and a tag number up to 30 (X.690, 8.1.2).
public struct DERTag: RawRepresentable, Sendable, Hashable {
    /// The octet as it stands on the wire.
    public let rawValue: UInt8

    /// Names a tag by its octet.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// BOOLEAN (X.680).
    public static let boolean = DERTag(rawValue: 0x01)
    /// INTEGER (X.680).
    public static let integer = DERTag(rawValue: 0x02)
    /// BIT STRING (X.680).
    public static let bitString = DERTag(rawValue: 0x03)
    /// OCTET STRING (X.680).
    public static let octetString = DERTag(rawValue: 0x04)
    /// NULL (X.680).
    public static let null = DERTag(rawValue: 0x05)
    /// OBJECT IDENTIFIER (X.680).
    public static let objectIdentifier = DERTag(rawValue: 0x06)
    /// ENUMERATED (X.680).
    public static let enumerated = DERTag(rawValue: 0x0A)
    /// UTF8String (X.680).
    public static let utf8String = DERTag(rawValue: 0x0C)
    /// PrintableString (X.680).
    public static let printableString = DERTag(rawValue: 0x13)
    /// TeletexString (X.680).
    public static let teletexString = DERTag(rawValue: 0x14)
    /// IA5String (X.680).
    public static let ia5String = DERTag(rawValue: 0x16)
    /// UTCTime (X.680).
    public static let utcTime = DERTag(rawValue: 0x17)
    /// GeneralizedTime (X.680).
    public static let generalizedTime = DERTag(rawValue: 0x18)
    /// UniversalString (X.680).
    public static let universalString = DERTag(rawValue: 0x1C)
    /// BMPString (X.680).
    public static let bmpString = DERTag(rawValue: 0x1E)
    /// SEQUENCE and SEQUENCE OF (X.680).
    public static let sequence = DERTag(rawValue: 0x30)
    /// SET and SET OF (X.680).
    public static let set = DERTag(rawValue: 0x31)

    /// A context-specific primitive tag, as an IMPLICIT field of a primitive type has it.
    public static func contextPrimitive(_ number: UInt8) -> DERTag {
        DERTag(rawValue: 0x80 | (number & 0x1F))
    }

    /// A context-specific constructed tag, as an EXPLICIT field has it.
    public static func contextConstructed(_ number: UInt8) -> DERTag {
        DERTag(rawValue: 0xA0 | (number & 0x1F))
    }

    /// Whether the element's contents are elements themselves.
    public var isConstructed: Bool { rawValue & 0x20 != 0 }
}

extension DERTag: CustomStringConvertible {
    /// The ASN.1 name, for example `SEQUENCE` or `[3]`.
    public var description: String {
        switch self {
        case .boolean: "BOOLEAN"
        case .integer: "INTEGER"
        case .bitString: "BIT STRING"
        case .octetString: "OCTET STRING"
        case .null: "NULL"
        case .objectIdentifier: "OBJECT IDENTIFIER"
        case .enumerated: "ENUMERATED"
        case .utf8String: "UTF8String"
        case .printableString: "PrintableString"
        case .teletexString: "TeletexString"
        case .ia5String: "IA5String"
        case .utcTime: "UTCTime"
        case .generalizedTime: "GeneralizedTime"
        case .universalString: "UniversalString"
        case .bmpString: "BMPString"
        case .sequence: "SEQUENCE"
        case .set: "SET"
        default:
            rawValue & 0xC0 == 0x80
                ? "[\(rawValue & 0x1F)]\(isConstructed ? "" : " IMPLICIT")" : "tag 0x\(hexadecimal(rawValue))"
        }
    }
}
