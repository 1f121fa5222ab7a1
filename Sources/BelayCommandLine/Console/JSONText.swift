import BelayCertificates

/// JSON with the keys in the order in which they are encoded, so that output is stable and reads as documented.
///
/// (`JSONEncoder` has either no order or the alphabet's.) It writes into one buffer as values are encoded, which makes it
/// fast enough for streams of answers.
enum JSONText {
    /// Encodes a value.
    ///
    /// - Parameter pretty: a line for each member, indented by two spaces; otherwise one line.
    /// - Throws: `EncodingError` for numbers that JSON does not have.
    static func encode(_ value: some Encodable, pretty: Bool = false) throws -> [UInt8] {
        let writer = JSONWriter(pretty: pretty)
        try writer.write(value, path: [])
        return writer.bytes
    }
}

/// The buffer, and which objects and arrays are open in it.
///
/// A container that was asked for is open until something is written on a lower level. `Encodable` types use their
/// containers one inside the other, so that this closes them in the right places.
private final class JSONWriter {
    private(set) var bytes: [UInt8] = []
    private let pretty: Bool
    private var open: [(close: UInt8, isEmpty: Bool)] = []

    init(pretty: Bool) { self.pretty = pretty }

    var depth: Int { open.count }

    /// Opens an object or array where a value is expected; returns the depth of its members.
    func begin(_ open: UInt8, _ close: UInt8) -> Int {
        bytes.append(open)
        self.open.append((close, true))
        return depth
    }

    /// Closes what is deeper than `depth`.
    func close(to depth: Int) {
        while open.count > depth, let last = open.popLast() {
            if pretty && !last.isEmpty { newLine() }
            bytes.append(last.close)
        }
    }

    /// Makes room for a member of the container whose members are at `depth`.
    func member(at depth: Int, key: String? = nil) {
        close(to: depth)
        guard let index = open.indices.last else { return }
        if !open[index].isEmpty { bytes.append(0x2C) }
        open[index].isEmpty = false
        if pretty { newLine() }
        guard let key else { return }
        write(key)
        bytes.append(0x3A)
        if pretty { bytes.append(0x20) }
    }

    private func newLine() {
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: 2 * open.count))
    }

    /// A string. What could steer a terminal (control characters, reversals of direction) is escaped, which changes nothing for who reads
    /// JSON.
    func write(_ text: String) {
        bytes.append(0x22)
        var text = text
        text.withUTF8 { units in
            var start = 0
            var index = 0
            while index < units.count {
                let unit = units[index]
                if unit < 0x80 {
                    if unit < 0x20 || unit == 0x22 || unit == 0x5C || unit == 0x7F {
                        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: units[start..<index]))
                        escape(unit)
                        start = index + 1
                    }
                    index += 1
                    continue
                }
                let end = min(index + (unit < 0xE0 ? 2 : unit < 0xF0 ? 3 : 4), units.count)
                let scalar = String(decoding: UnsafeBufferPointer(rebasing: units[index..<end]), as: UTF8.self)
                if scalar.unicodeScalars.contains(where: \.isUnsafeToPrint) {
                    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: units[start..<index]))
                    for unit in scalar.utf16 { escape(unit) }
                    start = end
                }
                index = end
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: units[start...]))
        }
        bytes.append(0x22)
    }

    private func escape(_ unit: UInt16) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(contentsOf: [0x5C, 0x75])
        for shift in [12, 8, 4, 0] { bytes.append(digits[Int(unit >> UInt16(shift) & 15)]) }
    }

    private func escape(_ unit: UInt8) {
        switch unit {
        case 0x22: bytes.append(contentsOf: [0x5C, 0x22])
        case 0x5C: bytes.append(contentsOf: [0x5C, 0x5C])
        case 0x0A: bytes.append(contentsOf: [0x5C, 0x6E])
        case 0x0D: bytes.append(contentsOf: [0x5C, 0x72])
        case 0x09: bytes.append(contentsOf: [0x5C, 0x74])
        default: escape(UInt16(unit))
        }
    }

    func write(literal text: String) { bytes.append(contentsOf: text.utf8) }

    func write(_ value: Double, path: [any CodingKey]) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: path, debugDescription: "JSON has no number \(value)"))
        }
        // A whole number without a fraction, as people write it.
        if let whole = Int64(exactly: value) { write(literal: "\(whole)") } else { write(literal: "\(value)") }
    }

    func write(_ value: some Encodable, path: [any CodingKey]) throws {
        switch value {
        case let text as String: write(text)
        case let flag as Bool: write(literal: flag ? "true" : "false")
        case let number as Int: write(literal: "\(number)")
        default:
            let depth = depth
            let before = bytes.count
            try value.encode(to: JSONValueEncoder(writer: self, codingPath: path))
            close(to: depth)
            if bytes.count == before { write(literal: "null") }
        }
    }
}

