/// Reads property lists in the forms that Apple's systems read: XML, binary, and old-style.
///
/// ```swift
/// let document = try PlistReader().read(bytes)
/// ```
///
/// The reader is stricter than theirs where leniency would hide a mistake, and bounded: no file makes it use time or memory out of
/// proportion. It opens nothing that a file names.
public struct PlistReader: Sendable {
    /// What a file may cost.
    public var limits: PlistLimits

    /// Makes a reader.
    public init(limits: PlistLimits = PlistLimits()) {
        self.limits = limits
    }

    /// Reads a property list.
    ///
    /// - Throws: ``PlistError``.
    public func read(_ bytes: [UInt8]) throws(PlistError) -> PlistDocument {
        guard bytes.count <= limits.bytes else { throw PlistError(.tooLarge(limit: limits.bytes)) }
        if bytes.starts(with: Array("bplist".utf8)) {
            return PlistDocument(format: .binary, root: try BinaryPlist.read(bytes, limits))
        }
        guard let first = Self.firstUnit(bytes) else { throw PlistError(.empty) }
        if first == UInt8(ascii: "<"), Self.looksLikeXML(bytes) {
            return PlistDocument(format: .xml, root: try XMLPlist.read(bytes, limits))
        }
        return PlistDocument(format: .oldStyle, root: try OldStylePlist.read(bytes, limits))
    }

    /// The first byte that is not white space; the marks and zero bytes of UTF-16 are passed over.
    private static func firstUnit(_ bytes: [UInt8]) -> UInt8? {
        bytes.first { !isSpaceOrMark($0) }
    }

    /// Whether what follows the first `<` is XML's; old-style data is hexadecimal digits there.
    private static func looksLikeXML(_ bytes: [UInt8]) -> Bool {
        guard let start = bytes.firstIndex(of: UInt8(ascii: "<")) else { return false }
        let next = bytes[(start + 1)...].first { $0 != 0 }
        switch next {
        case UInt8(ascii: "?"), UInt8(ascii: "!"), UInt8(ascii: "p"): return true
        // Roots without the element around them: dict, array, string and so on.
        case let unit? where unit >= UInt8(ascii: "g") && unit <= UInt8(ascii: "z"): return true
        default:
            let name = bytes[(start + 1)...].prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }.prefix(8)
            return ["dict", "array", "false", "data", "date"].contains(String(decoding: name, as: UTF8.self))
        }
    }

    private static func isSpaceOrMark(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, 0x00, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF: true
        default: false
        }
    }
}
