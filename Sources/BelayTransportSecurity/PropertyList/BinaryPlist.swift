/// The binary form, `bplist00`: objects that name each other by number, a table of where they stand, and a trailer.
///
/// Strict: every number is checked against the file before it is used, no object contains itself, and an object that is named many
/// times counts as many times.
struct BinaryPlist {
    private let bytes: [UInt8]
    private let limits: PlistLimits
    private let trailer: Trailer
    private var isOpen: [Bool]
    private var valueCount = 0

    static func read(_ bytes: [UInt8], _ limits: PlistLimits) throws(PlistError) -> PlistNode {
        var reader = try BinaryPlist(bytes, limits)
        return try reader.node(reader.trailer.topObject, depth: 0)
    }

    /// The last 32 bytes.
    private struct Trailer {
        let offsetSize: Int
        let referenceSize: Int
        let objectCount: Int
        let topObject: Int
        let tableStart: Int
    }

    private init(_ bytes: [UInt8], _ limits: PlistLimits) throws(PlistError) {
        guard bytes.starts(with: Array("bplist00".utf8)) else {
            throw PlistError(
                .malformed(found: "another version", expected: "bplist00"), in: .binary, at: PlistPosition(offset: 0))
        }
        let start = bytes.count - 32
        guard start >= 9 else {
            throw PlistError(.malformed(found: "\(bytes.count) bytes", expected: "at least 41"), in: .binary)
        }
        func number(_ offset: Int) throws(PlistError) -> Int {
            guard let value = Self.unsigned(bytes, start + offset, 8).flatMap(Int.init(exactly:)) else {
                throw Self.fault("a number out of range in the trailer", "numbers within the file", start + offset)
            }
            return value
        }
        trailer = Trailer(
            offsetSize: Int(bytes[start + 6]), referenceSize: Int(bytes[start + 7]), objectCount: try number(8),
            topObject: try number(16), tableStart: try number(24))
        guard (1...8).contains(trailer.offsetSize), (1...8).contains(trailer.referenceSize) else {
            throw Self.fault("numbers of no size", "sizes from 1 to 8", start + 6)
        }
        let (tableSize, overflow) = trailer.objectCount.multipliedReportingOverflow(by: trailer.offsetSize)
        let (tableEnd, overflows) = trailer.tableStart.addingReportingOverflow(tableSize)
        guard !overflow, !overflows, trailer.tableStart >= 9, tableEnd == start, trailer.objectCount > 0,
            trailer.topObject < trailer.objectCount
        else {
            throw Self.fault("a table of objects that does not fit", "a table between objects and trailer", start + 8)
        }
        self.bytes = bytes
        self.limits = limits
        isOpen = [Bool](repeating: false, count: trailer.objectCount)
    }

    private static func fault(_ found: String, _ expected: String, _ offset: Int) -> PlistError {
        PlistError(
            .malformed(found: found, expected: expected), in: .binary, at: PlistPosition(offset: offset))
    }

