/// Which private key on which PKCS#11 token: a `pkcs11:` URI (RFC 7512).
///
/// ```swift
/// let uri = try PKCS11URI("pkcs11:token=office;object=client?pin-source=file:/etc/shop/pin")
/// ```
///
/// Attributes narrow the choice down: of the token `token` (its label), `serial`, `manufacturer` and `model`; of the key `object` (its
/// label) and `id`. `module-path` names the PKCS#11 module, and `pin-source` a file whose first line is the PIN. What is not
/// supported is refused by name. A `pin-value` is refused always: arguments and logs are no place for a PIN.
public struct PKCS11URI: Sendable, Hashable {
    /// The token's label.
    public let token: String?
    /// The token's serial number.
    public let serial: String?
    /// Who made the token.
    public let manufacturer: String?
    /// The token's model.
    public let model: String?
    /// The key's label.
    public let object: String?
    /// The key's identifier.
    public let id: [UInt8]?
    /// The PKCS#11 module: an absolute path.
    public let modulePath: String?
    /// The file whose first line is the PIN: an absolute path.
    public let pinFile: String?

    /// Whether a text means a token and not a file: whether it begins with `pkcs11:`.
    public static func isOne(_ text: String) -> Bool {
        text.prefix(scheme.count).lowercased() == scheme
    }

    /// Reads a URI.
    ///
    /// - Throws: ``PKCS11URIError``, which says where it is wrong and shows no value.
    public init(_ text: String) throws(PKCS11URIError) {
        guard Self.isOne(text) else { throw PKCS11URIError(offset: 0, problem: .scheme) }
        let units = Array(text.utf8)
        let start = Self.scheme.utf8.count
        let question = units[start...].firstIndex(of: UInt8(ascii: "?"))
        var found: [String: [UInt8]] = [:]
        try Self.read(units, start..<(question ?? units.count), UInt8(ascii: ";"), Self.pathNames, &found)
        if let question {
            try Self.read(units, question + 1..<units.count, UInt8(ascii: "&"), Self.queryNames, &found)
        }
        token = Self.text(found["token"])
        serial = Self.text(found["serial"])
        manufacturer = Self.text(found["manufacturer"])
        model = Self.text(found["model"])
        object = Self.text(found["object"])
        id = found["id"]
        modulePath = Self.text(found["module-path"])
        pinFile = Self.text(found["pin-source"]).flatMap(Self.file)
    }

    private static let scheme = "pkcs11:"
    private static let pathNames: Set = ["token", "serial", "manufacturer", "model", "object", "id", "type"]
    private static let queryNames: Set = ["module-path", "pin-source"]

    /// Reads the attributes of a part of the URI.
    private static func read(
        _ units: [UInt8], _ part: Range<Int>, _ separator: UInt8, _ names: Set<String>, _ found: inout [String: [UInt8]]
    ) throws(PKCS11URIError) {
        guard !part.isEmpty else { return }
        for attribute in units[part].split(separator: separator, omittingEmptySubsequences: false) {
            let place = attribute.startIndex
            guard let equals = attribute.firstIndex(of: UInt8(ascii: "=")), equals > place else {
                throw PKCS11URIError(offset: place, problem: .noAttribute)
            }
            let name = String(decoding: attribute[..<equals], as: UTF8.self)
            guard name != "pin-value" else { throw PKCS11URIError(offset: place, problem: .pinValue) }
            guard names.contains(name) else { throw PKCS11URIError(offset: place, problem: .unsupported(name)) }
            guard found[name] == nil else { throw PKCS11URIError(offset: place, problem: .repeated(name)) }
            let value = try decode(attribute[(equals + 1)...], isQuery: separator == UInt8(ascii: "&"))
            if let reason = fault(name, value) {
                throw PKCS11URIError(offset: equals + 1, problem: .value(of: name, reason))
            }
            found[name] = value
        }
    }

    /// Undoes the percent-encoding of a value.
    private static func decode(_ value: ArraySlice<UInt8>, isQuery: Bool) throws(PKCS11URIError) -> [UInt8] {
        var result: [UInt8] = []
        var index = value.startIndex
        while index < value.endIndex {
            let unit = value[index]
            if unit == UInt8(ascii: "%") {
                guard value.endIndex - index > 2,
                    let octet = bytes(hexadecimal: String(decoding: value[index + 1...index + 2], as: UTF8.self))
                else { throw PKCS11URIError(offset: index, problem: .encoding) }
                result += octet
                index += 3
            } else {
                guard isAllowed(unit, isQuery) else { throw PKCS11URIError(offset: index, problem: .character) }
                result.append(unit)
                index += 1
            }
        }
        return result
    }

