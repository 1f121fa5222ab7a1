/// Why there is no identity. No case holds any part of a key or passphrase.
public enum IdentityError: Error, Sendable, Hashable {
    /// The file could not be read.
    case unreadable(FileReadingError)
    /// The text in PEM is damaged.
    case damagedText(PEMError)
    /// The private key of the key's certificate is another; which certificate it was compared with.
    case keyMismatch(certificate: String)
    /// There is no certificate.
    case noCertificate
    /// There is no private key.
    case noPrivateKey
    /// The private key cannot be used.
    case privateKey(PrivateKeyError)
    /// The certificates cannot be read.
    case certificates(CertificateFileProblem)
    /// A certificate is not well formed.
    case malformedCertificate(index: Int, DERError)
    /// It is neither a key store nor PEM; what was found instead.
    case notAnIdentity(found: String)
    /// A key store cannot be opened.
    case keyStore(KeyStoreError)
    /// There are several identities and nothing says which is meant; their names.
    case severalIdentities([String])
    /// None of the identities has this name; the names that there are.
    case noSuchIdentity(String, among: [String])
}

extension IdentityError: CustomStringConvertible {
    /// What is wrong, what was expected and found, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .damagedText(let error): "the text is damaged: \(error). Copy the file again, whole"
        case .keyMismatch(let certificate):
            "Key does not match certificate: the private key is not that of \(certificate). "
                + "Give the certificate that was issued for this key"
        case .noCertificate: "no certificate beside the private key. Add the certificate that was issued for this key"
        case .noPrivateKey:
            "no private key: certificates alone prove nothing. Export again together with the key; "
                + "to use the certificates as anchors or pins, give the file as such"
        case .privateKey(let error): error.description
        case .certificates(let problem): problem.description
        case .malformedCertificate(let index, let error):
            "certificate \(index + 1) is malformed: \(error). Export it again"
        case .notAnIdentity(let found):
            "expected a key store (PKCS#12, JKS, JCEKS, BKS), or PEM with a private key and its certificate, "
                + "found \(found)"
        case .keyStore(let error): error.description
        case .severalIdentities(let names):
            "expected one identity, found \(names.count): \(Self.list(names)). Say which is meant by its name"
        case .noSuchIdentity(let name, let names):
            "no identity is named \"\(printable(name))\"; there are \(Self.list(names))"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(8).map { "\"\(printable($0))\"" }.joined(separator: ", ") + (names.count > 8 ? " and more" : "")
    }
}

/// An identity's file and what is wrong with it.
public typealias IdentityFileError = FileFailure<IdentityError>
