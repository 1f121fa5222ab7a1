/// Where the revocation lists for a certificate are, and what they cover (RFC 5280, section 4.2.1.13).
public struct DistributionPoint: Sendable, Hashable {
    /// The full names of the place; empty where it is named relative to the issuer, or not at all.
    public let names: [GeneralName]
    /// The reasons that the lists there cover, as the named bits of ReasonFlags; nil for all.
    public let reasons: UInt16?
    /// Who issues the lists there, where that is not the certificate's issuer; empty otherwise.
    public let issuers: [GeneralName]

    static func readList(_ bytes: [UInt8], in range: Range<Int>) throws(DERError) -> [DistributionPoint] {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        guard !reader.isAtEnd else { throw DERError(.empty, at: range.lowerBound) }
        var list: [DistributionPoint] = []
        while !reader.isAtEnd { list.append(try DistributionPoint(&reader)) }
        try reader.leave(outer)
        try reader.finish()
        return list
    }

    private init(_ reader: inout DERReader) throws(DERError) {
        let point = try reader.enter(.sequence)
        names = try Self.readPointName(&reader)
        reasons = reader.next(is: .contextPrimitive(1)) ? try reader.readNamedBits(.contextPrimitive(1)) : nil
        issuers =
            reader.next(is: .contextConstructed(2)) ? try GeneralName.readList(&reader, .contextConstructed(2)) : []
        try reader.leave(point)
    }

    /// DistributionPointName: full names, or a name relative to the issuer, which is checked and passed over.
    static func readPointName(_ reader: inout DERReader) throws(DERError) -> [GeneralName] {
        guard reader.next(is: .contextConstructed(0)) else { return [] }
        let choice = try reader.enter(.contextConstructed(0))
        var names: [GeneralName] = []
        if reader.next(is: .contextConstructed(0)) {
            names = try GeneralName.readList(&reader, .contextConstructed(0))
        } else {
            _ = try reader.read(.contextConstructed(1))
        }
        try reader.leave(choice)
        return names
    }
}
