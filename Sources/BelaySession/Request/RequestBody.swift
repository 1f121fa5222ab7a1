import BelayCertificates
import FoundationEssentials

/// What a request sends along: bytes, and what they are.
///
/// A body is encoded when it is made, so that what cannot be encoded is known before anything is sent.
///
/// ```swift
/// request.body = try .json(user)
/// request.body = .text("hello")
/// ```
public struct RequestBody: Sendable, Hashable {
    /// The bytes; nil where there is no body, which is not the same as an empty one.
    public let bytes: [UInt8]?
    /// What the bytes are, for `Content-Type`; nil to say nothing. A `Content-Type` in the request's headers wins.
    public let contentType: String?

    /// No body.
    public static let none = RequestBody(bytes: nil, contentType: nil)

    /// Bytes as they are.
    public static func bytes(_ bytes: [UInt8], contentType: String? = "application/octet-stream") -> RequestBody {
        RequestBody(bytes: bytes, contentType: contentType)
    }

    /// Text in UTF-8.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - contentType: what it is, with the charset.
    public static func text(_ text: String, contentType: String? = "text/plain; charset=utf-8") -> RequestBody {
        RequestBody(bytes: Array(text.utf8), contentType: contentType)
    }

    /// A value as JSON.
    ///
    /// - Throws: ``BodyError`` naming the part that JSON cannot have, for example a number that is none.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = JSONEncoder(), contentType: String? = "application/json"
    ) throws(BodyError) -> RequestBody {
        do {
            return RequestBody(bytes: Array(try encoder.encode(value)), contentType: contentType)
        } catch {
            throw BodyError(.json, error)
        }
    }

    /// A value as a property list, in XML unless `format` says binary.
    ///
    /// - Throws: ``BodyError`` naming the part that property lists cannot have; a single string or number is no property list here.
    public static func propertyList(
        _ value: some Encodable, format: PropertyListDecoder.PropertyListFormat = .xml,
        contentType: String? = "application/x-plist"
    ) throws(BodyError) -> RequestBody {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        do {
            return RequestBody(bytes: Array(try encoder.encode(value)), contentType: contentType)
        } catch {
            throw BodyError(.propertyList, error)
        }
    }
}

/// Why a value became no body.
public struct BodyError: Error, Sendable, Hashable {
    /// What the value was to become.
    public enum Format: String, Sendable, Hashable {
        /// JSON.
        case json = "JSON"
        /// A property list.
        case propertyList = "a property list"
        /// Parameters of a query or form.
        case parameters = "parameters"
    }

    /// What it was to become.
    public let format: Format
    /// Where in the value it failed: keys, and indices in brackets; empty for the value itself.
    public let path: String
    /// What is wrong there.
    public let detail: String

    init(_ format: Format, path: String, detail: String) {
        self.format = format
        self.path = path
        self.detail = detail
    }

    init(_ format: Format, _ error: any Error) {
        if let error = error as? BodyError {
            self = error
        } else if case EncodingError.invalidValue(_, let context) = error {
            self.init(format, path: context.codingPath.pathText, detail: context.debugDescription)
        } else {
            self.init(format, path: "", detail: "\(error)")
        }
    }
}

extension BodyError: CustomStringConvertible {
    /// What is wrong and where. It never repeats the value.
    public var description: String {
        let place = path.isEmpty ? "the value" : "the value at '\(printable(path))'"
        return "\(place) cannot be written as \(format.rawValue): \(printable(detail))"
    }
}

extension Array where Element == any CodingKey {
    /// `users[2].name`.
    var pathText: String {
        var text = ""
        for key in self {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text
    }
}
