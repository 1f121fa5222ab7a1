import BelayCertificates
import BelayTLS
import BelayTrust

/// A running server of the laboratory.
public struct LaboratoryServer: Sendable {
    /// What it is.
    public let kind: Kind
    /// The host it is asked for. Nothing resolves it: dial ``address`` and keep this name.
    public let host: String
    /// Where it listens, on loopback.
    public let address: SocketAddress
    /// The certificates it sends, DER, in their order.
    public let chain: [[UInt8]]

    private let server: TLSServer

    init(_ kind: Kind, _ blueprint: Blueprint, on loop: EventLoop) throws(LaboratoryError) {
        do throws(TLSServerError) {
            server = try TLSServer(loop: loop, configuration: blueprint.configuration)
        } catch {
            throw .cannotStart(kind, error)
        }
        self.kind = kind
        host = blueprint.host
        chain = blueprint.chain
        address = .loopbackIPv4(port: server.port)
    }

    /// The leaf it presents; nil where it presents none that can be read.
    public var leaf: Certificate? { chain.first.flatMap { try? Certificate(der: $0) } }

    /// Whom a client connects to: the host by name, at the usual port.
    public var endpoint: TLSEndpoint { TLSEndpoint(host: host, port: 443) }

    /// Where a client has to dial instead.
    public var target: TLSEndpoint { TLSEndpoint(host: address.host, port: address.port) }

    /// What it has seen so far.
    public var statistics: TLSServerStatistics { server.statistics }

    /// Waits until so many connections have ended, in whatever way.
    ///
    /// - Returns: whether that was so within the limit.
    public func waitUntilServed(_ count: Int, within limit: Duration = .seconds(30)) async -> Bool {
        await server.waitUntilServed(count, within: limit)
    }

    func stop() async {
        await server.stop()
    }
}
