import BelayTrust

extension PolicyTable {
    /// The table as JSON text in the form of the published one: the same order of keys, one space a level. It ends with
    /// a line break.
    public var json: String {
        let letters = Situation.Letter.allCases
        func setting(_ setting: PolicySetting) -> [(String, JSONText)] {
            [
                ("pinning", .string(setting.pinning.rawValue)),
                ("allowInvalidCertificates", .bool(setting.allowInvalidCertificates)),
                ("validatesDomainName", .bool(setting.validatesDomainName)),
            ]
        }
        let rows = table.map { row in
            let accept = letters.compactMap { letter in row.accept[letter].map { (letter.rawValue, JSONText.bool($0)) }
            }
            return JSONText.object(setting(row.setting) + [("accept", .object(accept))])
        }
        let empty = emptyPins.map { row in
            JSONText.object(setting(row.setting) + [("acceptA", .bool(row.acceptA))])
        }
        let situations = letters.compactMap { letter in
            self.situations[letter].map { (letter.rawValue, JSONText.string($0)) }
        }
        return JSONText.object([
            ("about", .string(about)), ("situations", .object(situations)), ("table", .array(rows)),
            ("emptyPins", .array(empty)),
        ]).text(indentation: 0) + "\n"
    }
}

/// JSON whose objects keep the order of their keys, which an encoder's do not.
private enum JSONText {
    case string(String)
    case bool(Bool)
    case array([JSONText])
    case object([(String, JSONText)])

    func text(indentation: Int) -> String {
        let inner = "\n" + String(repeating: " ", count: indentation + 1)
        let end = "\n" + String(repeating: " ", count: indentation)
        switch self {
        case .bool(let value): return value ? "true" : "false"
        case .string(let value): return JSONText.quoted(value)
        case .array(let values):
            guard !values.isEmpty else { return "[]" }
            return "[" + values.map { inner + $0.text(indentation: indentation + 1) }.joined(separator: ",") + end + "]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let texts = members.map { key, value in
                inner + JSONText.quoted(key) + ": " + value.text(indentation: indentation + 1)
            }
            return "{" + texts.joined(separator: ",") + end + "}"
        }
    }

    /// A string as RFC 8259, section 7 writes it.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
