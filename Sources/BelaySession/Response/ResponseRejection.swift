import BelayCertificates
import FoundationEssentials

/// A response that is not what was asked for. It is kept whole: what a server says about a failure is in its body.
///
/// ```swift
/// do {
///     user = try await session.get("users/1", as: User.self)
/// } catch let rejection as ResponseRejection {
///     let problem = rejection.errorBody(as: Problem.self)
/// }
/// ```
public struct ResponseRejection: Error, Sendable {
    /// What is wrong with it.
    public enum Reason: Sendable, Hashable {
        /// The status code is not among those that are fine.
        case unacceptableStatus(found: Int, accepted: [Range<Int>])
        /// The body is something else than what is fine; nil where the server did not say what it is.
        case unacceptableContentType(found: String?, accepted: [String])
        /// The body cannot be read as what was asked for. The path is where in it, empty for the whole.
        case undecodable(path: String, detail: String)
    }

    /// The response, body included.
    public let response: Response
    /// What is wrong with it.
    public let reason: Reason

    /// A rejection, for interceptors and tests.
    public init(response: Response, reason: Reason) {
        self.response = response
        self.reason = reason
    }

    /// The body where it is JSON, whatever the server says that it is; read anew at each call.
    public var parsed: JSONValue? { errorBody(as: JSONValue.self) }

    /// The body as a type of the caller's, where it is JSON of that form; nil otherwise, and where there is none.
    public func errorBody<Value: Decodable>(
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) -> Value? {
        guard response.hasContent else { return nil }
        return try? response.json(as: type, decoder: decoder)
    }
}

extension ResponseRejection: CustomStringConvertible {
    /// What is wrong, and what would be fine. The body is not repeated.
    public var description: String {
        let server = "'\(printable(Redaction.url(response.url)))' answered \(response.statusCode)"
        return switch reason {
        case .unacceptableStatus(_, let accepted):
            "\(server); accepted are \(Self.list(accepted.map(Self.text)))"
        case .unacceptableContentType(let found?, let accepted):
            "\(server) with content of type '\(printable(found))'; accepted are \(Self.list(accepted))"
        case .unacceptableContentType(nil, let accepted):
            "\(server) with content whose type it does not say; accepted are \(Self.list(accepted))"
        case .undecodable(let path, let detail):
            "\(server), and \(path.isEmpty ? "the body" : "'\(printable(path))' in the body") cannot be read: "
                + printable(detail)
        }
    }

    private static func list(_ parts: [String]) -> String {
        parts.isEmpty ? "none" : parts.map { printable($0) }.joined(separator: ", ")
    }

    private static func text(_ range: Range<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound - 1)"
    }
}
