/// Why a command line could not be turned into a command: wrong use, or a request for help or for the version.
///
/// `exitCode(for:)` and `fullMessage(for:)` of the command say how the program ends and what it prints.
public struct CommandError: Error, CustomStringConvertible {
    let path: CommandPath
    let reason: Reason

    /// The command that was reached, from the program's name on: `["belay", "cert", "show"]`.
    public var commandPath: [String] { path.names }

    /// What is wrong, without the program's name and without a pointer to the help.
    public var description: String { reason.description }

    /// What is wrong, a case for each kind of mistake.
    enum Reason: Error {
        case helpRequested
        case versionRequested(String)
        case unknownOption(String, within: String?, suggestion: String?)
        case missingValue(option: String, valueName: String, next: String?)
        case valueLikeOption(option: String, value: String)
        case unexpectedValue(flag: String, value: String)
        case emptyText(name: String)
        case misplacedOption(String, suggestion: String)
        case valueInCluster(option: String, cluster: String, suggestion: String)
        case givenTwice(name: String, values: (String, String)?)
        case contradiction(String, String)
        case missing([String])
        case invalidValue(String, name: String, reason: String?, Declaration)
        case unexpectedArguments([String])
        case unknownCommand(String, suggestion: String?, known: [String])
        case missingCommand
        case notUnicode(position: Int, text: String)
        case validation(any Error)
        case declaration(String)
    }
}

extension CommandError.Reason: CustomStringConvertible {
    var description: String {
        switch self {
        case .helpRequested: "--help"
        case .versionRequested(let version): version
        case .unknownOption(let name, let cluster, let suggestion):
            "unknown option \(quoted(name))" + (cluster.map { " in \(quoted($0))" } ?? "")
                + (suggestion == nil && name.dropFirst().first?.isNumber == true
                    ? "; if it is an argument, put '--' before it" : didYouMean(suggestion))
        case .misplacedOption(let name, let suggestion):
            "option '\(name)' goes after a command that has it, as in '\(suggestion)'"
        case .missingValue(let option, let valueName, let next):
            "option '\(option)' needs a value: '\(option) <\(valueName)>'"
                + (next.map { "; the next argument is the option \(quoted($0))" } ?? "")
        case .valueLikeOption(let option, let value):
            "option '\(option)' needs a value, and \(quoted(value)) looks like an option; if it is the value, write "
                + quoted(join(option, value))
        case .unexpectedValue(let flag, let value): "flag '\(flag)' takes no value, but was given \(quoted(value))"
        case .emptyText(let name): "the value of '\(name)' is empty"
        case .valueInCluster(let option, let cluster, let suggestion):
            "option '\(option)' in \(quoted(cluster)) takes a value" + didYouMean(suggestion)
        case .givenTwice(let name, let values):
            "'\(name)' is given twice"
                + (values.map { " (\(quoted($0)) and \(quoted($1))), but takes one value" } ?? "; once is enough")
        case .contradiction(let first, let second): "'\(first)' and '\(second)' contradict each other"
        case .missing(let names):
            "missing " + names.map { $0.hasPrefix("<") ? "argument '\($0)'" : "option '\($0)'" }.joined(separator: ", ")
        case .invalidValue(let text, let name, let reason, let declaration):
            invalidValue(text, name: name, reason: reason, declaration)
        case .unexpectedArguments(let texts):
            "unexpected argument\(texts.count > 1 ? "s" : "") " + texts.prefix(3).map(quoted).joined(separator: ", ")
                + (texts.count > 3 ? " and \(texts.count - 3) more" : "")
        case .unknownCommand(let name, let suggestion, let known):
            "unknown command \(quoted(name))" + didYouMean(suggestion)
                + (suggestion == nil ? "; the commands are \(known.joined(separator: ", "))" : "")
        case .missingCommand: "a command is missing"
        case .notUnicode(let position, let text):
            "argument \(position) is not valid UTF-8: '\(text)'; if it names a file, rename that"
        case .validation(let error): String(describing: error)
        case .declaration(let problem): "a mistake in this program: \(problem)"
        }
    }

    private func invalidValue(_ text: String, name: String, reason: String?, _ declaration: Declaration) -> String {
        let start = "invalid value \(quoted(text)) for '\(name)'"
        if let reason { return "\(start): \(reason)" }
        let allowed = declaration.allowedValues
        guard allowed.isEmpty else {
            let known = "he values are \(allowed.joined(separator: ", "))"
            guard let suggestion = nearest(to: text, among: allowed) else { return "\(start); t\(known)" }
            return "\(start)\(didYouMean(suggestion)) T\(known)"
        }
        return declaration.expectation.map { "\(start); expected \($0)" } ?? start
    }
}

private func didYouMean(_ suggestion: String?) -> String { suggestion.map { "; did you mean '\($0)'?" } ?? "" }

/// An option and its value as one argument.
private func join(_ option: String, _ value: String) -> String {
    option.hasPrefix("--") ? "\(option)=\(value)" : option + value
}
