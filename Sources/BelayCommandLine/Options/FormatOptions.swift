import BelayArguments

/// How a result is printed.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// For people.
    case text
    /// For programs: see Documentation/json.md.
    case json
}

/// `--format`, for every command that has a result.
struct FormatOptions: ParsableArguments, Sendable {
    @Option(help: "How to print the result.") var format = OutputFormat.text
}
