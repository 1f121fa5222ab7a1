import BelayCertificates
import BelayTrust

/// What a connection has to meet for App Transport Security: a decision as enforcement needs it.
public struct TransportSecurityRequirements: Sendable, Hashable {
    /// Version and forward secrecy.
    public let connection: ConnectionRequirements
    /// The suites that may be negotiated; nil for whatever the client offers.
    public let cipherSuites: [CipherSuite]?
    /// The smallest RSA key of the leaf, in bits; nil where none is demanded beyond what trust demands.
    public let minimumRSABits: Int?
    /// The smallest key of the leaf on an elliptic curve, in bits; nil as above.
    public let minimumECBits: Int?
    /// Whether the leaf must be signed with SHA-256 or better.
    public let requiresSHA256: Bool
    /// Whether an ATS key demands Certificate Transparency.
    public let requiresCertificateTransparency: Bool
    /// Whether the system's own demand for Certificate Transparency applies.
    public let systemRequiresCertificateTransparency: Bool
    /// The identities that the server must show, whatever anybody overrules; nil where the host is not pinned.
    public let pins: PinnedIdentities?
    /// The package of NIAP's rules that holds; nil for none.
    public let niapPackage: NIAPPackage?
    /// Whether a challenge handler may accept what server trust refuses. Never against ``pins``.
    public let mayTrustBeRelaxed: Bool
}

extension TransportSecurityRequirements {
    /// What meets both: of each demand the stricter one.
    package func united(with other: TransportSecurityRequirements) -> TransportSecurityRequirements {
        let suites =
            switch (cipherSuites, other.cipherSuites) {
            case (let suites?, let others?): suites.filter { suite in others.contains { $0.code == suite.code } }
            case (let suites, let others): suites ?? others
            }
        let pins: PinnedIdentities? =
            switch (pins, other.pins) {
            // Systems either know the same pins of a host, or none.
            case (let pins, nil): pins
            case (_, let others): others
            }
        return TransportSecurityRequirements(
            connection: ConnectionRequirements(
                minimumVersion: max(connection.minimumVersion, other.connection.minimumVersion),
                requiresForwardSecrecy: connection.requiresForwardSecrecy || other.connection.requiresForwardSecrecy),
            cipherSuites: suites, minimumRSABits: [minimumRSABits, other.minimumRSABits].compactMap(\.self).max(),
            minimumECBits: [minimumECBits, other.minimumECBits].compactMap(\.self).max(),
            requiresSHA256: requiresSHA256 || other.requiresSHA256,
            requiresCertificateTransparency: requiresCertificateTransparency || other.requiresCertificateTransparency,
            systemRequiresCertificateTransparency: systemRequiresCertificateTransparency
                || other.systemRequiresCertificateTransparency,
            pins: pins, niapPackage: niapPackage ?? other.niapPackage,
            mayTrustBeRelaxed: mayTrustBeRelaxed && other.mayTrustBeRelaxed)
    }
}

extension TransportSecurityDecision {
    /// What the connection has to meet; nil where the load is refused.
    ///
    /// Cleartext connections have none of it to meet: look at the scheme of the URL first.
    ///
    /// - Parameters:
    ///   - systemDefault: the oldest version where nothing is demanded: Apple leaves that to the default of the system.
    ///   - system: the version that the decision was made for; it has the suites of its time.
    public func requirements(
        systemDefault: TLSVersion = .tls12, on system: SystemVersion = .newest
    ) -> TransportSecurityRequirements? {
        guard isAllowed else { return nil }
        let hasPackage = niapPackage != nil
        return TransportSecurityRequirements(
            connection: ConnectionRequirements(
                minimumVersion: max(demands.minimumVersion ?? systemDefault, hasPackage ? .tls12 : .tls10),
                requiresForwardSecrecy: demands.requiresForwardSecrecy || hasPackage),
            cipherSuites: hasPackage ? Suites.package : demands.suites.members(on: system),
            minimumRSABits: demands.minimumRSABits, minimumECBits: demands.minimumECBits,
            requiresSHA256: demands.limitsHashes, requiresCertificateTransparency: requiresCertificateTransparency,
            systemRequiresCertificateTransparency: systemRequiresCertificateTransparency, pins: pins,
            niapPackage: niapPackage, mayTrustBeRelaxed: isTrustRelaxed)
    }

