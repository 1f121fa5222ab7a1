/// Where the revocation lists for a certificate are, and what they cover (RFC 5280, section 4.2.1.13).
public struct DistributionPoint: Sendable, Hashable {
    /// The full names of the place, also where it is named relative to who issues the lists; empty where it has none.
    public let names: [GeneralName]
    /// The reasons that the lists there cover, as the named bits of ReasonFlags; nil for all.
    public let reasons: UInt16?
    /// Who issues the lists there, where that is not the certificate's issuer; empty otherwise.
    public let issuers: [GeneralName]

    /// - Parameter issuer: the certificate's issuer, who issues the lists unless a point says otherwise.
    static func readList(
        _ bytes: [UInt8], in range: Range<Int>, issuer: DistinguishedName
    ) throws(DERError) -> [DistributionPoint] {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        guard !reader.isAtEnd else { throw DERError(.empty, at: range.lowerBound) }
        var list: [DistributionPoint] = []
        while !reader.isAtEnd { list.append(try DistributionPoint(&reader, issuer)) }
        try reader.leave(outer)
        try reader.finish()
        return list
    }

    private init(_ reader: inout DERReader, _ issuer: DistinguishedName) throws(DERError) {
        let point = try reader.enter(.sequence)
        let name = try Self.readPointName(&reader)
        reasons = reader.next(is: .contextPrimitive(1)) ? try reader.readNamedBits(.contextPrimitive(1)) : nil
        issuers =
            reader.next(is: .contextConstructed(2)) ? try GeneralName.readList(&reader, .contextConstructed(2)) : []
        try reader.leave(point)
        let directories = issuers.compactMap { if case .directory(let name) = $0 { name } else { nil } }
        // A name relative to several issuers is nobody's, and forbidden.
        names =
            switch directories.count {
            case 0: try name?.names(below: issuer) ?? []
            case 1: try name?.names(below: directories[0]) ?? []
            default: if case .full(let names)? = name { names } else { [] }
            }
    }

    /// DistributionPointName (RFC 5280, section 4.2.1.13).
    enum PointName {
        case full([GeneralName])
        /// A relative distinguished name: the contents of the set, and where it stands.
        case relative([UInt8], at: Int)

        /// The full names: a relative one is the last of its issuer's name and itself.
        func names(below issuer: DistinguishedName) throws(DERError) -> [GeneralName] {
            switch self {
            case .full(let names): return names
            case .relative(let attributes, let place):
                let whole = DERWriter.element(
                    .sequence, issuer.relativeNamesDER + DERWriter.element(.set, attributes))
                // The offsets of the composed name mean nothing to anybody.
                do throws(DERError) { return [.directory(try DistinguishedName(der: whole))] } catch {
                    throw DERError(error.reason, at: place)
                }
            }
        }
    }

    static func readPointName(_ reader: inout DERReader) throws(DERError) -> PointName? {
        guard reader.next(is: .contextConstructed(0)) else { return nil }
        let choice = try reader.enter(.contextConstructed(0))
        let name: PointName
        if reader.next(is: .contextConstructed(0)) {
            name = .full(try GeneralName.readList(&reader, .contextConstructed(0)))
        } else {
            let contents = try reader.read(.contextConstructed(1))
            name = .relative(Array(reader.bytes[contents]), at: contents.lowerBound)
        }
        try reader.leave(choice)
        return name
    }
}
