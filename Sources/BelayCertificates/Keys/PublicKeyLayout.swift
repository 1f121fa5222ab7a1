/// Where the parts of a SubjectPublicKeyInfo stand (RFC 5280, section 4.1.2.7).
struct PublicKeyLayout: Sendable {
    /// The whole element, tag and length included: what pins are made of.
    let element: Range<Int>
    /// The octets of the algorithm's object identifier.
    let algorithm: Range<Int>
    /// The algorithm's parameters, tag and length included; empty where there are none.
    let parameters: Range<Int>
    /// The octets of the key.
    let key: Range<Int>

    @inline(__always)
    init(_ reader: inout DERReader) throws(DERError) {
        let start = reader.position
        let outer = try reader.enter(.sequence)
        let identifier = try reader.enter(.sequence)
        algorithm = try reader.readObjectIdentifier()
        let parametersStart = reader.position
        if !reader.isAtEnd { _ = try reader.readAny() }
        parameters = parametersStart..<reader.position
        try reader.leave(identifier)
        key = try reader.readOctetAlignedBitString()
        try reader.leave(outer)
        element = start..<reader.position
    }
}
