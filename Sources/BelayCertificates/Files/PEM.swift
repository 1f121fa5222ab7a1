import Glibc

/// The textual encoding of certificates and keys (RFC 7468), read by content and written with lines of 64 columns.
///
/// The reader takes what people's files really look like: explanatory text before, between and after the blocks, any
/// kind of line end, a byte order mark, indentation, no line end after the last line, RFC 1421 headers. It refuses what
/// is damaged, so that half of a file never passes for all of it.
///
/// ```swift
/// for block in try PEM.blocks(in: bytes) where block.label == "CERTIFICATE" {
///     let certificate = try Certificate(der: block.der)
/// }
/// ```
public enum PEM {
    /// What stands between a BEGIN and an END line.
    public struct Block: Sendable, Hashable {
        /// The label, for example `CERTIFICATE`.
        public let label: String
        /// The RFC 1421 headers in order; only old encrypted keys have them.
        public let headers: [Header]
        /// The decoded contents.
        public let der: [UInt8]
        /// The line of the BEGIN line, counted from 1.
        public let line: Int
    }

    /// An RFC 1421 header, for example `Proc-Type: 4,ENCRYPTED`.
    public struct Header: Sendable, Hashable {
        /// What stands before the colon.
        public let name: String
        /// What stands after it, without the white space around it.
        public let value: String
    }

    /// Reads all blocks of a text; an empty list where it has none.
    ///
    /// - Throws: ``PEMError``, with the line, where a block is damaged.
    public static func blocks(in bytes: [UInt8]) throws(PEMError) -> [Block] {
        var scanner = PEMScanner(bytes)
        var blocks: [Block] = []
        while let block = try scanner.next() { blocks.append(block) }
        return blocks
    }

    /// Writes a block: lines of 64 columns, a line feed after each, the last included (RFC 7468, section 2).
    public static func encode(label: String, der: [UInt8]) -> String {
        var text = "-----BEGIN \(label)-----\n"
        let digits = Array(Base64.encode(der).utf8)
        var start = 0
        while start < digits.count {
            let end = min(start + 64, digits.count)
            text += String(decoding: digits[start..<end], as: UTF8.self)
            text += "\n"
            start = end
        }
        text += "-----END \(label)-----\n"
        return text
    }

    /// Writes a block whose contents are a secret, which goes from its pages into those of the result and nowhere else.
    public static func encode(label: String, secret: Secret) -> Secret {
        let begin = Array("-----BEGIN \(label)-----\n".utf8)
        let end = Array("-----END \(label)-----\n".utf8)
        let digits = (secret.count + 2) / 3 * 4
        let lines = (digits + 63) / 64
        return Secret(count: begin.count + digits + lines + end.count) { output in
            UnsafeMutableRawBufferPointer(rebasing: output[..<begin.count]).copyBytes(from: begin)
            var position = begin.count
            secret.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: 48) {
                    let line = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + 48, bytes.count)])
                    let room = UnsafeMutableRawBufferPointer(rebasing: output[position...])
                    position += Base64.encode(line, into: room)
                    output[position] = 0x0A
                    position += 1
                }
            }
            UnsafeMutableRawBufferPointer(rebasing: output[position...]).copyBytes(from: end)
        }
    }
}

/// Why a text in PEM cannot be read, and in which line, counted from 1.
public enum PEMError: Error, Sendable, Hashable {
    /// A block has a BEGIN line and no END line.
    case unterminated(label: String, line: Int)
    /// The END line has another label than the BEGIN line.
    case mismatchedEnd(begun: String, ended: String, line: Int)
    /// An END line without a BEGIN line before it.
    case endWithoutBegin(label: String, line: Int)
    /// A line that begins like a BEGIN or END line and does not end like one.
    case malformedBoundary(line: Int)
    /// The contents of a block are not base64.
    case invalidBase64(label: String, line: Int)
    /// A block without contents.
    case empty(label: String, line: Int)

    /// The line that is wrong, counted from 1.
    public var line: Int {
        switch self {
        case .unterminated(_, let line), .mismatchedEnd(_, _, let line), .endWithoutBegin(_, let line),
            .malformedBoundary(let line), .invalidBase64(_, let line), .empty(_, let line):
            line
        }
    }
}

