/// What the help says about an option, a flag or an argument. A string literal is an abstract.
public struct ArgumentHelp: Sendable, ExpressibleByStringInterpolation {
    /// One short sentence.
    public var abstract: String
    /// More text, shown below the abstract; its line breaks are kept.
    public var discussion: String
    /// The name of the value in the help (`file` for `--pins <file>`); nil for the option's own name.
    public var valueName: String?
    /// Whether the help lists it.
    public var visibility: ArgumentVisibility

    /// Makes the help of one option, flag or argument.
    public init(
        _ abstract: String = "", discussion: String = "", valueName: String? = nil,
        visibility: ArgumentVisibility = .default
    ) {
        self.abstract = abstract
        self.discussion = discussion
        self.valueName = valueName
        self.visibility = visibility
    }

    /// Makes a help that is only an abstract.
    public init(stringLiteral value: String) { self.init(value) }

    /// Accepted on the command line, never in the help.
    public static var hidden: ArgumentHelp { ArgumentHelp(visibility: .hidden) }
}

/// Whether the help lists an option, flag or argument.
public enum ArgumentVisibility: Sendable, Equatable {
    /// In the help.
    case `default`
    /// Only where hidden ones are asked for (`includeHidden`).
    case hidden
}
