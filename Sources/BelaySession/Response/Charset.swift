/// An encoding of text that responses come in.
enum Charset: Sendable, Hashable {
    case ascii
    case utf8
    case utf16
    case utf16BigEndian
    case utf16LittleEndian
    case latin1
    case windows1252

    /// An encoding by a name of the IANA registry; nil for those that are not read here.
    init?(name: String) {
        switch name.lowercased() {
        case "utf-8", "utf8", "unicode-1-1-utf-8": self = .utf8
        case "us-ascii", "ascii", "iso646-us", "ansi_x3.4-1968", "iso-ir-6", "cp367", "ibm367", "us": self = .ascii
        case "utf-16", "utf16", "iso-10646-ucs-2": self = .utf16
        case "utf-16be", "utf16be": self = .utf16BigEndian
        case "utf-16le", "utf16le": self = .utf16LittleEndian
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1", "iso-ir-100", "cp819", "ibm819": self = .latin1
        case "windows-1252", "cp1252", "x-cp1252": self = .windows1252
        default: return nil
        }
    }

    /// What a byte order mark says; nil without one.
    init?(markOf bytes: [UInt8]) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = .utf8
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            self = .utf16BigEndian
        } else if bytes.starts(with: [0xFF, 0xFE]) {
            self = .utf16LittleEndian
        } else {
            return nil
        }
    }

    /// The text, without byte order mark; nil where the bytes are none in this encoding.
    func decode(_ bytes: [UInt8]) -> String? {
        let mark = Charset(markOf: bytes)
        switch self {
        case .ascii: return bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        case .utf8: return String(validating: bytes.dropFirst(mark == .utf8 ? 3 : 0), as: UTF8.self)
        case .utf16:
            // RFC 2781, section 4.3: without a mark it is big-endian.
            return utf16(bytes, mark: mark, isLittleEndian: mark == .utf16LittleEndian)
        case .utf16BigEndian: return utf16(bytes, mark: mark == self ? mark : nil, isLittleEndian: false)
        case .utf16LittleEndian: return utf16(bytes, mark: mark == self ? mark : nil, isLittleEndian: true)
        case .latin1:
            return bytes.allSatisfy { $0 < 0x80 }
                ? String(decoding: bytes, as: UTF8.self)
                : String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .windows1252:
            var scalars = String.UnicodeScalarView()
            for byte in bytes {
                guard let scalar = Self.windows1252(byte) else { return nil }
                scalars.append(scalar)
            }
            return String(scalars)
        }
    }

    private func utf16(_ bytes: [UInt8], mark: Charset?, isLittleEndian: Bool) -> String? {
        let hasMark = mark == .utf16BigEndian || mark == .utf16LittleEndian
        let text = bytes.dropFirst(hasMark ? 2 : 0)
        guard text.count.isMultiple(of: 2) else { return nil }
        var units: [UInt16] = []
        units.reserveCapacity(text.count / 2)
        var index = text.startIndex
        while index < text.endIndex {
            let first = UInt16(text[index])
            let second = UInt16(text[index + 1])
            units.append(isLittleEndian ? second << 8 | first : first << 8 | second)
            index += 2
        }
        return String(validating: units, as: UTF16.self)
    }

    /// Five bytes are not assigned; the encoding that browsers use reads them as control characters, and so does this.
    private static func windows1252(_ byte: UInt8) -> Unicode.Scalar? {
        guard byte >= 0x80, byte < 0xA0 else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(high1252[Int(byte - 0x80)])
    }

    private static let high1252: [UInt16] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
        0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x009D, 0x017E, 0x0178,
    ]
}
