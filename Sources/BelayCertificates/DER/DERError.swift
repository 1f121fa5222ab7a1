/// Why bytes are not DER, and where.
///
/// Every failure carries the byte offset at which it was noticed, counted from the start of the outermost input.
public struct DERError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// The input ends inside an element.
        case truncated
        /// A tag other than the one demanded.
        case unexpectedTag(expected: DERTag, found: UInt8)
        /// An element is missing: its place is the end of the enclosing element.
        case missing(DERTag)
        /// A tag number above 30 in the multi-byte form, which no certificate uses.
        case highTagNumber
        /// BER's indefinite length, forbidden in DER (X.690, 10.1).
        case indefiniteLength
        /// A length that is not in its shortest form (X.690, 10.1).
        case nonMinimalLength
        /// A length that does not fit in 32 bits.
        case lengthTooLarge
        /// Bytes after the end of what should be the last element.
        case trailingData
        /// A BOOLEAN that is neither 00 nor FF (X.690, 11.1).
        case invalidBoolean(UInt8)
        /// A field with a DEFAULT whose default value is written out (X.690, 11.5).
        case defaultEncoded
        /// An INTEGER with superfluous leading octets, or none at all (X.690, 8.3).
        case nonMinimalInteger
        /// An INTEGER out of the range that the field allows.
        case integerOutOfRange
        /// A BIT STRING with an impossible count of unused bits, or set bits among them (X.690, 11.2).
        case invalidBitString
        /// An OBJECT IDENTIFIER that is empty, not minimal or unterminated (X.690, 8.19).
        case invalidObjectIdentifier
        /// A time not in the one form that RFC 5280, section 4.1.2.5 allows.
        case invalidTime
        /// A NULL with contents.
        case invalidNull
        /// A set or sequence that must hold something holds nothing.
        case empty
        /// Something else, in words.
        case other(String)
    }

    /// What is wrong.
    public let reason: Reason
    /// Where: the offset in bytes from the start of the input.
    public let offset: Int

    /// Describes a failure.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension DERError: CustomStringConvertible {
    /// The failure in a sentence, with its byte offset.
    public var description: String { "\(reason) at byte \(offset)" }
}

extension DERError.Reason: CustomStringConvertible {
    /// The failure in words, without its place.
    public var description: String {
        switch self {
        case .truncated: "the data end inside an element"
        case .unexpectedTag(let expected, let found): "expected \(expected), found \(DERTag(rawValue: found))"
        case .missing(let tag): "\(tag) is missing"
        case .highTagNumber: "a tag number above 30 is used"
        case .indefiniteLength: "an indefinite length is used (BER, not DER)"
        case .nonMinimalLength: "a length is not in its shortest form"
        case .lengthTooLarge: "a length does not fit in 32 bits"
        case .trailingData: "there are bytes after the last element"
        case .invalidBoolean(let byte): "a BOOLEAN holds 0x\(hexadecimal(byte)), not 00 or FF"
        case .defaultEncoded: "a default value is written out"
        case .nonMinimalInteger: "an INTEGER is empty or not in its shortest form"
        case .integerOutOfRange: "an INTEGER is out of range"
        case .invalidBitString: "the unused bits of a BIT STRING are invalid"
        case .invalidObjectIdentifier: "an OBJECT IDENTIFIER is malformed"
        case .invalidTime: "a time is not in the form YYMMDDHHMMSSZ or YYYYMMDDHHMMSSZ, or not a real moment"
        case .invalidNull: "a NULL has contents"
        case .empty: "an element that must hold something is empty"
        case .other(let text): text
        }
    }
}
