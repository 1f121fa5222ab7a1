/// Named values for a query or a form, nested as deep as needed.
///
/// ```swift
/// let parameters: Parameters = ["user": ["name": "Ada", "admin": true], "ids": [1, 2]]
/// parameters.encoded()          // ids%5B%5D=1&ids%5B%5D=2&user%5Badmin%5D=1&user%5Bname%5D=Ada
/// ```
public struct Parameters: Sendable, Hashable {
    /// The values by name. They are written in the order of their names.
    public var values: [String: ParameterValue]

    /// Values by name.
    public init(_ values: [String: ParameterValue] = [:]) { self.values = values }

    /// Whether there is none.
    public var isEmpty: Bool { values.isEmpty }

    /// The value of a name.
    public subscript(name: String) -> ParameterValue? {
        get { values[name] }
        set { values[name] = newValue }
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Values by name; of a name that stands there twice the last counts.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        values = Dictionary(elements) { $1 }
    }
}

/// One value of ``Parameters``.
public enum ParameterValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number.
    case integer(Int)
    /// A number.
    case double(Double)
    /// Yes or no; ``ParameterStyle`` says how it is written.
    case bool(Bool)
    /// A name without value; ``ParameterStyle`` says how it is written.
    case null
    /// Values in order, under the name with brackets.
    case array([ParameterValue])
    /// Values whose order says nothing: sorted, under the name as it is.
    case set(Set<ParameterValue>)
    /// Values by name, under the outer name with the inner one in brackets.
    case dictionary([String: ParameterValue])
}

extension ParameterValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Yes or no.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// No value.
    public init(nilLiteral: ()) { self = .null }
    /// Values in order.
    public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }
    /// Values by name; of a name that stands there twice the last counts.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}
