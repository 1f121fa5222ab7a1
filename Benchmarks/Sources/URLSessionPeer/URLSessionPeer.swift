import Foundation
import FoundationNetworking
import Load

/// The same job as Peers/curl with URLSession. It trusts the machine's store, whatever it is given, and leaves the version of HTTP to
/// the server: both are what it cannot be told.
@main
struct URLSessionPeer {
    static func main() async {
        do {
            let load = try Load(CommandLine.arguments)
            guard let url = URL(string: load.url) else { throw LoadError("\(load.url) is no URL") }
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = load.inFlight
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            let session = URLSession(configuration: configuration)
            let size = load.size
            try await load.run {
                let (body, response) = try await session.data(from: url)
                guard (response as? HTTPURLResponse)?.statusCode == 200, body.count == size else {
                    throw LoadError("not the file that was expected")
                }
            }
        } catch {
            Load.report(error)
        }
    }
}
