/// Reads JSON (RFC 8259) into ``JSONValue``, in time that grows with the length and nothing else.
///
/// `JSONDecoder` reads the same, but for values of unknown kind it has to be asked for one kind after the other, each refusal with
/// an error that knows its whole path: a short body that nests deeply would keep it busy for long.
struct JSONReader {
    /// Where it is no JSON, and what is wrong there.
    struct Failure: Error, CustomStringConvertible {
        let offset: Int
        let problem: String
        var description: String { "it is not JSON: \(problem) at byte \(offset)" }
    }

    /// How deep arrays and objects may nest, as in `JSONDecoder`.
    static let maximumDepth = 512

    private let bytes: [UInt8]
    private var position: Int
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The one value that UTF-8 text is.
    static func read(_ bytes: [UInt8]) throws(Failure) -> JSONValue {
        var reader = JSONReader(bytes)
        reader.skipSpace()
        let value = try reader.value()
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.failure("something follows the value") }
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func failure(_ problem: String) -> Failure { Failure(offset: position, problem: problem) }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(Failure) -> JSONValue {
        guard let next else { throw failure("it ends where a value should be") }
        switch next {
        case 0x7B: return try nested { reader throws(Failure) in try reader.object() }
        case 0x5B: return try nested { reader throws(Failure) in try reader.array() }
        case 0x22: return .string(try string())
        case 0x74: return try word("true", .bool(true))
        case 0x66: return try word("false", .bool(false))
        case 0x6E: return try word("null", .null)
        case 0x2D, 0x30...0x39: return try number()
        default: throw failure("there is no value")
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(Failure) -> JSONValue
    ) throws(Failure) -> JSONValue {
        guard depth < Self.maximumDepth else { throw failure("it nests more than \(Self.maximumDepth) deep") }
        depth += 1
        position += 1
        skipSpace()
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(Failure) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if skip(0x7D) { return .object(members) }
        while true {
            guard next == 0x22 else { throw failure("there is no name in quotes") }
            let name = try string()
            skipSpace()
            guard skip(0x3A) else { throw failure("there is no colon after a name") }
            skipSpace()
            members[name] = try value()
            skipSpace()
            if skip(0x7D) { return .object(members) }
            guard skip(0x2C) else { throw failure("there is neither a comma nor a closing brace") }
            skipSpace()
        }
    }

    private mutating func array() throws(Failure) -> JSONValue {
        var elements: [JSONValue] = []
        if skip(0x5D) { return .array(elements) }
        while true {
            elements.append(try value())
            skipSpace()
            if skip(0x5D) { return .array(elements) }
            guard skip(0x2C) else { throw failure("there is neither a comma nor a closing bracket") }
            skipSpace()
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue {
        let end = position + text.utf8CodeUnitCount
        let isIt = text.withUTF8Buffer { end <= bytes.count && bytes[position..<end].elementsEqual($0) }
        guard isIt else { throw failure("there is no value") }
        position = end
        return value
    }

    private mutating func digits() throws(Failure) {
        let start = position
        while let byte = next, byte.isASCIIDigit { position += 1 }
        guard position > start else { throw failure("there is no digit in a number") }
    }

    private mutating func number() throws(Failure) -> JSONValue {
        let start = position
        _ = skip(0x2D)
        if !skip(0x30) { try digits() }
        let wholeEnd = position
        if skip(0x2E) { try digits() }
        if skip(0x65) || skip(0x45) {
            if !skip(0x2B) { _ = skip(0x2D) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if position == wholeEnd, let number = Int(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else {
            position = start
            throw failure("there is a number that is too large")
        }
        // Whole is whole, however it is written; beyond 2^53 the last digits would be made up.
        if abs(number) <= 9_007_199_254_740_992, let whole = Int(exactly: number) { return .integer(whole) }
        return .number(number)
    }

    private mutating func string() throws(Failure) -> String {
        position += 1
        let start = position
        // Most strings have no escape and are taken in one piece.
        while let byte = next, byte != 0x22, byte != 0x5C, byte >= 0x20 { position += 1 }
        if next == 0x22 {
            let text = try text(bytes[start..<position])
            position += 1
            return text
        }
        var output = Array(bytes[start..<position])
        while let byte = next {
            switch byte {
            case 0x22:
                let text = try text(output[...])
                position += 1
                return text
            case 0x5C: try escape(into: &output)
            case 0x00..<0x20: throw failure("there is a control character in a string")
            default:
                output.append(byte)
                position += 1
            }
        }
        throw failure("it ends in a string")
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw failure("there is a string that is not UTF-8, which ends")
        }
        return text
    }

    private mutating func escape(into output: inout [UInt8]) throws(Failure) {
        position += 1
        guard let byte = next else { throw failure("it ends in a string") }
        position += 1
        switch byte {
        case 0x22, 0x5C, 0x2F: output.append(byte)
        case 0x62: output.append(0x08)
        case 0x66: output.append(0x0C)
        case 0x6E: output.append(0x0A)
        case 0x72: output.append(0x0D)
        case 0x74: output.append(0x09)
        case 0x75: output += Array(String(Character(try scalar())).utf8)
        default: throw failure("there is an escape that JSON does not have, before what stands")
        }
    }

    /// What `\uXXXX` stands for, a pair of surrogates being one.
    private mutating func scalar() throws(Failure) -> Unicode.Scalar {
        let unit = try hexadecimalUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, skip(0x5C), skip(0x75) else { throw failure("there is half a surrogate pair") }
        let low = try hexadecimalUnit()
        guard low >= 0xDC00, low < 0xE000,
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit - 0xD800) << 10) + UInt32(low - 0xDC00))
        else { throw failure("there is half a surrogate pair") }
        return scalar
    }

    private mutating func hexadecimalUnit() throws(Failure) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw failure("it ends in a string") }
            switch byte {
            case 0x30...0x39: unit = unit << 4 | UInt16(byte - 0x30)
            case 0x41...0x46, 0x61...0x66: unit = unit << 4 | UInt16((byte | 0x20) - 0x57)
            default: throw failure("there is no hexadecimal digit in an escape")
            }
            position += 1
        }
        return unit
    }
}
