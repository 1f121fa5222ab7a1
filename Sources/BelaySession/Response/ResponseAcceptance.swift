/// Which responses are fine: by status code, and by what the body is.
///
/// ```swift
/// request.acceptance = .json
/// request.acceptance = ResponseAcceptance(statusCodes: [200..<300, 404..<405], contentTypes: ["image/*"])
/// ```
public struct ResponseAcceptance: Sendable, Hashable {
    /// Ranges of status codes that are fine; nil for any.
    public var statusCodes: [Range<Int>]?
    /// Media types that are fine, in the form that ``MediaType/matches(_:)`` reads; nil for any.
    public var contentTypes: [String]?

    /// A rule; 2xx and any type where nothing is said.
    public init(statusCodes: [Range<Int>]? = [200..<300], contentTypes: [String]? = nil) {
        self.statusCodes = statusCodes
        self.contentTypes = contentTypes
    }

    /// 2xx, any type.
    public static let standard = ResponseAcceptance()
    /// Everything.
    public static let any = ResponseAcceptance(statusCodes: nil)
    /// 2xx with JSON under one of its usual names, or a type that is built on it.
    public static let json = ResponseAcceptance(
        contentTypes: ["application/json", "text/json", "text/javascript", "application/*+json"])
    /// 2xx with a property list.
    public static let propertyList = ResponseAcceptance(
        contentTypes: ["application/x-plist", "application/x-apple-plist", "application/x-apple-binary-plist"])
    /// 2xx with text of any kind.
    public static let text = ResponseAcceptance(contentTypes: ["text/*"])

    /// Finds out whether a response is fine.
    ///
    /// The status is looked at first. The type of a response without content says nothing. A response with content whose type
    /// is not given is fine where any type is, and where `*/*` is.
    ///
    /// - Throws: ``ResponseRejection``, with the response in it.
    public func check(_ response: Response) throws(ResponseRejection) {
        if let statusCodes, !statusCodes.contains(where: { $0.contains(response.statusCode) }) {
            throw ResponseRejection(
                response: response, reason: .unacceptableStatus(found: response.statusCode, accepted: statusCodes))
        }
        guard let contentTypes, response.hasContent else { return }
        let mediaType = response.mediaType
        let isFine = contentTypes.contains { pattern in
            mediaType?.matches(pattern) ?? (MediaType(pattern)?.essence == "*/*")
        }
        guard isFine else {
            throw ResponseRejection(
                response: response,
                reason: .unacceptableContentType(
                    found: response.headers.values(of: "Content-Type").last, accepted: contentTypes))
        }
    }
}
