import BelayTransportSecurity

/// A change of some bytes of an XML property list.
struct XMLEdit: Hashable {
    /// What goes; empty where something is put in only.
    let range: Range<Int>
    /// What comes in its place.
    let bytes: [UInt8]

    init(_ range: Range<Int>, _ text: String) {
        self.range = range
        bytes = Array(text.utf8)
    }

    /// Makes the changes of a list that do not overlap.
    static func apply(_ edits: [XMLEdit], to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var end = 0
        for edit in edits.sorted(by: {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }) {
            guard edit.range.lowerBound >= end, edit.range.upperBound <= bytes.count else { continue }
            result += bytes[end..<edit.range.lowerBound]
            result += edit.bytes
            end = edit.range.upperBound
        }
        return result + bytes[end...]
    }
}

/// Makes changes of a text.
struct XMLEditing {
    let bytes: [UInt8]

    /// A key by another name; nil where the name would need escapes.
    func renamed(_ member: PlistMember, _ key: String) -> XMLEdit? {
        guard let range = member.keyRange, range.upperBound <= bytes.count, Self.isPlain(key) else { return nil }
        return XMLEdit(range, "<key>\(key)</key>")
    }

    /// A value by another one.
    func replaced(_ node: PlistNode, _ text: String) -> XMLEdit? {
        guard let range = node.range, range.upperBound <= bytes.count else { return nil }
        return XMLEdit(range, text)
    }

    /// Without a key and its value; lines that they have for themselves go as a whole. nil where something else, a comment, stands
    /// between the two.
    func deleted(_ member: PlistMember) -> XMLEdit? {
        guard let key = member.keyRange, let value = member.node.range, key.upperBound <= value.lowerBound,
            value.upperBound <= bytes.count, bytes[key.upperBound..<value.lowerBound].allSatisfy(Self.isSpace)
        else { return nil }
        return XMLEdit(wholeLines(key.lowerBound..<value.upperBound), "")
    }

    /// Without an element of a list.
    func deleted(_ element: PlistNode) -> XMLEdit? {
        guard let range = element.range, range.upperBound <= bytes.count else { return nil }
        return XMLEdit(wholeLines(range), "")
    }

    /// A key and its value as lines of their own at the end of a dictionary; nil where that would change other lines.
    func inserted(_ member: PlistMember, into dictionary: PlistNode) -> XMLEdit? {
        guard let key = member.keyRange, let value = member.node.range, let range = dictionary.range,
            value.upperBound <= bytes.count, range.upperBound <= bytes.count,
            let close = bytes[range].lastIndex(of: UInt8(ascii: "<")), bytes[close...].starts(with: Array("</".utf8))
        else { return nil }
        var start = close
        while start > range.lowerBound, Self.isBlank(bytes[start - 1]) { start -= 1 }
        guard start > range.lowerBound, bytes[start - 1] == 0x0A else { return nil }
        let indent = indent(of: dictionary.members?.last?.keyRange?.lowerBound) ?? bytes[start..<close] + [0x09]
        var text = Array(indent) + bytes[key.lowerBound..<value.upperBound]
        // The value stands below its key where it is not beside it, as deep as the key.
        let between = bytes[key.upperBound..<value.lowerBound]
        if between.contains(0x0A), between.allSatisfy(Self.isSpace) {
            text = Array(indent) + bytes[key] + newline + Array(indent) + bytes[value]
        }
        return XMLEdit(start..<start, String(decoding: text + newline, as: UTF8.self))
    }

    /// A key and its value as the first ones of a dictionary.
    func inserted(first text: (key: String, value: String), into dictionary: PlistNode) -> XMLEdit? {
        guard let range = dictionary.range, range.upperBound <= bytes.count,
            let tag = bytes[range].firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let inside = "<key>\(text.key)</key>\(text.value)"
        if bytes[tag - 1] == UInt8(ascii: "/") { return XMLEdit(range, "<dict>\(inside)</dict>") }
        guard let first = dictionary.members?.first?.keyRange?.lowerBound, let indent = indent(of: first) else {
            return XMLEdit(tag + 1..<tag + 1, inside)
        }
        let separator = String(decoding: newline + Array(indent), as: UTF8.self)
        return XMLEdit(tag + 1..<tag + 1, "\(separator)<key>\(text.key)</key>\(separator)\(text.value)")
    }

    // MARK: Lines

    private var newline: [UInt8] {
        guard let end = bytes.firstIndex(of: 0x0A), end > 0, bytes[end - 1] == 0x0D else { return [0x0A] }
        return [0x0D, 0x0A]
    }

    /// The white space at the beginning of a line; nil where something stands there.
    private func indent(of offset: Int?) -> ArraySlice<UInt8>? {
        guard let offset, offset <= bytes.count else { return nil }
        var start = offset
        while start > 0, Self.isBlank(bytes[start - 1]) { start -= 1 }
        return start > 0 && bytes[start - 1] == 0x0A ? bytes[start..<offset] : nil
    }

    /// With the rest of its lines, where nothing else stands in them.
    private func wholeLines(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        while start > 0, Self.isBlank(bytes[start - 1]) { start -= 1 }
        var end = range.upperBound
        while end < bytes.count, Self.isBlank(bytes[end]) || bytes[end] == 0x0D { end += 1 }
        guard start > 0, bytes[start - 1] == 0x0A, end < bytes.count, bytes[end] == 0x0A else { return range }
        return start..<end + 1
    }

    private static func isBlank(_ unit: UInt8) -> Bool { unit == 0x20 || unit == 0x09 }
    private static func isSpace(_ unit: UInt8) -> Bool { isBlank(unit) || unit == 0x0A || unit == 0x0D }

    /// Whether a text has nothing that XML would read.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { unit in
                switch unit {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x3A, 0x3D, 0x5F: true
                default: false
                }
            }
    }
}
