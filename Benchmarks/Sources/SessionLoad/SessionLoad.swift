import BelayCertificates
import BelaySession
import BelayTrust
import Load

/// The same job as Peers/curl with Belay's session: each request's server is judged by chain, name and pins.
@main
struct SessionLoad {
    /// The argument with which the tasks run on the session's thread.
    private static let ownThread = "--on-session-thread"

    static func main() async {
        do {
            let load = try Load(CommandLine.arguments.filter { $0 != ownThread })
            var configuration = SessionConfiguration()
            configuration.protocols = load.httpVersion == "2" ? .automatic : .http1
            configuration.maximumConnectionsPerHost = load.connections
            configuration.maximumIdleConnections = load.inFlight
            configuration.proxy = .none
            var policy = ConnectionPolicy(securityPolicy: try securityPolicy(load.pins))
            policy.trust.anchors = AnchorStore(try Certificate.read(contentsOf: load.anchors))
            policy.trust.systemAnchors = .none
            let session = try Session(configuration: configuration, policy: policy)
            let request = Request.get(load.url)
            let size = load.size
            let executor = CommandLine.arguments.contains(ownThread) ? session.executor : nil
            try await withTaskExecutorPreference(executor) {
                try await load.run {
                    let response = try await session.send(request)
                    guard response.statusCode == 200, response.body.count == size else {
                        throw LoadError("not the file that was expected")
                    }
                }
            }
        } catch {
            Load.report(error)
        }
    }

    private static func securityPolicy(_ pins: [String]) throws -> SecurityPolicy {
        guard let first = pins.first else { return .default }
        return .pinned(to: PinnedKeys(try SPKIPin(text: first), try SPKIPin(text: pins.last ?? first)))
    }
}
