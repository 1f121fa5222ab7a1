/// A type whose properties are read from a command line.
///
/// Every stored property is declared with `@Option`, `@Flag`, `@Argument` or `@OptionGroup`, or has a default and is
/// left alone.
///
/// The names of this module are those of the `swift-argument-parser` package, so that the package can take over by a
/// change of the import. What is ours: `examples` in the configuration (to be dropped then); status 2 for wrong use
/// where the package has 64; and errors for what the package accepts: a single option or a flag given twice, an empty
/// value, a number that is not finite, an argument that is not UTF-8, a command without its subcommand.
public protocol ParsableArguments: Decodable, SharableMetatype {
    /// Makes a value that is not read yet.
    init()

    /// Looks at the values together, after all were read; throws a `ValidationError` where they contradict each other.
    mutating func validate() throws
}

extension ParsableArguments {
    /// Accepts every combination.
    public mutating func validate() throws {}

    /// Reads the arguments (without the program's name; nil for the process's own) into this type. Nothing is run and
    /// no subcommand is looked for.
    ///
    /// Throws for wrong use and for requests of help or version; see `exitCode(for:)` and `fullMessage(for:)`.
    public static func parse(_ arguments: [String]? = nil) throws(CommandError) -> Self {
        try CommandPath(root: Self.self).parse(arguments, as: Self.self)
    }

    /// Like `parse(_:)`, but ends the process where that throws.
    public static func parseOrExit(_ arguments: [String]? = nil) -> Self {
        do {
            return try parse(arguments)
        } catch {
            exit(withError: error)
        }
    }

    /// What is wrong, without the program's name: the bare message.
    public static func message(for error: any Error) -> String {
        Outcome(of: error, root: CommandPath(root: Self.self)).message
    }

    /// What the program prints for the error: help and version as they are, nothing for an `ExitCode`, and else
    /// `belay: error: unknown option '--pinz'; did you mean '--pins'? See 'belay check --help'.`
    public static func fullMessage(for error: any Error) -> String {
        Outcome(of: error, root: CommandPath(root: Self.self)).fullMessage
    }

    /// The status that the program ends with: 0 for help and version, 2 for wrong use, an `ExitCode`'s own, else 1.
    public static func exitCode(for error: any Error) -> ExitCode {
        Outcome(of: error, root: CommandPath(root: Self.self)).exitCode
    }

    /// The help, wrapped to that many columns; nil asks `COLUMNS`, then the terminal.
    public static func helpMessage(includeHidden: Bool = false, columns: Int? = nil) -> String {
        HelpText(path: CommandPath(root: Self.self), includeHidden: includeHidden, columns: columns).text
    }

    /// The usage line alone: `belay check [options] <url>`.
    public static func usageString(includeHidden: Bool = false) -> String {
        HelpText(path: CommandPath(root: Self.self), includeHidden: includeHidden, columns: nil).usage
    }

    /// Prints what belongs to the error (on standard output with status 0, else on standard error) and ends the
    /// process. Without an error it ends with status 0.
    public static func exit(withError error: (any Error)? = nil) -> Never {
        guard let error else { Terminal.exit(.success, message: "") }
        let outcome = Outcome(of: error, root: CommandPath(root: Self.self))
        Terminal.exit(outcome.exitCode, message: outcome.fullMessage)
    }
}
