import BelayCertificates

/// What a request asks for (RFC 9110, section 9).
///
/// Names are case-sensitive; `HTTPMethod("REPORT")` is one of those that are not listed here.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, as it is sent.
    public let rawValue: String

    /// A method by its name. Whether it can be sent is found out when the request is prepared.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A method by its name, for example `HTTPMethod("PURGE")`.
    public init(_ name: String) { rawValue = name }

    /// A method by its name.
    public init(stringLiteral name: String) { rawValue = name }

    /// The resource as it is.
    public static let get = HTTPMethod("GET")
    /// The resource's header alone.
    public static let head = HTTPMethod("HEAD")
    /// To process what is sent.
    public static let post = HTTPMethod("POST")
    /// To put what is sent in the resource's place.
    public static let put = HTTPMethod("PUT")
    /// To change the resource (RFC 5789).
    public static let patch = HTTPMethod("PATCH")
    /// To remove the resource.
    public static let delete = HTTPMethod("DELETE")
    /// What may be asked of the resource.
    public static let options = HTTPMethod("OPTIONS")
    /// The request as the server received it.
    public static let trace = HTTPMethod("TRACE")
    /// A tunnel; sessions make these themselves where a proxy needs them.
    public static let connect = HTTPMethod("CONNECT")
    /// The resource as a query that is sent describes it; safe, with a body.
    public static let query = HTTPMethod("QUERY")

    /// Whether it changes nothing on the server (RFC 9110, section 9.2.1).
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, .query: true
        default: false
        }
    }

    /// Whether sending it twice does what sending it once does (RFC 9110, section 9.2.2), so that it may be repeated after a
    /// failure.
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// The name.
    public var description: String { printable(rawValue) }

    /// Whether parameters of such a request go into the URL unless the caller says otherwise: GET, HEAD, DELETE.
    var putsParametersIntoURL: Bool { self == .get || self == .head || self == .delete }
}
