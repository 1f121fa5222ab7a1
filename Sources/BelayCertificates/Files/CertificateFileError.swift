/// A file of certificates and what is wrong with it.
public typealias CertificateFileError = FileFailure<CertificateFileProblem>

/// Why certificates cannot be read from a file or folder.
public enum CertificateFileProblem: Error, Sendable, Hashable {
    /// It could not be read.
    case unreadable(FileReadingError)
    /// There is nothing in it.
    case empty
    /// The text in PEM is damaged.
    case damagedText(PEMError)
    /// It holds something else, which is said as after "found".
    case notACertificate(found: String)
    /// It is a PKCS#12 file: an identity, not certificates to trust or pin.
    case identityFile
    /// It is a bundle or key store that cannot be read.
    case keyStore(KeyStoreError)
    /// It is a key store without trusted certificates: keys and their chains do not count as such.
    case noTrustedCertificates(KeyStore.Format)
    /// It holds, beside certificates, something that would be ignored, and in which line, where it is text.
    case alsoHolds(String, line: Int?)
    /// The end is missing, with the bytes there are and those there should be.
    case truncated(bytes: Int, expected: Int)
    /// A certificate is not well formed; its place in the text, where it stands in one.
    case malformed(DERError, line: Int?)
    /// A folder without any file of certificates.
    case emptyFolder
}

extension CertificateFileProblem: CustomStringConvertible {
    /// What is wrong, what was expected and found, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .empty: "is empty, expected a certificate in PEM or DER. Export the certificate again"
        case .damagedText(let error): "is damaged: \(error). Copy the file again, whole"
        case .notACertificate(let found):
            "expected a certificate in PEM or DER, found \(found). Name the file that holds the certificate itself"
        case .identityFile:
            "is a PKCS#12 identity file, expected a certificate. Give it as identity, or take its certificate out: "
                + "openssl pkcs12 -nokeys -in FILE"
        case .keyStore(let error): error.description
        case .noTrustedCertificates(let format):
            "is a \(format) key store without an entry that is a trusted certificate, expected one to trust or pin. "
                + "Give it as identity, or take the certificate that is meant out of it"
        case .alsoHolds(let found, let line):
            "holds \(found)\(line.map { " in line \($0)" } ?? "") beside its certificates, which would be ignored. Put it in a file of its own"
        case .truncated(let bytes, let expected):
            "is cut off: it has \(bytes) bytes, the certificate is \(expected). Copy the file again, whole"
        case .malformed(let error, let line):
            "holds a malformed certificate\(line.map { " (line \($0))" } ?? ""): \(error). Export it again"
        case .emptyFolder:
            "holds no certificates: expected files with the endings \(CertificateFolder.suffixText). "
                + "Put them in, or name another folder"
        }
    }
}
