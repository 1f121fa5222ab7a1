/// What a command is called and how the help describes it.
public struct CommandConfiguration: Sendable {
    /// The name on the command line; nil for the type's name in kebab-case.
    public var commandName: String?
    /// One sentence, shown in the list of commands too.
    public var abstract: String
    /// More text; its line breaks are kept, and lines that begin with a space are not wrapped.
    public var discussion: String
    /// What `--version` prints, for this command and those below it; empty for no such option.
    public var version: String
    /// Whether the help of the command above lists this one.
    public var shouldDisplay: Bool
    /// The commands below this one.
    public var subcommands: [any ParsableCommand.Type]
    /// Whole command lines, each with what it does. (An addition of ours to the convention.)
    public var examples: [(command: String, explanation: String)]

    /// Makes a configuration; all of it may be left out.
    public init(
        commandName: String? = nil, abstract: String = "", discussion: String = "", version: String = "",
        shouldDisplay: Bool = true, subcommands: [any ParsableCommand.Type] = [],
        examples: [(command: String, explanation: String)] = []
    ) {
        self.commandName = commandName
        self.abstract = abstract
        self.discussion = discussion
        self.version = version
        self.shouldDisplay = shouldDisplay
        self.subcommands = subcommands
        self.examples = examples
    }
}
