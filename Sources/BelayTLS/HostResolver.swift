/// Finds the addresses of a host.
///
/// Give a client a resolver of your own to pin names to addresses, to go through another service, or to test.
public protocol HostResolver: Sendable {
    /// The addresses of `host`, best first, each with `port`.
    ///
    /// - Parameters:
    ///   - host: a name; addresses are never asked for.
    ///   - port: the port that the addresses get.
    ///   - limit: how long it may take. An implementation must give up then, and when its task is cancelled.
    func addresses(of host: String, port: UInt16, within limit: Duration) async throws(ResolutionError)
        -> [SocketAddress]
}

/// Why a name has no addresses.
public enum ResolutionError: Error, Sendable, Hashable {
    /// The name is unknown, or its servers do not answer; the text says which.
    case failed(String)
    /// No answer within the limit.
    case timedOut
    /// The task was cancelled.
    case cancelled
}

extension ResolutionError: CustomStringConvertible {
    /// What happened.
    public var description: String {
        switch self {
        case .failed(let detail): detail
        case .timedOut: "no answer in time"
        case .cancelled: "cancelled"
        }
    }
}
