/// A walk over the attributes of a Name without copying anything; the Name has been checked before.
struct NameWalk {
    private var reader: DERReader
    private var relativeEnd = 0

    /// An attribute's place.
    struct Step: Equatable {
        /// Whether it is the first of its relative distinguished name.
        let startsRelativeName: Bool
        let type: Range<Int>
        let tag: DERTag
        let value: Range<Int>
    }

    init(_ bytes: [UInt8], in range: Range<Int>) {
        reader = DERReader(bytes, in: range)
        _ = try? reader.enter(.sequence)
    }

    /// The next attribute, or nil at the end.
    mutating func next() -> Step? {
        do throws(DERError) {
            guard !reader.isAtEnd else { return nil }
            let starts = reader.position >= relativeEnd
            if starts {
                // Stepping over the header of the SET leaves the reader at its first attribute.
                var inner = reader
                let contents = try inner.read(.set)
                relativeEnd = contents.upperBound
                try reader.skipHeader(to: contents.lowerBound)
            }
            let attribute = try reader.enter(.sequence)
            let type = try reader.readObjectIdentifier()
            let (tag, value, _) = try reader.readAny()
            try reader.leave(attribute)
            return Step(startsRelativeName: starts, type: type, tag: tag, value: value)
        } catch {
            return nil
        }
    }
}

extension NameWalk.Step {
    /// Whether two attributes match (RFC 5280, section 7.1).
    func matches(_ other: NameWalk.Step, _ bytes: [UInt8], _ otherBytes: [UInt8]) -> Bool {
        guard startsRelativeName == other.startsRelativeName,
            bytes[type].elementsEqual(otherBytes[other.type]), tag == other.tag || tag.isText && other.tag.isText
        else { return false }
        if bytes[value].elementsEqual(otherBytes[other.value]) { return true }
        var mine = CanonicalValue(bytes, self)
        var theirs = CanonicalValue(otherBytes, other)
        while let octet = mine.next() {
            guard theirs.next() == octet else { return false }
        }
        return theirs.next() == nil
    }
}

extension DERTag {
    /// Whether values of this kind are compared as text: those in which ASCII stands for itself.
    fileprivate var isText: Bool {
        switch self {
        case .utf8String, .printableString, .ia5String, .teletexString: true
        default: false
        }
    }
}

/// The octets of an attribute's value in the form in which values are compared: text without case, leading and trailing
/// spaces, and with runs of spaces as one; anything else with its tag, as it is.
struct CanonicalValue {
    private let bytes: [UInt8]
    private let isText: Bool
    private var position: Int
    private let end: Int
    private var tag: UInt8?

    init(_ bytes: [UInt8], _ step: NameWalk.Step) {
        self.bytes = bytes
        isText = step.tag.isText
        var start = step.value.lowerBound
        var limit = step.value.upperBound
        if isText {
            while start < limit, bytes[start] == 0x20 { start &+= 1 }
            while limit > start, bytes[limit &- 1] == 0x20 { limit &-= 1 }
        } else {
            tag = step.tag.rawValue
        }
        position = start
        end = limit
    }

    /// The next octet, or nil at the end.
    @inline(__always)
    mutating func next() -> UInt8? {
        if let first = tag {
            tag = nil
            return first
        }
        guard position < end else { return nil }
        let octet = bytes[position]
        position &+= 1
        guard isText else { return octet }
        if octet == 0x20 {
            while position < end, bytes[position] == 0x20 { position &+= 1 }
        } else if octet >= 0x41, octet <= 0x5A {
            return octet | 0x20
        }
        return octet
    }
}