private struct JSONValueEncoder: Encoder {
    let writer: JSONWriter
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONObject<Key>(writer: writer, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { JSONArray(writer: writer, codingPath: codingPath) }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONSingleValue(writer: writer, codingPath: codingPath)
    }
}

private struct JSONObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let writer: JSONWriter
    private let depth: Int
    let codingPath: [any CodingKey]

    init(writer: JSONWriter, codingPath: [any CodingKey]) {
        self.writer = writer
        self.codingPath = codingPath
        depth = writer.begin(0x7B, 0x7D)
    }

    mutating func encodeNil(forKey key: Key) throws {
        writer.member(at: depth, key: key.stringValue)
        writer.write(literal: "null")
    }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        writer.member(at: depth, key: key.stringValue)
        try writer.write(value, path: codingPath + [key])
    }

    // What most members are, without the search for what they are. The protocol has a requirement for each type.

    mutating func encode(_ value: String, forKey key: Key) throws {
        writer.member(at: depth, key: key.stringValue)
        writer.write(value)
    }

    mutating func encode(_ value: Bool, forKey key: Key) throws {
        writer.member(at: depth, key: key.stringValue)
        writer.write(literal: value ? "true" : "false")
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        writer.member(at: depth, key: key.stringValue)
        writer.write(literal: "\(value)")
    }

    // Absent values are written as null: a reader can rely on every documented field. The protocol leaves them out, and has a
    // requirement of its own for each of these types.

    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOrNil(value, forKey: key) }
    mutating func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        try encodeOrNil(value, forKey: key)
    }

    private mutating func encodeOrNil(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        writer.member(at: depth, key: key.stringValue)
        return KeyedEncodingContainer(JSONObject<NestedKey>(writer: writer, codingPath: codingPath + [key]))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        writer.member(at: depth, key: key.stringValue)
        return JSONArray(writer: writer, codingPath: codingPath + [key])
    }

    mutating func superEncoder() -> any Encoder { JSONValueEncoder(writer: writer, codingPath: codingPath) }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        writer.member(at: depth, key: key.stringValue)
        return JSONValueEncoder(writer: writer, codingPath: codingPath + [key])
    }
}

private struct JSONArray: UnkeyedEncodingContainer {
    private let writer: JSONWriter
    private let depth: Int
    let codingPath: [any CodingKey]
    private(set) var count = 0

    init(writer: JSONWriter, codingPath: [any CodingKey]) {
        self.writer = writer
        self.codingPath = codingPath
        depth = writer.begin(0x5B, 0x5D)
    }

    private mutating func next() {
        writer.member(at: depth)
        count += 1
    }

    mutating func encodeNil() throws {
        next()
        writer.write(literal: "null")
    }

    mutating func encode(_ value: some Encodable) throws {
        next()
        try writer.write(value, path: codingPath)
    }

    mutating func encode(_ value: String) throws {
        next()
        writer.write(value)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        next()
        return KeyedEncodingContainer(JSONObject<NestedKey>(writer: writer, codingPath: codingPath))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        next()
        return JSONArray(writer: writer, codingPath: codingPath)
    }

    mutating func superEncoder() -> any Encoder {
        next()
        return JSONValueEncoder(writer: writer, codingPath: codingPath)
    }
}

private struct JSONSingleValue: SingleValueEncodingContainer {
    let writer: JSONWriter
    let codingPath: [any CodingKey]

    mutating func encodeNil() throws { writer.write(literal: "null") }
    mutating func encode(_ value: Bool) throws { writer.write(literal: value ? "true" : "false") }
    mutating func encode(_ value: String) throws { writer.write(value) }
    mutating func encode(_ value: Double) throws { try writer.write(value, path: codingPath) }
    mutating func encode(_ value: Float) throws { try writer.write(Double(value), path: codingPath) }
    mutating func encode(_ value: Int) throws { writer.write(literal: "\(value)") }
    mutating func encode(_ value: Int8) throws { writer.write(literal: "\(value)") }
    mutating func encode(_ value: Int16) throws { writer.write(literal: "\(value)") }
    mutating func encode(_ value: Int32) throws { writer.write(literal: "\(value)") }
    mutating func encode(_ value: Int64) throws { writer.write(literal: "\(value)") }
    mutating func encode(_ value: UInt) throws { writer.write(literal: "\(value)") }
    mutating func encode(_ value: UInt8) throws { writer.write(literal: "\(value)") }
    mutating func encode(_ value: UInt16) throws { writer.write(literal: "\(value)") }
    mutating func encode(_ value: UInt32) throws { writer.write(literal: "\(value)") }
    mutating func encode(_ value: UInt64) throws { writer.write(literal: "\(value)") }
    mutating func encode(_ value: some Encodable) throws { try writer.write(value, path: codingPath) }
}