extension PEMError: CustomStringConvertible {
    /// What is wrong, where, and what was expected.
    public var description: String {
        switch self {
        case .unterminated(let label, let line):
            "the block \"BEGIN \(printable(label))\" of line \(line) has no END line: the text is cut off"
        case .mismatchedEnd(let begun, let ended, let line):
            "line \(line) is \"END \(printable(ended))\", expected \"END \(printable(begun))\""
        case .endWithoutBegin(let label, let line):
            "line \(line) is \"END \(printable(label))\" without a BEGIN line before it"
        case .malformedBoundary(let line):
            "line \(line) begins like a boundary and is not one: expected -----BEGIN LABEL----- or -----END LABEL-----"
        case .invalidBase64(let label, let line):
            "line \(line), in the block \"\(printable(label))\", is not base64"
        case .empty(let label, let line):
            "the block \"\(printable(label))\" of line \(line) is empty"
        }
    }
}

/// A walk from block to block.
///
/// It jumps from hyphen to hyphen with `memchr`, since base64 holds none: the machine's anchors are some 200 kB of it,
/// which are read at every start.
private struct PEMScanner {
    private let bytes: [UInt8]
    private var position = 0
    /// Up to where line ends have been counted, and the number of the line there.
    private var countedTo = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A BEGIN or END line.
    private struct Boundary {
        let isBegin: Bool
        let label: String
        let start: Int
        /// The first byte after the hyphens at its end.
        let end: Int
    }

    mutating func next() throws(PEMError) -> PEM.Block? {
        guard let begin = try nextBoundary() else { return nil }
        let beginLine = lineNumber(at: begin.start)
        guard begin.isBegin else { throw .endWithoutBegin(label: begin.label, line: beginLine) }
        position = begin.end
        let headers = readHeaders()
        let bodyStart = position
        guard let end = try nextBoundary(), !end.isBegin else {
            throw .unterminated(label: begin.label, line: beginLine)
        }
        guard end.label == begin.label else {
            throw .mismatchedEnd(begun: begin.label, ended: end.label, line: lineNumber(at: end.start))
        }
        let body = bodyStart..<end.start
        guard let der = Base64.decode(bytes, in: body, skippingWhitespace: true) else {
            throw .invalidBase64(label: begin.label, line: lineNumber(at: firstFault(in: body)))
        }
        guard !der.isEmpty else { throw .empty(label: begin.label, line: beginLine) }
        position = end.end
        return PEM.Block(label: begin.label, headers: headers, der: der, line: beginLine)
    }

    /// The next BEGIN or END line at or after `position`, which stays where it is.
    private func nextBoundary() throws(PEMError) -> Boundary? {
        var search = position
        while let hyphen = find(0x2D, from: search) {
            guard isBoundaryStart(hyphen) else {
                search = hyphen &+ 1
                continue
            }
            let isBegin = bytes[hyphen &+ 5] == 0x42
            let labelStart = hyphen &+ (isBegin ? 11 : 9)
            var labelEnd = labelStart
            while labelEnd < bytes.count, !isLineEnd(bytes[labelEnd]), !hasHyphens(at: labelEnd) { labelEnd &+= 1 }
            var rest = labelEnd &+ 5
            guard hasHyphens(at: labelEnd), labelEnd > labelStart else {
                throw .malformedBoundary(line: slowLineNumber(at: hyphen))
            }
            while rest < bytes.count, isBlank(bytes[rest]) { rest &+= 1 }
            guard rest == bytes.count || isLineEnd(bytes[rest]) else {
                throw .malformedBoundary(line: slowLineNumber(at: hyphen))
            }
            let label = String(decoding: bytes[labelStart..<labelEnd], as: UTF8.self)
            return Boundary(isBegin: isBegin, label: label, start: hyphen, end: rest)
        }
        return nil
    }

