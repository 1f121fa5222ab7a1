/// A value of a property list, and where it stands in the file.
///
/// Nothing that the file says is lost: members of a dictionary keep their order, and one that is named twice is there twice.
public struct PlistNode: Sendable, Hashable {
    /// The value.
    public let value: Value
    /// Where the value begins.
    public let position: PlistPosition
    /// The bytes of the file that the value takes, its tags or quotes included; nil where the encoding of the file makes them
    /// unknown, and in binary files, where values are shared.
    public let range: Range<Int>?
    /// The line, from 1, in which the value ends; nil where it is not known.
    public let endLine: Int?

    /// The kinds of value.
    public enum Value: Sendable, Hashable {
        /// Members in the order of the file.
        case dictionary([PlistMember])
        /// Elements in their order.
        case array([PlistNode])
        /// Text.
        case string(String)
        /// A whole number.
        case integer(Int64)
        /// Another number, or a whole one beyond 64 bits.
        case real(Double)
        /// True or false.
        case boolean(Bool)
        /// A moment, as it is written in XML; in binary files the seconds since 2001.
        case date(String)
        /// Bytes.
        case data([UInt8])
        /// A reference of an archive (`CF$UID`), which only binary files have.
        case uid(UInt64)
    }

    /// Puts a node together.
    public init(
        _ value: Value, position: PlistPosition = .unknown, range: Range<Int>? = nil, endLine: Int? = nil
    ) {
        self.value = value
        self.position = position
        self.range = range
        self.endLine = endLine
    }

    /// What kind of value it is, in a word.
    public var kind: String {
        switch value {
        case .dictionary: "dictionary"
        case .array: "array"
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .boolean: "Boolean"
        case .date: "date"
        case .data: "data"
        case .uid: "UID"
        }
    }

    /// The members of a dictionary; nil for other values.
    public var members: [PlistMember]? {
        if case .dictionary(let members) = value { members } else { nil }
    }

    /// The text of a string; nil for other values.
    public var string: String? {
        if case .string(let text) = value { text } else { nil }
    }
}

/// A key of a dictionary and its value.
public struct PlistMember: Sendable, Hashable {
    /// The key, exactly as it stands.
    public let key: String
    /// Where the key begins.
    public let keyPosition: PlistPosition
    /// The bytes of the key, tags or quotes included; nil as for ``PlistNode/range``.
    public let keyRange: Range<Int>?
    /// The value.
    public let node: PlistNode

    /// Puts a member together.
    public init(
        key: String, keyPosition: PlistPosition = .unknown, keyRange: Range<Int>? = nil, node: PlistNode
    ) {
        self.key = key
        self.keyPosition = keyPosition
        self.keyRange = keyRange
        self.node = node
    }
}

/// A place in a file.
public struct PlistPosition: Sendable, Hashable {
    /// The line, from 1; nil in binary files.
    public let line: Int?
    /// The column in characters, from 1; nil where it is not known.
    public let column: Int?
    /// The byte, from 0; nil where the encoding of the file makes it unknown.
    public let offset: Int?

    /// Names a place.
    public init(line: Int? = nil, column: Int? = nil, offset: Int? = nil) {
        self.line = line
        self.column = column
        self.offset = offset
    }

    /// No place at all: of values that were not read from a file.
    public static let unknown = PlistPosition()
}

extension PlistPosition: CustomStringConvertible {
    /// The place in words, for example `line 12, column 5`, `byte 310`.
    public var description: String {
        guard let line else { return offset.map { "byte \($0)" } ?? "unknown place" }
        return column.map { "line \(line), column \($0)" } ?? "line \(line)"
    }
}

/// A property list: its root, and the form that it was written in.
public struct PlistDocument: Sendable, Hashable {
    /// The form.
    public let format: PlistFormat
    /// The value that everything else is in.
    public let root: PlistNode

    /// Puts a document together.
    public init(format: PlistFormat, root: PlistNode) {
        self.format = format
        self.root = root
    }
}

/// The forms of property lists.
public enum PlistFormat: String, Sendable, Hashable, CaseIterable {
    /// `<plist version="1.0">`.
    case xml
    /// `bplist00`.
    case binary
    /// `{ key = value; }`, the form of NeXTSTEP, which knows dictionaries, arrays, strings and data only.
    case oldStyle = "old-style"
    /// JSON, which is no property list for Apple's systems; cases are written in it.
    case json

    /// Whether, of two members of one name, Apple's systems take the first. (CFPropertyList sets members as it reads them, so
    /// that the last one stays; its binary reader adds them, so that the first one does.)
    public var firstDuplicateCounts: Bool { self == .binary }
}

extension PlistFormat: CustomStringConvertible {
    /// The form's usual name.
    public var description: String {
        switch self {
        case .xml: "XML"
        case .binary, .oldStyle: rawValue
        case .json: "JSON"
        }
    }
}
