import Glibc

extension UInt8 {
    /// A-Z as a-z, everything else as it is.
    var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    var isASCIILetter: Bool { asciiLowercased >= 0x61 && asciiLowercased <= 0x7A }

    var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// RFC 9110, section 5.6.2.
    var isTokenByte: Bool {
        if isASCIILetter || isASCIIDigit { return true }
        switch self {
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: return true
        default: return false
        }
    }
}

extension Array where Element == UInt8 {
    /// Adds `%` and two digits.
    mutating func appendPercentEncoded(_ byte: UInt8) {
        append(0x25)
        append(Self.hexadecimalDigit(byte >> 4))
        append(Self.hexadecimalDigit(byte & 15))
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}

extension StringProtocol {
    /// Whether both differ in the case of ASCII letters at most.
    func equalsIgnoringCase(_ other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension String {
    /// Whether both are the same bytes: Swift takes for equal what is written with other code points, and a server does not.
    func hasSameBytes(as other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { first in
            other.utf8.withContiguousStorageIfAvailable { second in
                guard let left = first.baseAddress, let right = second.baseAddress else {
                    return first.count == second.count
                }
                return first.count == second.count && memcmp(left, right, first.count) == 0
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Without the spaces and tabs around, which are no part of a header field's value (RFC 9110, section 5.5).
    func trimmingHeaderSpace() -> String {
        guard let first = utf8.first, let last = utf8.last else { return "" }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard isSpace(first) || isSpace(last) else { return self }
        let start = utf8.firstIndex { !isSpace($0) } ?? utf8.endIndex
        let rest = utf8[start...]
        let end = rest.lastIndex { !isSpace($0) }.map { rest.index(after: $0) } ?? rest.endIndex
        return String(self[start..<end])
    }
}
