/// The more liberal encoding that DER is a part of (X.690, clause 8): lengths that are indefinite or longer than needed,
/// strings in pieces. Windows, NSS and old versions of Java write PKCS#12 and PKCS#7 files so.
package enum BER {
    /// How deep elements may lie in each other: PKCS#12 needs about ten.
    static let deepest = 64

    /// The first element of the input with every length definite and as short as it can be, and every string of a
    /// universal type in one piece: what a ``DERReader`` takes. What is inside of strings stays as it is.
    ///
    /// Input that is so already is given back as it is, without a copy: it may be a private key.
    ///
    /// - Throws: ``DERError`` with the place in the input; `truncated` where its end is missing.
    package static func normalized(_ bytes: [UInt8]) throws(DERError) -> [UInt8] {
        if isNormalized(bytes) { return bytes }
        var reader = BERCopier(bytes: bytes)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        guard !bytes.isEmpty else { throw DERError(.truncated, at: 0) }
        try reader.copyElement(before: bytes.count, depth: 0, to: &output)
        // White space and padding after the end are common in files that went through other programs.
        guard bytes[reader.position...].allSatisfy({ $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else {
            throw DERError(.trailingData, at: reader.position)
        }
        return output
    }

    /// Whether the input is one element whose lengths are all definite and as short as they can be, with every string in one
    /// piece.
    package static func isNormalized(_ bytes: [UInt8]) -> Bool {
        var reader = DERReader(bytes)
        return isNormalized(&reader, depth: 0) && reader.isAtEnd
    }

    private static func isNormalized(_ reader: inout DERReader, depth: Int) -> Bool {
        guard depth < deepest, let element = try? reader.readAny() else { return false }
        guard element.tag.isConstructed else { return true }
        guard !isString(element.tag.rawValue) else { return false }
        var inner = DERReader(reader.bytes, in: element.contents)
        while !inner.isAtEnd {
            guard isNormalized(&inner, depth: depth + 1) else { return false }
        }
        return true
    }

    /// Universal types that are strings and may be in pieces; a BIT STRING, whose pieces have to be shifted, is not among
    /// them: nobody sends one so.
    fileprivate static func isString(_ tag: UInt8) -> Bool {
        switch tag & ~0x20 {
        case 0x04, 0x0C, 0x12...0x16, 0x19...0x1C, 0x1E: true
        default: false
        }
    }

    /// The octets of an `[n] IMPLICIT OCTET STRING` or an OCTET STRING in normalized input, also where it is in pieces:
    /// under an implicit tag ``normalized(_:)`` cannot know that it is a string.
    static func octets(_ reader: inout DERReader, _ tag: DERTag) throws(DERError) -> [UInt8] {
        let pieces = DERTag(rawValue: tag.rawValue | 0x20)
        guard reader.next(is: pieces) else { return Array(reader.bytes[try reader.read(tag)]) }
        let outer = try reader.enter(pieces)
        var result: [UInt8] = []
        while !reader.isAtEnd { result += reader.bytes[try reader.read(.octetString)] }
        try reader.leave(outer)
        return result
    }
}

/// A walk over BER that writes what it reads.
private struct BERCopier {
    let bytes: [UInt8]
    var position = 0

    /// A header: the tag, and the length of the contents; nil where it is indefinite.
    private mutating func readHeader(before end: Int) throws(DERError) -> (tag: UInt8, length: Int?) {
        let start = position
        guard position &+ 2 <= end else { throw DERError(.truncated, at: start) }
        let tag = bytes[position]
        if tag & 0x1F == 0x1F { throw DERError(.highTagNumber, at: start) }
        let first = bytes[position &+ 1]
        position &+= 2
        if first < 0x80 { return (tag, try checked(Int(first), start, end)) }
        if first == 0x80 {
            guard tag & 0x20 != 0 else { throw DERError(.indefiniteLength, at: start) }
            return (tag, nil)
        }
        let count = Int(first & 0x7F)
        guard count <= end &- position else { throw DERError(.truncated, at: start) }
        var length = 0
        for index in position..<(position &+ count) {
            guard length <= Int(Int32.max) >> 8 else { throw DERError(.lengthTooLarge, at: start) }
            length = length << 8 | Int(bytes[index])
        }
        position &+= count
        return (tag, try checked(length, start, end))
    }

    private func checked(_ length: Int, _ start: Int, _ end: Int) throws(DERError) -> Int {
        guard length <= end &- position else { throw DERError(.truncated, at: start) }
        return length
    }

    /// Copies an element, header and all.
    mutating func copyElement(before end: Int, depth: Int, to output: inout [UInt8]) throws(DERError) {
        let start = position
        let (tag, length) = try readHeader(before: end)
        guard depth < BER.deepest else { throw DERError(.other("elements lie too deep in each other"), at: start) }
        guard tag & 0x20 != 0 else {
            let contents = position..<(position &+ (length ?? 0))
            position = contents.upperBound
            Self.append(tag, bytes[contents], to: &output)
            return
        }
        var contents: [UInt8] = []
        let isString = BER.isString(tag)
        let inner = length.map { position &+ $0 } ?? end
        while try hasMore(isIndefinite: length == nil, before: inner) {
            if isString {
                try copyPiece(of: tag & ~0x20, before: inner, depth: depth &+ 1, to: &contents)
            } else {
                try copyElement(before: inner, depth: depth &+ 1, to: &contents)
            }
        }
        Self.append(isString ? tag & ~0x20 : tag, contents, to: &output)
        contents.wipe()
    }

    /// Copies the contents of one piece of a string, or of the pieces that it has itself.
    private mutating func copyPiece(
        of tag: UInt8, before end: Int, depth: Int, to output: inout [UInt8]
    ) throws(DERError) {
        let start = position
        let (found, length) = try readHeader(before: end)
        guard depth < BER.deepest else { throw DERError(.other("elements lie too deep in each other"), at: start) }
        guard found & ~0x20 == tag else {
            throw DERError(.unexpectedTag(expected: DERTag(rawValue: tag), found: found), at: start)
        }
        if let length, found == tag {
            output += bytes[position..<(position &+ length)]
            position &+= length
            return
        }
        let inner = length.map { position &+ $0 } ?? end
        while try hasMore(isIndefinite: length == nil, before: inner) {
            try copyPiece(of: tag, before: inner, depth: depth &+ 1, to: &output)
        }
    }

    /// Whether an element follows; moves over the two zero octets that end an indefinite length.
    private mutating func hasMore(isIndefinite: Bool, before end: Int) throws(DERError) -> Bool {
        guard isIndefinite else { return position < end }
        guard position &+ 2 <= end else { throw DERError(.truncated, at: position) }
        guard bytes[position] == 0 else { return true }
        guard bytes[position &+ 1] == 0 else {
            throw DERError(.other("an element of type 0 is not empty"), at: position)
        }
        position &+= 2
        return false
    }

    private static func append(_ tag: UInt8, _ contents: some Collection<UInt8>, to output: inout [UInt8]) {
        output += DERWriter.element(DERTag(rawValue: tag), contents)
    }
}
