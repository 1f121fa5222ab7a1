/// What a session does when a server sends it elsewhere.
///
/// The defaults follow redirects and take nothing along to another origin that was meant for the first: no `Authorization`, no
/// `Cookie` set by hand, no header that sounds like a secret, no identity, no body. Every hop is judged under the rules of its own
/// host besides.
public struct RedirectPolicy: Sendable, Hashable {
    /// Which redirects are followed.
    public enum Mode: Sendable, Hashable, CaseIterable {
        /// All that the other settings allow.
        case follow
        /// Those that stay with scheme, host and port; others are handed over as the response.
        case sameOrigin
        /// None: the redirect is the response.
        case none
    }

    /// Which redirects are followed.
    public var mode = Mode.follow
    /// The most hops. 20 is what browsers take (WHATWG Fetch, HTTP-redirect fetch), more than any honest way is long.
    public var limit = 20
    /// Whether `https` may lead to `http`. The rules of the host must allow cleartext as well.
    public var allowsDowngrade = false
    /// Whether 307 and 308 may take the body of a request to another origin. Without it such a redirect is refused.
    public var replaysBodyAcrossOrigins = false
    /// Whether headers and credentials that authenticate go along to another origin.
    public var keepsCredentialsAcrossOrigins = false
    /// Whether the identity of the session or request is shown to another origin. One that the other host's own rule names is
    /// shown in any case.
    public var keepsIdentityAcrossOrigins = false
    /// Headers that stay with the first origin, beside those that are known to authenticate or sound like it.
    public var sensitiveHeaders: [String] = []

    /// The defaults.
    public init(_ mode: Mode = .follow) { self.mode = mode }
}

/// What a redirect has to know of the request that got it, and of the way there.
public struct RedirectContext: Sendable {
    /// The method of the request.
    public let method: HTTPMethod
    /// Its URL.
    public let url: SessionURL
    /// Whether it has a body.
    public let hasBody: Bool
    /// Whether the body can be sent once more.
    public let canReplayBody: Bool
    /// The names of its headers that the caller, or the session for the caller, has set.
    public let headerNames: [String]
    /// Whether credentials may be used still; once lost on the way they do not come back.
    public let keepsCredentials: Bool
    /// Whether the identity may be shown still; once lost on the way it does not come back.
    public let keepsIdentity: Bool
    /// The requests of the way before this one.
    private let earlier: [Visit]

    struct Visit: Sendable, Hashable {
        let method: HTTPMethod
        let text: String
    }

    /// The hops made so far.
    public var hops: Int { earlier.count }

    /// The first request of a way.
    public init(
        method: HTTPMethod, url: SessionURL, hasBody: Bool = false, canReplayBody: Bool = true,
        headerNames: [String] = []
    ) {
        self.init(
            method: method, url: url, hasBody: hasBody, canReplayBody: canReplayBody, headerNames: headerNames,
            keepsCredentials: true, keepsIdentity: true, earlier: [])
    }

    private init(
        method: HTTPMethod, url: SessionURL, hasBody: Bool, canReplayBody: Bool, headerNames: [String],
        keepsCredentials: Bool, keepsIdentity: Bool, earlier: [Visit]
    ) {
        self.method = method
        self.url = url
        self.hasBody = hasBody
        self.canReplayBody = canReplayBody
        self.headerNames = headerNames
        self.keepsCredentials = keepsCredentials
        self.keepsIdentity = keepsIdentity
        self.earlier = earlier
    }

    /// The request that a hop leads to.
    public func following(_ hop: RedirectHop) -> RedirectContext {
        RedirectContext(
            method: hop.method, url: hop.url, hasBody: hop.keepsBody, canReplayBody: canReplayBody,
            headerNames: headerNames.filter { name in !hop.dropsHeaders.contains { $0.equalsIgnoringCase(name) } },
            keepsCredentials: hop.keepsCredentials, keepsIdentity: hop.keepsIdentity,
            earlier: earlier + [Visit(method: method, text: url.text)])
    }

    /// How often a request was made on the way.
    func count(_ method: HTTPMethod, _ url: SessionURL) -> Int {
        let visit = Visit(method: method, text: url.text)
        return earlier.count { $0 == visit } + (visit == Visit(method: self.method, text: self.url.text) ? 1 : 0)
    }
}
