import FoundationEssentials

/// What a peer showed during a handshake: everything a verdict is made from.
///
/// Evidence is an immutable value. It is collected once, by whatever made the connection, and can be judged then, later,
/// or elsewhere: nothing in it refers to the connection.
public struct PeerEvidence: Sendable, Hashable {
    /// The certificates as the peer sent them: DER, the leaf first, the rest in the order of the wire.
    public let chain: [[UInt8]]
    /// The negotiated protocol version.
    public let version: TLSVersion
    /// The negotiated cipher suite.
    public let cipherSuite: CipherSuite
    /// The named group of the key exchange, for example `x25519`; nil where there was none (a static RSA key exchange).
    public let keyExchangeGroup: String?
    /// The protocol chosen by ALPN, for example `h2`; nil when none was.
    public let applicationProtocol: String?
    /// The stapled OCSP response (RFC 6066, section 8), DER, as sent.
    public let stapledResponse: [UInt8]?
    /// The list of signed certificate timestamps of the TLS extension (RFC 6962, section 3.3), as sent.
    public let timestampList: [UInt8]?
    /// Whether the keys of the session hang on its whole handshake (RFC 7627): so that of TLS 1.2 where client and server agreed on the
    /// extension, and always that of TLS 1.3. nil where that is not known.
    public let hasExtendedMasterSecret: Bool?
    /// The moment the handshake finished.
    public let moment: Date
    /// The host as the caller wrote it: App Transport Security compares this one.
    public let hostLiteral: String
    /// The host normalised (lower case, A-labels, no trailing dot; canonical text of an address): trust compares this one.
    public let host: String
    /// The address and port that answered, for example `192.0.2.1:443`.
    public let peerAddress: String

    /// Puts evidence together. Callers that bring their own TLS stack fill in what that stack tells them.
    public init(
        chain: [[UInt8]], version: TLSVersion, cipherSuite: CipherSuite, keyExchangeGroup: String? = nil,
        applicationProtocol: String? = nil, stapledResponse: [UInt8]? = nil, timestampList: [UInt8]? = nil,
        hasExtendedMasterSecret: Bool? = nil, moment: Date, hostLiteral: String, host: String, peerAddress: String
    ) {
        self.chain = chain
        self.version = version
        self.cipherSuite = cipherSuite
        self.keyExchangeGroup = keyExchangeGroup
        self.applicationProtocol = applicationProtocol
        self.stapledResponse = stapledResponse
        self.timestampList = timestampList
        self.hasExtendedMasterSecret = hasExtendedMasterSecret
        self.moment = moment
        self.hostLiteral = hostLiteral
        self.host = host
        self.peerAddress = peerAddress
    }
}

extension PeerEvidence {
    /// The same evidence with what another connection showed of Certificate Transparency for the same chain.
    package func with(timestampList: [UInt8]?, stapledResponse: [UInt8]?) -> PeerEvidence {
        PeerEvidence(
            chain: chain, version: version, cipherSuite: cipherSuite, keyExchangeGroup: keyExchangeGroup,
            applicationProtocol: applicationProtocol, stapledResponse: stapledResponse, timestampList: timestampList,
            hasExtendedMasterSecret: hasExtendedMasterSecret, moment: moment, hostLiteral: hostLiteral, host: host,
            peerAddress: peerAddress)
    }
}
