import BelayCertificates

/// Reads a line of JSON as RFC 8259 has it, with every member of an object named once, in one pass.
///
/// The decoder of Foundation takes more (commas at the end, UTF-16) and, of two members of one name, silently the first,
/// where most programs take the last. A case that says two things is none.
///
/// A value of another kind than the one that is asked for is passed over, and noted: that the line is JSON at all comes
/// first. ``line(_:)`` tells at its end.
struct StrictJSON {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    /// The names of the members that are being read, the outermost first. Places are put together only where they are told.
    private var path: [String] = []
    /// Whether a byte beyond ASCII was met, so that the encoding has to be checked.
    private var isBeyondASCII = false
    /// The first value that was of another kind, or otherwise not as it should be.
    private var firstFault: CaseFault?

    /// Deeper nesting is refused: cases have four levels.
    private static let deepest = 32

    /// A string of the line, as it stands between its quotes.
    struct Text {
        let octets: ArraySlice<UInt8>
        let hasEscapes: Bool
    }

    /// A kind of value.
    enum Kind: String {
        case string = "a string"
        case flag = "true or false"
        case number = "a whole number"
        case list = "a list"
        case object = "an object"

        fileprivate func begins(with unit: UInt8?) -> Bool {
            switch self {
            case .string: unit == UInt8(ascii: "\"")
            case .flag: unit == UInt8(ascii: "t") || unit == UInt8(ascii: "f")
            case .number: unit == UInt8(ascii: "-") || (unit.map { $0 >= 0x30 && $0 <= 0x39 } ?? false)
            case .list: unit == UInt8(ascii: "[")
            case .object: unit == UInt8(ascii: "{")
            }
        }
    }

    init(_ line: [UInt8]) {
        bytes = line
    }

    // MARK: What is asked for

    /// Reads the one object that the line is. `member` is called at each value, with the member's name, and has to read it or
    /// pass over it.
    mutating func line(
        _ member: (inout StrictJSON, _ name: String) throws(CaseFault) -> Void
    ) throws(CaseFault) {
        skipSpace()
        guard peek == UInt8(ascii: "{") else { throw CaseFault("the line is not a JSON object") }
        try readObject(member)
        skipSpace()
        guard position == bytes.count else { throw malformed() }
        if isBeyondASCII, String(validating: bytes, as: UTF8.self) == nil { throw CaseFault("the line is not UTF-8") }
        if let firstFault { throw firstFault }
    }

    /// Notes what is wrong with the member that is being read, or was read last.
    mutating func note(_ message: String) {
        firstFault = firstFault ?? CaseFault("\(path.joined(separator: ".")): \(message)")
    }

    /// Passes over a member that nobody knows.
    mutating func refuse() throws(CaseFault) {
        firstFault = firstFault ?? CaseFault("the field '\(printable(path.joined(separator: ".")))' is not known")
        try skip()
    }

    /// Passes over a value.
    mutating func skip() throws(CaseFault) {
        switch peek {
        case UInt8(ascii: "{"): try readObject { json, _ throws(CaseFault) in try json.skip() }
        case UInt8(ascii: "["): try readList { json, _ throws(CaseFault) in try json.skip() }
        case UInt8(ascii: "\""): _ = try readText()
        case UInt8(ascii: "t"): try readWord("true")
        case UInt8(ascii: "f"): try readWord("false")
        case UInt8(ascii: "n"): try readWord("null")
        default: _ = try readNumber()
        }
    }

    /// Reads a string; nil where it is null, or of another kind.
    mutating func text(orNull: Bool = true) throws(CaseFault) -> Text? {
        try isNext(.string, orNull) ? try readText() : nil
    }

    /// Reads a string whose characters are wanted.
    mutating func string(orNull: Bool = true) throws(CaseFault) -> String? {
        guard let text = try text(orNull: orNull) else { return nil }
        guard let string = text.string else {
            note("half of a surrogate pair stands alone")
            return nil
        }
        return string
    }

    /// Reads true or false.
    mutating func flag() throws(CaseFault) -> Bool? {
        guard try isNext(.flag, true) else { return nil }
        let isTrue = peek == UInt8(ascii: "t")
        try readWord(isTrue ? "true" : "false")
        return isTrue
    }

    /// Reads a number.
    mutating func number() throws(CaseFault) -> Double? {
        guard try isNext(.number, true) else { return nil }
        return Double(String(decoding: bytes[try readNumber()], as: UTF8.self))
    }

    /// Reads a list of strings, and the octets of the whole list beside them.
    mutating func texts(orNull: Bool = true) throws(CaseFault) -> (texts: [Text], octets: ArraySlice<UInt8>)? {
        guard try isNext(.list, orNull) else { return nil }
        let start = position
        var texts: [Text] = []
        try readList { json, index throws(CaseFault) in
            if json.peek == UInt8(ascii: "\"") {
                texts.append(try json.readText())
            } else {
                json.path.append("[\(index)]")
                _ = try json.text(orNull: false)
                json.path.removeLast()
            }
        }
        return (texts, bytes[start..<position])
    }

    /// Reads an object as ``line(_:)`` does.
    ///
    /// - Returns: whether there is one.
    mutating func object(
        _ member: (inout StrictJSON, _ name: String) throws(CaseFault) -> Void
    ) throws(CaseFault) -> Bool {
        guard try isNext(.object, true) else { return false }
        try readObject(member)
        return true
    }

