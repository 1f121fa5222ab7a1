extension Parameters {
    /// The parameters as a query or form: names in order, everything percent-encoded but RFC 3986's unreserved characters and
    /// `?` and `/`, which section 3.4 leaves in queries.
    public func encoded(style: ParameterStyle = .standard) -> String {
        guard !isEmpty else { return "" }
        var writer = ParameterWriter(style: style)
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { writer.write(value, as: name) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension RequestBody {
    /// A form: `application/x-www-form-urlencoded`. Without parameters it is an empty body.
    public static func form(_ parameters: Parameters, style: ParameterStyle = .standard) -> RequestBody {
        RequestBody(
            bytes: Array(parameters.encoded(style: style).utf8), contentType: "application/x-www-form-urlencoded")
    }
}

/// Writes pairs one after the other.
private struct ParameterWriter {
    let style: ParameterStyle
    private(set) var bytes: [UInt8] = []

    init(style: ParameterStyle) { self.style = style }

    mutating func write(_ value: ParameterValue, as name: String) {
        switch value {
        case .string(let text): pair(name, text)
        case .integer(let number): pair(name, String(number))
        case .double(let number): pair(name, String(number))
        case .bool(let isTrue): pair(name, text(of: isTrue))
        case .null:
            switch style.nulls {
            case .nameOnly: pair(name, nil)
            case .emptyValue: pair(name, "")
            case .literal: pair(name, "null")
            case .dropped: break
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() { write(element, as: elementName(name, index)) }
        case .set(let elements):
            for element in elements.sorted(by: { sortKey($0) < sortKey($1) }) { write(element, as: name) }
        case .dictionary(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                write(member, as: style.keys == .brackets ? "\(name)[\(key)]" : "\(name).\(key)")
            }
        }
    }

    private func elementName(_ name: String, _ index: Int) -> String {
        switch style.arrays {
        case .brackets: "\(name)[]"
        case .repeatedName: name
        case .indexInBrackets: "\(name)[\(index)]"
        }
    }

    private func text(of isTrue: Bool) -> String {
        switch style.booleans {
        case .numeric: isTrue ? "1" : "0"
        case .literal: isTrue ? "true" : "false"
        }
    }

    /// What a set's elements are sorted by: the text of a single value; what it would be written as otherwise.
    private func sortKey(_ value: ParameterValue) -> String {
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .double(let number): return String(number)
        case .bool(let isTrue): return text(of: isTrue)
        case .null: return ""
        case .array, .set, .dictionary:
            var writer = ParameterWriter(style: style)
            writer.write(value, as: "")
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    private mutating func pair(_ name: String, _ value: String?) {
        if !bytes.isEmpty { bytes.append(0x26) }
        escape(name)
        guard let value else { return }
        bytes.append(0x3D)
        escape(value)
    }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            if URLOctets.isUnreserved(byte) || byte == 0x2F || byte == 0x3F {
                bytes.append(byte)
            } else if byte == 0x20, style.spaces == .plus {
                bytes.append(0x2B)
            } else {
                bytes.appendPercentEncoded(byte)
            }
        }
    }
}