    /// A number of `count` bytes, most significant first; nil where it is not within the file.
    private static func unsigned(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64? {
        guard offset >= 0, count <= 8, offset <= bytes.count - count else { return nil }
        return bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    // MARK: Objects

    private mutating func node(_ object: Int, depth: Int) throws(PlistError) -> PlistNode {
        guard object < trailer.objectCount,
            let start = Self.unsigned(bytes, trailer.tableStart + object * trailer.offsetSize, trailer.offsetSize)
                .flatMap(Int.init(exactly:)), start >= 8, start < trailer.tableStart
        else { throw Self.fault("object \(object), which is not there", "an object of the file", trailer.tableStart) }
        let position = PlistPosition(offset: start)
        guard depth < limits.depth else { throw PlistError(.tooDeep(limit: limits.depth), in: .binary, at: position) }
        valueCount += 1
        guard valueCount <= limits.values else {
            throw PlistError(.tooManyValues(limit: limits.values), in: .binary, at: position)
        }
        guard !isOpen[object] else { throw PlistError(.cycle, in: .binary, at: position) }
        isOpen[object] = true
        defer { isOpen[object] = false }
        return PlistNode(try value(at: start, depth), position: position)
    }

    private mutating func value(at start: Int, _ depth: Int) throws(PlistError) -> PlistNode.Value {
        let marker = bytes[start]
        switch marker >> 4 {
        case 0x0:
            if marker == 0x08 { return .boolean(false) }
            if marker == 0x09 { return .boolean(true) }
        case 0x1: return try integer(start, Int(marker & 15))
        case 0x2: return try real(start, Int(marker & 15))
        case 0x3:
            if marker == 0x33 { return .date(try bits(start + 1, 8, start) { "\(Double(bitPattern: $0))" }) }
        case 0x4: return .data(Array(bytes[try content(start, 1)]))
        case 0x5:
            let units = bytes[try content(start, 1)]
            guard units.allSatisfy({ $0 < 0x80 }) else { throw Self.fault("a byte beyond ASCII", "ASCII", start) }
            return .string(String(decoding: units, as: UTF8.self))
        case 0x6: return .string(try utf16(try content(start, 2), start))
        case 0x8: return .uid(try bits(start + 1, Int(marker & 15) + 1, start) { $0 })
        case 0xA:
            let count = try content(start, trailer.referenceSize)
            var elements: [PlistNode] = []
            for index in stride(from: count.lowerBound, to: count.upperBound, by: trailer.referenceSize) {
                elements.append(try node(try reference(index), depth: depth + 1))
            }
            return .array(elements)
        case 0xD: return .dictionary(try members(start, depth))
        default: break
        }
        throw Self.fault("marker \(marker)", "the marker of a value", start)
    }

    /// Keys first, then as many values.
    private mutating func members(_ start: Int, _ depth: Int) throws(PlistError) -> [PlistMember] {
        let range = try content(start, 2 * trailer.referenceSize)
        let half = range.count / 2
        var members: [PlistMember] = []
        for index in stride(from: range.lowerBound, to: range.lowerBound + half, by: trailer.referenceSize) {
            let key = try node(try reference(index), depth: depth + 1)
            guard let text = key.string else {
                throw Self.fault(
                    "a key that is \(key.kind.withArticle)", "keys that are strings", key.position.offset ?? start)
            }
            members.append(
                PlistMember(
                    key: text, keyPosition: key.position, node: try node(try reference(index + half), depth: depth + 1))
            )
        }
        return members
    }

    private func reference(_ offset: Int) throws(PlistError) -> Int {
        guard let number = Self.unsigned(bytes, offset, trailer.referenceSize).flatMap(Int.init(exactly:)) else {
            throw Self.fault("a reference out of range", "an object of the file", offset)
        }
        return number
    }

    /// The bytes of an object's content: its count, which stands in the marker or as an integer behind it, times `unit`.
    private func content(_ start: Int, _ unit: Int) throws(PlistError) -> Range<Int> {
        var count = Int(bytes[start] & 15)
        var begin = start + 1
        if count == 15 {
            guard begin < trailer.tableStart, bytes[begin] >> 4 == 1, bytes[begin] & 15 <= 3 else {
                throw Self.fault("no length", "an integer", begin)
            }
            let size = 1 << Int(bytes[begin] & 15)
            guard let length = Self.unsigned(bytes, begin + 1, size).flatMap(Int.init(exactly:)) else {
                throw Self.fault("a length out of range", "a length within the file", begin)
            }
            count = length
            begin += 1 + size
        }
        let (size, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, begin <= trailer.tableStart, size <= trailer.tableStart - begin else {
            throw Self.fault("\(count) units", "content within the file", start)
        }
        return begin..<(begin + size)
    }

    // MARK: Numbers and text

    /// Of 1, 2 and 4 bytes without sign, of 8 with one; 16 bytes hold what is beyond.
    private func integer(_ start: Int, _ exponent: Int) throws(PlistError) -> PlistNode.Value {
        switch exponent {
        case 0, 1, 2: return .integer(try bits(start + 1, 1 << exponent, start) { Int64($0) })
        case 3: return .integer(try bits(start + 1, 8, start) { Int64(bitPattern: $0) })
        case 4:
            let high = try bits(start + 1, 8, start) { Int64(bitPattern: $0) }
            let low = try bits(start + 9, 8, start) { $0 }
            if let small = Int64(exactly: low), high == 0 { return .integer(small) }
            return .real(Double(high) * 0x1p64 + Double(low))
        default: throw Self.fault("an integer of 2^\(exponent) bytes", "1, 2, 4, 8 or 16 bytes", start)
        }
    }

    private func real(_ start: Int, _ exponent: Int) throws(PlistError) -> PlistNode.Value {
        switch exponent {
        case 2:
            return .real(try bits(start + 1, 4, start) { Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0))) })
        case 3: return .real(try bits(start + 1, 8, start) { Double(bitPattern: $0) })
        default: throw Self.fault("a number of 2^\(exponent) bytes", "4 or 8 bytes", start)
        }
    }

    private func bits<Result>(
        _ offset: Int, _ count: Int, _ start: Int, _ make: (UInt64) -> Result
    ) throws(PlistError) -> Result {
        guard offset <= trailer.tableStart - count, let value = Self.unsigned(bytes, offset, count) else {
            throw Self.fault("a value of \(count) bytes", "a value within the objects", start)
        }
        return make(value)
    }

    private func utf16(_ range: Range<Int>, _ start: Int) throws(PlistError) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(range.count / 2)
        for index in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            units.append(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]))
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw Self.fault("half of a surrogate pair", "UTF-16", start)
        }
        return text
    }
}
