import BelayCertificates
import BelayTrust

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
    /// - Returns: the open connection. No application data has been sent.
    /// - Throws: `TLSError`, also when the task is cancelled; everything opened until then is closed.
    public func handshake(
        with endpoint: TLSEndpoint, connectTo target: TLSEndpoint? = nil, options: TLSOptions = TLSOptions()
    ) async throws(TLSError) -> TLSConnection {
        try await handshake(with: endpoint, connectTo: target, options: options, identity: nil) { _ in false }
    }

    /// Resolves, connects, and makes the handshake, with an identity for a server that asks for one and is accepted.
    ///
    /// A server is judged before it gets to see who the client is. When it asks, it has shown its certificates and proved that it has
    /// their key, and `isAccepted` looks at that; where it says no, the server gets an empty list. (A key exchange with RSA alone,
    /// which only TLS 1.2 and older have, proves the key later. And these versions send certificates in the clear: whoever is on the
    /// network reads the client's as well. TLS 1.3 hides them.)
    ///
    /// ```swift
    /// let connection = try await client.handshake(with: endpoint, identity: identity) { evidence in
    ///     guard var trust = try? ServerTrust(evidence: evidence) else { return false }
    ///     trust.systemAnchors = anchors
    ///     return policy.evaluate(trust).isTrusted
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: whom the connection is for. Its name is sent as SNI, unless it is an address.
    ///   - target: dial this host and port instead, and keep the endpoint's name.
    ///   - options: versions, suites, protocols and timeouts.
    ///   - identity: who the client is; nil for nobody.
    ///   - isAccepted: whether the server may see the identity. It is asked once, in the middle of the handshake, when the server asks
    ///     for a certificate (also where there is none), and not at all otherwise. It runs on the thread that makes the handshake: it must
    ///     be quick, as a verdict is, and must not wait for anything. The connection's verdict is still to be made from its evidence.
    /// - Returns: the open connection. No application data has been sent.
    /// - Throws: `TLSError`, also when the task is cancelled; everything opened until then is closed.
    public func handshake(
        with endpoint: TLSEndpoint, connectTo target: TLSEndpoint? = nil, options: TLSOptions = TLSOptions(),
        identity: TLSIdentity?, presentingIf isAccepted: @escaping @Sendable (PeerEvidence) -> Bool
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
        if let name = options.startTLS {
            do throws(CleartextChannel.Stop) {
                try await StartTLSDialogue.run(name, on: connected.socket, within: options.timeouts.startTLS)
            } catch {
                throw TLSError(
                    endpoint: endpoint, peerAddress: connected.address.description, phase: .startTLS,
                    reason: error.reason)
            }
        }
        let subject = TLSStream.Subject(
            endpoint: endpoint, peerAddress: connected.address.description,
            offered: options.minimumVersion...options.maximumVersion, hasIdentity: identity != nil)
        let answer = CertificateAnswer(identity: identity?.material, subject: subject, presentingIf: isAccepted)
        let stream = try TLSStream(context: context, socket: connected.socket, subject: subject) {
            session throws(Unprepared) in
            try session.prepareClient(
                serverName: options.serverName.name(for: endpoint), applicationProtocols: protocols, answer: answer)
        }
        let handshake = try await stream.handshake(within: options.timeouts.handshake)
        return TLSConnection(
            evidence: handshake.evidence, certificateRequest: handshake.certificateRequest,
            sentClientCertificate: handshake.sentCertificateCount > 0, withheldIdentity: handshake.withheldIdentity,
            stream: stream, timeouts: options.timeouts)
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
