/// Which responses are fine.
public struct ResponseAcceptance: Sendable, Hashable {
    /// Ranges of status codes that are fine; nil for any.
    public var statusCodes: [Range<Int>]?
    /// Media types that are fine, `text/*` and `*/*` among them; nil for any.
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
}
