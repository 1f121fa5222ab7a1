/// The names that an authority may, and may not, certify (RFC 5280, section 4.2.1.10).
public struct NameConstraints: Sendable, Hashable {
    /// Where a kind of name is listed here, each name of that kind must lie in one of its subtrees.
    public let permitted: [GeneralName]
    /// No name may lie in one of these subtrees.
    public let excluded: [GeneralName]

    /// Puts constraints together.
    public init(permitted: [GeneralName] = [], excluded: [GeneralName] = []) {
        self.permitted = permitted
        self.excluded = excluded
    }

    init(_ bytes: [UInt8], in range: Range<Int>) throws(DERError) {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        permitted = try Self.readSubtrees(&reader, .contextConstructed(0))
        excluded = try Self.readSubtrees(&reader, .contextConstructed(1))
        try reader.leave(outer)
        try reader.finish()
        // RFC 5280, section 4.2.1.10: conforming authorities must not issue an empty sequence; nothing can be meant.
        guard !permitted.isEmpty || !excluded.isEmpty else { throw DERError(.empty, at: range.lowerBound) }
    }

    private static func readSubtrees(
        _ reader: inout DERReader, _ tag: DERTag
    ) throws(DERError) -> [GeneralName] {
        guard reader.next(is: tag) else { return [] }
        let start = reader.position
        let list = try reader.enter(tag)
        guard !reader.isAtEnd else { throw DERError(.empty, at: start) }
        var names: [GeneralName] = []
        while !reader.isAtEnd {
            let subtree = try reader.enter(.sequence)
            names.append(try GeneralName(&reader))
            // RFC 5280 fixes minimum at its default, which DER leaves out, and forbids maximum.
            guard reader.isAtEnd else {
                throw DERError(.other("a subtree has a minimum or maximum distance"), at: reader.position)
            }
            try reader.leave(subtree)
        }
        try reader.leave(list)
        return names
    }
}
