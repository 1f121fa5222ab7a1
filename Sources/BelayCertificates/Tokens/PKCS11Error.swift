/// Why a private key on a PKCS#11 token cannot be used. No case holds a PIN.
public enum PKCS11Error: Error, Sendable, Hashable {
    /// libp11, which reaches the token, is not installed or cannot be loaded; the loader's reason.
    case libraryMissing(String)
    /// There is no file of this name where the PKCS#11 module should be.
    case moduleMissing(String)
    /// The PKCS#11 module cannot be loaded, and why.
    case moduleUnusable(String, reason: String)
    /// No module is named, and p11-kit's, which stands for all that are registered, cannot be loaded; the loader's reason.
    case noDefaultModule(String)
    /// No token is as the URI says; the labels of those that are there.
    case noSuchToken(PKCS11URI, among: [String])
    /// Several tokens are as the URI says; their labels and serial numbers.
    case severalTokens([String])
    /// The token has no private key as the URI says; the labels and identifiers of those that it shows.
    case noSuchKey(PKCS11URI, token: String, among: [String])
    /// Several private keys are as the URI says; their labels and identifiers.
    case severalKeys([String])
    /// The token wants a PIN and none was given.
    case pinNeeded(token: String)
    /// The file with the PIN cannot be read.
    case unreadablePIN(file: String, FileReadingError)
    /// The PIN cannot be handed to the token, and why.
    case unusablePIN(String)
    /// It is not the token's PIN; how near the token is to locking itself, where it tells.
    case wrongPIN(token: String, PINState)
    /// The token has locked itself after too many wrong PINs.
    case pinLocked(token: String)
    /// The token lets nobody in for another reason.
    case loginRefused(token: String, reason: String)
    /// The token cannot be read, and why.
    case tokenUnusable(token: String, reason: String)
    /// The key is on the token and cannot sign, and why.
    case cannotSign(key: String, reason: String)
    /// The token has no certificate of the key.
    case noCertificate(key: String)
    /// The token has several certificates of the key; their subjects.
    case severalCertificates([String])
    /// The certificate of the key's identifier is not well formed.
    case malformedCertificate(DERError)
    /// The key is not the certificate's; which certificate.
    case keyMismatch(certificate: String)

    /// What a token tells about wrong PINs.
    public enum PINState: Sendable, Hashable {
        /// Nothing.
        case unknown
        /// There were wrong ones since the last right one.
        case low
        /// One more locks it.
        case lastTry
    }

    /// Whether it was tried without the PIN that it needs.
    public var needsPIN: Bool {
        if case .pinNeeded = self { true } else { false }
    }
}

extension PKCS11Error: CustomStringConvertible {
    /// What is wrong, what was expected and found, and what to do.
    public var description: String {
        switch self {
        case .libraryMissing(let reason):
            "keys on a PKCS#11 token need libp11, which cannot be loaded (\(printable(reason))). "
                + "Install it: apt install libp11-3"
        case .moduleMissing(let path):
            "there is no PKCS#11 module \(printable(path)). Name the file that the token's maker provides, or install its package "
                + "(for smart cards: opensc-pkcs11, for SoftHSM: softhsm2)"
        case .moduleUnusable(let path, let reason):
            "\(printable(path)) cannot be used as a PKCS#11 module (\(printable(reason))). Name the file that the token's maker provides"
        case .noDefaultModule(let reason):
            "no PKCS#11 module is named, and p11-kit's, which finds those that are registered, cannot be loaded (\(printable(reason))). "
                + "Install it: apt install p11-kit-modules; or name the module of the token"
        case .noSuchToken(let uri, let others):
            "there is no token\(Self.with(uri.tokenWords)); there \(Self.are(others)). Insert it, or correct the URI"
        case .severalTokens(let names):
            "several tokens are as the URI says: \(Self.list(names)). Add token=… or serial=…; the PIN was given to none of them"
        case .noSuchKey(let uri, let token, let others):
            "the token \"\(printable(token))\" has no private key\(Self.with(uri.keyWords)); there \(Self.are(others)). "
                + "Correct object=… or id=…"
        case .severalKeys(let names):
            "several private keys are as the URI says: \(Self.list(names)). Add id=… or object=…"
        case .pinNeeded(let token):
            "the token \"\(printable(token))\" wants its PIN, and none was given"
        case .unreadablePIN(let file, let error): "\(printable(file)), the file with the PIN: \(error)"
        case .unusablePIN(let reason): "the PIN cannot be used: it \(reason). Nothing was tried at the token"
        case .wrongPIN(let token, let state):
            "that is not the PIN of the token \"\(printable(token))\". It was tried once and is not tried again: "
                + Self.warning(state)
        case .pinLocked(let token):
            "the token \"\(printable(token))\" has locked itself after too many wrong PINs. Whoever manages it can unlock it "
                + "with the PUK or the security officer's PIN"
        case .loginRefused(let token, let reason):
            "the token \"\(printable(token))\" lets nobody in (\(printable(reason)))"
        case .tokenUnusable(let token, let reason):
            "the token \"\(printable(token))\" cannot be read (\(printable(reason)))"
        case .cannotSign(let key, let reason):
            "the private key \"\(printable(key))\" is on the token and cannot sign (\(printable(reason))). Keys that want the PIN at every signature "
                + "are not supported, nor are those without the right to sign"
        case .noCertificate(let key):
            "the token has no certificate of the private key \"\(printable(key))\". Give it in a file"
        case .severalCertificates(let names):
            "the token has several certificates of the private key: \(Self.list(names)). Give the one that is meant in a file"
        case .malformedCertificate(let error):
            "the key's certificate on the token is malformed: \(error). Give it in a file"
        case .keyMismatch(let certificate):
            "Key does not match certificate: the private key on the token is not that of \(printable(certificate)). "
                + "Give the certificate that was issued for this key"
        }
    }

    private static func warning(_ state: PINState) -> String {
        switch state {
        case .unknown: "tokens lock themselves after a few wrong ones, often three"
        case .low: "the token says that few tries are left before it locks itself"
        case .lastTry: "the token says that the next wrong one LOCKS it"
        }
    }

    private static func with(_ words: [String]) -> String {
        words.isEmpty ? "" : " with \(words.joined(separator: " and "))"
    }

    private static func are(_ names: [String]) -> String { names.isEmpty ? "are none" : "are \(list(names))" }

    private static func list(_ names: [String]) -> String {
        names.prefix(8).map { "\"\(printable($0))\"" }.joined(separator: ", ") + (names.count > 8 ? " and more" : "")
    }
}
