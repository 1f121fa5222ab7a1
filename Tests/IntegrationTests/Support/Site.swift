import BelayCertificates
import BelayTLS
import BelayTrust
import Foundation
import TestSupport

/// A server as a client knows it: where it is, what it is called, and whom one has to trust for it.
struct Site: Sendable {
    /// The host it is asked for.
    var name = Site.host
    var address = "127.0.0.1"
    let port: UInt16
    /// A file with the anchors, in PEM.
    let anchors: String

    static let host = "www.shop.test"
    static let otherHost = "stock.shop.test"

    private static let client = Result { TLSClient(loop: try EventLoop()) }

    typealias Change = @Sendable (inout TLSOptions) -> Void

    /// The same server through a relay, or under another name.
    func with(port: UInt16? = nil, name: String? = nil) -> Site {
        Site(name: name ?? self.name, address: address, port: port ?? self.port, anchors: anchors)
    }

    func connect(identity: Identity? = nil, _ change: Change = { _ in }) async throws -> TLSConnection {
        var options = TLSOptions()
        options.timeouts = TLSTimeouts(all: .seconds(60))
        change(&options)
        return try await Site.client.get().handshake(
            with: TLSEndpoint(host: name, port: 443), connectTo: TLSEndpoint(host: address, port: port),
            options: options, identity: try identity.map { try TLSIdentity($0) }
        ) { _ in true }
    }

    /// What a policy says of the server. Nothing is sent.
    func verdict(_ policy: SecurityPolicy = .default, _ change: Change = { _ in }) async throws -> Verdict {
        let connection = try await connect(change)
        await connection.close()
        var trust = try ServerTrust(evidence: connection.evidence)
        trust.systemAnchors = AnchorStore(try Certificate.read(contentsOf: anchors))
        let requirements = ConnectionRequirements.transportSecurity
        return policy.evaluate(trust).adding(requirements.findings(for: connection.evidence))
    }

    /// Asks for a page and reads the whole answer.
    func answer(identity: Identity? = nil, _ change: Change = { _ in }) async throws -> String {
        let connection = try await connect(identity: identity, change)
        let limit = Duration.seconds(60)
        if connection.certificateRequest != nil { _ = try await connection.confirm(within: .seconds(1)) }
        try await connection.write(
            Array("GET / HTTP/1.1\r\nHost: \(name)\r\nConnection: close\r\n\r\n".utf8), within: limit)
        var answer: [UInt8] = []
        while case let bytes = try await connection.read(within: limit), !bytes.isEmpty { answer += bytes }
        await connection.close()
        return String(decoding: answer, as: UTF8.self)
    }

    /// Why the server takes no connection, whether it says so in the handshake or right after it; nil when it takes one.
    func refusal(identity: Identity? = nil, _ change: Change = { _ in }) async throws -> TLSError.Reason? {
        do {
            let connection = try await connect(identity: identity, change)
            _ = try await connection.confirm(within: .seconds(60))
            await connection.close()
            return nil
        } catch let error as TLSError {
            return error.reason
        }
    }

    /// Runs `belay check` on it.
    func check(_ more: String...) async throws -> Program.Run {
        let host = address.contains(":") ? "[\(address)]" : address
        return try await Program.run(
            [
                "check", "https://\(name)", "--connect-to", "\(host):\(port)", "--timeout", "30",
                "--no-system-anchors", "--anchor", anchors,
            ] + more)
    }
}

extension Verdict {
    /// The rules of the errors.
    var errors: Set<String> { Set(findings(.error).map(\.rule.identifier)) }
}

extension TLSOptions {
    /// Offers one version only.
    mutating func only(_ version: TLSVersion) {
        minimumVersion = version
        maximumVersion = version
    }
}
