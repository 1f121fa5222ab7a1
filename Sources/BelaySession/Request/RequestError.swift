import BelayCertificates

/// Why a request cannot be sent as it is. Nothing has been sent.
public enum RequestError: Error, Sendable, Hashable {
    /// The method is no token (RFC 9110, section 9.1).
    case method(String)
    /// A header field would not survive on the wire.
    case header(HTTPHeaderError)
    /// The session sets this field itself; another value would let two servers read one request in two ways.
    case framingHeader(String)
    /// The URL is none.
    case url(String, URLProblem)
    /// The session's base URL is none.
    case baseURL(String, URLProblem)

    /// What is wrong with a URL.
    public enum URLProblem: Error, Sendable, Hashable {
        /// It holds a control character, at this byte.
        case controlCharacter(offset: Int)
        /// It has no scheme and host, and there is no base URL.
        case relativeWithoutBase
        /// The scheme is neither `http` nor `https`.
        case scheme(String)
        /// There is no host.
        case noHost
        /// The host, or what stands before or after it, holds a character that has no place there.
        case authority
    }
}

extension RequestError: CustomStringConvertible {
    /// What is wrong and what is wanted.
    public var description: String {
        switch self {
        case .method(let name):
            "'\(printable(name))' is not a method. Use letters, for example GET"
        case .header(let error): "\(error)"
        case .framingHeader(let name):
            "the header field '\(printable(name))' is set by the session from the body. Leave it out"
        case .url(let url, let problem): Self.describe("the URL", url, problem)
        case .baseURL(let url, let problem): Self.describe("the base URL", url, problem)
        }
    }

    private static func describe(_ subject: String, _ url: String, _ problem: URLProblem) -> String {
        let quoted = "\(subject) '\(printable(URLReference(url).redacted))'"
        return switch problem {
        case .controlCharacter(let offset):
            "\(quoted) holds a control character at byte \(offset). Remove it, or percent-encode what is data"
        case .relativeWithoutBase:
            "\(quoted) has no scheme and host, and the session has no base URL. Write https://host/path"
        case .scheme(let scheme):
            "\(quoted) begins with '\(printable(scheme)):', which is neither https nor http. Write https://host/path"
        case .noHost: "\(quoted) has no host. Write https://host/path"
        case .authority:
            "\(quoted) holds a character in or around the host that has no place there. Write https://host:port/path"
        }
    }
}
