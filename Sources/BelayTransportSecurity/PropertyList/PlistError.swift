import BelayCertificates

/// Why bytes are no property list.
public struct PlistError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// There is nothing.
        case empty
        /// It has more bytes than are read.
        case tooLarge(limit: Int)
        /// It begins like no form of property list.
        case unknownForm
        /// It is not in the encoding that it says or that its form has.
        case encoding(String)
        /// It is not well-formed: what was found where something else was expected.
        case malformed(found: String, expected: String)
        /// Values stand in values deeper than is read.
        case tooDeep(limit: Int)
        /// There are more values than are read. (A binary file can name one value many times.)
        case tooManyValues(limit: Int)
        /// It declares or uses entities, which property lists do not have: a few of them can become gigabytes.
        case entity(String)
        /// A value of a binary file contains itself.
        case cycle
    }

    /// What is wrong.
    public let reason: Reason
    /// The form, where it is known.
    public let format: PlistFormat?
    /// Where.
    public let position: PlistPosition

    init(_ reason: Reason, in format: PlistFormat? = nil, at position: PlistPosition = .unknown) {
        self.reason = reason
        self.format = format
        self.position = position
    }
}

extension PlistError: CustomStringConvertible {
    /// What is wrong, where, and what was expected.
    public var description: String {
        let place = position == .unknown ? "" : " (\(position))"
        let form = format.map { $0 == .xml || $0 == .oldStyle ? "an \($0)" : "a \($0)" } ?? "a"
        let what =
            switch reason {
            case .empty: "it is empty"
            case .tooLarge(let limit): "it is larger than \(limit / 1_048_576) MiB"
            case .unknownForm: "it begins like none of the forms XML, binary and old-style"
            case .encoding(let text): "\(printable(text))"
            case .malformed(let found, let expected): "found \(printable(found)), expected \(printable(expected))"
            case .tooDeep(let limit): "values are nested deeper than \(limit) levels"
            case .tooManyValues(let limit): "it has more than \(limit) values"
            case .entity(let name): "it has the entity '\(printable(name))', which property lists do not have"
            case .cycle: "a value contains itself"
            }
        return "not \(form) property list: \(what)\(place)"
    }
}

/// What a property list may cost.
public struct PlistLimits: Sendable, Hashable {
    /// The most bytes of a file. A hundred thousand exception domains take some 30 MB.
    public var bytes = 64 * 1_048_576
    /// The most values, a shared one counted each time.
    public var values = 2_000_000
    /// The most levels of values in values.
    public var depth = 64

    /// The limits that every reader has unless told otherwise.
    public init() {}
}
