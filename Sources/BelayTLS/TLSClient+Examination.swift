import BelayCertificates
import BelayTrust

/// What a server showed when it was asked what it is, and whether that meets requirements. The connection is closed.
public struct TLSExamination: Sendable {
    /// What the server showed.
    public let evidence: PeerEvidence
    /// Where the connection falls short of the requirements.
    public let findings: [Finding]
    /// How the handshake under the requirements failed; nil where it did not. The evidence is that of a second one then, in which
    /// everything was offered to find out why.
    public let failure: TLSError?
    /// What the server wants to know of the client; nil when it did not ask for a certificate.
    public let certificateRequest: ClientCertificateRequest?
    /// Whether a client certificate was sent.
    public let sentClientCertificate: Bool
    /// Whether an identity was given and not shown, because the server was not accepted.
    public let withheldIdentity: Bool
    /// The server's word on the client's identity.
    public let confirmation: TLSConnection.Confirmation
    /// How the server ended the connection after it had asked for a certificate and was not accepted; nil where it did not.
    public let ending: TLSError?
}

extension TLSError.Reason {
    fileprivate var certificateRequest: ClientCertificateRequest? {
        switch self {
        case .clientCertificateRequired(let issuers), .clientIdentityWithheld(let issuers):
            ClientCertificateRequest(acceptableIssuers: issuers)
        default: nil
        }
    }
}

extension TLSClient {
    /// Makes a handshake without an identity, as ``examine(_:requirements:cipherSuites:connectTo:startTLS:timeouts:identity:presentingIf:)`` does.
    ///
    /// - Parameters:
    ///   - endpoint: whom the connection is for.
    ///   - requirements: what the connection must be.
    ///   - target: dial this host and port instead.
    ///   - timeouts: how long each phase may take.
    /// - Throws: the `TLSError` of the first handshake, where the second explains nothing either; also where the server ends the
    ///   connection because it gets no certificate.
    public func examine(
        _ endpoint: TLSEndpoint, requirements: ConnectionRequirements = .transportSecurity,
        connectTo target: TLSEndpoint? = nil, timeouts: TLSTimeouts = TLSTimeouts()
    ) async throws(TLSError) -> TLSExamination {
        try await examine(
            endpoint, requirements: requirements, connectTo: target, timeouts: timeouts, identity: nil
        ) { _ in true }
    }

    /// Makes a handshake that offers only what the requirements allow, and says what the server showed.
    ///
    /// Where it fails because the sides agree on nothing, a second handshake offers everything OpenSSL has, to tell which
    /// requirement is not met. No application data is ever sent. Where the server asked for a client certificate, its word on it
    /// is waited for.
    ///
    /// - Parameters:
    ///   - endpoint: whom the connection is for.
    ///   - requirements: what the connection must be.
    ///   - cipherSuites: the suites that are offered; those that the requirements allow when nil.
    ///   - target: dial this host and port instead.
    ///   - startTLS: the protocol in which the server is asked to change to TLS; nil where TLS begins with the first byte.
    ///   - timeouts: how long each phase may take.
    ///   - identity: the client identity to present when the server asks for one and meets the requirements; nil for none.
    ///   - isAccepted: whether the server may see the identity, as in ``handshake(with:connectTo:options:identity:presentingIf:)``.
    ///     Where it says no, what the server showed is the result even if the server ends the connection without a certificate.
    /// - Throws: the `TLSError` of the first handshake, where the second explains nothing either.
    public func examine(
        _ endpoint: TLSEndpoint, requirements: ConnectionRequirements = .transportSecurity,
        cipherSuites: CipherSuiteSelection? = nil, connectTo target: TLSEndpoint? = nil,
        startTLS: StartTLSProtocol? = nil, timeouts: TLSTimeouts = TLSTimeouts(), identity: TLSIdentity?,
        presentingIf isAccepted: @escaping @Sendable (PeerEvidence) -> Bool
    ) async throws(TLSError) -> TLSExamination {
        var options = TLSOptions(requirements: requirements)
        if let cipherSuites { options.cipherSuites = cipherSuites }
        options.startTLS = startTLS
        options.timeouts = timeouts
        let failure: TLSError
        let refused = Protected<PeerEvidence?>(nil)
        do throws(TLSError) {
            let connection = try await handshake(
                with: endpoint, connectTo: target, options: options, identity: identity
            ) { evidence in
                if requirements.findings(for: evidence).isEmpty, isAccepted(evidence) { return true }
                refused.withLock { $0 = evidence }
                return false
            }
            let confirmation = try await confirmAndClose(connection, within: timeouts.handshake)
            return TLSExamination(
                evidence: connection.evidence, findings: requirements.findings(for: connection.evidence), failure: nil,
                certificateRequest: connection.certificateRequest,
                sentClientCertificate: connection.sentClientCertificate, withheldIdentity: connection.withheldIdentity,
                confirmation: confirmation, ending: nil)
        } catch {
            if error.reason != .cancelled, error.reason.presentedChain == nil, let evidence = refused.withLock({ $0 }) {
                return TLSExamination(
                    evidence: evidence, findings: requirements.findings(for: evidence), failure: nil,
                    certificateRequest: error.reason.certificateRequest
                        ?? ClientCertificateRequest(acceptableIssuers: []),
                    sentClientCertificate: false, withheldIdentity: identity != nil, confirmation: .notNeeded,
                    ending: error)
            }
            guard error.phase == .handshake, error.reason.isDisagreement else { throw error }
            failure = error
        }
        options = .everything
        options.startTLS = startTLS
        options.timeouts = timeouts
        let connection: TLSConnection
        do throws(TLSError) {
            // The identity stays at home: this connection only serves to explain.
            connection = try await handshake(with: endpoint, connectTo: target, options: options)
        } catch {
            throw failure
        }
        await connection.close()
        return TLSExamination(
            evidence: connection.evidence,
            findings: requirements.findings(explaining: failure.reason.text, by: connection.evidence), failure: failure,
            certificateRequest: connection.certificateRequest, sentClientCertificate: false, withheldIdentity: false,
            confirmation: .notNeeded, ending: nil)
    }

    /// A server that is content says so at once with a session ticket; one that says nothing is not waited for long.
    private func confirmAndClose(
        _ connection: TLSConnection, within limit: Duration
    ) async throws(TLSError) -> TLSConnection.Confirmation {
        let confirmation = try await connection.confirm(within: min(limit, .seconds(2)))
        await connection.close()
        return confirmation
    }
}
