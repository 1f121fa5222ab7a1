/// Where more is to be had about a certificate's issuer (RFC 5280, section 4.2.2.1).
public struct InformationAccess: Sendable, Hashable {
    /// What is there, for example ``OID/certificateAuthorityIssuers``.
    public let method: OID
    /// Where it is.
    public let location: GeneralName

    static func readList(_ bytes: [UInt8], in range: Range<Int>) throws(DERError) -> [InformationAccess] {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        guard !reader.isAtEnd else { throw DERError(.empty, at: range.lowerBound) }
        var list: [InformationAccess] = []
        while !reader.isAtEnd {
            let description = try reader.enter(.sequence)
            let method = OID(octets: bytes[try reader.readObjectIdentifier()])
            list.append(InformationAccess(method: method, location: try GeneralName(&reader)))
            try reader.leave(description)
        }
        try reader.leave(outer)
        try reader.finish()
        return list
    }

    private init(method: OID, location: GeneralName) {
        self.method = method
        self.location = location
    }
}