    /// Whether `-----BEGIN ` or `-----END ` stands here, at the beginning of a line but for white space or a byte
    /// order mark.
    private func isBoundaryStart(_ hyphen: Int) -> Bool {
        guard hasHyphens(at: hyphen), matches(PEMScanner.begin, at: hyphen) || matches(PEMScanner.end, at: hyphen)
        else { return false }
        var before = hyphen
        while before > 0, isBlank(bytes[before &- 1]) { before &-= 1 }
        if before == 0 || isLineEnd(bytes[before &- 1]) { return true }
        return before == 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    }

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)

    private func hasHyphens(at index: Int) -> Bool {
        guard index &+ 5 <= bytes.count else { return false }
        return bytes[index] == 0x2D && bytes[index &+ 1] == 0x2D && bytes[index &+ 2] == 0x2D
            && bytes[index &+ 3] == 0x2D && bytes[index &+ 4] == 0x2D
    }

    private func matches(_ text: [UInt8], at index: Int) -> Bool {
        guard index &+ text.count <= bytes.count else { return false }
        for offset in text.indices where bytes[index &+ offset] != text[offset] { return false }
        return true
    }

    /// Reads `Name: value` lines up to the blank line after them, and leaves `position` at the contents.
    private mutating func readHeaders() -> [PEM.Header] {
        var headers: [PEM.Header] = []
        var cursor = position
        while let (line, next) = lineAfterLineEnd(at: cursor) {
            if let last = headers.last, let first = line.first, isBlank(bytes[first]) {
                // A continued header (RFC 1421, section 4.6).
                headers[headers.count - 1] = PEM.Header(name: last.name, value: last.value + text(line))
            } else if let colon = line.first(where: { bytes[$0] == 0x3A }) {
                let value = (colon &+ 1)..<line.upperBound
                headers.append(PEM.Header(name: text(line.lowerBound..<colon), value: text(value)))
            } else {
                break
            }
            cursor = next
        }
        position = cursor
        return headers
    }

    /// The line that begins after the line end at `index`, and where its own line end is; nil where there is none.
    private func lineAfterLineEnd(at index: Int) -> (Range<Int>, next: Int)? {
        guard index < bytes.count, isLineEnd(bytes[index]) else { return nil }
        var start = index &+ 1
        if bytes[index] == 0x0D, start < bytes.count, bytes[start] == 0x0A { start &+= 1 }
        var end = start
        while end < bytes.count, !isLineEnd(bytes[end]) { end &+= 1 }
        return (start..<end, end)
    }

    /// A part of the input without the white space around it.
    private func text(_ range: Range<Int>) -> String {
        var range = range
        while let first = range.first, isBlank(bytes[first]) { range = (first &+ 1)..<range.upperBound }
        while let last = range.last, isBlank(bytes[last]) { range = range.lowerBound..<last }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private func find(_ byte: UInt8, from index: Int) -> Int? {
        bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress, index < raw.count,
                let found = memchr(base + index, Int32(byte), raw.count - index)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// The line of an offset that is not before the last one asked for.
    private mutating func lineNumber(at offset: Int) -> Int {
        line += lineEnds(in: countedTo..<offset)
        countedTo = offset
        return line
    }

    private func slowLineNumber(at offset: Int) -> Int { 1 + lineEnds(in: 0..<offset) }

    private func lineEnds(in range: Range<Int>) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            // Two plain sums, which the compiler does many bytes at a time.
            var count = 0
            var returns = 0
            for byte in UnsafeBufferPointer(rebasing: bytes[range]) {
                count &+= byte == 0x0A ? 1 : 0
                returns &+= byte == 0x0D ? 1 : 0
            }
            guard returns > 0 else { return count }
            for index in range where bytes[index] == 0x0D {
                if index &+ 1 == bytes.count || bytes[index &+ 1] != 0x0A { count &+= 1 }
            }
            return count
        }
    }

    /// The first byte that base64 does not have; the last one where only the length is wrong.
    private func firstFault(in body: Range<Int>) -> Int {
        for index in body {
            switch bytes[index] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x3D, 0x20, 0x09, 0x0A, 0x0D: continue
            default: return index
            }
        }
        return body.last { !isLineEnd(bytes[$0]) && bytes[$0] != 0x20 && bytes[$0] != 0x09 } ?? body.lowerBound
    }
}
