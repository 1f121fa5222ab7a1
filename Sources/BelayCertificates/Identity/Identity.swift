/// Who a TLS peer is: a certificate, the certificates that lead from it to an authority, and its private key.
///
/// A server or client shows the certificates and proves with the key that they are its own.
public struct Identity: Sendable, Hashable {
    /// The certificate whose key it is.
    public let certificate: Certificate
    /// The other certificates: first, one after the other, those that issued the certificate, then the rest.
    public let chain: [Certificate]
    /// The private key.
    public let privateKey: PrivateKey

    /// Puts an identity together.
    ///
    /// - Parameters:
    ///   - certificate: the certificate of the key.
    ///   - chain: other certificates, in any order.
    ///   - privateKey: the key.
    /// - Throws: ``IdentityError/keyMismatch(certificate:)`` where the key is not that of the certificate.
    public init(
        certificate: Certificate, chain: [Certificate] = [], privateKey: PrivateKey
    ) throws(IdentityError) {
        guard privateKey.matches(certificate.publicKey) else {
            throw .keyMismatch(certificate: certificate.nameInErrors)
        }
        self.certificate = certificate
        self.chain = Self.ordered(chain, from: certificate)
        self.privateKey = privateKey
    }

    /// Finds the certificate of a key among others, by the key and not by the order, and puts an identity together.
    ///
    /// Where several certificates have the key, the first is taken.
    ///
    /// - Throws: ``IdentityError/noCertificate`` where there is none,
    ///   ``IdentityError/keyMismatch(certificate:)`` where none has the key.
    public init(certificates: [Certificate], privateKey: PrivateKey) throws(IdentityError) {
        guard let first = certificates.first else { throw .noCertificate }
        guard let index = certificates.firstIndex(where: { privateKey.matches($0.publicKey) }) else {
            throw .keyMismatch(certificate: first.nameInErrors)
        }
        var chain = certificates
        certificate = chain.remove(at: index)
        self.chain = Self.ordered(chain, from: certificate)
        self.privateKey = privateKey
    }

    /// Puts certificates and a key together without asking whether they match, in the order given: what a thief of
    /// certificates without their key can show, and a server that is set up wrongly. The laboratory needs both.
    package init(presenting leaf: Certificate, _ chain: [Certificate] = [], withKey privateKey: PrivateKey) {
        certificate = leaf
        self.chain = chain
        self.privateKey = privateKey
    }

    /// All certificates, that of the key first.
    public var certificates: [Certificate] { [certificate] + chain }

    /// The private key, unencrypted, and all certificates in PEM, for programs that take both from one file.
    ///
    /// - Throws: ``PrivateKeyError/encodingFailed(_:)`` where OpenSSL refuses.
    public func pem() throws(PrivateKeyError) -> Secret {
        Secret(joining: try privateKey.pkcs8PEM(), Secret(text: certificates.map(\.pem).joined()))
    }

    /// Certificates in the order in which each issued the one before it, as far as names tell, then the rest as they
    /// were; each once, and never `leaf` itself.
    private static func ordered(_ certificates: [Certificate], from leaf: Certificate) -> [Certificate] {
        var seen: Set<Certificate> = [leaf]
        var rest = certificates.filter { seen.insert($0).inserted }
        var result: [Certificate] = []
        var current = leaf
        while !current.isSelfIssued, let index = rest.firstIndex(where: { $0.subject == current.issuer }) {
            current = rest.remove(at: index)
            result.append(current)
        }
        return result + rest
    }
}

extension Certificate {
    /// The subject, or the serial number where the subject is empty.
    var nameInErrors: String {
        subject.isEmpty ? "the certificate with serial number \(hexadecimal(serialNumber))" : subject.description
    }
}

extension Identity: CustomStringConvertible {
    /// The certificate and the kind of key; never the key itself.
    public var description: String { "\(certificate), with \(privateKey)" }
}
