import BelayTrust

/// What comes of a response that may be a redirect: a pure function of it, the request and the policy.
///
/// ```swift
/// var context = RedirectContext(method: .get, url: url, headerNames: ["Authorization"])
/// switch RedirectDecision.next(for: 302, locations: ["/new"], from: context, policy: policy) {
/// case .follow(let hop): context = context.following(hop)
/// case .stop: break
/// case .refuse(let reason): throw reason
/// }
/// ```
public enum RedirectDecision: Sendable, Hashable {
    /// The next request is to be made.
    case follow(RedirectHop)
    /// The response is the answer: no redirect, one that says no place, or one that the mode leaves to the caller.
    case stop
    /// The redirect must not be followed.
    case refuse(RedirectRefusal)

    /// Decides (RFC 9110, section 15.4).
    ///
    /// - Parameters:
    ///   - status: the status code of the response.
    ///   - locations: every value of its `Location` fields.
    ///   - context: the request and the way to it.
    ///   - policy: what the session allows.
    public static func next(
        for status: Int, locations: [String], from context: RedirectContext, policy: RedirectPolicy
    ) -> RedirectDecision {
        // 300 leaves the choice to a person, 304 and 305 are no redirects of this kind (sections 15.4.1, 15.4.5, 15.4.6).
        guard policy.mode != .none, [301, 302, 303, 307, 308].contains(status) else { return .stop }
        let places = locations.map { $0.trimmingHeaderSpace() }
        guard let place = places.first else { return .stop }
        // One server means one place; two are what an attacker makes who can add a header.
        guard places.allSatisfy({ $0 == place }) else { return .refuse(.severalLocations(places.count)) }
        // It would lead to where the request comes from, which no server means; curl sees no redirect in it either.
        guard !place.isEmpty else { return .stop }
        var url: SessionURL
        do throws(SessionURLError) { url = try context.url.resolving(place) } catch {
            return .refuse(.badLocation(error))
        }
        // Section 10.2.2.
        if url.fragment == nil { url = url.with(fragment: context.url.fragment) }
        let isSameOrigin = url.origin == context.url.origin
        guard isSameOrigin || policy.mode != .sameOrigin else { return .stop }
        guard context.hops < policy.limit else { return .refuse(.tooMany(limit: policy.limit)) }
        guard !context.url.isSecure || url.isSecure || policy.allowsDowngrade else {
            return .refuse(.downgrade(from: context.url.origin, to: url.origin))
        }
        return hop(status, to: url, isSameOrigin, from: context, policy)
    }

    private static func hop(
        _ status: Int, to url: SessionURL, _ isSameOrigin: Bool, from context: RedirectContext, _ policy: RedirectPolicy
    ) -> RedirectDecision {
        let method = method(after: context.method, status)
        let keepsBody = context.hasBody && method == context.method
        // A server may set a cookie and send back to the same place; the third time it is a loop.
        guard context.count(method, url) < 2 else { return .refuse(.loop(url.description)) }
        if keepsBody {
            guard isSameOrigin || policy.replaysBodyAcrossOrigins else {
                return .refuse(.bodyToOtherOrigin(from: context.url.origin, to: url.origin))
            }
            guard context.canReplayBody else { return .refuse(.bodyGone) }
        }
        let keepsCredentials = isSameOrigin || policy.keepsCredentialsAcrossOrigins
        let dropped = context.headerNames.filter { name in
            if !isSameOrigin && name.equalsIgnoringCase("Host") { return true }
            if context.hasBody && !keepsBody && describesBody(name) { return true }
            return !keepsCredentials && isSensitive(name, policy)
        }
        return .follow(
            RedirectHop(
                method: method, url: url, keepsBody: keepsBody, dropsHeaders: dropped,
                keepsCredentials: context.keepsCredentials && keepsCredentials,
                keepsIdentity: context.keepsIdentity && (isSameOrigin || policy.keepsIdentityAcrossOrigins),
                isSameOrigin: isSameOrigin))
    }

    /// 303 asks for another resource (section 15.4.4). 301 and 302 turn POST into GET as every browser has done, which sections
    /// 15.4.2 and 15.4.3 allow; 307 and 308 change nothing.
    private static func method(after method: HTTPMethod, _ status: Int) -> HTTPMethod {
        switch status {
        case 303: method == .head ? .head : .get
        case 301, 302: method == .post ? .get : method
        default: method
        }
    }

    /// Headers that say something of a body that is not sent any more (section 15.4).
    private static func describesBody(_ name: String) -> Bool {
        [
            "content-type", "content-length", "content-encoding", "content-language", "content-location", "content-md5",
            "content-digest", "content-disposition", "digest", "repr-digest", "last-modified", "transfer-encoding",
            "expect",
            "trailer",
        ].contains(name.lowercased())
    }

    /// Headers that are for one origin alone.
    private static func isSensitive(_ name: String, _ policy: RedirectPolicy) -> Bool {
        SensitiveNames.coverHeader(name) || policy.sensitiveHeaders.contains { $0.equalsIgnoringCase(name) }
    }
}

/// The next request of a redirect.
public struct RedirectHop: Sendable, Hashable {
    /// Its method.
    public let method: HTTPMethod
    /// Its URL, with the fragment of the one before where it has none of its own (RFC 9110, section 10.2.2).
    public let url: SessionURL
    /// Whether the body is sent again.
    public let keepsBody: Bool
    /// The headers that are left out from here on.
    public let dropsHeaders: [String]
    /// Whether credentials of the caller may be used still.
    public let keepsCredentials: Bool
    /// Whether the session's or the request's identity may be shown still.
    public let keepsIdentity: Bool
    /// Whether scheme, host and port are those of the request before.
    public let isSameOrigin: Bool
}

/// Why a redirect is not followed. Nothing was sent to where it leads.
public enum RedirectRefusal: Error, Sendable, Hashable {
    /// There were more hops than allowed.
    case tooMany(limit: Int)
    /// The same request came round for the third time; its URL as it may be shown.
    case loop(String)
    /// `Location` is no URL that is requested.
    case badLocation(SessionURLError)
    /// There are several `Location` fields that differ; how many.
    case severalLocations(Int)
    /// `https` leads to `http`.
    case downgrade(from: Origin, to: Origin)
    /// The body would go to another origin.
    case bodyToOtherOrigin(from: Origin, to: Origin)
    /// The body would be needed again, and cannot be sent twice.
    case bodyGone
}

extension RedirectRefusal: CustomStringConvertible {
    /// What is wrong, where it would have led, and what to do.
    public var description: String {
        switch self {
        case .tooMany(let limit):
            "the server redirected more than \(limit) times. Ask for the final URL, or raise the limit of the redirect policy"
        case .loop(let url):
            "the server redirects in a circle: '\(url)' came round for the third time. It may want a cookie or a login"
        case .badLocation(let error):
            "the server redirects to something that is not requested: \(error)"
        case .severalLocations(let count):
            "the response has \(count) Location fields that differ, so that nobody can say where it leads. "
                + "The server, or a proxy before it, is at fault"
        case .downgrade(let from, let to):
            "\(from) redirects to \(to), where everything would be sent in the clear. Correct the server's redirect, or allow "
                + "downgrades in the redirect policy and cleartext for that host"
        case .bodyToOtherOrigin(let from, let to):
            "\(from) redirects a request with a body to \(to). Send the request there in the first place, or allow bodies to "
                + "be replayed across origins in the redirect policy"
        case .bodyGone:
            "the redirect asks for the body again, and it was a stream that cannot be sent twice. Give the body as bytes"
        }
    }
}
