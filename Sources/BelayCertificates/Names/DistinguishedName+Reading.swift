extension DistinguishedName {
    /// Reads a name as people write it: `CN=www.example.com,O=Example` (RFC 4514, the innermost first).
    ///
    /// The types are CN, O, OU, C, L, ST, DC, UID, STREET, serialNumber and emailAddress, in any case, or dotted object identifiers; a
    /// comma, plus or equals sign in a value is written with a backslash before it. Spaces around a value do not count.
    ///
    /// - Throws: ``DistinguishedNameTextError``.
    public init(text: String) throws(DistinguishedNameTextError) {
        var relativeNames: [[Attribute]] = []
        for part in Self.split(text, at: ",") {
            var relative: [Attribute] = []
            for item in Self.split(part, at: "+") { relative.append(try Self.attribute(item)) }
            relativeNames.append(relative)
        }
        self.init(relativeNames: relativeNames.reversed())
    }

    private static func attribute(_ item: String) throws(DistinguishedNameTextError) -> Attribute {
        guard let equals = item.firstIndex(of: "=") else { throw .noEquals(item) }
        let type = trimmed(String(item[..<equals]))
        let value = unescaped(trimmed(String(item[item.index(after: equals)...])))
        guard !value.isEmpty else { throw .noValue(type) }
        guard let identifier = OID(shortName: type) ?? OID(dotted: type) else { throw .unknownType(type) }
        let isASCII = identifier.takesASCII
        guard !isASCII || value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { throw .notASCII(type) }
        if identifier == .country, value.utf8.count != 2 { throw .country(value) }
        // ub-common-name and the like (RFC 5280, appendix A.1)
        if identifier == .commonName || identifier == .organization || identifier == .organizationalUnit,
            value.unicodeScalars.count > 64
        {
            throw .tooLong(type)
        }
        let isPrintable = identifier == .country || identifier.octets == [0x55, 4, 5]
        let tag: DERTag = isPrintable ? .printableString : isASCII ? .ia5String : .utf8String
        return Attribute(type: identifier, tag: tag, text: value)
    }

    /// Parts between separators that have no backslash before them.
    private static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if character == separator, !isEscaped {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
            isEscaped = character == "\\" && !isEscaped
        }
        return parts
    }

    private static func trimmed(_ text: String) -> String {
        var part = text[...]
        while part.first == " " { part.removeFirst() }
        while part.last == " ", part.dropLast().last != "\\" { part.removeLast() }
        return String(part)
    }

    private static func unescaped(_ text: String) -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }
}

extension OID {
    /// The type of an attribute by its short name (RFC 4514, section 3), in any case.
    fileprivate init?(shortName: String) {
        let octets: [UInt8]
        switch shortName.lowercased() {
        case "cn": octets = [0x55, 4, 3]
        case "serialnumber": octets = [0x55, 4, 5]
        case "c": octets = [0x55, 4, 6]
        case "l": octets = [0x55, 4, 7]
        case "st": octets = [0x55, 4, 8]
        case "street": octets = [0x55, 4, 9]
        case "o": octets = [0x55, 4, 10]
        case "ou": octets = [0x55, 4, 11]
        case "dc": octets = [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 25]
        case "uid": octets = [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 1]
        case "emailaddress": octets = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]
        default: return nil
        }
        self.init(octets: octets)
    }

    /// Whether RFC 5280 has its value in ASCII.
    fileprivate var takesASCII: Bool {
        self == .country || octets == [0x55, 4, 5] || octets.starts(with: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9])
            || octets == [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 25]
    }
}

/// Why a text is no distinguished name.
public enum DistinguishedNameTextError: Error, Sendable, Hashable {
    /// A part has no equals sign.
    case noEquals(String)
    /// A type without a value.
    case noValue(String)
    /// A type that is not known.
    case unknownType(String)
    /// A value that has to be ASCII and is not.
    case notASCII(String)
    /// A country that is not two letters.
    case country(String)
    /// A value of more than 64 characters.
    case tooLong(String)
}

extension DistinguishedNameTextError: CustomStringConvertible {
    /// What is wrong and what a name looks like.
    public var description: String {
        switch self {
        case .noEquals(let part): "'\(printable(part))' has no '='; write CN=www.example.com,O=Example"
        case .noValue(let type): "'\(printable(type))' has no value; write CN=www.example.com,O=Example"
        case .unknownType(let type):
            "'\(printable(type))' is no known type; use CN, O, OU, C, L, ST, STREET, DC, UID, serialNumber, emailAddress or a "
                + "dotted object identifier"
        case .notASCII(let type): "the value of '\(printable(type))' has to be ASCII"
        case .country(let value): "'\(printable(value))' is no country; use its two letters, for example C=DE"
        case .tooLong(let type):
            "the value of '\(printable(type))' has more than 64 characters, which X.509 does not allow"
        }
    }
}
