import BelayCertificates
import BelayTrust
import FoundationEssentials

/// Makes TLS connections and collects what servers show.
///
/// It judges nothing: any certificate is taken, and the verdict is made from the connection's evidence.
///
/// ```swift
/// let client = TLSClient(loop: try EventLoop())
/// let endpoint = TLSEndpoint(hostLiteral: "Example.com", host: "example.com", port: 443)
/// let connection = try await client.handshake(with: endpoint)
/// ```
///
/// Connections with equal options share OpenSSL's context; keep one client for all of a program's.
public final class TLSClient: Sendable {
    private let loop: EventLoop
    private let resolver: any HostResolver
    private let contexts = Protected<[TLSContext.Key: TLSContext]>([:])

    /// More combinations of options than this are not kept.
    private static let contextLimit = 64

    /// A client on a loop.
    ///
    /// - Parameters:
    ///   - loop: waits for sockets.
    ///   - resolver: finds the addresses of names; the machine's own when nil.
    public init(loop: EventLoop, resolver: (any HostResolver)? = nil) {
        self.loop = loop
        self.resolver = resolver ?? SystemResolver(loop: loop)
    }

    /// Resolves, connects, and makes the handshake.
    ///
    /// - Parameters:
    ///   - endpoint: whom the connection is for. Its name is sent as SNI, unless it is an address.
    ///   - target: dial this host and port instead, and keep the endpoint's name.
    ///   - options: versions, suites, protocols and timeouts.
    ///   - identity: the client identity to present when the server asks for one.
    /// - Returns: the open connection. No application data has been sent.
    /// - Throws: `TLSError`, also when the task is cancelled; everything opened until then is closed.
    public func handshake(
        with endpoint: TLSEndpoint, connectTo target: TLSEndpoint? = nil, options: TLSOptions = TLSOptions(),
        identity: TLSIdentity? = nil
    ) async throws(TLSError) -> TLSConnection {
        func error(_ phase: TLSError.Phase, _ reason: TLSError.Reason, at address: SocketAddress? = nil) -> TLSError {
            TLSError(endpoint: endpoint, peerAddress: address?.description, phase: phase, reason: reason)
        }
        guard let protocols = TLSContext.wireForm(options.applicationProtocols) else {
            throw error(.prepare, .unusableOptions("an application protocol is empty or longer than 255 bytes"))
        }
        let context: TLSContext
        do { context = try self.context(for: options) } catch {
            throw TLSError(endpoint: endpoint, phase: .prepare, reason: .unusableOptions(error.text))
        }
        let addresses = try await resolve(target ?? endpoint, for: endpoint, within: options.timeouts.resolve)
        let connected: Dialer.Connected
        switch await Dialer(loop: loop).connect(to: addresses, within: options.timeouts.connect) {
        case .success(let made): connected = made
        case .failure(let failure): throw error(.connect, failure.reason, at: failure.address)
        }
        let subject = TLSStream.Subject(
            endpoint: endpoint, peerAddress: connected.address.description,
            offered: options.minimumVersion...options.maximumVersion, hasIdentity: identity != nil)
        let stream = try TLSStream(context: context, socket: connected.socket, subject: subject) {
            session throws(Unprepared) in
            try session.prepareClient(
                serverName: endpoint.serverName, applicationProtocols: protocols, identity: identity?.material)
        }
        let handshake = try await stream.handshake(within: options.timeouts.handshake)
        let negotiated = handshake.negotiated
        let evidence = PeerEvidence(
            chain: handshake.chain, version: negotiated.version, cipherSuite: negotiated.cipherSuite,
            keyExchangeGroup: negotiated.group, applicationProtocol: negotiated.applicationProtocol,
            stapledResponse: handshake.stapledResponse, timestampList: handshake.timestampList, moment: Date(),
            hostLiteral: endpoint.hostLiteral, host: endpoint.host, peerAddress: subject.peerAddress)
        return TLSConnection(
            evidence: evidence, certificateRequest: handshake.certificateRequest,
            sentClientCertificate: handshake.sentCertificateCount > 0, stream: stream, timeouts: options.timeouts)
    }

    private func resolve(
        _ target: TLSEndpoint, for endpoint: TLSEndpoint, within limit: Duration
    ) async throws(TLSError) -> [SocketAddress] {
        if let address = SocketAddress(literal: target.host, port: target.port) { return [address] }
        do throws(ResolutionError) {
            return try await resolver.addresses(of: target.nameToResolve, port: target.port, within: limit)
        } catch {
            let reason: TLSError.Reason =
                switch error {
                case .failed(let detail): .notResolved(detail)
                case .timedOut: .timedOut(limit)
                case .cancelled: .cancelled
                }
            throw TLSError(endpoint: endpoint, phase: .resolve, reason: reason)
        }
    }

    private func context(for options: TLSOptions) throws(TLSContextError) -> TLSContext {
        let key = TLSContext.Key(
            minimumVersion: options.minimumVersion, maximumVersion: options.maximumVersion,
            cipherSuites: options.cipherSuites)
        if let known = contexts.withLock({ $0[key] }) { return known }
        let made = try TLSContext(client: key)
        contexts.withLock { contexts in
            if contexts.count >= TLSClient.contextLimit { contexts.removeAll() }
            contexts[key] = made
        }
        return made
    }
}
