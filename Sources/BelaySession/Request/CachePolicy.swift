/// What a request says to the caches on its way, under the names that Foundation's `URLRequest.CachePolicy` has.
///
/// A session keeps no cache of its own, so a policy is what it says in the request's header (RFC 9111, section 5.2.1). Where
/// the request has a `Cache-Control` field of its own, that one is sent and the policy says nothing.
public enum CachePolicy: Sendable, Hashable, CaseIterable {
    /// Nothing: caches do as the protocol has it.
    case useProtocolCachePolicy
    /// Nothing: it is about a local cache, and there is none.
    case reloadIgnoringLocalCacheData
    /// No cache may answer without asking the server: `Cache-Control: no-cache`, and `Pragma: no-cache` for caches of HTTP/1.0.
    case reloadIgnoringLocalAndRemoteCacheData
    /// What caches hold is good once the server confirmed it: `Cache-Control: max-age=0`.
    case reloadRevalidatingCacheData
    /// What caches hold is good at any age: `Cache-Control: max-stale`.
    case returnCacheDataElseLoad
    /// Only caches are asked, at any age: `Cache-Control: only-if-cached, max-stale`. A cache without the resource answers 504.
    case returnCacheDataDontLoad

    /// The fields that say it.
    public var headerFields: [(name: String, value: String)] {
        switch self {
        case .useProtocolCachePolicy, .reloadIgnoringLocalCacheData: []
        case .reloadIgnoringLocalAndRemoteCacheData: [("Cache-Control", "no-cache"), ("Pragma", "no-cache")]
        case .reloadRevalidatingCacheData: [("Cache-Control", "max-age=0")]
        case .returnCacheDataElseLoad: [("Cache-Control", "max-stale")]
        case .returnCacheDataDontLoad: [("Cache-Control", "only-if-cached, max-stale")]
        }
    }
}
