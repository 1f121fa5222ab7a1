/// The parts of a URL or relative reference (RFC 3986, appendix B), each as written, and how they are put together.
struct URLReference: Sendable, Hashable {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?
    var fragment: String?

    /// Takes a text apart; any text has parts.
    init(_ text: String) {
        var rest = text[...]
        scheme = nil
        authority = nil
        query = nil
        fragment = nil
        if let mark = rest.utf8.firstIndex(of: 0x23) {
            fragment = String(rest[rest.utf8.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let mark = rest.utf8.firstIndex(of: 0x3F) {
            query = String(rest[rest.utf8.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let colon = rest.utf8.firstIndex(of: 0x3A), Self.isScheme(rest[..<colon].utf8) {
            scheme = rest[..<colon].lowercased()
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: [0x2F, 0x2F]) {
            rest = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
            let end = rest.utf8.firstIndex(of: 0x2F) ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        }
        path = String(rest)
    }

    /// RFC 3986, section 5.3.
    var text: String {
        var text = ""
        if let scheme { text += "\(scheme):" }
        if let authority { text += "//\(authority)" }
        text += path
        if let query { text += "?\(query)" }
        if let fragment { text += "#\(fragment)" }
        return text
    }

    /// What the reference means where `base` is the URL in effect (RFC 3986, section 5.2.2).
    func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme != nil || authority != nil {
            target.scheme = scheme ?? base.scheme
            target.path = Self.removingDotSegments(path)
            return target
        }
        target.scheme = base.scheme
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.utf8.first == 0x2F {
            target.path = Self.removingDotSegments(path)
        } else if base.authority != nil && base.path.isEmpty {
            target.path = Self.removingDotSegments("/\(path)")
        } else {
            let directory = base.path.utf8.lastIndex(of: 0x2F).map { base.path[...$0] } ?? ""
            target.path = Self.removingDotSegments(directory + path)
        }
        return target
    }

    /// RFC 3986, section 5.2.4.
    static func removingDotSegments(_ path: String) -> String {
        guard path.utf8.contains(0x2E) else { return path }
        var output: [Substring] = []
        let isAbsolute = path.utf8.first == 0x2F
        let segments = (isAbsolute ? path.dropFirst() : path[...]).split(
            separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { output.append("") }
            case "..":
                if !output.isEmpty { output.removeLast() }
                if isLast { output.append("") }
            default: output.append(segment)
            }
        }
        return (isAbsolute ? "/" : "") + output.joined(separator: "/")
    }

    /// The text without what may be secret: a password, and the values of parameters that sound like one.
    var redacted: String {
        var copy = self
        if let authority, let at = authority.utf8.lastIndex(of: 0x40) {
            copy.authority = SensitiveNames.redacted + String(authority[at...])
        }
        copy.query = query.map(FormRedaction.redacted)
        return copy.text
    }

    private static func isScheme(_ bytes: Substring.UTF8View) -> Bool {
        guard let first = bytes.first, first.isASCIILetter else { return false }
        return bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    }
}

/// Queries and forms without what may be secret.
enum FormRedaction {
    /// Each value redacted whose name sounds like a secret; everything else as it is.
    static func redacted(_ form: String) -> String {
        form.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let mark = pair.utf8.firstIndex(of: 0x3D), SensitiveNames.cover(String(pair[..<mark])) else {
                return String(pair)
            }
            return pair[...mark] + SensitiveNames.redacted
        }.joined(separator: "&")
    }
}
