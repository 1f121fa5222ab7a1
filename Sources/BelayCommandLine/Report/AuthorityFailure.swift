import BelayArguments
import BelayCertificates

/// What goes wrong with an authority, said to people and in JSON.
struct AuthorityFailure {
    let input: InputError
    var status = ExitStatus.unreadable

    /// What is to be said; nil for what has been said already, such as an interrupted question.
    private static func of(_ error: any Error) -> AuthorityFailure? {
        switch error {
        case let error as InputError: AuthorityFailure(input: error)
        case let error as FileWritingError: AuthorityFailure(input: writing(error))
        case let error as PrivateAuthorityError: of(error)
        case is CertificateRequestFileError, is PrivateKeyError, is KeyStoreError:
            AuthorityFailure(input: InputError(message: "\(error)", remedy: "Give a file that can be read."))
        default: nil
        }
    }

    private static func of(_ error: PrivateAuthorityError) -> AuthorityFailure {
        switch error {
        case .writing(let error): AuthorityFailure(input: writing(error))
        case .none(let folder):
            AuthorityFailure(
                input: InputError(
                    message:
                        "\(printable(folder)): holds no authority. Make one with 'belay ca init', or give its folder with '--ca'",
                    remedy: "Make one with 'belay ca init', or give its folder with '--ca'."))
        case .key(let failure) where failure.problem == .passphraseNeeded:
            AuthorityFailure(
                input: InputError(
                    message: "\(failure)",
                    remedy: "Give '--passphrase-file FILE', '--passphrase-fd N' or '--passphrase-env NAME'.",
                    isRemedyNews: true))
        case .unacceptable, .outlivesAuthority:
            AuthorityFailure(
                input: InputError(message: "\(error)", remedy: "Ask for something else."), status: ExitStatus.wrongUse)
        default:
            AuthorityFailure(
                input: InputError(message: "\(error)", remedy: "Give '--ca' the folder of a whole authority."))
        }
    }

    private static func writing(_ error: FileWritingError) -> InputError {
        guard error.problem == .exists else {
            return InputError(message: "\(error)", remedy: "Give '--out' a place that you can write to.")
        }
        return InputError(
            message: "\(printable(error.file)): is there already and stays as it is; give '--force' to replace it",
            remedy: "Give '--force' to replace it.")
    }

    /// Says what went wrong, in JSON too where that is asked for; returns what to throw.
    static func report<Key: CodingKey & CaseIterable>(
        _ error: any Error, _ console: Console, _ output: FormatOptions, keys: Key.Type
    ) throws -> any Error {
        guard let failure = of(error) else { return error }
        if output.format == .json { try console.printJSON(Unmade<Key>(error: FailureReport(failure.input))) }
        return console.fail(failure.input.text, status: failure.status)
    }
}
