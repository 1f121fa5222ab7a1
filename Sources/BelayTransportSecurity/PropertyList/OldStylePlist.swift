import BelayCertificates

/// The form of NeXTSTEP: `{ key = value; }`, `( a, b )`, `<0fbd77>`, strings with or without quotes. It has no numbers and no
/// Booleans: what looks like one is a string.
///
/// A file of strings (`key = value;` without the braces) is one too.
struct OldStylePlist {
    private let bytes: [UInt8]
    private let limits: PlistLimits
    private var places: TextPlaces
    private var position = 0
    private var valueCount = 0
    /// Whether places are those of the file; not after it was converted from UTF-16.
    private let hasOffsets: Bool

    static func read(_ bytes: [UInt8], _ limits: PlistLimits) throws(PlistError) -> PlistNode {
        var reader = try OldStylePlist(bytes, limits)
        return try reader.document()
    }

    private init(_ bytes: [UInt8], _ limits: PlistLimits) throws(PlistError) {
        self.limits = limits
        if let text = try Self.fromUTF16(bytes) {
            self.bytes = text
            hasOffsets = false
        } else {
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw PlistError(.encoding("it is neither UTF-8 nor UTF-16 with a mark"), in: .oldStyle)
            }
            self.bytes = bytes
            hasOffsets = true
        }
        places = TextPlaces(self.bytes)
        if self.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// UTF-8 of a text in UTF-16 that has a mark; nil for others.
    private static func fromUTF16(_ bytes: [UInt8]) throws(PlistError) -> [UInt8]? {
        let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
        guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else { return nil }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: 2, to: bytes.count - 1, by: 2) {
            let (high, low) = isBigEndian ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
            units.append(UInt16(high) << 8 | UInt16(low))
        }
        guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
            throw PlistError(.encoding("it is not UTF-16, as its mark says"), in: .oldStyle)
        }
        return Array(text.utf8)
    }

    // MARK: The grammar

    private mutating func document() throws(PlistError) -> PlistNode {
        try skipSpace()
        guard peek != nil else { throw PlistError(.empty, in: .oldStyle) }
        let start = begin()
        // Without braces, a string and a sign of equality begin a file of strings.
        if isStringStart(peek) {
            let root = try string()
            try skipSpace()
            if peek == nil { return node(.string(root), start) }
            position = start.offset
            return node(.dictionary(try members(until: nil, depth: 0)), start)
        }
        let root = try value(depth: 0)
        try skipSpace()
        guard peek == nil else { throw fault("more after the value", "the end") }
        return root
    }

    private mutating func value(depth: Int) throws(PlistError) -> PlistNode {
        try skipSpace()
        let start = begin()
        guard depth < limits.depth else { throw error(.tooDeep(limit: limits.depth)) }
        valueCount += 1
        guard valueCount <= limits.values else { throw error(.tooManyValues(limit: limits.values)) }
        switch peek {
        case UInt8(ascii: "{"):
            position += 1
            return node(.dictionary(try members(until: UInt8(ascii: "}"), depth: depth)), start)
        case UInt8(ascii: "("):
            position += 1
            return node(.array(try elements(depth)), start)
        case UInt8(ascii: "<"):
            position += 1
            return node(.data(try data()), start)
        case let unit where isStringStart(unit):
            return node(.string(try string()), start)
        default:
            throw fault(found, "a value: { … }, ( … ), < … > or a string")
        }
    }

    private mutating func members(until end: UInt8?, depth: Int) throws(PlistError) -> [PlistMember] {
        var members: [PlistMember] = []
        while true {
            try skipSpace()
            if peek == end {
                if end != nil { position += 1 }
                return members
            }
            guard isStringStart(peek) else { throw fault(found, end == nil ? "a key" : "a key or }") }
            let start = begin()
            let key = try string()
            let range = hasOffsets ? start.offset..<position : nil
            try skipSpace()
            if peek == UInt8(ascii: ";") {
                // A key alone stands for itself.
                position += 1
                members.append(
                    PlistMember(
                        key: key, keyPosition: start.place, keyRange: range,
                        node: PlistNode(.string(key), position: start.place, range: range)))
                continue
            }
            try expect("=", "= behind the key '\(key)'")
            let node = try value(depth: depth + 1)
            try skipSpace()
            members.append(PlistMember(key: key, keyPosition: start.place, keyRange: range, node: node))
            // The last one may do without.
            if peek == end, end != nil { continue }
            try expect(";", "; behind the value of '\(key)'")
        }
    }

    private mutating func elements(_ depth: Int) throws(PlistError) -> [PlistNode] {
        var elements: [PlistNode] = []
        while true {
            try skipSpace()
            if peek == UInt8(ascii: ")") {
                position += 1
                return elements
            }
            elements.append(try value(depth: depth + 1))
            try skipSpace()
            if peek == UInt8(ascii: ",") {
                position += 1
            } else if peek != UInt8(ascii: ")") {
                throw fault(found, ", or )")
            }
        }
    }

    private mutating func data() throws(PlistError) -> [UInt8] {
        var digits: [UInt8] = []
        while let unit = peek {
            position += 1
            switch unit {
            case UInt8(ascii: ">"):
                guard let octets = BelayCertificates.bytes(hexadecimal: String(decoding: digits, as: UTF8.self)) else {
                    throw fault("digits that are no bytes", "an even number of hexadecimal digits")
                }
                return octets
            case 0x20, 0x09, 0x0A, 0x0D: continue
            default: digits.append(unit)
            }
        }
        throw fault("the end", ">")
    }

    // MARK: Strings

    private func isStringStart(_ unit: UInt8?) -> Bool {
        unit == UInt8(ascii: "\"") || unit == UInt8(ascii: "'") || isPlain(unit)
    }

    /// What may stand in a string without quotes.
    private func isPlain(_ unit: UInt8?) -> Bool {
        switch unit {
        case .some(0x41...0x5A), .some(0x61...0x7A), .some(0x30...0x39): true
        case .some(let unit): "_$/:.-".utf8.contains(unit)
        case nil: false
        }
    }

    private mutating func string() throws(PlistError) -> String {
        guard let quote = peek, !isPlain(quote) else {
            let start = position
            while isPlain(peek) { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        position += 1
        var units: [UInt8] = []
        while let unit = peek {
            position += 1
            if unit == quote { return String(decoding: units, as: UTF8.self) }
            if unit == UInt8(ascii: "\\") { try escape(&units) } else { units.append(unit) }
        }
        throw fault("the end", "the closing quote")
    }

    private mutating func escape(_ units: inout [UInt8]) throws(PlistError) {
        guard let unit = peek else { throw fault("the end", "the closing quote") }
        position += 1
        switch unit {
        case UInt8(ascii: "a"): units.append(0x07)
        case UInt8(ascii: "b"): units.append(0x08)
        case UInt8(ascii: "f"): units.append(0x0C)
        case UInt8(ascii: "n"): units.append(0x0A)
        case UInt8(ascii: "r"): units.append(0x0D)
        case UInt8(ascii: "t"): units.append(0x09)
        case UInt8(ascii: "v"): units.append(0x0B)
        case UInt8(ascii: "U"), UInt8(ascii: "u"):
            units.append(contentsOf: String(try scalar()).utf8)
        case 0x30...0x37:
            var value = Int(unit - 0x30)
            for _ in 0..<2 {
                guard let digit = peek, digit >= 0x30, digit <= 0x37 else { break }
                value = value * 8 + Int(digit - 0x30)
                position += 1
            }
            // Beyond ASCII the number is one of NeXTSTEP's own character set.
            guard value < 0x80 else { throw fault("an octal number beyond ASCII", "\\U and four hexadecimal digits") }
            units.append(UInt8(value))
        default: units.append(unit)
        }
    }

    /// The character behind `\U`, with the second half of a surrogate pair where it needs one.
    private mutating func scalar() throws(PlistError) -> Unicode.Scalar {
        let first = try utf16Unit()
        guard UTF16.isLeadSurrogate(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw fault("half of a surrogate pair", "a character") }
            return scalar
        }
        guard peek == UInt8(ascii: "\\") else { throw fault("half of a surrogate pair", "the other half") }
        position += 1
        guard peek == UInt8(ascii: "U") || peek == UInt8(ascii: "u") else {
            throw fault("half of a surrogate pair", "the other half")
        }
        position += 1
        let second = try utf16Unit()
        guard UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF)))
        else { throw fault("half of a surrogate pair", "the other half") }
        return scalar
    }

    /// One to four hexadecimal digits.
    private mutating func utf16Unit() throws(PlistError) -> UInt16 {
        let start = position
        while position < start + 4, let unit = peek, Character(Unicode.Scalar(unit)).isHexDigit { position += 1 }
        guard let value = UInt16(String(decoding: bytes[start..<position], as: UTF8.self), radix: 16) else {
            throw fault(found, "hexadecimal digits")
        }
        return value
    }

    // MARK: Space, places, faults

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var found: String {
        peek.map { $0 >= 0x20 && $0 < 0x7F ? "'\(Character(Unicode.Scalar($0)))'" : "byte \($0)" } ?? "the end"
    }

    /// White space and comments, of either kind.
    private mutating func skipSpace() throws(PlistError) {
        while let unit = peek {
            if (0x09...0x0D).contains(unit) || unit == 0x20 {
                position += 1
            } else if unit == UInt8(ascii: "/"), bytes.dropFirst(position + 1).first == UInt8(ascii: "/") {
                while let unit = peek, unit != 0x0A, unit != 0x0D { position += 1 }
            } else if unit == UInt8(ascii: "/"), bytes.dropFirst(position + 1).first == UInt8(ascii: "*") {
                position += 2
                while !(peek == UInt8(ascii: "*") && bytes.dropFirst(position + 1).first == UInt8(ascii: "/")) {
                    guard peek != nil else { throw fault("the end", "*/") }
                    position += 1
                }
                position += 2
            } else {
                return
            }
        }
    }

    private mutating func expect(_ text: Unicode.Scalar, _ expected: String) throws(PlistError) {
        guard let unit = peek, unit == UInt8(ascii: text) else { throw fault(found, expected) }
        position += 1
    }

    /// Where something begins. Places are told in rising order, so that this is asked before what is inside.
    private mutating func begin() -> (place: PlistPosition, offset: Int) { (here(), position) }

    private mutating func here() -> PlistPosition {
        let place = places.place(ofByte: position)
        return hasOffsets ? place : PlistPosition(line: place.line, column: place.column)
    }

    private mutating func node(_ value: PlistNode.Value, _ start: (place: PlistPosition, offset: Int)) -> PlistNode {
        PlistNode(value, position: start.place, range: hasOffsets ? start.offset..<position : nil)
    }

    private mutating func fault(_ found: String, _ expected: String) -> PlistError {
        error(.malformed(found: found, expected: expected))
    }

    private mutating func error(_ reason: PlistError.Reason) -> PlistError {
        PlistError(reason, in: .oldStyle, at: here())
    }
}
