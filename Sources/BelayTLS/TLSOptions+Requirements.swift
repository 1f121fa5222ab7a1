import BelayTrust

extension TLSOptions {
    /// Options that offer only what the requirements allow, so that no handshake ends in something else.
    public init(requirements: ConnectionRequirements) {
        self.init()
        minimumVersion = requirements.minimumVersion
        cipherSuites = requirements.requiresForwardSecrecy ? .forwardSecret : .standard
    }

    /// Offers everything that OpenSSL can speak, however weak, to find out what a server speaks.
    ///
    /// A connection made with these options is for its evidence alone; nothing may be sent over it.
    public static let everything: TLSOptions = {
        var options = TLSOptions()
        options.minimumVersion = .tls10
        options.cipherSuites = .openSSL(list: "ALL:COMPLEMENTOFALL:@SECLEVEL=0")
        return options
    }()
}

extension TLSError.Reason {
    /// Whether the sides may have failed to agree on a version, a suite or a strength, so that another offer could succeed.
    public var isDisagreement: Bool {
        switch self {
        case .protocolVersion, .noSharedCipher, .protocolViolation: true
        case .alert(let alert): alert.code != 112
        default: false
        }
    }

    /// Whether the peer speaks TLS and said that it has nothing in common with what was offered.
    public var isRefusalToAgree: Bool {
        switch self {
        case .protocolVersion, .noSharedCipher: true
        default: false
        }
    }

    /// The certificates that the peer showed before the handshake failed, DER, leaf first; nil where they are not known.
    public var presentedChain: [[UInt8]]? {
        switch self {
        case .unreadableCertificate(let chain, _), .keyDoesNotMatchCertificate(let chain): chain
        default: nil
        }
    }
}
