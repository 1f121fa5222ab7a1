import BelayCertificates

/// Why a request cannot be sent as it is. Nothing has been sent.
public enum RequestError: Error, Sendable, Hashable {
    /// The method is no token (RFC 9110, section 9.1).
    case method(String)
    /// A header field would not survive on the wire.
    case header(HTTPHeaderError)
    /// The session sets this field itself; another value would let two servers read one request in two ways.
    case framingHeader(String)
    /// The URL is none that sessions request.
    case url(SessionURLError)
}

extension RequestError: CustomStringConvertible {
    /// What is wrong and what is wanted.
    public var description: String {
        switch self {
        case .method(let name): "'\(printable(name))' is not a method. Use letters, for example GET"
        case .header(let error): "\(error)"
        case .framingHeader(let name):
            "the header field '\(printable(name))' is set by the session from the body. Leave it out"
        case .url(let error): "\(error)"
        }
    }
}
