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
    /// The server's word on the client's identity.
    public let confirmation: TLSConnection.Confirmation
}

extension TLSClient {
    /// Makes a handshake that offers only what the requirements allow, and says what the server showed.
    ///
    /// Where it fails because the sides agree on nothing, a second handshake offers everything OpenSSL has, to tell which
    /// requirement is not met. No application data is ever sent. Where the server asked for a client certificate, its word on it
    /// is waited for.
    ///
    /// - Parameters:
    ///   - endpoint: whom the connection is for.
    ///   - requirements: what the connection must be.
    ///   - target: dial this host and port instead.
    ///   - timeouts: how long each phase may take.
    ///   - identity: the client identity to present when the server asks for one.
    /// - Throws: the `TLSError` of the first handshake, where the second explains nothing either.
    public func examine(
        _ endpoint: TLSEndpoint, requirements: ConnectionRequirements = .transportSecurity,
        connectTo target: TLSEndpoint? = nil, timeouts: TLSTimeouts = TLSTimeouts(), identity: TLSIdentity? = nil
    ) async throws(TLSError) -> TLSExamination {
        var options = TLSOptions(requirements: requirements)
        options.timeouts = timeouts
        let failure: TLSError
        do throws(TLSError) {
            let connection = try await handshake(
                with: endpoint, connectTo: target, options: options, identity: identity)
            let confirmation = try await confirmAndClose(connection, within: timeouts.handshake)
            return TLSExamination(
                evidence: connection.evidence, findings: requirements.findings(for: connection.evidence), failure: nil,
                certificateRequest: connection.certificateRequest,
                sentClientCertificate: connection.sentClientCertificate, confirmation: confirmation)
        } catch {
            guard error.phase == .handshake, error.reason.isDisagreement else { throw error }
            failure = error
        }
        options = .everything
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
            certificateRequest: connection.certificateRequest, sentClientCertificate: false, confirmation: .notNeeded)
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
