import FoundationEssentials

/// A cursor over what Java's `DataOutputStream` wrote: numbers with the high byte first, strings and blocks with their length
/// before them.
///
/// Every length is checked against the bytes that are left, so that none can reach beyond them.
struct JavaDataReader {
    let bytes: [UInt8]
    let format: KeyStore.Format
    private(set) var position: Int
    private let end: Int

    init(_ bytes: [UInt8], in range: Range<Int>? = nil, format: KeyStore.Format) {
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        self.bytes = bytes
        self.format = format
        position = range.lowerBound
        end = range.upperBound
    }

    /// How many bytes are left.
    var remaining: Int { end - position }

    /// So many bytes, as a range.
    mutating func take(_ count: Int) throws(KeyStoreError) -> Range<Int> {
        guard count >= 0 else { throw .malformed(format, "a length of \(count)", at: position) }
        guard count <= remaining else { throw .truncated(format, bytes: bytes.count, expected: nil) }
        defer { position += count }
        return position..<(position + count)
    }

    /// A byte.
    mutating func readByte() throws(KeyStoreError) -> UInt8 { bytes[try take(1).lowerBound] }

    /// Two bytes, without a sign.
    mutating func readUInt16() throws(KeyStoreError) -> Int { Int(truncatingIfNeeded: try readNumber(2)) }

    /// Four bytes, with a sign, as Java's `int`.
    mutating func readInt32() throws(KeyStoreError) -> Int {
        Int(Int32(truncatingIfNeeded: try readNumber(4)))
    }

    /// A block: its length in four bytes, then its bytes.
    mutating func readBlock() throws(KeyStoreError) -> Range<Int> { try take(try readInt32()) }

    /// A moment in milliseconds since 1970; nil where no calendar has it.
    mutating func readDate() throws(KeyStoreError) -> Date? {
        let seconds = Double(Int64(bitPattern: try readNumber(8))) / 1_000
        // The years 0 to 9999.
        return (-62_167_219_200..<253_402_300_800).contains(seconds) ? Date(timeIntervalSince1970: seconds) : nil
    }

    /// A string in Java's modified UTF-8: zero takes two bytes, and each half of a surrogate pair three.
    mutating func readText() throws(KeyStoreError) -> String {
        let start = position
        let octets = bytes[try take(try readUInt16())]
        guard let text = Self.text(octets) else {
            throw .malformed(format, "a name that is not in Java's UTF-8", at: start)
        }
        return text
    }

    private mutating func readNumber(_ count: Int) throws(KeyStoreError) -> UInt64 {
        bytes[try take(count)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func text(_ octets: ArraySlice<UInt8>) -> String? {
        var units: [UInt16] = []
        units.reserveCapacity(octets.count)
        var rest = octets
        while let first = rest.popFirst() {
            let more = first < 0x80 ? 0 : first & 0xE0 == 0xC0 ? 1 : first & 0xF0 == 0xE0 ? 2 : -1
            guard more >= 0, more <= rest.count else { return nil }
            var unit = more == 0 ? UInt16(first) : UInt16(first & (more == 1 ? 0x1F : 0x0F))
            for octet in rest.prefix(more) {
                guard octet & 0xC0 == 0x80 else { return nil }
                unit = unit << 6 | UInt16(octet & 0x3F)
            }
            rest = rest.dropFirst(more)
            units.append(unit)
        }
        return String(decoding: units, as: UTF16.self)
    }
}
