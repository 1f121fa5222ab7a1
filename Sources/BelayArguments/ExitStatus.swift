/// The status that a program ends with. Throw it from `run()` to end with that status and no message.
public struct ExitCode: Error, RawRepresentable, Hashable {
    /// The status, 0 to 255 as the shell sees it.
    public var rawValue: Int32

    /// Makes a status.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Makes a status.
    public init(_ code: Int32) { rawValue = code }

    /// 0.
    public static let success = ExitCode(0)
    /// 1.
    public static let failure = ExitCode(1)
    /// 2: wrong use. (The package that this one is modelled on ends with 64.)
    public static let validationFailure = ExitCode(2)
    /// 3: the message could not be written.
    static let notWritten = ExitCode(3)
    /// 70: a command is declared wrongly; a mistake of the program, not of the user.
    static let wrongDeclaration = ExitCode(70)

    /// Whether it is 0.
    public var isSuccess: Bool { self == .success }
}

/// Wrong use that only the command itself can see: values that contradict each other, for example. Throw it from
/// `validate()` or `run()`; the program ends with status 2 and the message on standard error.
public struct ValidationError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    public internal(set) var message: String

    /// Makes an error. The message needs no prefix and no final full stop.
    public init(_ message: String) { self.message = message }

    /// The message.
    public var description: String { message }
}

/// An end without a failure: status 0, with text on standard output. Throw it from `run()` or `validate()`.
public enum CleanExit: Error, CustomStringConvertible {
    /// Prints the help of a command; nil means the program's own.
    case helpRequest((any ParsableCommand.Type)? = nil)
    /// Prints a message.
    case message(String)

    /// Prints the help of this command.
    public static func helpRequest(_ command: some ParsableCommand) -> CleanExit { .helpRequest(type(of: command)) }

    /// The message, or `--help`.
    public var description: String {
        switch self {
        case .helpRequest: "--help"
        case .message(let text): text
        }
    }
}
