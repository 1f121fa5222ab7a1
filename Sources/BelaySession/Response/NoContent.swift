/// What takes the place of a value where a response has none.
///
/// Types that conform can be asked of responses that may be empty: 204, 205, nothing, a single space.
public protocol EmptyRepresentable {
    /// The value that stands for no content.
    static var noContent: Self { get }
}

/// For responses whose content does not matter.
public struct NoContent: Sendable, Hashable, Decodable, EmptyRepresentable {
    /// Nothing.
    public init() {}

    /// Nothing, whatever is there.
    public init(from decoder: any Decoder) {}

    /// Nothing.
    public static let noContent = NoContent()
}

extension Optional: EmptyRepresentable {
    /// nil.
    public static var noContent: Wrapped? { nil }
}

extension JSONValue: EmptyRepresentable {
    /// `null`.
    public static let noContent = JSONValue.null
}
