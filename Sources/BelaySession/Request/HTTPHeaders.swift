import BelayCertificates

/// The fields of a request's or a response's header: in order, names without regard to case, names more than once.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// try headers.add("Cache-Control", "no-cache")
/// headers["accept"]                                   // application/json
/// ```
///
/// Nothing that would break out of its line is ever sent: ``set(_:_:)`` and ``add(_:_:)`` refuse it at once, what came by a
/// literal or by subscript is refused when the request is prepared.
public struct HTTPHeaders: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable {
        /// The name, as it was written.
        public let name: String
        /// The value, without white space around.
        public let value: String
    }

    /// A peer's header as it came: most of it is never looked at.
    private var received = HeaderBlock()
    /// The fields after these.
    private var own: [Field] = []

    /// The fields, in order.
    public var fields: [Field] {
        guard !received.isEmpty else { return own }
        var all: [Field] = []
        all.reserveCapacity(received.count + own.count)
        received.forEach { line in
            if let field = Field(line: line) { all.append(field) }
        }
        return all + own
    }

    /// No fields.
    public init() {}

    /// The fields, in this order.
    ///
    /// - Throws: ``HTTPHeaderError`` for the first that cannot be sent.
    public init(_ pairs: some Sequence<(String, String)>) throws(HTTPHeaderError) {
        for (name, value) in pairs { try add(name, value) }
    }

    /// The value of a field, several values joined by a comma as RFC 9110, section 5.2, allows; nil where there is none.
    ///
    /// `Set-Cookie` must not be joined: use ``values(of:)``. Setting replaces all fields of the name, nil removes them; whether
    /// the new one can be sent is found out when the request is prepared.
    public subscript(name: String) -> String? {
        get {
            let values = values(of: name)
            return values.count > 1 ? values.joined(separator: ", ") : values.first
        }
        set {
            guard let newValue else { return remove(name) }
            replace(name, with: Field(name: name, value: newValue.trimmingHeaderSpace()))
        }
    }

    /// Every value of a name, in order.
    public func values(of name: String) -> [String] {
        var values: [String] = []
        received.forEach { line in
            if Field.line(line, isNamed: name), let field = Field(line: line) { values.append(field.value) }
        }
        for field in own where field.isNamed(name) { values.append(field.value) }
        return values
    }

    /// Whether there is a field of this name.
    public func contains(_ name: String) -> Bool {
        own.contains { $0.isNamed(name) } || (!received.isEmpty && !values(of: name).isEmpty)
    }

    /// Puts a field in the place of all of its name.
    ///
    /// - Throws: ``HTTPHeaderError`` where it cannot be sent; nothing has changed then.
    public mutating func set(_ name: String, _ value: String) throws(HTTPHeaderError) {
        replace(name, with: try Field.checked(name, value))
    }

    /// Adds a field after the others, also where the name is there already.
    ///
    /// - Throws: ``HTTPHeaderError`` where it cannot be sent; nothing has changed then.
    public mutating func add(_ name: String, _ value: String) throws(HTTPHeaderError) {
        own.append(try Field.checked(name, value))
    }

    /// Removes all fields of a name.
    public mutating func remove(_ name: String) {
        decode()
        own.removeAll { $0.isNamed(name) }
    }

    /// The fields of a peer's header, whatever they hold. A line without a name is none.
    init(received: HeaderBlock) {
        self.received = received
    }

    /// Makes fields of the lines, so that they can be changed.
    private mutating func decode() {
        guard !received.isEmpty else { return }
        own = fields
        received = HeaderBlock()
    }

    /// Finds the first field that cannot be sent.
    ///
    /// - Throws: ``HTTPHeaderError``.
    func check() throws(HTTPHeaderError) {
        for field in fields { try field.check() }
    }

    private mutating func replace(_ name: String, with field: Field) {
        decode()
        guard let first = own.firstIndex(where: { $0.isNamed(name) }) else { return own.append(field) }
        own[first] = field
        guard own[(first + 1)...].contains(where: { $0.isNamed(name) }) else { return }
        let rest = own[(first + 1)...].filter { !$0.isNamed(name) }
        own.replaceSubrange((first + 1)..., with: rest)
    }
}

