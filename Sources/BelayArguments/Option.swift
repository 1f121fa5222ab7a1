/// An option with a value: `--pins file`, `--pins=file`.
///
///     @Option(help: "Evaluate as of this time.") var time: String?
///     @Option(name: .shortAndLong, help: "How to print.") var format = Format.text
///     @Option(help: ArgumentHelp("What to pin.", valueName: "file")) var pins: [String] = []
///     @Option(help: "Where to connect.", transform: Endpoint.init(parsing:)) var connectTo: Endpoint?
///
/// A property without a default is required, an optional one is not, an array's option may be given several times
/// (others only once). A value that begins with `-` has to be written `--time=-5`; empty values are refused.
@propertyWrapper
public struct Option<Value>: Decodable, StatefulProperty {
    static var kind: Declaration.Kind { .option }
    var state: PropertyState<Value>

    init(state: PropertyState<Value>) { self.state = state }

    private init(_ definition: Definition<Value>) { state = .definition(definition) }

    /// Only the argument parser fills options: throws `DecodingError` for every other decoder.
    public init(from decoder: any Decoder) throws { throw notACommandLine(decoder) }

    /// The value given, or the default.
    public var wrappedValue: Value {
        get { state.value }
        set { state = .value(newValue) }
    }

    /// Declares an option that must be given.
    public init(name: NameSpecification = .long, help: ArgumentHelp? = nil) where Value: ExpressibleByArgument {
        self.init(Definition(one: Conversion(), names: name, help: help, initial: nil))
    }

    /// Declares an option with a default.
    public init(wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp? = nil)
    where Value: ExpressibleByArgument {
        self.init(Definition(one: Conversion(), names: name, help: help, initial: wrappedValue))
    }

    /// Declares an option that may be left out, normally with nil for a default.
    public init<Wrapped: ExpressibleByArgument>(
        wrappedValue: Wrapped?, name: NameSpecification = .long, help: ArgumentHelp? = nil
    ) where Value == Wrapped? {
        self.init(Definition(optional: Conversion(), names: name, help: help, initial: wrappedValue))
    }

    /// Declares an option that may be left out.
    public init<Wrapped: ExpressibleByArgument>(name: NameSpecification = .long, help: ArgumentHelp? = nil)
    where Value == Wrapped? {
        self.init(Definition(optional: Conversion(), names: name, help: help))
    }

    /// Declares an option that may be given several times, with the list for when it is not given.
    public init<Element: ExpressibleByArgument>(
        wrappedValue: [Element], name: NameSpecification = .long, help: ArgumentHelp? = nil
    ) where Value == [Element] {
        self.init(Definition(many: Conversion(), names: name, help: help, initial: wrappedValue))
    }

    /// Declares an option that must be given once or more.
    public init<Element: ExpressibleByArgument>(name: NameSpecification = .long, help: ArgumentHelp? = nil)
    where Value == [Element] {
        self.init(Definition(many: Conversion(), names: name, help: help, initial: nil))
    }

    /// Declares an option that must be given, with a function that reads it; what that throws is shown to the user.
    public init(
        name: NameSpecification = .long, help: ArgumentHelp? = nil,
        transform: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(Definition(one: Conversion(transform: transform), names: name, help: help, initial: nil))
    }

    /// Declares an option with a default and a function that reads it.
    public init(
        wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp? = nil,
        transform: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(Definition(one: Conversion(transform: transform), names: name, help: help, initial: wrappedValue))
    }

    /// Declares an option that may be left out, normally with nil for a default, with a function that reads it.
    public init<Wrapped>(
        wrappedValue: Wrapped?, name: NameSpecification = .long, help: ArgumentHelp? = nil,
        transform: @escaping @Sendable (String) throws -> Wrapped
    ) where Value == Wrapped? {
        self.init(
            Definition(optional: Conversion(transform: transform), names: name, help: help, initial: wrappedValue))
    }

    /// Declares an option that may be left out, with a function that reads it.
    public init<Wrapped>(
        name: NameSpecification = .long, help: ArgumentHelp? = nil,
        transform: @escaping @Sendable (String) throws -> Wrapped
    ) where Value == Wrapped? {
        self.init(Definition(optional: Conversion(transform: transform), names: name, help: help))
    }

    /// Declares an option that may be given several times, with a function that reads each value.
    public init<Element>(
        wrappedValue: [Element], name: NameSpecification = .long, help: ArgumentHelp? = nil,
        transform: @escaping @Sendable (String) throws -> Element
    ) where Value == [Element] {
        self.init(Definition(many: Conversion(transform: transform), names: name, help: help, initial: wrappedValue))
    }

    /// Declares an option that must be given once or more, with a function that reads each value.
    public init<Element>(
        name: NameSpecification = .long, help: ArgumentHelp? = nil,
        transform: @escaping @Sendable (String) throws -> Element
    ) where Value == [Element] {
        self.init(Definition(many: Conversion(transform: transform), names: name, help: help, initial: nil))
    }
}

extension Option: Sendable where Value: Sendable {}
