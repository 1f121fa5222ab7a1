/// Whether a certificate may issue others, and how long a path may follow it (RFC 5280, section 4.2.1.9).
public struct BasicConstraints: Sendable, Hashable {
    /// Whether the subject is a certification authority.
    public let isAuthority: Bool
    /// How many intermediates, self-issued ones not counted, may stand between this certificate and the leaf; nil for any
    /// number.
    public let pathLength: Int?

    /// Puts constraints together.
    public init(isAuthority: Bool, pathLength: Int? = nil) {
        self.isAuthority = isAuthority
        self.pathLength = pathLength
    }

    init(_ bytes: [UInt8], in range: Range<Int>) throws(DERError) {
        var reader = DERReader(bytes, in: range)
        let outer = try reader.enter(.sequence)
        isAuthority = try reader.readBooleanDefaultFalse()
        pathLength = reader.isAtEnd ? nil : try reader.readSmallInteger()
        try reader.leave(outer)
        try reader.finish()
    }
}
