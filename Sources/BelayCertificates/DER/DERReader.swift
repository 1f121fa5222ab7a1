/// A strict reader of DER: a cursor over bytes that accepts the one encoding X.690 allows and nothing else.
///
/// The reader yields *ranges* of the input and never copies contents. It descends into a constructed element with
/// ``enter(_:)`` and must leave it, entirely consumed, with ``leave(_:)``:
///
/// ```swift
/// var reader = DERReader(bytes)
/// let outer = try reader.enter(.sequence)
/// let serial = try reader.readInteger()
/// try reader.leave(outer)
/// try reader.finish()
/// ```
///
/// Every read is checked against the end of the enclosing element, so that no length in the input can reach beyond it.
public struct DERReader: Sendable {
    /// The input.
    public let bytes: [UInt8]
    /// The offset of the next element.
    public private(set) var position: Int
    /// The end of the enclosing element.
    public private(set) var end: Int

    /// Reads from the beginning of `bytes`.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = 0
        end = bytes.count
    }

    /// Reads a part of `bytes`; offsets in errors count from the start of `bytes`.
    ///
    /// A range that reaches beyond `bytes` is cut at their end.
    public init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        position = Swift.min(Swift.max(range.lowerBound, 0), bytes.count)
        end = Swift.min(Swift.max(range.upperBound, position), bytes.count)
    }

    /// Whether the enclosing element is consumed.
    @inline(__always)
    public var isAtEnd: Bool { position >= end }

    /// Whether the next element has this tag.
    @inline(__always)
    public func next(is tag: DERTag) -> Bool {
        position < end && bytes[position] == tag.rawValue
    }

    /// The octet of the next tag, or nil at the end.
    @inline(__always)
    public var nextTag: DERTag? {
        position < end ? DERTag(rawValue: bytes[position]) : nil
    }

    /// Reads any element's header; returns its tag and the range of its contents, and moves *into* the contents.
    @inline(__always)
    private mutating func readHeader() throws(DERError) -> (tag: UInt8, contents: Range<Int>) {
        let start = position
        guard start < end else { throw DERError(.truncated, at: start) }
        let tag = bytes[start]
        if tag & 0x1F == 0x1F { throw DERError(.highTagNumber, at: start) }
        var cursor = start &+ 1
        guard cursor < end else { throw DERError(.truncated, at: cursor) }
        let first = bytes[cursor]
        cursor &+= 1
        var length = Int(first)
        if first >= 0x80 {
            length = try readLongLength(first: first, at: &cursor)
        }
        guard length <= end &- cursor else { throw DERError(.truncated, at: start) }
        position = cursor
        return (tag, cursor..<(cursor &+ length))
    }

    private func readLongLength(first: UInt8, at cursor: inout Int) throws(DERError) -> Int {
        let count = Int(first & 0x7F)
        if count == 0 { throw DERError(.indefiniteLength, at: cursor - 1) }
        if count > 4 { throw DERError(.lengthTooLarge, at: cursor - 1) }
        guard count <= end - cursor else { throw DERError(.truncated, at: cursor) }
        var length = 0
        for index in 0..<count {
            length = length << 8 | Int(bytes[cursor + index])
        }
        let isMinimal = length >= 0x80 && (count == 1 || length >> ((count - 1) * 8) != 0)
        guard isMinimal else { throw DERError(.nonMinimalLength, at: cursor - 1) }
        cursor += count
        return length
    }

    /// Reads an element with this tag; returns the range of its contents.
    @inline(__always)
    public mutating func read(_ tag: DERTag) throws(DERError) -> Range<Int> {
        let start = position
        guard start < end else { throw DERError(.missing(tag), at: start) }
        guard bytes[start] == tag.rawValue else {
            throw DERError(.unexpectedTag(expected: tag, found: bytes[start]), at: start)
        }
        let contents = try readHeader().contents
        position = contents.upperBound
        return contents
    }

    /// Reads an element whatever its tag; returns the tag, the range of the contents and that of the whole element.
    @inline(__always)
    public mutating func readAny() throws(DERError) -> (tag: DERTag, contents: Range<Int>, element: Range<Int>) {
        let start = position
        let (tag, contents) = try readHeader()
        position = contents.upperBound
        return (DERTag(rawValue: tag), contents, start..<contents.upperBound)
    }

    /// The enclosing element to return to, as ``enter(_:)`` gives it.
    public struct Enclosing: Sendable {
        fileprivate let end: Int
    }

    /// Moves into an element with this tag. Pair it with ``leave(_:)``.
    @inline(__always)
    public mutating func enter(_ tag: DERTag) throws(DERError) -> Enclosing {
        let start = position
        guard start < end else { throw DERError(.missing(tag), at: start) }
        guard bytes[start] == tag.rawValue else {
            throw DERError(.unexpectedTag(expected: tag, found: bytes[start]), at: start)
        }
        let outer = Enclosing(end: end)
        end = try readHeader().contents.upperBound
        return outer
    }

    /// Leaves the element that ``enter(_:)`` opened; all of it must have been read.
    @inline(__always)
    public mutating func leave(_ enclosing: Enclosing) throws(DERError) {
        guard position == end else { throw DERError(.trailingData, at: position) }
        end = enclosing.end
    }

    /// Demands that nothing is left.
    @inline(__always)
    public func finish() throws(DERError) {
        guard position == end else { throw DERError(.trailingData, at: position) }
    }
}

extension DERReader {
    /// Moves over a header that another reader has read, to the first byte of its contents.
    mutating func skipHeader(to contents: Int) throws(DERError) {
        guard contents >= position, contents <= end else { throw DERError(.truncated, at: position) }
        position = contents
    }
}
