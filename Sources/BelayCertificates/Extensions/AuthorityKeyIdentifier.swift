/// Which of an issuer's keys signed a certificate (RFC 5280, section 4.2.1.1).
public struct AuthorityKeyIdentifier: Sendable, Hashable {
    /// The subject key identifier of the issuer's certificate.
    public let keyIdentifier: [UInt8]?
    /// The issuer of the issuer's certificate.
    public let issuer: [GeneralName]?
    /// The serial number of the issuer's certificate.
    public let serialNumber: [UInt8]?

    init(_ bytes: [UInt8], in range: Range<Int>) throws(DERError) {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        keyIdentifier =
            reader.next(is: .contextPrimitive(0)) ? Array(bytes[try reader.read(.contextPrimitive(0))]) : nil
        issuer =
            reader.next(is: .contextConstructed(1))
            ? try GeneralName.readList(&reader, .contextConstructed(1)) : nil
        serialNumber =
            reader.next(is: .contextPrimitive(2)) ? Array(bytes[try reader.readInteger(.contextPrimitive(2))]) : nil
        try reader.leave(outer)
        try reader.finish()
    }
}
