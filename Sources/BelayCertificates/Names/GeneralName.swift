/// A name of any of the kinds that alternative names and name constraints use (RFC 5280, section 4.2.1.6).
public enum GeneralName: Sendable, Hashable {
    /// A DNS name, as written in the certificate; it may be a wildcard, or nonsense.
    case dns(String)
    /// An IP address: 4 or 16 octets in a name, 8 or 32 (address and mask) in a constraint, but any count can be met.
    case ipAddress([UInt8])
    /// An e-mail address (rfc822Name).
    case email(String)
    /// A URI.
    case uri(String)
    /// A distinguished name.
    case directory(DistinguishedName)
    /// A registered object identifier.
    case registeredID(OID)
    /// A name of a type that the object identifier tells, not decoded.
    case other(type: OID, value: [UInt8])
    /// An X.400 address or EDI party name, not decoded, by its tag number.
    case unsupported(tag: UInt8, value: [UInt8])
}

extension GeneralName {
    /// Reads a GeneralName.
    init(_ reader: inout DERReader) throws(DERError) {
        guard let tag = reader.nextTag else { throw DERError(.truncated, at: reader.position) }
        switch tag {
        case .contextPrimitive(2): self = .dns(try Self.readText(&reader, tag))
        case .contextPrimitive(1): self = .email(try Self.readText(&reader, tag))
        case .contextPrimitive(6): self = .uri(try Self.readText(&reader, tag))
        case .contextPrimitive(7): self = .ipAddress(Array(reader.bytes[try reader.read(tag)]))
        case .contextPrimitive(8):
            self = .registeredID(OID(octets: reader.bytes[try reader.readObjectIdentifier(tag)]))
        case .contextConstructed(4):
            let outer = try reader.enter(tag)
            self = .directory(DistinguishedName(reader.bytes, in: try CertificateLayout.readName(&reader)))
            try reader.leave(outer)
        case .contextConstructed(0):
            let outer = try reader.enter(tag)
            let type = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
            let value = try reader.read(.contextConstructed(0))
            self = .other(type: type, value: Array(reader.bytes[value]))
            try reader.leave(outer)
        case .contextConstructed(3), .contextConstructed(5):
            self = .unsupported(tag: tag.rawValue & 0x1F, value: Array(reader.bytes[try reader.read(tag)]))
        default:
            throw DERError(.other("\(tag) is no kind of GeneralName"), at: reader.position)
        }
    }

    /// IA5String: ASCII only.
    @inline(__always)
    private static func readText(_ reader: inout DERReader, _ tag: DERTag) throws(DERError) -> String {
        let contents = try reader.read(tag)
        for index in contents where reader.bytes[index] >= 0x80 {
            throw DERError(.other("a name holds a byte that is not ASCII"), at: index)
        }
        return String(decoding: reader.bytes[contents], as: UTF8.self)
    }

    /// GeneralNames: a SEQUENCE that must not be empty.
    static func readList(
        _ reader: inout DERReader, _ tag: DERTag = .sequence
    ) throws(DERError) -> [GeneralName] {
        let start = reader.position
        let outer = try reader.enter(tag)
        guard !reader.isAtEnd else { throw DERError(.empty, at: start) }
        var names: [GeneralName] = []
        while !reader.isAtEnd { names.append(try GeneralName(&reader)) }
        try reader.leave(outer)
        return names
    }
}

extension GeneralName: CustomStringConvertible {
    /// Kind and value, for example `DNS:www.example.com` or `IP:192.0.2.1`.
    public var description: String {
        switch self {
        case .dns(let name): "DNS:\(printable(name))"
        case .ipAddress(let octets): "IP:\(IPAddress.text(octets))"
        case .email(let address): "email:\(printable(address))"
        case .uri(let uri): "URI:\(printable(uri))"
        case .directory(let name): "directory:\(name)"
        case .registeredID(let identifier): "registeredID:\(identifier)"
        case .other(let type, _): "otherName:\(type)"
        case .unsupported(let tag, _): "name of kind [\(tag)]"
        }
    }
}

/// Text from outside as it may be printed: everything that could steer a terminal is written as an escape.
package func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isUnsafeToPrint) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        if scalar.isUnsafeToPrint {
            result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}
