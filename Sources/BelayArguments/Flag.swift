/// An option without a value: `--no-system-anchors`.
///
///     @Flag(help: "Do not use the machine's trust store.") var noSystemAnchors = false
///     @Flag(inversion: .prefixedNo, help: "Draw in colour.") var colour: Bool?
///     @Flag(name: .short, help: "Say more; again for yet more.") var verbose: Int
///
/// A flag is given once, unless it counts; together with its inversion it is an error, never the last one's win.
@propertyWrapper
public struct Flag<Value>: Decodable, StatefulProperty {
    static var kind: Declaration.Kind { .flag }
    var state: PropertyState<Value>

    init(state: PropertyState<Value>) { self.state = state }

    /// Only the argument parser fills flags: throws `DecodingError` for every other decoder.
    public init(from decoder: any Decoder) throws { throw notACommandLine(decoder) }

    /// The value given, or the default.
    public var wrappedValue: Value {
        get { state.value }
        set { state = .value(newValue) }
    }

    /// Declares a flag that is true when given; the default is normally false.
    public init(wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp? = nil) where Value == Bool {
        state = .definition(
            Definition(names: name, help: help ?? ArgumentHelp(), initial: wrappedValue) { _ in true })
    }

    /// Declares a flag that can be turned on and off, with a default.
    public init(
        wrappedValue: Value, name: NameSpecification = .long, inversion: FlagInversion, help: ArgumentHelp? = nil
    ) where Value == Bool {
        state = .definition(
            Definition(
                names: name, help: help ?? ArgumentHelp(), initial: wrappedValue,
                defaultText: wrappedValue ? "on" : "off", isInvertible: true
            ) { $0.last == "true" })
    }

    /// Declares a flag that can be turned on and off, nil when it was not given.
    public init(name: NameSpecification = .long, inversion: FlagInversion, help: ArgumentHelp? = nil)
    where Value == Bool? {
        state = .definition(
            Definition(names: name, help: help ?? ArgumentHelp(), initial: .some(nil), isInvertible: true) {
                $0.last == "true"
            })
    }

    /// Declares a flag whose value is how often it was given.
    public init(name: NameSpecification = .long, help: ArgumentHelp? = nil) where Value == Int {
        state = .definition(
            Definition(names: name, help: help ?? ArgumentHelp(), initial: 0, isRepeatable: true) { $0.count })
    }
}

extension Flag: Sendable where Value: Sendable {}

/// How the name that turns a flag off is made.
public enum FlagInversion: Sendable {
    /// `--colour` and `--no-colour`.
    case prefixedNo
}
