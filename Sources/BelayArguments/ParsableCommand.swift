/// A command: arguments that can be run.
///
///     @main struct Belay: AsyncParsableCommand {
///         static let configuration = CommandConfiguration(version: "1.0.0", subcommands: [Check.self])
///     }
public protocol ParsableCommand: ParsableArguments {
    /// The command's name, description and subcommands.
    static var configuration: CommandConfiguration { get }

    /// Does the work. A command that has only subcommands needs none.
    mutating func run() throws
}

extension ParsableCommand {
    /// Nothing but the type's name.
    public static var configuration: CommandConfiguration { CommandConfiguration() }

    /// The name on the command line.
    public static var _commandName: String { configuration.commandName ?? kebabCase(String(describing: Self.self)) }

    /// Reports that a subcommand is missing, or shows the help where there are none.
    public mutating func run() throws { throw nothingToRun(Self.self) }

    /// Reads the arguments (without the program's name; nil for the process's own) into this command or the subcommand
    /// that they name. Nothing is run.
    ///
    /// Throws for wrong use and for requests of help or version; see `exitCode(for:)` and `fullMessage(for:)`.
    public static func parseAsRoot(_ arguments: [String]? = nil) throws(CommandError) -> any ParsableCommand {
        try CommandPath(root: Self.self).parseCommand(arguments).command
    }

    /// The help of a command at or below this one, wrapped to that many columns; nil asks `COLUMNS`, then the terminal.
    public static func helpMessage(
        for command: any ParsableCommand.Type, includeHidden: Bool = false, columns: Int? = nil
    ) -> String {
        let path = CommandPath(root: Self.self).path(to: command) ?? CommandPath(root: command)
        return HelpText(path: path, includeHidden: includeHidden, columns: columns).text
    }

    /// Reads the arguments and runs the command. Returns when the command succeeds; otherwise prints and ends the
    /// process as `exit(withError:)` does.
    public static func main(_ arguments: [String]?) {
        do {
            var (command, path) = try CommandPath(root: Self.self).parseCommand(arguments)
            if command is any AsyncParsableCommand {
                throw CommandError(
                    path: path, reason: .declaration("'\(path)' is asynchronous, so '\(Self._commandName)' must be"))
            }
            do { try command.run() } catch { throw path.placing(error) }
        } catch {
            exit(withError: error)
        }
    }

    /// Runs the command with the process's own arguments.
    public static func main() { main(nil) }
}

/// A command whose work is asynchronous. The root command must be one when any command below it is.
public protocol AsyncParsableCommand: ParsableCommand {
    /// Does the work. A command that has only subcommands needs none.
    mutating func run() async throws
}

extension AsyncParsableCommand {
    /// Reports that a subcommand is missing, or shows the help where there are none.
    public mutating func run() async throws { throw nothingToRun(Self.self) }

    /// Reads the arguments and runs the command. Returns when the command succeeds; otherwise prints and ends the
    /// process as `exit(withError:)` does.
    public static func main(_ arguments: [String]?) async {
        do {
            var (command, path) = try CommandPath(root: Self.self).parseCommand(arguments)
            do {
                if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    try command.run()
                }
            } catch {
                throw path.placing(error)
            }
        } catch {
            exit(withError: error)
        }
    }

    /// Runs the command with the process's own arguments.
    public static func main() async { await main(nil) }
}

private func nothingToRun(_ command: any ParsableCommand.Type) -> any Error {
    guard command.configuration.subcommands.isEmpty else {
        return CommandError(path: CommandPath(root: command), reason: .missingCommand)
    }
    return CleanExit.helpRequest(command)
}
