/// An option, a flag or an argument as the scanner and the help see it: without the type of its value.
struct Declaration: Sendable {
    enum Kind { case option, flag, positional }

    /// The path of the property from the command, dots between groups: `trust.pins`.
    var key: String
    var kind: Kind
    /// With dashes, short ones first; empty for an argument.
    var names: [String]
    /// The names that turn a flag off; empty without inversion.
    var negatedNames: [String] = []
    var valueName: String
    var help: ArgumentHelp
    /// The title of the group that it belongs to, empty for none.
    var groupTitle: String
    var isRequired: Bool
    var isRepeatable: Bool
    var defaultText: String?
    var allowedValues: [String]
    var expectation: String?

    /// How errors name it: its long name where it has one, `<url>` for an argument.
    var displayName: String { kind == .positional ? "<\(valueName)>" : names.last ?? key }

    /// The name with the value that belongs to it: `--pins <file>`.
    var usage: String { kind == .option ? "\(displayName) <\(valueName)>" : displayName }
}

/// What a property says about itself before anything was read, with the type of its value.
struct Definition<Value> {
    var names: NameSpecification
    var help: ArgumentHelp
    /// The value when nothing is given; nil for a required one.
    var initial: Value?
    var defaultText: String?
    var isRepeatable = false
    /// Whether `--no-…` turns the flag off.
    var isInvertible = false
    var allowedValues: [String] = []
    var expectation: String?
    /// Makes the value from what was given, which is one text or more (for a flag `true` or `false`, once per use).
    var convert: @Sendable ([String]) throws(ConversionFailure) -> Value
}

extension Definition: Sendable where Value: Sendable {}

/// A text that is no value, with the reason where the conversion gave one.
struct ConversionFailure: Error {
    var text: String
    var reason: String?
}

/// How one text becomes one value, and what the help can say about such values.
struct Conversion<Element>: Sendable {
    var read: @Sendable (String) throws(ConversionFailure) -> Element
    var describe: @Sendable (Element) -> String?
    var allowedValues: [String] = []
    var expectation: String?

    init() where Element: ExpressibleByArgument {
        read = { text throws(ConversionFailure) in
            guard let value = Element(argument: text) else { throw ConversionFailure(text: text) }
            return value
        }
        describe = { $0.defaultValueDescription }
        allowedValues = Element.allValueStrings
        expectation = BelayArguments.expectation(of: Element.self)
    }

    init(transform: @escaping @Sendable (String) throws -> Element) {
        read = { text throws(ConversionFailure) in
            do {
                return try transform(text)
            } catch {
                throw ConversionFailure(text: text, reason: String(describing: error))
            }
        }
        // The dump of a type that describes itself in no way would not help anybody.
        describe = { ($0 as? any CustomStringConvertible)?.description }
    }
}

extension Definition {
    /// Exactly one value.
    init(one conversion: Conversion<Value>, names: NameSpecification = [], help: ArgumentHelp?, initial: Value?) {
        self.init(
            names: names, help: help ?? ArgumentHelp(), initial: initial,
            defaultText: initial.flatMap(conversion.describe), allowedValues: conversion.allowedValues,
            expectation: conversion.expectation
        ) { texts throws(ConversionFailure) in
            guard let text = texts.last else { throw ConversionFailure(text: "") }
            return try conversion.read(text)
        }
    }

    /// One value or none.
    init<Element>(
        optional conversion: Conversion<Element>, names: NameSpecification = [], help: ArgumentHelp?,
        initial: Element? = nil
    ) where Value == Element? {
        self.init(
            names: names, help: help ?? ArgumentHelp(), initial: .some(initial),
            defaultText: initial.flatMap(conversion.describe), allowedValues: conversion.allowedValues,
            expectation: conversion.expectation
        ) { texts throws(ConversionFailure) in
            guard let text = texts.last else { return nil }
            return try conversion.read(text)
        }
    }

    /// Any number of values; at least one where there is no initial list.
    init<Element>(
        many conversion: Conversion<Element>, names: NameSpecification = [], help: ArgumentHelp?, initial: [Element]?
    ) where Value == [Element] {
        let described = (initial ?? []).compactMap(conversion.describe).joined(separator: ", ")
        self.init(
            names: names, help: help ?? ArgumentHelp(), initial: initial,
            defaultText: described.isEmpty ? nil : described, isRepeatable: true,
            allowedValues: conversion.allowedValues, expectation: conversion.expectation
        ) { texts throws(ConversionFailure) in
            var values: [Element] = []
            for text in texts { values.append(try conversion.read(text)) }
            return values
        }
    }
}

/// What a property wrapper holds: its definition until it was read, then its value.
enum PropertyState<Value> {
    case definition(Definition<Value>)
    case value(Value)

    var value: Value {
        switch self {
        case .value(let value): return value
        case .definition(let definition):
            if let initial = definition.initial { return initial }
            // Only a program that reads a required property of a command that it made with `init()`, not by parsing,
            // gets here, whatever the user typed; there is no value of an arbitrary type to go on with.
            fatalError("a required argument was read before the command line was parsed")
        }
    }
}

extension PropertyState: Sendable where Value: Sendable {}

/// A property wrapper that declares something on the command line.
protocol DeclaredProperty {
    func declaration(property: String, prefix: String, groupTitle: String) -> Declaration?
    /// The wrapper with its value; nil where nothing was given and there is no default.
    func filled(with texts: [String]) throws(ConversionFailure) -> (any DeclaredProperty)?
}

/// What `Option`, `Flag` and `Argument` have in common.
protocol StatefulProperty: DeclaredProperty {
    associatedtype Value
    static var kind: Declaration.Kind { get }
    var state: PropertyState<Value> { get }
    init(state: PropertyState<Value>)
}

extension StatefulProperty {
    func declaration(property: String, prefix: String, groupTitle: String) -> Declaration? {
        guard case .definition(let definition) = state else { return nil }
        let names = definition.names.names(for: property)
        let longName = names.last.flatMap { $0.hasPrefix("--") ? String($0.dropFirst(2)) : nil }
        let negated = names.filter { $0.hasPrefix("--") }.map { "--no-" + $0.dropFirst(2) }
        return Declaration(
            key: prefix + property, kind: Self.kind, names: names,
            negatedNames: definition.isInvertible ? negated : [],
            valueName: definition.help.valueName ?? longName ?? kebabCase(property), help: definition.help,
            groupTitle: groupTitle, isRequired: definition.initial == nil, isRepeatable: definition.isRepeatable,
            defaultText: definition.defaultText, allowedValues: definition.allowedValues,
            expectation: definition.expectation)
    }

    func filled(with texts: [String]) throws(ConversionFailure) -> (any DeclaredProperty)? {
        guard case .definition(let definition) = state else { return self }
        guard texts.isEmpty else { return Self(state: .value(try definition.convert(texts))) }
        return definition.initial.map { Self(state: .value($0)) }
    }
}

/// The error of decoding a wrapper from anything but the command line.
func notACommandLine(_ decoder: any Decoder) -> DecodingError {
    DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "only the argument parser can fill this property"))
}
