import BelayCertificates

/// Keys to pin: at least one.
public struct PinnedKeys: Sendable, Hashable {
    /// The pins.
    public let pins: Set<SPKIPin>

    /// Pins keys. Give one that is in use and one in reserve, whose key is kept elsewhere.
    public init(_ first: SPKIPin, _ more: SPKIPin...) {
        pins = Set(more).union([first])
    }

    /// Pins keys; nil without any.
    public init?(_ pins: Set<SPKIPin>) {
        guard !pins.isEmpty else { return nil }
        self.pins = pins
    }
}

/// Certificates to pin: at least one.
public struct PinnedCertificates: Sendable, Hashable {
    /// The certificates.
    public let certificates: [Certificate]

    /// Pins certificates.
    public init(_ first: Certificate, _ more: Certificate...) {
        certificates = [first] + more
    }

    /// Pins certificates; nil without any.
    public init?(_ certificates: [Certificate]) {
        guard !certificates.isEmpty else { return nil }
        self.certificates = certificates
    }
}

extension SecurityPolicy {
    /// Whether the name of the host is compared.
    public enum NameCheck: Sendable, Hashable {
        /// It must be among the certificate's names.
        case required
        /// It is not looked at. Whoever has any certificate that passes otherwise can be any host.
        case skipped
    }

    /// What a chain must be beside pinned.
    public enum ChainCheck: Sendable, Hashable {
        /// Valid against the system's anchors (and those given).
        case systemTrust
        /// Nothing: the pins alone decide, for private authorities and self-signed certificates.
        case pinsOnly
    }

    /// The system's anchors decide.
    public static func systemTrust(name: NameCheck = .required) -> SecurityPolicy {
        SecurityPolicy(validatesDomainName: name == .required)
    }

    /// A key of the path must be pinned.
    public static func pinned(
        to keys: PinnedKeys, chain: ChainCheck = .systemTrust, name: NameCheck = .required,
        matching: ChainMatching = .any
    ) -> SecurityPolicy {
        SecurityPolicy(
            pinningMode: .publicKey, pinnedKeys: keys.pins, allowInvalidCertificates: chain == .pinsOnly,
            validatesDomainName: name == .required, chainMatching: matching)
    }

    /// The path must lead to a pinned certificate, or the leaf be one.
    public static func pinned(
        to certificates: PinnedCertificates, chain: ChainCheck = .systemTrust, name: NameCheck = .required,
        matching: ChainMatching = .any
    ) -> SecurityPolicy {
        SecurityPolicy(
            pinningMode: .certificate, pinnedCertificates: certificates.certificates,
            allowInvalidCertificates: chain == .pinsOnly, validatesDomainName: name == .required,
            chainMatching: matching)
    }

    /// Any certificate of anybody is accepted. For experiments on loopback.
    public static let acceptingAnyCertificate = SecurityPolicy(
        allowInvalidCertificates: true, validatesDomainName: false)
}
