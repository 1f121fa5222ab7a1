/// A server's wish to know who the client is.
public struct ClientCertificateRequest: Sendable, Hashable {
    /// The issuers the server says it accepts: distinguished names, DER, in its order. Empty when it names none.
    public let acceptableIssuers: [[UInt8]]
    /// The kinds of certificate that a server speaking TLS 1.2 or older accepts (RFC 5246, section 7.4.4); empty under TLS 1.3.
    public let certificateTypes: [UInt8]
    /// The signature schemes the server accepts, by their numbers (RFC 8446, section 4.2.3). Empty when it names none.
    public let signatureSchemes: [UInt16]

    /// A request that names these issuers.
    public init(acceptableIssuers: [[UInt8]], certificateTypes: [UInt8] = [], signatureSchemes: [UInt16] = []) {
        self.acceptableIssuers = acceptableIssuers
        self.certificateTypes = certificateTypes
        self.signatureSchemes = signatureSchemes
    }
}
