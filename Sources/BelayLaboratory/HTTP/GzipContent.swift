/// Content in the gzip format (RFC 1952) of deflate (RFC 1951), made by hand: what a server of the laboratory needs, and no more.
enum GzipContent {
    /// Magic number, deflate, no flags, no time, no level, unknown system.
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    /// Bytes (at most 65,535) as they are, in one stored block.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(clamping: bytes.count)
        return header + [1] + little(count) + little(~count) + bytes + little(checksum(bytes))
            + little(UInt32(clamping: bytes.count))
    }

    /// The start of zeros without end: a first zero in a block of fixed codes that is not the last, and an empty stored block,
    /// which ends on a whole byte.
    static let bombStart: [UInt8] = {
        var bits = BitWriter()
        bits.value(0, count: 1)
        bits.value(1, count: 2)
        bits.code(0b0011_0000, count: 8)
        bits.code(0, count: 7)
        bits.value(0, count: 3)
        bits.align()
        return header + bits.bytes + [0, 0, 0xFF, 0xFF]
    }()

    /// The zeros go on: a block of fixed codes with 8,000 times 258 zeros, each "258 bytes, as one byte ago" in 13 bits.
    static let bombPiece: [UInt8] = {
        var bits = BitWriter()
        bits.value(0, count: 1)
        bits.value(1, count: 2)
        for _ in 0..<8_000 {
            // The length 258 is the symbol 285, whose code is the sixth of the 8-bit codes from 11000000; the distance 1 is 00000.
            bits.code(0b1100_0101, count: 8)
            bits.code(0, count: 5)
        }
        bits.code(0, count: 7)
        bits.value(0, count: 3)
        bits.align()
        return bits.bytes + [0, 0, 0xFF, 0xFF]
    }()

    private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// CRC-32 (RFC 1952, section 8).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
        }
        return ~remainder
    }
}

/// Fills bytes from their lowest bit, as deflate does.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 8

    /// A number, its lowest bit first.
    mutating func value(_ value: Int, count: Int) {
        for position in 0..<count { append(value >> position & 1) }
    }

    /// A Huffman code, its highest bit first.
    mutating func code(_ code: Int, count: Int) {
        for position in (0..<count).reversed() { append(code >> position & 1) }
    }

    /// Goes to the next whole byte.
    mutating func align() { used = 8 }

    private mutating func append(_ bit: Int) {
        if used == 8 {
            bytes.append(0)
            used = 0
        }
        bytes[bytes.count - 1] |= UInt8(bit) << used
        used += 1
    }
}
