/// Why a private key cannot be read, made or used. No case holds any part of a key or passphrase.
public enum PrivateKeyError: Error, Sendable, Hashable {
    /// The file could not be read.
    case unreadable(FileReadingError)
    /// The text in PEM is damaged.
    case damagedText(PEMError)
    /// There is no private key; what was found instead.
    case notAPrivateKey(found: String)
    /// There are several private keys, and nothing says which is meant.
    case severalKeys(count: Int)
    /// The key is encrypted and no passphrase was given.
    case passphraseNeeded
    /// The passphrase does not open the key.
    case wrongPassphrase
    /// The passphrase cannot be used, with the reason.
    case unusablePassphrase(String)
    /// The key is encrypted in a way that OpenSSL does not open here, its legacy provider included.
    case unsupportedEncryption(String)
    /// The key is damaged, or of a kind that OpenSSL does not know; OpenSSL's reason.
    case malformed(String)
    /// OpenSSL could not make such a key.
    case generationFailed(String)
    /// The algorithm does not go with the key.
    case unsuitableAlgorithm(algorithm: String, key: String)
    /// OpenSSL could not sign.
    case signingFailed(String)
    /// OpenSSL could not write the key.
    case encodingFailed(String)
    /// The key is on a PKCS#11 token, which it never leaves.
    case staysOnToken
}

extension PrivateKeyError: CustomStringConvertible {
    /// What is wrong, what was expected and found, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .damagedText(let error): "the text is damaged: \(error). Copy the file again, whole"
        case .notAPrivateKey(let found):
            "expected a private key, found \(found). Give a file in PEM or DER that holds the key"
        case .severalKeys(let count): "expected one private key, found \(count). Leave only the one that is meant"
        case .passphraseNeeded: "the private key is encrypted and no passphrase was given. Give its passphrase"
        case .wrongPassphrase: "the passphrase does not open the private key. Check it, and the end of its line"
        case .unusablePassphrase(let reason): "the passphrase cannot be used: \(reason)"
        case .unsupportedEncryption(let cipher):
            "the private key is encrypted with \(cipher), which neither OpenSSL nor its legacy provider opens here; the passphrase "
                + "is not the reason. Install OpenSSL's modules, or encrypt it again with AES: openssl pkcs8 -topk8 -v2 aes-256-cbc"
        case .malformed(let reason): "the private key cannot be decoded (\(reason)). Export it again"
        case .generationFailed(let reason): "no key of this kind can be made (\(reason))"
        case .unsuitableAlgorithm(let algorithm, let key):
            "a key \(key) cannot sign with \(algorithm). Choose an algorithm that goes with the key"
        case .signingFailed(let reason): "the private key cannot sign (\(reason))"
        case .encodingFailed(let reason): "the private key cannot be written (\(reason))"
        case .staysOnToken:
            "the private key is on a PKCS#11 token and never leaves it. Use it there, by its pkcs11: URI"
        }
    }
}
