/// A cursor over BER, of which DER is the strict part: for containers that programs write with indefinite lengths.
///
/// It only finds elements. What is in them, certificates above all, is read by ``DERReader``. Every length is checked against
/// the end of the enclosing element.
struct BERReader {
    /// An element and where it stands.
    struct Element {
        let tag: DERTag
        /// Its contents, without the two zero bytes that end an indefinite length.
        let contents: Range<Int>
        /// All of it.
        let whole: Range<Int>
    }

    private let bytes: [UInt8]
    private(set) var position: Int
    private let end: Int

    init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position >= end }

    /// The octet of the next tag; nil at the end.
    var nextTag: DERTag? { position < end ? DERTag(rawValue: bytes[position]) : nil }

    /// Reads the next element.
    mutating func read() throws(DERError) -> Element {
        let start = position
        let header = try readHeader(at: start)
        guard let length = header.length else { return try readIndefinite(header.tag, from: start, header.contents) }
        position = header.contents + length
        return Element(tag: header.tag, contents: header.contents..<position, whole: start..<position)
    }

    /// Reads the next element, which must have this tag.
    mutating func read(_ tag: DERTag) throws(DERError) -> Element {
        guard position < end else { throw DERError(.missing(tag), at: position) }
        guard bytes[position] == tag.rawValue else {
            throw DERError(.unexpectedTag(expected: tag, found: bytes[position]), at: position)
        }
        return try read()
    }

    /// A cursor over what an element holds.
    func inside(_ element: Element) -> BERReader { BERReader(bytes, in: element.contents) }

    /// Walks to the end of an indefinite length: over whole elements, and into those whose length is indefinite as well.
    private mutating func readIndefinite(
        _ tag: DERTag, from start: Int, _ contents: Int
    ) throws(DERError) -> Element {
        var cursor = contents
        var depth = 1
        while true {
            guard cursor + 2 <= end else { throw DERError(.truncated, at: cursor) }
            if bytes[cursor] == 0, bytes[cursor + 1] == 0 {
                depth -= 1
                if depth == 0 { break }
                cursor += 2
            } else {
                let header = try readHeader(at: cursor)
                if header.length == nil { depth += 1 }
                cursor = header.contents + (header.length ?? 0)
            }
        }
        position = cursor + 2
        return Element(tag: tag, contents: contents..<cursor, whole: start..<position)
    }

    /// The tag, where the contents begin, and their length; nil for an indefinite one.
    private func readHeader(at start: Int) throws(DERError) -> (tag: DERTag, contents: Int, length: Int?) {
        guard start + 2 <= end else { throw DERError(.truncated, at: start) }
        let tag = DERTag(rawValue: bytes[start])
        if tag.rawValue & 0x1F == 0x1F { throw DERError(.highTagNumber, at: start) }
        let first = Int(bytes[start + 1])
        var contents = start + 2
        var length = first
        if first == 0x80 {
            guard tag.isConstructed else {
                throw DERError(.other("an indefinite length of an element that holds no others"), at: start)
            }
            return (tag, contents, nil)
        }
        if first > 0x80 {
            let count = first & 0x7F
            guard count <= end - contents else { throw DERError(.truncated, at: start) }
            length = 0
            for octet in bytes[contents..<(contents + count)] {
                // BER allows zeros in front.
                guard length <= 0x7F_FFFF else { throw DERError(.lengthTooLarge, at: start) }
                length = length << 8 | Int(octet)
            }
            contents += count
        }
        guard length <= end - contents else { throw DERError(.truncated, at: start) }
        return (tag, contents, length)
    }
}
