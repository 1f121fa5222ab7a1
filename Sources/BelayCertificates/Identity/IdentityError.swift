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
    /// It is neither PKCS#12 nor PEM; what was found instead.
    case notAnIdentity(found: String)
    /// A PKCS#12 file whose end is missing, with the bytes there are and those there should be.
    case truncated(bytes: Int, expected: Int)
    /// A PKCS#12 file that is damaged; OpenSSL's reason.
    case malformed(String)
    /// A PKCS#12 file needs a passphrase and none was given.
    case passphraseNeeded
    /// The passphrase does not open the PKCS#12 file.
    case wrongPassphrase
    /// The passphrase cannot be used, with the reason.
    case unusablePassphrase(String)
    /// A PKCS#12 file has no MAC, so that nothing shows whether it was changed.
    case noIntegrityCode
    /// A PKCS#12 file has a MAC of a kind that OpenSSL does not compute.
    case unsupportedIntegrityCode(String)
    /// A PKCS#12 file is encrypted with a cipher that only OpenSSL's legacy provider has.
    case legacyCipher(String)
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
            "expected a PKCS#12 file, or PEM with a private key and its certificate, found \(found)"
        case .truncated(let bytes, let expected):
            "the PKCS#12 file is cut off: it has \(bytes) bytes of \(expected). Copy it again, whole"
        case .malformed(let reason): "the PKCS#12 file is damaged (\(reason)). Export it again"
        case .passphraseNeeded: "the PKCS#12 file needs a passphrase and none was given. Give its passphrase"
        case .wrongPassphrase: "the passphrase does not open the PKCS#12 file. Check it, and the end of its line"
        case .unusablePassphrase(let reason): "the passphrase cannot be used: \(reason)"
        case .noIntegrityCode:
            "the PKCS#12 file has no MAC, so that nothing shows whether it was changed. Export it with a passphrase"
        case .unsupportedIntegrityCode(let kind):
            "the PKCS#12 file has a MAC of kind \(kind), which OpenSSL 3.0 does not compute. "
                + "Export it again with an HMAC-SHA-256 MAC"
        case .legacyCipher(let cipher):
            "the PKCS#12 file is encrypted with \(cipher), which needs OpenSSL's legacy provider; the passphrase is "
                + "not the reason. Export it again with AES-256"
        }
    }
}

/// An identity's file and what is wrong with it.
public typealias IdentityFileError = FileFailure<IdentityError>
