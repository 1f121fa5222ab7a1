/// The purposes a certificate is for (RFC 5280, section 4.2.1.12).
public struct ExtendedKeyUsage: Sendable, Hashable {
    /// The purposes, in the order in which they stand; never empty in a certificate.
    public let purposes: [OID]

    /// Puts purposes together.
    public init(_ purposes: [OID]) {
        self.purposes = purposes
    }

    init(_ bytes: [UInt8], in range: Range<Int>) throws(DERError) {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        guard !reader.isAtEnd else { throw DERError(.empty, at: range.lowerBound) }
        var purposes: [OID] = []
        while !reader.isAtEnd { purposes.append(OID(octets: bytes[try reader.readObjectIdentifier()])) }
        try reader.leave(outer)
        try reader.finish()
        self.purposes = purposes
    }

    /// Whether a purpose, or any purpose at all, is among them.
    public func permits(_ purpose: OID) -> Bool {
        purposes.contains { $0 == purpose || $0 == .anyExtendedKeyUsage }
    }
}
