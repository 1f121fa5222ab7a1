/// Why a key store, or a key in it, cannot be opened or written. No case holds any part of a key or passphrase.
public enum KeyStoreError: Error, Sendable, Hashable {
    /// The file could not be read.
    case unreadable(FileReadingError)
    /// The text in PEM is damaged.
    case damagedText(PEMError)
    /// It is no key store; what was found instead.
    case notAKeyStore(found: String)
    /// Its end is missing, with the bytes there are and those there should be, where that is known.
    case truncated(KeyStore.Format, bytes: Int, expected: Int?)
    /// It is damaged: why, and at which byte where that is known.
    case malformed(KeyStore.Format, String, at: Int?)
    /// It needs a passphrase and none was given.
    case passphraseNeeded(KeyStore.Format)
    /// The passphrase does not open it, or somebody changed the file: its code cannot tell which.
    case wrongPassphrase(KeyStore.Format)
    /// A key or certificates in it have a passphrase of their own, which the given one is not.
    case wrongKeyPassphrase(KeyStore.Format)
    /// The passphrase cannot be used, with the reason.
    case unusablePassphrase(String)
    /// It has no integrity code, so that nothing shows whether it was changed.
    case noIntegrityCode(KeyStore.Format)
    /// It has an integrity code of a kind that cannot be computed.
    case unsupportedIntegrityCode(KeyStore.Format, String)
    /// It is encrypted with a cipher that is not known here.
    case unsupportedCipher(KeyStore.Format, String)
    /// It is encrypted with a cipher of OpenSSL's legacy provider, which cannot be loaded on this machine.
    case missingLegacyProvider(cipher: String)
    /// It asks for more work than is done before its passphrase is known to be right. One part of it does, or, where the limit is the
    /// greater one, all of its parts together; `Int.max` rounds are more than can be counted.
    case tooMuchWork(KeyStore.Format, rounds: Int, limit: Int)
    /// It holds a version of the format that is not known here.
    case unsupportedVersion(KeyStore.Format, Int)
    /// The private key cannot be used.
    case privateKey(PrivateKeyError)
    /// OpenSSL could not write it.
    case encodingFailed(KeyStore.Format, String)
}

extension KeyStoreError: CustomStringConvertible {
    /// What is wrong, what was expected and found, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .damagedText(let error): "the text is damaged: \(error). Copy the file again, whole"
        case .notAKeyStore(let found):
            "expected a key store (PKCS#12, JKS, JCEKS, BKS, PKCS#7 or PEM), found \(found)"
                + (found == BinaryKind.request.description
                    ? ", which has names and a public key and neither certificate nor private key. Have an authority sign it, "
                        + "and give the certificate together with the key that the request was made with" : "")
        case .truncated(let format, let bytes, let expected):
            "the \(format) file is cut off: it has \(bytes) bytes" + (expected.map { " of \($0)" } ?? "")
                + ". Copy it again, whole"
        case .malformed(let format, let reason, let place):
            "the \(format) file is damaged (\(reason)" + (place.map { ", at byte \($0)" } ?? "") + "). Export it again"
        case .passphraseNeeded(let format):
            "the \(format) file needs a passphrase and none was given. Give its passphrase"
        case .wrongPassphrase(let format):
            "the passphrase does not open the \(format) file, or somebody changed the file: its code cannot tell which. "
                + "Check the passphrase and the end of its line; if it is right, copy the file again"
        case .wrongKeyPassphrase(let format):
            "the passphrase opens the \(format) file, but not a key or certificates in it, which have a passphrase of their own: "
                + "none was given for them, or another. Give it with the key's passphrase"
        case .unusablePassphrase(let reason): "the passphrase cannot be used: \(reason)"
        case .noIntegrityCode(let format):
            "the \(format) file has no MAC, so that nothing shows whether it was changed. Export it with a passphrase"
        case .unsupportedIntegrityCode(let format, let kind):
            "the \(format) file has a MAC of kind \(kind), which cannot be computed here. "
                + "Export it again with an HMAC-SHA-256 MAC"
        case .unsupportedCipher(let format, let cipher):
            "the \(format) file is encrypted with \(cipher), which is not known here; the passphrase is not the reason. "
                + "Export it again with AES-256"
        case .missingLegacyProvider(let cipher):
            "the PKCS#12 file is encrypted with \(cipher), which needs OpenSSL's legacy provider, and that cannot be "
                + "loaded here; the passphrase is not the reason. Install OpenSSL's modules, or export the file again with AES-256"
        case .tooMuchWork(let format, let rounds, let limit):
            "opening the \(format) file takes "
                + (rounds == .max
                    ? "more rounds of key derivation than can be counted" : "\(rounds) rounds of key derivation")
                + (limit > KeyDerivation.mostRounds ? ", all of its parts together" : "")
                + "; at most \(limit) are done. Export it again with fewer"
        case .unsupportedVersion(let format, let version):
            "the \(format) file has version \(version) of its format, which is not known here. Export it again"
        case .privateKey(let error): error.description
        case .encodingFailed(let format, let reason): "the \(format) file cannot be written (\(reason))"
        }
    }
}

/// A key store's file and what is wrong with it.
public typealias KeyStoreFileError = FileFailure<KeyStoreError>