extension HTTPHeaders {
    /// Equal are headers with equal fields in the same order.
    public static func == (first: HTTPHeaders, second: HTTPHeaders) -> Bool { first.fields == second.fields }

    /// In keeping with `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

extension HTTPHeaders.Field {
    /// A field as a peer's line has it; nil for a line without a name.
    fileprivate init?(line: UnsafeBufferPointer<UInt8>) {
        guard let colon = line.firstIndex(of: 0x3A), colon > 0 else { return nil }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var start = colon + 1
        var end = line.count
        while start < end, isSpace(line[start]) { start += 1 }
        while end > start, isSpace(line[end - 1]) { end -= 1 }
        self.init(
            name: String(decoding: UnsafeBufferPointer(rebasing: line[..<colon]), as: UTF8.self),
            value: String(decoding: UnsafeBufferPointer(rebasing: line[start..<end]), as: UTF8.self))
    }

    /// Whether a peer's line has this name, whatever the case of either.
    fileprivate static func line(_ line: UnsafeBufferPointer<UInt8>, isNamed name: String) -> Bool {
        let length = name.utf8.count
        guard line.count > length, line[length] == 0x3A else { return false }
        return zip(line, name.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// The fields, in this order; a name may stand there more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        own = elements.map { Field(name: $0, value: $1.trimmingHeaderSpace()) }
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomReflectable {
    /// A line for each field; what authenticates is redacted.
    public var description: String { fields.map(\.description).joined(separator: "\n") }

    /// The fields as ``description`` has them, so that no dump shows more.
    public var customMirror: Mirror {
        Mirror(self, children: ["fields": fields.map(\.description)])
    }
}

extension HTTPHeaders.Field: Hashable, CustomStringConvertible, CustomReflectable {
    /// Equal are fields with the same value whose names differ in case alone.
    public static func == (first: Self, second: Self) -> Bool {
        first.isNamed(second.name) && first.value == second.value
    }

    /// In keeping with `==`.
    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte.asciiLowercased) }
        hasher.combine(value)
    }

    /// `Name: value`; the value of what authenticates is redacted, and so is what may be secret in a URL.
    public var description: String { "\(printable(name)): \(printable(Redaction.fieldValue(value, of: name)))" }

    /// The field as ``description`` has it.
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }

    /// Whether it has this name, whatever the case of either.
    func isNamed(_ other: String) -> Bool { name.equalsIgnoringCase(other) }

    static func checked(_ name: String, _ value: String) throws(HTTPHeaderError) -> Self {
        let field = Self(name: name, value: value.trimmingHeaderSpace())
        try field.check()
        return field
    }

    func check() throws(HTTPHeaderError) {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte) else { throw .name(name) }
        var offset = 0
        for byte in value.utf8 {
            // RFC 9110, section 5.5: visible characters, space, tab and everything from 0x80 on.
            if (byte < 0x20 && byte != 0x09) || byte == 0x7F {
                throw .value(name: name, byte: byte, offset: offset)
            }
            offset += 1
        }
    }
}

/// Why a header field cannot be sent.
public enum HTTPHeaderError: Error, Sendable, Hashable {
    /// The name is empty or holds something else than RFC 9110's token characters.
    case name(String)
    /// The value holds a control character, which would end its line or worse. The value is left out here: it may be secret.
    case value(name: String, byte: UInt8, offset: Int)
}

extension HTTPHeaderError: CustomStringConvertible {
    /// What is wrong and what is wanted.
    public var description: String {
        switch self {
        case .name(let name):
            "'\(printable(name))' is not a header field's name. Use letters, digits and any of !#$%&'*+-.^_`|~"
        case .value(let name, let byte, let offset):
            "the value of '\(printable(name))' holds \(Self.spelling(byte)) at byte \(offset). "
                + "Remove control characters such as line ends"
        }
    }

    private static func spelling(_ byte: UInt8) -> String {
        switch byte {
        case 0x00: "NUL"
        case 0x0A: "a line feed"
        case 0x0D: "a carriage return"
        default: "the control character 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
        }
    }
}
