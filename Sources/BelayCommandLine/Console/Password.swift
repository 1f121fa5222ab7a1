import BelayArguments
import BelayCertificates
import Glibc

/// A password: from a file, from the environment, or asked for on the terminal. Never from an argument.
enum Password {
    /// The variable that is looked at.
    static let variable = "BELAY_PASSWORD"

    /// The password for a user.
    ///
    /// A variable's value is overwritten in the environment, so that it can be read only once.
    static func read(for user: String, file: String?) throws -> Secret {
        if let file { return try SecretFile.secret(file, for: "--password-file", what: "password") }
        if let value = getenv(variable) {
            let count = strlen(value)
            defer { explicit_bzero(value, count) }
            return Secret(UnsafeRawBufferPointer(start: value, count: count))
        }
        guard let typed = try TerminalPrompt.ask("Password for \(printable(user)): ") else {
            throw ValidationError(
                "there is no password for '\(printable(user))', and no terminal to ask at; give '--password-file FILE', or set "
                    + "the environment variable \(variable)")
        }
        return typed
    }
}
