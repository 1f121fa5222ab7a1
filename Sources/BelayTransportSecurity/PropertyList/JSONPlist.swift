/// JSON (RFC 8259) as the values of a property list, which cases are written in: strict, every name of an object once, no null.
///
/// True and 1 are different things for App Transport Security, and remain so.
struct JSONPlist {
    private let bytes: [UInt8]
    private let limits: PlistLimits
    private var position = 0
    private var valueCount = 0

    /// Whether null is taken, as an empty text: in what is passed over.
    private var takesNull = false

    /// The members of the object that a line is.
    ///
    /// - Parameter skipped: the members that are passed over, whatever they are.
    /// - Returns: the others, and the names of those that are null.
    static func members(
        of line: [UInt8], skipping skipped: Set<String>, _ limits: PlistLimits = PlistLimits()
    ) throws(PlistError) -> (members: [PlistMember], nulls: Set<String>) {
        guard String(validating: line, as: UTF8.self) != nil else {
            throw PlistError(.encoding("it is not UTF-8"), in: .json)
        }
        var reader = JSONPlist(bytes: line, limits: limits)
        reader.skipSpace()
        guard reader.peek == UInt8(ascii: "{") else { throw reader.fault("an object") }
        var nulls: Set<String> = []
        let members = try reader.members(0) { reader, name throws(PlistError) in
            if skipped.contains(name) {
                reader.takesNull = true
                _ = try reader.value(depth: 1)
                reader.takesNull = false
                return nil
            }
            if reader.peek == UInt8(ascii: "n") {
                try reader.word("null")
                nulls.insert(name)
                return nil
            }
            return try reader.value(depth: 1)
        }
        reader.skipSpace()
        guard reader.position == line.count else { throw reader.fault("the end") }
        return (members, nulls)
    }

    private init(bytes: [UInt8], limits: PlistLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    private mutating func value(depth: Int) throws(PlistError) -> PlistNode {
        let start = PlistPosition(offset: position)
        guard depth < limits.depth else { throw error(.tooDeep(limit: limits.depth)) }
        valueCount += 1
        guard valueCount <= limits.values else { throw error(.tooManyValues(limit: limits.values)) }
        let value: PlistNode.Value
        switch peek {
        case UInt8(ascii: "{"):
            value = .dictionary(
                try members(depth) { reader, _ throws(PlistError) in try reader.value(depth: depth + 1) })
        case UInt8(ascii: "["): value = .array(try elements(depth))
        case UInt8(ascii: "\""): value = .string(try string())
        case UInt8(ascii: "t"):
            try word("true")
            value = .boolean(true)
        case UInt8(ascii: "f"):
            try word("false")
            value = .boolean(false)
        case UInt8(ascii: "n"):
            guard takesNull else { throw fault("a value; property lists have no null") }
            try word("null")
            value = .string("")
        default: value = try number()
        }
        return PlistNode(value, position: start)
    }

    private mutating func members(
        _ depth: Int, _ value: (inout JSONPlist, _ name: String) throws(PlistError) -> PlistNode?
    ) throws(PlistError) -> [PlistMember] {
        position += 1
        skipSpace()
        var members: [PlistMember] = []
        if take("}") { return members }
        var names: Set<LiteralKey> = []
        repeat {
            skipSpace()
            let place = PlistPosition(offset: position)
            guard peek == UInt8(ascii: "\"") else { throw fault("a name in quotes") }
            let key = try string()
            guard names.insert(LiteralKey(key)).inserted else {
                throw error(.malformed(found: "the name '\(key)' twice", expected: "every name once"))
            }
            skipSpace()
            guard take(":") else { throw fault(":") }
            skipSpace()
            if let node = try value(&self, key) {
                members.append(PlistMember(key: key, keyPosition: place, node: node))
            }
            skipSpace()
        } while take(",")
        guard take("}") else { throw fault(", or }") }
        return members
    }

    private mutating func elements(_ depth: Int) throws(PlistError) -> [PlistNode] {
        position += 1
        skipSpace()
        var elements: [PlistNode] = []
        if take("]") { return elements }
        repeat {
            skipSpace()
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw fault(", or ]") }
        return elements
    }

    private mutating func string() throws(PlistError) -> String {
        position += 1
        var units: [UInt8] = []
        while let unit = peek {
            guard unit >= 0x20 else { break }
            position += 1
            if unit == UInt8(ascii: "\"") { return String(decoding: units, as: UTF8.self) }
            if unit != UInt8(ascii: "\\") {
                units.append(unit)
                continue
            }
            guard let escape = peek else { break }
            position += 1
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(escape)
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "u"): units.append(contentsOf: String(try scalar()).utf8)
            default: throw fault("an escape of JSON")
            }
        }
        throw fault("the rest of a string")
    }

    private mutating func scalar() throws(PlistError) -> Unicode.Scalar {
        let first = try utf16Unit()
        guard UTF16.isLeadSurrogate(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw fault("a character, not half of a surrogate pair") }
            return scalar
        }
        guard take("\\"), take("u") else { throw fault("the other half of a surrogate pair") }
        let second = try utf16Unit()
        guard UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF)))
        else { throw fault("the other half of a surrogate pair") }
        return scalar
    }

    private mutating func utf16Unit() throws(PlistError) -> UInt16 {
        let digits = bytes[position..<min(position + 4, bytes.count)]
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("four hexadecimal digits") }
        position += 4
        return unit
    }

    private mutating func number() throws(PlistError) -> PlistNode.Value {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        var isWhole = true
        if take(".") {
            isWhole = false
            try digits()
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let number = Int64(text) { return .integer(number) }
        return .real(Double(text) ?? .infinity)
    }

    private mutating func digits() throws(PlistError) {
        let start = position
        while let unit = peek, unit >= 0x30, unit <= 0x39 { position += 1 }
        guard position > start else { throw fault("a value of JSON") }
    }

    private mutating func word(_ word: String) throws(PlistError) {
        guard bytes[position...].starts(with: word.utf8) else { throw fault(word) }
        position += word.utf8.count
    }

    // MARK: Units, faults

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ unit: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: unit) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let unit = peek, unit == 0x20 || unit == 0x09 || unit == 0x0A || unit == 0x0D { position += 1 }
    }

    private func fault(_ expected: String) -> PlistError {
        let found =
            peek.map { $0 > 0x20 && $0 < 0x7F ? "'\(Character(Unicode.Scalar($0)))'" : "byte \($0)" } ?? "the end"
        return error(.malformed(found: found, expected: expected))
    }

    private func error(_ reason: PlistError.Reason) -> PlistError {
        PlistError(reason, in: .json, at: PlistPosition(offset: position))
    }
}
