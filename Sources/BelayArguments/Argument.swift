/// An argument that is known by its place: the URL in `belay check https://example.com`.
///
///     @Argument(help: "Where to connect.") var url: String
///     @Argument(help: "The files.") var files: [String]
///
/// Arguments are filled in the order of their declaration. One without a default is required; an array takes all that
/// are left (at least one without a default) and so must be the last. What follows `--` is always an argument.
@propertyWrapper
public struct Argument<Value>: Decodable, StatefulProperty {
    static var kind: Declaration.Kind { .positional }
    var state: PropertyState<Value>

    init(state: PropertyState<Value>) { self.state = state }

    private init(_ definition: Definition<Value>) { state = .definition(definition) }

    /// Only the argument parser fills arguments: throws `DecodingError` for every other decoder.
    public init(from decoder: any Decoder) throws { throw notACommandLine(decoder) }

    /// The value given, or the default.
    public var wrappedValue: Value {
        get { state.value }
        set { state = .value(newValue) }
    }

    /// Declares an argument that must be given.
    public init(help: ArgumentHelp? = nil) where Value: ExpressibleByArgument {
        self.init(Definition(one: Conversion(), help: help, initial: nil))
    }

    /// Declares an argument with a default.
    public init(wrappedValue: Value, help: ArgumentHelp? = nil) where Value: ExpressibleByArgument {
        self.init(Definition(one: Conversion(), help: help, initial: wrappedValue))
    }

    /// Declares an argument that may be left out, normally with nil for a default.
    public init<Wrapped: ExpressibleByArgument>(wrappedValue: Wrapped?, help: ArgumentHelp? = nil)
    where Value == Wrapped? {
        self.init(Definition(optional: Conversion(), help: help, initial: wrappedValue))
    }

    /// Declares an argument that may be left out.
    public init<Wrapped: ExpressibleByArgument>(help: ArgumentHelp? = nil) where Value == Wrapped? {
        self.init(Definition(optional: Conversion(), help: help))
    }

    /// Declares the rest of the arguments, with the list for when there is none.
    public init<Element: ExpressibleByArgument>(wrappedValue: [Element], help: ArgumentHelp? = nil)
    where Value == [Element] {
        self.init(Definition(many: Conversion(), help: help, initial: wrappedValue))
    }

    /// Declares the rest of the arguments, at least one.
    public init<Element: ExpressibleByArgument>(help: ArgumentHelp? = nil) where Value == [Element] {
        self.init(Definition(many: Conversion(), help: help, initial: nil))
    }

    /// Declares an argument that must be given, with a function that reads it; what that throws is shown to the user.
    public init(help: ArgumentHelp? = nil, transform: @escaping @Sendable (String) throws -> Value) {
        self.init(Definition(one: Conversion(transform: transform), help: help, initial: nil))
    }

    /// Declares an argument that may be left out, with a function that reads it.
    public init<Wrapped>(help: ArgumentHelp? = nil, transform: @escaping @Sendable (String) throws -> Wrapped)
    where Value == Wrapped? {
        self.init(Definition(optional: Conversion(transform: transform), help: help))
    }

    /// Declares the rest of the arguments, at least one, with a function that reads each.
    public init<Element>(help: ArgumentHelp? = nil, transform: @escaping @Sendable (String) throws -> Element)
    where Value == [Element] {
        self.init(Definition(many: Conversion(transform: transform), help: help, initial: nil))
    }
}

extension Argument: Sendable where Value: Sendable {}
