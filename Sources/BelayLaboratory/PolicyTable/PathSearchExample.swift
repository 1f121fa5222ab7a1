import BelayTLS
import BelayTrust

/// A server of the laboratory whose chain makes the search for a path interesting, and the verdict on it with its story.
public struct PathSearchExample: Sendable {
    /// The server.
    public let kind: LaboratoryServer.Kind
    /// The host it was asked for.
    public let host: String
    /// What the system's anchors alone say about it, with `Verdict`.
    public let verdict: Verdict

    /// The servers that examples are taken from.
    public static let kinds: [LaboratoryServer.Kind] = [.crossSigned, .oldRoot, .missingIntermediate, .shuffledChain]

    /// Meets the servers of ``kinds``, and judges what they send by the laboratory's public roots.
    ///
    /// - Throws: ``LaboratoryError/notStarted(_:)`` where one of them does not run, and `TLSError` where one is not reached.
    public static func measure(in laboratory: Laboratory, with client: TLSClient) async throws -> [PathSearchExample] {
        var examples: [PathSearchExample] = []
        for kind in kinds {
            let server = try laboratory.server(kind)
            var options = TLSOptions()
            // Nothing is slow on loopback but a machine that has too much to do.
            options.timeouts = TLSTimeouts(all: .seconds(60))
            let connection = try await client.handshake(
                with: server.endpoint, connectTo: server.target, options: options)
            var trust = try ServerTrust(evidence: connection.evidence)
            await connection.close()
            trust.systemAnchors = laboratory.world.systemAnchors
            trust.explains = true
            examples.append(
                PathSearchExample(kind: kind, host: server.endpoint.host, verdict: trust.evaluate()))
        }
        return examples
    }
}
