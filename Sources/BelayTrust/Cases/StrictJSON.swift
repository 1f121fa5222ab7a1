import BelayCertificates

/// Whether a line is JSON as RFC 8259 has it, with every member of an object named once.
///
/// The decoder of Foundation takes more (commas at the end, UTF-16) and, of two members of one name, silently the first,
/// where most programs take the last. A case that says two things is none.
struct StrictJSON {
    private let bytes: [UInt8]
    private var position = 0

    /// Deeper nesting is refused: cases have four levels.
    private static let deepest = 32

    /// Checks that a line is one JSON object.
    static func check(_ line: [UInt8]) throws(CaseFault) {
        var text = StrictJSON(bytes: line)
        text.skipSpace()
        guard text.peek == UInt8(ascii: "{") else { throw CaseFault("the line is not a JSON object") }
        try text.readValue(depth: 0, name: "")
        text.skipSpace()
        guard text.position == line.count else { throw text.malformed() }
        guard String(validating: line, as: UTF8.self) != nil else { throw CaseFault("the line is not UTF-8") }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func malformed() -> CaseFault { CaseFault("the line is not valid JSON (at byte \(position))") }

    private mutating func skipSpace() {
        while let unit = peek, unit == 0x20 || unit == 0x09 || unit == 0x0A || unit == 0x0D { position += 1 }
    }

    private mutating func expect(_ unit: UInt8) throws(CaseFault) {
        guard peek == unit else { throw malformed() }
        position += 1
    }

    private mutating func readValue(depth: Int, name: String) throws(CaseFault) {
        guard depth < Self.deepest else { throw CaseFault("the line is nested deeper than \(Self.deepest) levels") }
        switch peek {
        case UInt8(ascii: "{"): try readObject(depth: depth, name: name)
        case UInt8(ascii: "["): try readArray(depth: depth, name: name)
        case UInt8(ascii: "\""): _ = try readString()
        case UInt8(ascii: "t"): try readWord("true")
        case UInt8(ascii: "f"): try readWord("false")
        case UInt8(ascii: "n"): try readWord("null")
        default: try readNumber()
        }
    }

    private mutating func readObject(depth: Int, name: String) throws(CaseFault) {
        try expect(UInt8(ascii: "{"))
        skipSpace()
        if peek == UInt8(ascii: "}") {
            position += 1
            return
        }
        var names = Set<String>()
        while true {
            let range = try readString()
            let key = String(decoding: bytes[range], as: UTF8.self)
            let place = name.isEmpty ? key : "\(name).\(key)"
            // Escapes could spell one name in two ways; no field of a case needs them.
            guard !key.contains("\\") else { throw CaseFault("the field '\(printable(place))' is not known") }
            guard names.insert(key).inserted else { throw CaseFault("the field '\(printable(place))' occurs twice") }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            try readValue(depth: depth + 1, name: place)
            skipSpace()
            if peek == UInt8(ascii: ",") {
                position += 1
                skipSpace()
                continue
            }
            try expect(UInt8(ascii: "}"))
            return
        }
    }

    private mutating func readArray(depth: Int, name: String) throws(CaseFault) {
        try expect(UInt8(ascii: "["))
        skipSpace()
        if peek == UInt8(ascii: "]") {
            position += 1
            return
        }
        while true {
            try readValue(depth: depth + 1, name: name)
            skipSpace()
            if peek == UInt8(ascii: ",") {
                position += 1
                skipSpace()
                continue
            }
            try expect(UInt8(ascii: "]"))
            return
        }
    }

    /// A string; returns what stands between its quotes, escapes as they are.
    private mutating func readString() throws(CaseFault) -> Range<Int> {
        try expect(UInt8(ascii: "\""))
        let start = position
        while let unit = peek {
            switch unit {
            case UInt8(ascii: "\""):
                position += 1
                return start..<(position - 1)
            case UInt8(ascii: "\\"):
                position += 1
                try readEscape()
            case 0..<0x20:
                throw malformed()
            default:
                position += 1
            }
        }
        throw malformed()
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

    private mutating func readWord(_ word: String) throws(CaseFault) {
        for unit in word.utf8 { try expect(unit) }
    }

    /// A number (RFC 8259, section 6).
    private mutating func readNumber() throws(CaseFault) {
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
    }

    private mutating func readDigits() throws(CaseFault) {
        let start = position
        while let unit = peek, unit >= 0x30, unit <= 0x39 { position += 1 }
        guard position > start else { throw malformed() }
    }
}
