/// What a body is: `text/html; charset=utf-8` (RFC 9110, section 8.3.1).
public struct MediaType: Sendable, Hashable {
    /// The first part in lower case, for example `text`.
    public let type: String
    /// The second part in lower case, for example `html` or `problem+json`.
    public let subtype: String
    /// The parameters by their names in lower case; of a name that stands there twice the first counts.
    public let parameters: [String: String]

    /// Reads a `Content-Type`; nil where it is none. Parameters that cannot be read are passed over.
    public init?(_ text: String) {
        var parts = Self.split(text).makeIterator()
        guard let first = parts.next() else { return nil }
        let names = first.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2 else { return nil }
        type = String(names[0]).trimmingHeaderSpace().lowercased()
        subtype = String(names[1]).trimmingHeaderSpace().lowercased()
        guard !type.isEmpty, !subtype.isEmpty, type.utf8.allSatisfy(\.isTokenByte),
            subtype.utf8.allSatisfy(\.isTokenByte)
        else { return nil }
        var parameters: [String: String] = [:]
        while let part = parts.next() {
            guard let mark = part.firstIndex(of: "=") else { continue }
            let name = String(part[..<mark]).trimmingHeaderSpace().lowercased()
            let value = Self.unquoted(String(part[part.index(after: mark)...]).trimmingHeaderSpace())
            if !name.isEmpty, parameters[name] == nil { parameters[name] = value }
        }
        self.parameters = parameters
    }

    /// Type and subtype, for example `text/html`.
    public var essence: String { "\(type)/\(subtype)" }

    /// The charset parameter.
    public var charset: String? { parameters["charset"] }

    /// Whether it is one that a pattern means: a type, `text/*`, `*/*`, or `application/*+json` for a structured syntax
    /// (RFC 6839). Neither case nor parameters count.
    public func matches(_ pattern: String) -> Bool {
        guard let pattern = MediaType(pattern) else { return false }
        guard pattern.type == "*" || pattern.type == type else { return false }
        if pattern.subtype == "*" || pattern.subtype == subtype { return true }
        return pattern.subtype.hasPrefix("*+") && subtype.hasSuffix(pattern.subtype.dropFirst())
    }

    /// The parts between semicolons that stand outside quotes.
    private static func split(_ text: String) -> [String] {
        var parts: [String] = []
        var part = ""
        var isQuoted = false
        var isEscaped = false
        for character in text.unicodeScalars {
            if character == ";", !isQuoted {
                parts.append(part)
                part = ""
                continue
            }
            if isEscaped {
                isEscaped = false
            } else if character == "\\", isQuoted {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            }
            part.unicodeScalars.append(character)
        }
        return parts + [part]
    }

    private static func unquoted(_ text: String) -> String {
        guard text.hasPrefix("\"") else { return text }
        var value = ""
        var isEscaped = false
        for character in text.unicodeScalars.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
                continue
            } else if character == "\"" {
                break
            }
            value.unicodeScalars.append(character)
        }
        return value
    }
}

extension MediaType: CustomStringConvertible {
    /// Type and subtype.
    public var description: String { essence }
}