    /// Why the load is refused; empty where it is allowed.
    public func refusals(for url: TransportSecurityURL, file: String) -> [Finding] {
        guard !isAllowed else { return [] }
        var findings = malformations
        if !malformations.isEmpty || basis == .malformed {
            findings.append(
                Finding(
                    .malformedConfiguration, at: .file(file, keyPath: [], line: nil),
                    "\(printable(file)) has errors, so that it allows nothing", expected: "no errors",
                    found: "\(malformations.count)"))
        }
        let host = url.address?.octets.count == 16 ? "[\(url.host)]" : url.host
        if errorCode != nil {
            findings.append(
                Finding(
                    .cleartext,
                    "\(url.scheme) sends everything in the clear, which App Transport Security refuses. \(why)",
                    expected: "\(url.scheme == "ws" ? "wss" : "https")://\(printable(host))",
                    found: "\(url.scheme)://\(printable(host))"))
        } else if pins?.isUnsatisfiable == true {
            findings.append(
                Finding(
                    .pinnedToNothing, "NSPinnedDomains pins \(printable(host)) to nothing", expected: "pins",
                    found: "none"))
        }
        return findings
    }
}

extension TransportSecurityDecision.Suites {
    /// The suites of the group; nil for whatever the client offers.
    ///
    /// From iOS 18.4 and macOS 15.4 on these are the suites of Apple's published engine; before, those of its documentation, and
    /// ChaCha20, which was accepted without being named there.
    public func members(on system: SystemVersion = .newest) -> [CipherSuite]? {
        let isPublished = SystemRules(system).isPublishedEngine
        switch self {
        case .ats: return Self.ephemeral + (isPublished ? [] : Self.oldEphemeral)
        case .atsCompatibility:
            return Self.ephemeral + (isPublished ? [] : Self.oldEphemeral) + Self.rsa + (isPublished ? [] : Self.oldRSA)
        case .any: return nil
        }
    }

    private static let ephemeral = [
        CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"),
        CipherSuite(code: 0x1302, name: "TLS_AES_256_GCM_SHA384"),
        CipherSuite(code: 0x1303, name: "TLS_CHACHA20_POLY1305_SHA256"),
        CipherSuite(code: 0xC02C, name: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        CipherSuite(code: 0xC02B, name: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
        CipherSuite(code: 0xCCA9, name: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
        CipherSuite(code: 0xC00A, name: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"),
        CipherSuite(code: 0xC009, name: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"),
        CipherSuite(code: 0xC030, name: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
        CipherSuite(code: 0xC02F, name: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
        CipherSuite(code: 0xCCA8, name: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
        CipherSuite(code: 0xC014, name: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"),
        CipherSuite(code: 0xC013, name: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"),
    ]

    private static let oldEphemeral = [
        CipherSuite(code: 0xC024, name: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384"),
        CipherSuite(code: 0xC023, name: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"),
        CipherSuite(code: 0xC028, name: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384"),
        CipherSuite(code: 0xC027, name: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"),
    ]

    private static let rsa = [
        CipherSuite(code: 0x009D, name: "TLS_RSA_WITH_AES_256_GCM_SHA384"),
        CipherSuite(code: 0x009C, name: "TLS_RSA_WITH_AES_128_GCM_SHA256"),
        CipherSuite(code: 0x0035, name: "TLS_RSA_WITH_AES_256_CBC_SHA"),
        CipherSuite(code: 0x002F, name: "TLS_RSA_WITH_AES_128_CBC_SHA"),
    ]

    private static let oldRSA = [
        CipherSuite(code: 0x003D, name: "TLS_RSA_WITH_AES_256_CBC_SHA256"),
        CipherSuite(code: 0x003C, name: "TLS_RSA_WITH_AES_128_CBC_SHA256"),
    ]

    /// Those of NIAP's functional package for TLS: ECDHE with AES-GCM, and those of TLS 1.3 with AES.
    fileprivate static let package = ephemeral.filter { $0.name.contains("_AES_") && $0.name.contains("GCM") }
}
