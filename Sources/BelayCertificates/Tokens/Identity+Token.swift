extension Identity {
    /// An identity whose private key is on a PKCS#11 token; see ``PrivateKey/onToken(_:module:pin:)`` for what that needs.
    ///
    /// ```swift
    /// let uri = try PKCS11URI("pkcs11:token=office;object=client?pin-source=file:/etc/shop/pin")
    /// let identity = try Identity.onToken(uri)
    /// ```
    ///
    /// - Parameters:
    ///   - uri: which key.
    ///   - certificates: the certificate of the key and its chain, in any order; nil to take both from the token. There the certificate is
    ///     found by the key; where the key has several, that with the key's identifier is meant.
    ///   - module: the PKCS#11 module's file, where the URI names none; nil for p11-kit's.
    ///   - pin: the PIN; nil to read it from the URI's `pin-source`, or where the token needs none.
    /// - Throws: ``PKCS11Error``; ``PKCS11Error/keyMismatch(certificate:)`` where the certificate is another key's.
    public static func onToken(
        _ uri: PKCS11URI, certificates: [Certificate]? = nil, module: String? = nil, pin: Secret? = nil
    ) throws(PKCS11Error) -> Identity {
        let found = try PrivateKey.find(uri, module: module, pin: pin)
        let taken: [Certificate]
        if let certificates {
            taken = certificates
        } else {
            taken = try choose(found.certificates, of: found.key, found.name, found.id)
        }
        do throws(IdentityError) { return try Identity(certificates: taken, privateKey: found.key) } catch {
            switch error {
            case .keyMismatch(let certificate): throw .keyMismatch(certificate: certificate)
            default: throw .noCertificate(key: found.name)
            }
        }
    }

    /// The certificate of a key among those on its token, and after it those that lead on from it.
    private static func choose(
        _ stored: [(id: [UInt8], der: [UInt8])], of key: PrivateKey, _ name: String, _ id: [UInt8]
    ) throws(PKCS11Error) -> [Certificate] {
        var read: [(id: [UInt8], certificate: Certificate)] = []
        for entry in stored {
            do throws(DERError) { read.append((entry.id, try Certificate(der: entry.der))) } catch {
                // What belongs to others may be as it likes.
                if !id.isEmpty, entry.id == id { throw .malformedCertificate(error) }
            }
        }
        let ofKey = read.filter { key.matches($0.certificate.publicKey) }
        let meant = ofKey.count > 1 ? ofKey.filter { $0.id == id } : ofKey
        guard meant.count <= 1, ofKey.count <= 1 || !meant.isEmpty else {
            throw .severalCertificates(ofKey.map { $0.certificate.nameInErrors })
        }
        guard let leaf = meant.first?.certificate else {
            if let other = read.first(where: { !id.isEmpty && $0.id == id }) {
                throw .keyMismatch(certificate: other.certificate.nameInErrors)
            }
            throw .noCertificate(key: name)
        }
        return [leaf] + issuers(of: leaf, among: read.map(\.certificate))
    }

    /// Those that issued one another, from the leaf on: what else is on a token is nothing to a server.
    private static func issuers(of leaf: Certificate, among others: [Certificate]) -> [Certificate] {
        var rest = others.filter { $0 != leaf }
        var result: [Certificate] = []
        var current = leaf
        while !current.isSelfIssued, let index = rest.firstIndex(where: { $0.subject == current.issuer }) {
            current = rest.remove(at: index)
            result.append(current)
        }
        return result
    }
}
