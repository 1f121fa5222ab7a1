import BelayCertificates
import BelayTrust

/// The certificates that a server sends, whatever they are worth. The connection is closed.
public struct ServedChain: Sendable {
    /// The certificates, DER, in the order in which they were sent: the leaf should be first. Nobody has judged them, and one may not even
    /// be readable.
    public let certificates: [[UInt8]]
    /// What else the server showed; nil where it did not prove that it has the leaf's key.
    public let evidence: PeerEvidence?
    /// What the server wants to know of the client; nil when it did not ask for a certificate.
    public let certificateRequest: ClientCertificateRequest?
    /// How the handshake failed after the certificates had been sent; nil where it did not.
    public let ending: TLSError?
}

extension TLSOptions {
    /// Offers every suite with which a server shows certificates, however weak, and every version that OpenSSL can speak.
    ///
    /// A connection made with these options is for its certificates alone; nothing may be sent over it.
    public static let everyCertificate: TLSOptions = {
        var options = TLSOptions()
        options.minimumVersion = .tls10
        options.cipherSuites = .openSSL(list: "ALL:!aNULL:!eNULL:!PSK:!SRP:@SECLEVEL=0")
        return options
    }()
}

extension TLSClient {
    /// Fetches the certificates that a server sends. Nothing is judged, and nothing is sent over the connection.
    ///
    /// ```swift
    /// let served = try await client.fetchChain(of: TLSLocation("smtp://mail.example.com"))
    /// let pins = served.certificates.compactMap { try? Certificate(der: $0).pin }
    /// ```
    ///
    /// A server that shows its certificates and then ends the handshake, because it wants a client certificate or cannot prove that it has
    /// the key, has shown them: they are the result, and how it ended stands beside them.
    ///
    /// - Parameters:
    ///   - location: whom to ask.
    ///   - target: dial this host and port instead.
    ///   - serverName: which name to ask for; the location's unless given.
    ///   - timeouts: how long each phase may take.
    /// - Throws: `TLSError` where the server showed no certificate.
    public func fetchChain(
        of location: TLSLocation, connectTo target: TLSEndpoint? = nil,
        serverName: ServerNameIndication = .endpoint, timeouts: TLSTimeouts = TLSTimeouts()
    ) async throws(TLSError) -> ServedChain {
        var options = TLSOptions.everyCertificate
        options.serverName = serverName
        options.startTLS = location.startTLS
        options.timeouts = timeouts
        let shown = Protected<PeerEvidence?>(nil)
        do throws(TLSError) {
            let connection = try await handshake(
                with: location.endpoint, connectTo: target, options: options, identity: nil
            ) { evidence in
                shown.withLock { $0 = evidence }
                return false
            }
            await connection.close()
            return ServedChain(
                certificates: connection.evidence.chain, evidence: connection.evidence,
                certificateRequest: connection.certificateRequest, ending: nil)
        } catch {
            guard error.reason != .cancelled else { throw error }
            if let chain = error.reason.presentedChain {
                return ServedChain(certificates: chain, evidence: nil, certificateRequest: nil, ending: error)
            }
            guard let evidence = shown.withLock({ $0 }) else { throw error }
            var request = ClientCertificateRequest(acceptableIssuers: [])
            if case .clientCertificateRequired(let issuers) = error.reason {
                request = ClientCertificateRequest(acceptableIssuers: issuers)
            }
            return ServedChain(
                certificates: evidence.chain, evidence: evidence, certificateRequest: request, ending: error)
        }
    }
}
