/// Base64 (RFC 4648, section 4), strict: the standard alphabet, padded, no stray bits.
///
/// The reader skips line ends only where it is told to, as PEM needs; it is table-driven since the machine's anchors
/// are some 200 kB of it at every start.
package enum Base64 {
    /// Encodes in one line.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let first = bytes[index]
            let second = index + 1 < bytes.count ? bytes[index + 1] : 0
            let third = index + 2 < bytes.count ? bytes[index + 2] : 0
            text.append(alphabet[Int(first >> 2)])
            text.append(alphabet[Int((first & 3) << 4 | second >> 4)])
            text.append(index + 1 < bytes.count ? alphabet[Int((second & 15) << 2 | third >> 6)] : 0x3D)
            text.append(index + 2 < bytes.count ? alphabet[Int(third & 63)] : 0x3D)
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes one line without white space; nil where it is not base64.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let units = Array(text.utf8)
        return decode(units, in: 0..<units.count, skippingWhitespace: false)
    }

    /// Decodes a part of `text`; nil where it is not base64.
    package static func decode(_ text: [UInt8], in range: Range<Int>, skippingWhitespace: Bool) -> [UInt8]? {
        let range = range.clamped(to: 0..<text.count)
        var output: [UInt8] = []
        output.reserveCapacity(range.count / 4 * 3)
        var index = range.lowerBound
        var accumulator: UInt32 = 0
        var count = 0
        var padding = 0
        return values.withUnsafeBufferPointer { values in
            text.withUnsafeBufferPointer { text in
                while index < range.upperBound {
                    if count == 0, padding == 0, index &+ 4 <= range.upperBound {
                        // Whole groups first; anything unusual falls through to the careful loop below.
                        let group =
                            UInt32(values[Int(text[index])]) << 18 | UInt32(values[Int(text[index &+ 1])]) << 12
                            | UInt32(values[Int(text[index &+ 2])]) << 6 | UInt32(values[Int(text[index &+ 3])])
                        let flags =
                            values[Int(text[index])] | values[Int(text[index &+ 1])]
                            | values[Int(text[index &+ 2])] | values[Int(text[index &+ 3])]
                        if flags < 64 {
                            output.append(UInt8(truncatingIfNeeded: group >> 16))
                            output.append(UInt8(truncatingIfNeeded: group >> 8))
                            output.append(UInt8(truncatingIfNeeded: group))
                            index &+= 4
                            continue
                        }
                    }
                    let unit = text[index]
                    index &+= 1
                    if skippingWhitespace && (unit == 0x0A || unit == 0x0D || unit == 0x20 || unit == 0x09) { continue }
                    if unit == 0x3D {
                        padding &+= 1
                        if padding > 2 { return nil }
                        continue
                    }
                    let value = values[Int(unit)]
                    guard value < 64, padding == 0 else { return nil }
                    accumulator = accumulator << 6 | UInt32(value)
                    count &+= 1
                    if count == 4 {
                        output.append(UInt8(truncatingIfNeeded: accumulator >> 16))
                        output.append(UInt8(truncatingIfNeeded: accumulator >> 8))
                        output.append(UInt8(truncatingIfNeeded: accumulator))
                        accumulator = 0
                        count = 0
                    }
                }
                switch (count, padding) {
                case (0, 0):
                    return output
                case (2, 2) where accumulator & 0xF == 0:
                    output.append(UInt8(truncatingIfNeeded: accumulator >> 4))
                    return output
                case (3, 1) where accumulator & 0x3 == 0:
                    output.append(UInt8(truncatingIfNeeded: accumulator >> 10))
                    output.append(UInt8(truncatingIfNeeded: accumulator >> 2))
                    return output
                default:
                    return nil
                }
            }
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, unit) in alphabet.enumerated() { table[Int(unit)] = UInt8(value) }
        return table
    }()
}
