/// How a program ends for an error: with which status, and with what to print.
struct Outcome {
    var exitCode: ExitCode
    /// What happened, bare.
    var message: String
    /// What is printed.
    var fullMessage: String

    init(of error: any Error, root: CommandPath) {
        switch error {
        case let code as ExitCode: self.init(code, "")
        case let clean as CleanExit: self.init(clean, root)
        case let error as CommandError: self.init(error)
        case is ValidationError: self.init(wrongUse: String(describing: error), path: root)
        default:
            let text = String(describing: error)
            self.init(.failure, text, "\(root.names[0]): error: \(text)")
        }
    }

    private init(_ exitCode: ExitCode, _ message: String, _ fullMessage: String? = nil) {
        self.exitCode = exitCode
        self.message = message
        // Errors repeat what was typed or read; a success prints only the program's own text.
        self.fullMessage =
            exitCode.isSuccess
            ? fullMessage ?? message : escapingControls(fullMessage ?? message, except: ["\n", "\t"])
    }

    private init(_ clean: CleanExit, _ root: CommandPath) {
        switch clean {
        case .message(let text): self.init(.success, text)
        case .helpRequest(let command):
            let path = command.flatMap { root.path(to: $0) ?? CommandPath(root: $0) } ?? root
            self.init(.success, HelpText(path: path).text)
        }
    }

    private init(_ error: CommandError) {
        switch error.reason {
        case .helpRequested: self.init(.success, HelpText(path: error.path).text)
        case .versionRequested(let version): self.init(.success, version)
        case .validation(let inner) where inner is ExitCode || inner is CleanExit:
            self.init(of: inner, root: error.path)
        case .declaration:
            self.init(.wrongDeclaration, error.description, "\(error.path.names[0]): error: \(error.description)")
        case .missingCommand:
            self.init(wrongUse: error.description, path: error.path)
            fullMessage += "\n\n" + HelpText(path: error.path).text
        default: self.init(wrongUse: error.description, path: error.path)
        }
    }

    private init(wrongUse text: String, path: CommandPath) {
        let end = text.last.map { ".!?:".contains($0) } == true ? "" : "."
        let separator = text.contains("\n") ? "\n" : " "
        self.init(
            .validationFailure, text,
            "\(path.names[0]): error: \(text)\(end)\(separator)See '\(path) --help'.")
    }
}