    /// Whether the next value is of a kind. One that is not is passed over.
    private mutating func isNext(_ kind: Kind, _ orNull: Bool) throws(CaseFault) -> Bool {
        if kind.begins(with: peek) { return true }
        let isNull = peek == UInt8(ascii: "n")
        try skip()
        if !isNull {
            note("expected \(kind.rawValue)")
        } else if !orNull {
            note("is null, expected \(kind.rawValue)")
        }
        return false
    }

    // MARK: The grammar

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func malformed() -> CaseFault { CaseFault("the line is not valid JSON (at byte \(position))") }

    private mutating func skipSpace() {
        while let unit = peek, unit == 0x20 || unit == 0x09 || unit == 0x0A || unit == 0x0D { position += 1 }
    }

    private mutating func expect(_ unit: UInt8) throws(CaseFault) {
        guard peek == unit else { throw malformed() }
        position += 1
    }

    private mutating func descend() throws(CaseFault) {
        guard depth < Self.deepest else { throw CaseFault("the line is nested deeper than \(Self.deepest) levels") }
        depth += 1
    }

    /// After a value in an object or list: whether another one follows.
    private mutating func continues(until end: UInt8) throws(CaseFault) -> Bool {
        skipSpace()
        if peek == UInt8(ascii: ",") {
            position += 1
            skipSpace()
            return true
        }
        try expect(end)
        depth -= 1
        return false
    }

    private mutating func readObject(
        _ member: (inout StrictJSON, _ name: String) throws(CaseFault) -> Void
    ) throws(CaseFault) {
        try expect(UInt8(ascii: "{"))
        try descend()
        skipSpace()
        if peek == UInt8(ascii: "}") {
            position += 1
            depth -= 1
            return
        }
        var names = NameTable()
        repeat {
            let text = try readText()
            let name = String(decoding: text.octets, as: UTF8.self)
            // Escapes could spell one name in two ways; no field of a case needs them.
            guard !text.hasEscapes else { throw CaseFault("the field '\(place(of: name))' is not known") }
            guard names.insert(name) else { throw CaseFault("the field '\(place(of: name))' occurs twice") }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            path.append(name)
            try member(&self, name)
            path.removeLast()
        } while try continues(until: UInt8(ascii: "}"))
    }

    private func place(of name: String) -> String { printable((path + [name]).joined(separator: ".")) }

    private mutating func readList(
        _ element: (inout StrictJSON, _ index: Int) throws(CaseFault) -> Void
    ) throws(CaseFault) {
        try expect(UInt8(ascii: "["))
        try descend()
        skipSpace()
        if peek == UInt8(ascii: "]") {
            position += 1
            depth -= 1
            return
        }
        var index = 0
        repeat {
            try element(&self, index)
            index += 1
        } while try continues(until: UInt8(ascii: "]"))
    }

    /// A string; returns what stands between its quotes, escapes as they are.
    private mutating func readText() throws(CaseFault) -> Text {
        try expect(UInt8(ascii: "\""))
        let start = position
        var hasEscapes = false
        while true {
            position = plainEnd()
            switch peek {
            case UInt8(ascii: "\""):
                position += 1
                return Text(octets: bytes[start..<(position - 1)], hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position += 1
                try readEscape()
            default:
                throw malformed()
            }
        }
    }

    /// The first place from here on that does not simply belong to a string. Nearly all bytes of a case are in strings.
    private mutating func plainEnd() -> Int {
        let start = position
        let (end, beyond) = bytes.withUnsafeBufferPointer { bytes in
            var index = start
            var all: UInt8 = 0
            while index < bytes.count {
                let unit = bytes[index]
                if unit < 0x20 || unit == 0x22 || unit == 0x5C { break }
                all |= unit
                index &+= 1
            }
            return (index, all >= 0x80)
        }
        if beyond { isBeyondASCII = true }
        return end
    }

    private mutating func readEscape() throws(CaseFault) {
        guard let unit = peek else { throw malformed() }
        position += 1
        switch unit {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                switch peek {
                case .some(0x30...0x39), .some(0x41...0x46), .some(0x61...0x66): position += 1
                default: throw malformed()
                }
            }
        default:
            throw malformed()
        }
    }

    private mutating func readWord(_ word: StaticString) throws(CaseFault) {
        for index in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[index]) }
    }

    /// A number (RFC 8259, section 6).
    private mutating func readNumber() throws(CaseFault) -> Range<Int> {
        let start = position
        if peek == UInt8(ascii: "-") { position += 1 }
        if peek == UInt8(ascii: "0") {
            position += 1
        } else {
            try readDigits()
        }
        if peek == UInt8(ascii: ".") {
            position += 1
            try readDigits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try readDigits()
        }
        return start..<position
    }

    private mutating func readDigits() throws(CaseFault) {
        let start = position
        while let unit = peek, unit >= 0x30, unit <= 0x39 { position += 1 }
        guard position > start else { throw malformed() }
    }
}

/// The names that an object has had so far.
private struct NameTable {
    private var few: [String] = []
    private var many: Set<String> = []

    /// Adds a name.
    ///
    /// - Returns: whether it is new.
    mutating func insert(_ name: String) -> Bool {
        // To compare with a handful of short names costs less than a hash.
        if few.count < 16 {
            guard !few.contains(name) else { return false }
            few.append(name)
            return true
        }
        if many.isEmpty { many = Set(few) }
        return many.insert(name).inserted
    }
}
