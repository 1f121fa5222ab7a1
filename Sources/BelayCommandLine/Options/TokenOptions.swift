import BelayArguments
import BelayCertificates

/// What a private key on a PKCS#11 token needs beside its URI.
struct TokenOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The PKCS#11 module of a pkcs11: URI that names none itself; p11-kit's unless said otherwise. It runs inside this program.",
            valueName: "file"))
    var pkcs11Module: String?

    /// The options as a command line has them.
    var words: [String] { pkcs11Module.map { ["--pkcs11-module", $0] } ?? [] }

    /// The URI in an option's value; nil where that is a file, or there is none.
    ///
    /// - Throws: `ValidationError`, which shows no value.
    static func uri(_ value: String?) throws -> PKCS11URI? {
        guard let value, PKCS11URI.isOne(value) else { return nil }
        do throws(PKCS11URIError) { return try PKCS11URI(value) } catch { throw ValidationError("\(error)") }
    }

    /// Refuses URIs where only files are of use.
    static func refuse(_ files: [String]) throws {
        guard files.contains(where: PKCS11URI.isOne) else { return }
        throw ValidationError(
            "a pkcs11: URI names a key that stays on its token, and no file. 'pkcs11-tool --list-objects' shows what is on a token, "
                + "'belay check --identity' what a server would mind")
    }

    /// Refuses what contradicts a URI, or means nothing without one.
    ///
    /// - Parameter option: the options that may have a URI, as a message names them.
    func check(_ uri: PKCS11URI?, for option: String, pin: PassphraseSource) throws {
        guard let uri else {
            guard pkcs11Module == nil else {
                throw ValidationError("'--pkcs11-module' means nothing without '\(option) pkcs11:…'")
            }
            return
        }
        if pkcs11Module != nil, uri.modulePath != nil {
            throw ValidationError("'--pkcs11-module' contradicts the URI's module-path")
        }
        if let given = pin.words.first, uri.pinFile != nil {
            throw ValidationError("'\(given)' contradicts the URI's pin-source")
        }
    }

    /// Reads the identity of a URI, and asks on the terminal for the PIN that it needs.
    ///
    /// - Parameters:
    ///   - certificates: the file with its certificate; nil to take that from the token.
    ///   - remedy: what to do where the token has none.
    func identity(
        _ uri: PKCS11URI, certificates: String?, pin: PassphraseSource,
        withoutCertificate remedy: String = "Name the file with '--identity-certificate FILE'."
    ) throws -> Identity {
        let read: [Certificate]?
        do throws(CertificateFileError) {
            read = try certificates.map { (file) throws(CertificateFileError) in
                try Certificate.read(contentsOf: StandardInput.path(file))
            }
        } catch {
            throw InputError.certificates(error, for: "--identity-certificate")
        }
        return try pin.onToken(uri, withoutCertificate: remedy) { (pin) throws(PKCS11Error) in
            try Identity.onToken(uri, certificates: read, module: pkcs11Module, pin: pin)
        }
    }
}

extension PassphraseSource {
    /// Uses a token with the PIN that is given, or one that is asked for on the terminal: once, since tokens lock themselves after a few
    /// wrong ones.
    func onToken<Value>(
        _ uri: PKCS11URI, withoutCertificate remedy: String = "", _ body: (Secret?) throws(PKCS11Error) -> Value
    ) throws -> Value {
        do {
            do {
                return try body(try read())
            } catch PKCS11Error.pinNeeded(let token) where !isGiven && uri.pinFile == nil {
                guard let typed = try TerminalPrompt.ask("PIN of the token \"\(printable(token))\": ") else {
                    throw PKCS11Error.pinNeeded(token: token)
                }
                return try body(typed)
            }
        } catch let error as PKCS11Error {
            throw InputError.token(error, uri, prefix, remedy)
        }
    }
}

extension InputError {
    /// A private key on a token.
    fileprivate static func token(
        _ error: PKCS11Error, _ uri: PKCS11URI, _ prefix: String, _ withoutCertificate: String
    ) -> InputError {
        let message = "\(uri): \(error)"
        switch error {
        case .pinNeeded:
            return InputError(
                message: message,
                remedy:
                    "Put the PIN on the first line of a file that only you can read, and name it with '\(prefix)-file FILE' "
                    + "or the URI's pin-source=file:FILE; or give '\(prefix)-fd N' or '\(prefix)-env NAME'.",
                isRemedyNews: true)
        case .noDefaultModule, .noSuchToken:
            return InputError(
                message: message,
                remedy:
                    "Name the token's module with '--pkcs11-module FILE'; 'p11-kit list-modules' shows those that are registered.",
                isRemedyNews: true)
        case .noCertificate, .severalCertificates, .malformedCertificate:
            return InputError(message: message, remedy: withoutCertificate, isRemedyNews: true)
        default:
            return InputError(message: message, remedy: "Check the URI, the token and its module.")
        }
    }
}
