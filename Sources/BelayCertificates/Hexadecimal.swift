private let digits = Array("0123456789abcdef".utf8)

/// Two lower-case hexadecimal digits.
package func hexadecimal(_ byte: UInt8) -> String {
    String(decoding: [digits[Int(byte >> 4)], digits[Int(byte & 15)]], as: UTF8.self)
}

/// Lower-case hexadecimal digits, with an optional separator between octets.
package func hexadecimal(_ bytes: some Collection<UInt8>, separator: String = "") -> String {
    if separator.isEmpty {
        return String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var end = 0
            // By the collection's own count there is room for all of it; one that gives more than it counts gets no more.
            for byte in bytes where end + 1 < text.count {
                text[end] = digits[Int(byte >> 4)]
                text[end + 1] = digits[Int(byte & 15)]
                end += 2
            }
            return end
        }
    }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * (2 + separator.utf8.count))
    for byte in bytes {
        if !text.isEmpty { text.append(contentsOf: separator.utf8) }
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}

/// Reads hexadecimal digits of either case; nil where there is anything else or an odd count.
package func bytes(hexadecimal text: some StringProtocol) -> [UInt8]? {
    var result: [UInt8] = []
    var high: UInt8?
    for unit in text.utf8 {
        let value: UInt8
        switch unit {
        case 0x30...0x39: value = unit - 0x30
        case 0x41...0x46: value = unit - 0x41 + 10
        case 0x61...0x66: value = unit - 0x61 + 10
        default: return nil
        }
        if let first = high {
            result.append(first << 4 | value)
            high = nil
        } else {
            high = value
        }
    }
    return high == nil ? result : nil
}
