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

    /// Encodes in one line into a buffer that has room for it; returns how many digits there are.
    static func encode(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int {
        var written = 0
        for index in stride(from: 0, to: bytes.count, by: 3) {
            let first = bytes[index]
            let second = index + 1 < bytes.count ? bytes[index + 1] : 0
            let third = index + 2 < bytes.count ? bytes[index + 2] : 0
            output[written] = alphabet[Int(first >> 2)]
            output[written + 1] = alphabet[Int((first & 3) << 4 | second >> 4)]
            output[written + 2] = index + 1 < bytes.count ? alphabet[Int((second & 15) << 2 | third >> 6)] : 0x3D
            output[written + 3] = index + 2 < bytes.count ? alphabet[Int(third & 63)] : 0x3D
            written += 4
        }
        return written
    }

    /// Decodes one line without white space; nil where it is not base64.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let units = Array(text.utf8)
        return decode(units, in: 0..<units.count, skippingWhitespace: false)
    }

    /// Decodes a part of `text`; nil where it is not base64.
    package static func decode(_ text: [UInt8], in range: Range<Int>, skippingWhitespace: Bool) -> [UInt8]? {
        let range = range.clamped(to: 0..<text.count)
        var isValid = false
        let output = text.withUnsafeBufferPointer { text in
            values.withUnsafeBufferPointer { values in
                [UInt8](unsafeUninitializedCapacity: range.count / 4 * 3 + 3) { buffer, count in
                    let part = UnsafeBufferPointer(rebasing: text[range])
                    let decoded = decode(part, values, skippingWhitespace, into: buffer)
                    isValid = decoded != nil
                    count = decoded ?? 0
                }
            }
        }
        return isValid ? output : nil
    }

    /// Decodes into a buffer that has room for three bytes more than whole groups give; returns how many it wrote.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt8>, _ skippingWhitespace: Bool,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        var index = 0
        var written = 0
        var accumulator: UInt32 = 0
        var count = 0
        var padding = 0
        while index < text.count {
            // Whole groups first; anything unusual falls through to the careful steps below.
            while count == 0, padding == 0, index &+ 4 <= text.count {
                let first = values[Int(text[index])]
                let second = values[Int(text[index &+ 1])]
                let third = values[Int(text[index &+ 2])]
                let fourth = values[Int(text[index &+ 3])]
                guard first | second | third | fourth < 64 else { break }
                output[written] = first << 2 | second >> 4
                output[written &+ 1] = second << 4 | third >> 2
                output[written &+ 2] = third << 6 | fourth
                written &+= 3
                index &+= 4
            }
            guard index < text.count else { break }
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
                output[written] = UInt8(truncatingIfNeeded: accumulator >> 16)
                output[written &+ 1] = UInt8(truncatingIfNeeded: accumulator >> 8)
                output[written &+ 2] = UInt8(truncatingIfNeeded: accumulator)
                written &+= 3
                accumulator = 0
                count = 0
            }
        }
        switch (count, padding) {
        case (0, 0):
            return written
        case (2, 2) where accumulator & 0xF == 0:
            output[written] = UInt8(truncatingIfNeeded: accumulator >> 4)
            return written &+ 1
        case (3, 1) where accumulator & 0x3 == 0:
            output[written] = UInt8(truncatingIfNeeded: accumulator >> 10)
            output[written &+ 1] = UInt8(truncatingIfNeeded: accumulator >> 2)
            return written &+ 2
        default:
            return nil
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, unit) in alphabet.enumerated() { table[Int(unit)] = UInt8(value) }
        return table
    }()
}
