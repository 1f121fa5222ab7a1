/// Any JSON (RFC 8259), for bodies without a type of their own.
///
/// ```swift
/// let value: JSONValue = ["name": "Ada", "tags": [1, true, nil]]
/// value["tags"]?[0]                                   // 1
/// ```
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Values by name.
    case object([String: JSONValue])

    /// The member of an object; nil where this is none or has none.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The element of an array; nil where this is none or has none.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Without the members of objects that are null, at every depth, in arrays too. An array's own nulls stay: removing them
    /// would move what comes after.
    public func removingNulls() -> JSONValue {
        switch self {
        case .array(let elements): .array(elements.map { $0.removingNulls() })
        case .object(let members): .object(members.filter { $0.value != .null }.mapValues { $0.removingNulls() })
        default: self
        }
    }
}

extension JSONValue {
    /// The text, where it is one.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The whole number, where it is one.
    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    /// The number, where it is one, whole or not.
    public var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// Yes or no, where it is one.
    public var bool: Bool? { if case .bool(let isTrue) = self { isTrue } else { nil } }

    /// The elements, where it is an array.
    public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members, where it is an object.
    public var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}

extension JSONValue: Codable {
    /// Reads any JSON.
    public init(from decoder: any Decoder) throws {
        // Containers first: asking for the wrong kind costs an error, and most of a document's text is in its containers' leaves.
        if let container = try? decoder.container(keyedBy: Name.self) {
            var members: [String: JSONValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(members)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let number = try? container.decode(Int.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .bool(try container.decode(Bool.self))
        }
    }

    /// Writes it.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let isTrue): try isTrue.encode(to: encoder)
        case .integer(let number): try number.encode(to: encoder)
        case .number(let number):
            var container = encoder.singleValueContainer()
            try container.encode(number)
        case .string(let text): try text.encode(to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for (name, member) in members { try container.encode(member, forKey: Name(stringValue: name)) }
        }
    }

    /// A member's name; a name of digits stays one.
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Values in order.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Values by name; of a name that stands there twice the last counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Dictionary(elements) { $1 }) }
}
