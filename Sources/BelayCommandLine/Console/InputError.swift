import BelayArguments
import BelayCertificates
import BelayTrust

/// Something that the command was to read and could not: a file, standard input, the machine's trust store.
///
/// Its status is 3. With `--format json` the document says it too, so that whoever reads only that is told.
struct InputError: Error, Sendable {
    /// What could not be read, and why, in words that name it.
    let message: String
    /// What to do.
    let remedy: String
    /// Whether people need the remedy as well, because the message has none of its own.
    var isRemedyNews = false

    /// For people.
    var text: String { isRemedyNews ? "\(message)\n  \(remedy)" : message }
}

extension InputError {
    /// A file for `--pins`. That a certificate was expected is not the whole truth of a pin file.
    static func pins(_ error: PinSetError) -> InputError {
        InputError(
            message: "\(error)",
            remedy:
                "A pin file holds certificates, public keys, or lines such as sha256/ and the base64 of the SHA-256 of "
                + "a public key; 'belay cert show' prints a certificate's.",
            isRemedyNews: true)
    }

    /// A file of certificates, given with an option.
    static func certificates(_ error: CertificateFileError, for option: String) -> InputError {
        InputError(message: "\(error)", remedy: "Give '\(option)' a file of certificates in PEM or DER.")
    }

    /// A file for `--crl`.
    static func revocationLists(_ error: RevocationListFileError) -> InputError {
        InputError(message: "\(error)", remedy: "Give '--crl' a file of revocation lists in PEM or DER.")
    }

    /// A file for `--identity`.
    static func identity(_ error: IdentityFileError) -> InputError {
        if error.problem.needsPassphrase {
            InputError(
                message: "\(error)",
                remedy: "Put the passphrase on the first line of a file that only you can read, and name it with "
                    + "'--passphrase-file FILE'; or give '--passphrase-fd N' or '--passphrase-env NAME'.",
                isRemedyNews: true)
        } else if case .severalIdentities = error.problem {
            InputError(message: "\(error)", remedy: "Name one with '--identity-name NAME'.", isRemedyNews: true)
        } else if case .keyStore(.wrongKeyPassphrase) = error.problem {
            InputError(
                message: "\(error)", remedy: "Name a file that holds it with '--key-passphrase-file FILE'.",
                isRemedyNews: true)
        } else {
            InputError(
                message: "\(error)",
                remedy:
                    "Give '--identity' a PKCS#12, JKS, JCEKS or BKS file, or PEM with a private key and its certificates."
            )
        }
    }

    /// The machine's trust store.
    static func systemAnchors(_ error: SystemAnchorsError) -> InputError {
        InputError(
            message: "\(error)",
            remedy: "To do without the store, give '--no-system-anchors' with '--anchor FILE'.", isRemedyNews: true)
    }
}

/// Standard input by the name that many programs have for it.
enum StandardInput {
    /// The path to open: that of standard input for `-`.
    static func path(_ name: String) -> String { name == "-" ? "/dev/stdin" : name }

    /// What stands for lines that are read from descriptor 0, such as passphrases; no file has this name.
    static let descriptor = "\u{0}0"

    /// Refuses files of which two are standard input: the second would find it read to its end. Lines can be read from it
    /// one after the other.
    static func checkOnce(_ names: [String]) throws {
        let files = names.count { path($0) == "/dev/stdin" }
        guard files > 1 || files == 1 && names.contains(descriptor) else { return }
        throw ValidationError(
            files > 1
                ? "standard input ('-') can be read only once; put one of the inputs into a file"
                : "standard input cannot be both a file ('-') and the descriptor of a passphrase (0); give one of them otherwise"
        )
    }
}
