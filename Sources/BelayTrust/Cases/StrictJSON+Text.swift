extension StrictJSON.Text {
    /// The characters; nil where an escape is one half of a surrogate pair without the other.
    var string: String? {
        if !hasEscapes { return String(decoding: octets, as: UTF8.self) }
        return unescaped.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The octets with escapes resolved (RFC 8259, section 7); nil as above.
    var unescaped: [UInt8]? {
        guard hasEscapes else { return Array(octets) }
        var result: [UInt8] = []
        result.reserveCapacity(octets.count)
        var rest = octets
        while let unit = rest.popFirst() {
            guard unit == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                result.append(unit)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = Self.scalar(&rest) else { return nil }
                result.append(contentsOf: String(scalar).utf8)
            default: result.append(escape)
            }
        }
        return result
    }

    /// The character behind `\u`, with the second half of a surrogate pair where it needs one.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let first = unit(&rest) else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"), let second = unit(&rest),
            UTF16.isTrailSurrogate(second)
        else { return nil }
        return Unicode.Scalar(0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF)))
    }

    /// Four hexadecimal digits.
    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        defer { rest = rest.dropFirst(4) }
        return UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16)
    }
}
