extension DistinguishedName: CustomStringConvertible {
    /// The name as RFC 4514 writes it: the last relative name first, special characters escaped.
    ///
    /// An empty name gives an empty text.
    public var description: String {
        relativeNames.reversed().map { relative in
            relative.map(\.description).joined(separator: "+")
        }.joined(separator: ",")
    }
}

extension DistinguishedName.Attribute: CustomStringConvertible {
    /// `TYPE=value`; a value that is not text is written as `#` and the hexadecimal octets of its DER.
    public var description: String {
        let name = Self.shortNames[type.octets] ?? type.description
        guard let text else { return "\(name)=#\(hexadecimal(DERWriter.element(tag, octets)))" }
        return "\(name)=\(Self.escape(text))"
    }

    /// RFC 4514, section 2.4; control characters are escaped too, so that a hostile name cannot steer a terminal.
    private static func escape(_ text: String) -> String {
        var result = ""
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "\"", "+", ",", ";", "<", ">", "\\":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case " " where index == 0 || index == scalars.count - 1:
                result += "\\ "
            case "#" where index == 0:
                result += "\\#"
            case _ where scalar.isUnsafeToPrint:
                for octet in String(scalar).utf8 { result += "\\\(hexadecimal(octet))" }
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// RFC 4514, section 3, and the two that people meet daily.
    private static let shortNames: [[UInt8]: String] = [
        [0x55, 4, 3]: "CN", [0x55, 4, 7]: "L", [0x55, 4, 8]: "ST", [0x55, 4, 10]: "O", [0x55, 4, 11]: "OU",
        [0x55, 4, 6]: "C", [0x55, 4, 9]: "STREET", [0x55, 4, 5]: "serialNumber",
        [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 25]: "DC",
        [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 1]: "UID",
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]: "emailAddress",
    ]
}

extension Unicode.Scalar {
    /// Whether the scalar could steer a terminal or reorder the text around it.
    package var isUnsafeToPrint: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
