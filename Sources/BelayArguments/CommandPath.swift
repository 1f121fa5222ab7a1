/// A command with the way to it from the program's name, which is what usage lines and errors show.
struct CommandPath: CustomStringConvertible, Sendable {
    var names: [String]
    var type: any ParsableArguments.Type
    /// The nearest version on the way, empty for none.
    var version: String

    init(root: any ParsableArguments.Type) {
        let command = root as? any ParsableCommand.Type
        names = [command?._commandName ?? kebabCase(String(describing: root))]
        type = root
        version = command?.configuration.version ?? ""
    }

    /// The words as typed: `belay cert show`.
    var description: String { names.joined(separator: " ") }

    var configuration: CommandConfiguration {
        (type as? any ParsableCommand.Type)?.configuration ?? CommandConfiguration()
    }

    var subcommands: [CommandPath] {
        configuration.subcommands.map { command in
            var path = CommandPath(root: command)
            path.names = names + path.names
            if path.version.isEmpty { path.version = version }
            return path
        }
    }

    func path(to command: any ParsableCommand.Type) -> CommandPath? {
        if type == command { return self }
        return subcommands.lazy.compactMap { $0.path(to: command) }.first
    }

    /// Gives the place to an error that was thrown by the command's own code, and so knows none.
    func placing(_ error: any Error) -> any Error {
        if let error = error as? CommandError, case .missingCommand = error.reason {
            return CommandError(path: self, reason: error.reason)
        }
        return error is ValidationError ? CommandError(path: self, reason: .validation(error)) : error
    }
}

// MARK: - Parsing

extension CommandPath {
    typealias Reason = CommandError.Reason

    /// Reads all arguments as this type.
    func parse<Value: ParsableArguments>(_ arguments: [String]?, as type: Value.Type) throws(CommandError) -> Value {
        do throws(Reason) {
            let schema = try Schema(of: type)
            let arguments = try Terminal.arguments(given: arguments)
            let scan = try scan(arguments[...], with: schema, stopsAtCommand: false)
            return try schema.instantiate(type, given: scan.given)
        } catch {
            throw CommandError(path: self, reason: error)
        }
    }

    /// Follows the subcommands that the arguments name and reads the rest as the last of them.
    func parseCommand(_ arguments: [String]?) throws(CommandError) -> (command: any ParsableCommand, path: CommandPath)
    {
        let all: [String]
        do throws(Reason) {
            all = try Terminal.arguments(given: arguments)
        } catch {
            throw CommandError(path: self, reason: error)
        }
        return try follow(all[...])
    }

    private func follow(_ arguments: ArraySlice<String>) throws(CommandError) -> (any ParsableCommand, CommandPath) {
        let rest: ArraySlice<String>
        do throws(Reason) {
            guard let type = type as? any ParsableCommand.Type else {
                throw .declaration("'\(self)' is not a command")
            }
            let schema = try Schema(of: type)
            let subcommands = subcommands
            if !subcommands.isEmpty, let argument = schema.positionals.first {
                throw .declaration(
                    "'\(self)' has subcommands, so '\(argument.displayName)' could not be told from them")
            }
            let scan = try scan(arguments, with: schema, stopsAtCommand: !subcommands.isEmpty)
            let command = try instantiate(type, schema, scan.given)
            guard !scan.rest.isEmpty else { return (command, self) }
            rest = scan.rest
        } catch {
            throw CommandError(path: self, reason: error)
        }
        let name = rest[rest.startIndex]
        if name == "help", !subcommands.contains(where: { $0.names.last == name }) {
            throw CommandError(path: try helpTarget(rest.dropFirst()), reason: .helpRequested)
        }
        return try subcommand(name).follow(rest.dropFirst())
    }

    private func instantiate<Command: ParsableCommand>(
        _ type: Command.Type, _ schema: Schema, _ given: [String: [String]]
    ) throws(Reason) -> any ParsableCommand {
        try schema.instantiate(type, given: given)
    }

    /// The command that the words after `help` name; options among them say nothing more.
    private func helpTarget(_ words: ArraySlice<String>) throws(CommandError) -> CommandPath {
        var target = self
        for word in words where word != "--help" && word != "-h" { target = try target.subcommand(word) }
        return target
    }

    private func subcommand(_ name: String) throws(CommandError) -> CommandPath {
        let subcommands = subcommands
        if let match = subcommands.first(where: { $0.names.last == name }) { return match }
        let known = configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        if known.isEmpty { throw CommandError(path: self, reason: .unexpectedArguments([name])) }
        throw CommandError(
            path: self,
            reason: name.isEmpty
                ? .emptyText(name: "<command>")
                : .unknownCommand(name, suggestion: nearest(to: name, among: known + ["help"]), known: known))
    }

    /// Reads the options of this command. A wish for help counts wherever it stands, also behind a mistake.
    private func scan(
        _ arguments: ArraySlice<String>, with schema: Schema, stopsAtCommand: Bool
    ) throws(Reason) -> Scan {
        var scan = Scan(schema: schema, version: version, stopsAtCommand: stopsAtCommand)
        do throws(Reason) {
            try scan.read(arguments)
            return scan
        } catch {
            let help = ["--help", "-h"].filter { !schema.declares($0) }
            if arguments.prefix(while: { $0 != "--" }).contains(where: help.contains) { throw .helpRequested }
            if case .unknownOption(let name, nil, _) = error, let owner = owner(of: name) {
                throw .misplacedOption(name, suggestion: "\(owner) \(name)")
            }
            throw error
        }
    }

    /// The first command below this one that has the option.
    private func owner(of option: String) -> CommandPath? {
        subcommands.lazy.compactMap { Schema(unchecked: $0.type).declares(option) ? $0 : $0.owner(of: option) }.first
    }
}
