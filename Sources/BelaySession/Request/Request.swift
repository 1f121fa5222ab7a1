import BelayCertificates

/// What is asked of a server: a value, made before any connection is.
///
/// ```swift
/// let search = Request.get("search", parameters: ["q": "red shoes", "sizes": [41, 42]])
/// let create = Request.post("users", body: try .json(user))
/// ```
public struct Request: Sendable {
    /// What is asked for.
    public var method: HTTPMethod
    /// The URL, or a reference that is relative to the session's base URL, whose path counts as a folder: with
    /// `https://api.example.com/v1` as base, `users/1` is `https://api.example.com/v1/users/1` and `/users/1` is
    /// `https://api.example.com/users/1`.
    public var url: String
    /// Parameters that are added to the URL's query.
    public var query: Parameters
    /// How ``query`` is written.
    public var parameterStyle: ParameterStyle
    /// Header fields beside those that the session sets.
    public var headers: HTTPHeaders
    /// What is sent along.
    public var body: RequestBody
    /// Limits of this request; the session's where nil.
    public var timeouts: RequestTimeouts
    /// What caches on the way are told.
    public var cachePolicy: CachePolicy
    /// Which responses are fine; the session's rule where nil.
    public var acceptance: ResponseAcceptance?

    /// A request with its parts; parameters go into the query whatever the method is.
    public init(
        _ method: HTTPMethod = .get, _ url: String, query: Parameters = [:], headers: HTTPHeaders = [:],
        body: RequestBody = .none
    ) {
        self.method = method
        self.url = url
        self.query = query
        self.headers = headers
        self.body = body
        parameterStyle = .standard
        timeouts = RequestTimeouts()
        cachePolicy = .useProtocolCachePolicy
        acceptance = nil
    }

    /// A request whose parameters go where its method has them: into the query of GET, HEAD and DELETE, else into a form.
    public init(
        _ method: HTTPMethod, _ url: String, parameters: Parameters, style: ParameterStyle = .standard,
        headers: HTTPHeaders = [:]
    ) {
        self.init(method, url, headers: headers)
        parameterStyle = style
        if method.putsParametersIntoURL {
            query = parameters
        } else {
            body = .form(parameters, style: style)
        }
    }
}

extension Request {
    /// The resource as it is.
    public static func get(_ url: String, parameters: Parameters = [:], headers: HTTPHeaders = [:]) -> Request {
        Request(.get, url, query: parameters, headers: headers)
    }

    /// The resource's header alone.
    public static func head(_ url: String, parameters: Parameters = [:], headers: HTTPHeaders = [:]) -> Request {
        Request(.head, url, query: parameters, headers: headers)
    }

    /// To remove the resource.
    public static func delete(_ url: String, parameters: Parameters = [:], headers: HTTPHeaders = [:]) -> Request {
        Request(.delete, url, query: parameters, headers: headers)
    }

    /// To process a body.
    public static func post(_ url: String, body: RequestBody = .none, headers: HTTPHeaders = [:]) -> Request {
        Request(.post, url, headers: headers, body: body)
    }

    /// To process a form.
    public static func post(_ url: String, parameters: Parameters, headers: HTTPHeaders = [:]) -> Request {
        Request(.post, url, parameters: parameters, headers: headers)
    }

    /// To put a body in the resource's place.
    public static func put(_ url: String, body: RequestBody = .none, headers: HTTPHeaders = [:]) -> Request {
        Request(.put, url, headers: headers, body: body)
    }

    /// To put a form in the resource's place.
    public static func put(_ url: String, parameters: Parameters, headers: HTTPHeaders = [:]) -> Request {
        Request(.put, url, parameters: parameters, headers: headers)
    }

    /// To change the resource.
    public static func patch(_ url: String, body: RequestBody = .none, headers: HTTPHeaders = [:]) -> Request {
        Request(.patch, url, headers: headers, body: body)
    }

    /// To change the resource by a form.
    public static func patch(_ url: String, parameters: Parameters, headers: HTTPHeaders = [:]) -> Request {
        Request(.patch, url, parameters: parameters, headers: headers)
    }
}

extension Request: CustomStringConvertible, CustomReflectable {
    /// Method and URL, without what may be secret.
    public var description: String { "\(method) \(printable(Redaction.url(url)))" }

    /// The request as ``description`` has it, and its headers as theirs has them.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "request": description, "headers": headers.fields.map(\.description),
                "bodyBytes": body.bytes?.count ?? 0,
            ])
    }
}
