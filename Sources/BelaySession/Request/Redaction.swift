/// Texts and values without what may be secret; ``SensitiveNames`` says what that is.
enum Redaction {
    /// A URL or reference without user name and password, and without the values of parameters that sound like a secret.
    static func url(_ text: String) -> String {
        let end = text.utf8.firstIndex { $0 == 0x3F || $0 == 0x23 } ?? text.endIndex
        let origin = withoutUser(text[..<end])
        guard end < text.endIndex else { return origin }
        guard text.utf8[end] == 0x3F else { return origin + fragment(text[end...]) }
        let queryStart = text.utf8.index(after: end)
        let queryEnd = text.utf8[queryStart...].firstIndex(of: 0x23) ?? text.endIndex
        return origin + "?" + form(text[queryStart..<queryEnd]) + fragment(text[queryEnd...])
    }

    /// A fragment, from its number sign on: OAuth's implicit grant (RFC 6749, section 4.2.2) has tokens there, and apps of
    /// one page have a path with a query.
    private static func fragment(_ text: Substring) -> String {
        text.utf8.split(separator: 0x3F, omittingEmptySubsequences: false).map { form(Substring($0)) }
            .joined(separator: "?")
    }

    /// The value of a header field: nothing of it where its name authenticates somebody; otherwise URLs in it as ``url(_:)`` has them.
    static func fieldValue(_ value: String, of name: String) -> String {
        if SensitiveNames.coverHeader(name) { return value.isEmpty ? value : SensitiveNames.redacted }
        let isReference = ["location", "content-location", "referer"].contains(name.lowercased())
        if isReference { return url(value) }
        guard value.utf8.contains(where: { $0 == 0x2F || $0 == 0x3F }) else { return value }
        var output = ""
        var rest = value[...]
        while let start = rest.utf8.firstIndex(where: { !endsURL($0) }) {
            let end = rest.utf8[start...].firstIndex(where: endsURL) ?? rest.endIndex
            output += rest[..<start] + url(String(rest[start..<end]))
            rest = rest[end...]
        }
        return output + rest
    }

    /// Whether a byte can be no part of a URL in a text (RFC 3986, appendix C).
    private static func endsURL(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x22 || byte == 0x3C || byte == 0x3E
    }

    /// A query or form: each value redacted whose name sounds like a secret, everything else as it is.
    static func form(_ text: some StringProtocol) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let mark = pair.firstIndex(of: "="), SensitiveNames.cover(String(pair[..<mark])) else {
                return String(pair)
            }
            return String(pair[...mark]) + SensitiveNames.redacted
        }.joined(separator: "&")
    }

    /// A JSON value: each member redacted whose name sounds like a secret; nil where there is none.
    static func json(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .array(let elements):
            let redacted = elements.map(json)
            guard redacted.contains(where: { $0 != nil }) else { return nil }
            return .array(zip(redacted, elements).map { $0 ?? $1 })
        case .object(let members):
            var output = members
            for (name, member) in members {
                if SensitiveNames.cover(name) {
                    if member != .null { output[name] = .string(SensitiveNames.redacted) }
                } else if let redacted = json(member) {
                    output[name] = redacted
                }
            }
            return output == members ? nil : .object(output)
        default: return nil
        }
    }

    /// What stands before an `@` is redacted where it could be meant as name and password: also where a slash in a password
    /// makes the host end early, so that the port is no number.
    private static func withoutUser(_ text: Substring) -> String {
        guard let at = text.utf8.lastIndex(of: 0x40),
            let slashes = text.utf8.indices.first(where: { text.utf8[$0...].starts(with: [0x2F, 0x2F]) })
        else { return String(text) }
        let start = text.utf8.index(slashes, offsetBy: 2)
        let authority = text.utf8[start...].prefix { $0 != 0x2F }
        let port = authority.lastIndex(of: 0x3A).map { authority[authority.index(after: $0)...] }
        if at >= authority.endIndex, port?.allSatisfy(\.isASCIIDigit) ?? true { return String(text) }
        return text[..<start] + SensitiveNames.redacted + text[at...]
    }
}