    /// Whether a character may stand for itself (RFC 7512, section 2.3: `pk11-pchar`, `pk11-qchar`).
    private static func isAllowed(_ unit: UInt8, _ isQuery: Bool) -> Bool {
        switch unit {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "&"): !isQuery
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "|"): isQuery
        default: "-._~:[]@!$'()*+,=".utf8.contains(unit)
        }
    }

    /// What is wrong with a value, as after "its value".
    private static func fault(_ name: String, _ value: [UInt8]) -> String? {
        if name == "id" { return value.isEmpty ? "is empty" : nil }
        guard let text = String(validating: value, as: UTF8.self) else { return "is not UTF-8" }
        if value.contains(0) { return "holds a zero byte" }
        switch name {
        case "type" where text != "private":
            return "is not \"private\": what is wanted is the private key, and its certificate is found by it"
        case "module-path" where !text.hasPrefix("/"): return "is no absolute path"
        case "pin-source" where file(text) == nil: return "is no file: URI, as in file:/etc/shop/pin"
        default: return nil
        }
    }

    /// The path of a file: URI on this machine.
    private static func file(_ text: String) -> String? {
        for prefix in ["file:///", "file:/"] where text.hasPrefix(prefix) {
            let path = "/" + text.dropFirst(prefix.count)
            return path.count > 1 && !path.hasPrefix("//") ? path : nil
        }
        return nil
    }

    private static func text(_ value: [UInt8]?) -> String? { value.map { String(decoding: $0, as: UTF8.self) } }
}

extension PKCS11URI: CustomStringConvertible {
    /// The URI with its attributes in one order; there is nothing secret in it.
    public var description: String {
        var query: [String] = []
        if let pinFile { query.append("pin-source=file:\(Self.encoded(pinFile.utf8, keeping: "/"))") }
        if let modulePath { query.append("module-path=\(Self.encoded(modulePath.utf8, keeping: "/"))") }
        return Self.scheme + (tokenWords + keyWords).joined(separator: ";")
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The attributes of the token, as they are written.
    var tokenWords: [String] {
        Self.words([("model", model), ("manufacturer", manufacturer), ("serial", serial), ("token", token)])
    }

    /// The attributes of the key, as they are written.
    var keyWords: [String] {
        Self.words([("object", object)]) + (id.map { ["id=" + $0.map { "%" + hexadecimal($0) }.joined()] } ?? [])
    }

    private static func words(_ attributes: [(String, String?)]) -> [String] {
        attributes.compactMap { name, value in value.map { "\(name)=\(encoded($0.utf8))" } }
    }

    private static func encoded(_ units: String.UTF8View, keeping others: String = "") -> String {
        units.map { unit in
            isAllowed(unit, false) && unit != UInt8(ascii: "&") || others.utf8.contains(unit)
                ? String(decoding: [unit], as: UTF8.self) : "%" + hexadecimal(unit)
        }.joined()
    }
}

/// What is wrong with a `pkcs11:` URI. It shows names of attributes and never a value, which might be a PIN.
public struct PKCS11URIError: Error, Sendable, Hashable {
    /// How many bytes stand before the fault.
    public let offset: Int
    /// What it is.
    public let problem: Problem

    /// A fault.
    public enum Problem: Sendable, Hashable {
        /// It does not begin with `pkcs11:`.
        case scheme
        /// An attribute with name and value was expected.
        case noAttribute
        /// There is a `pin-value`.
        case pinValue
        /// An attribute that is not supported, or stands on the wrong side of the question mark.
        case unsupported(String)
        /// An attribute is there twice.
        case repeated(String)
        /// A character that has to be percent-encoded.
        case character
        /// A percent sign without two hexadecimal digits.
        case encoding
        /// The value of an attribute, and what is wrong with it.
        case value(of: String, String)
    }
}

extension PKCS11URIError: CustomStringConvertible {
    /// What is wrong, where, and what to do.
    public var description: String {
        "the pkcs11: URI is wrong at byte \(offset + 1): \(problem)"
    }
}

extension PKCS11URIError.Problem: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .scheme: "it does not begin with \"pkcs11:\""
        case .noAttribute: "expected an attribute as in token=office;object=client"
        case .pinValue:
            "it holds a pin-value, and everybody on this machine may read what stands in arguments. Leave it out, give the PIN by "
                + "file, descriptor or variable (or pin-source=file:/…), and change the PIN, since others may have seen it"
        case .unsupported(let name):
            "\"\(printable(name))\" is not supported here. Before the question mark stand token, serial, manufacturer, model, object, id "
                + "and type, after it module-path and pin-source"
        case .repeated(let name): "\"\(name)\" is there a second time. Leave one"
        case .character: "this character must be percent-encoded (a space is %20)"
        case .encoding: "expected two hexadecimal digits after the percent sign"
        case .value(let name, let reason): "the value of \"\(name)\" \(reason)"
        }
    }
}
