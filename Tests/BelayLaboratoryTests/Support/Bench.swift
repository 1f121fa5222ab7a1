import BelayLaboratory
import BelayTLS
import BelayTrust
import Foundation
import Testing

/// A laboratory with some servers, and a client.
struct Bench {
    let laboratory: Laboratory
    let client: TLSClient

    /// Runs `body` with a laboratory and stops it afterwards.
    static func run(
        _ kinds: [LaboratoryServer.Kind], body: (Bench) async throws -> Void
    ) async throws {
        let loop = try EventLoop()
        let laboratory = try await Laboratory.start(on: loop, servers: kinds)
        let bench = Bench(laboratory: laboratory, client: TLSClient(loop: loop))
        do { try await body(bench) } catch {
            await laboratory.stop()
            throw error
        }
        await laboratory.stop()
    }

    var world: LaboratoryWorld { laboratory.world }

    /// Connects to a server.
    func connect(
        to kind: LaboratoryServer.Kind, identity: TLSIdentity? = nil, _ change: (inout TLSOptions) -> Void = { _ in }
    ) async throws -> TLSConnection {
        let server = try laboratory.server(kind)
        var options = TLSOptions()
        options.timeouts = TLSTimeouts(all: .seconds(60))
        change(&options)
        return try await client.handshake(
            with: server.endpoint, connectTo: server.target, options: options, identity: identity
        ) { _ in true }
    }

    /// The error that connecting ends with.
    func failure(connectingTo kind: LaboratoryServer.Kind, limit: Duration = .seconds(60)) async -> TLSError? {
        do {
            let connection = try await connect(to: kind) { $0.timeouts.handshake = limit }
            await connection.close()
            return nil
        } catch {
            return error as? TLSError
        }
    }

    /// What a policy says of evidence, with the laboratory's public roots, or those given, as anchors.
    func verdict(
        on evidence: PeerEvidence, policy: SecurityPolicy = .default, anchors: AnchorStore? = nil
    ) throws -> Verdict {
        var trust = try ServerTrust(evidence: evidence)
        trust.systemAnchors = anchors ?? world.systemAnchors
        return policy.evaluate(trust).adding(ConnectionRequirements.transportSecurity.findings(for: evidence))
    }
}

extension Verdict {
    /// The rules of the errors.
    var errors: Set<String> { Set(findings(.error).map(\.rule.identifier)) }
    /// The rules of all findings.
    var rules: Set<String> { Set(findings.map(\.rule.identifier)) }
}

/// The published table.
func publishedTable() throws -> (data: Data, table: PolicyTable) {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/security-policy.json")
    let data = try Data(contentsOf: file)
    return (data, try JSONDecoder().decode(PolicyTable.self, from: data))
}
