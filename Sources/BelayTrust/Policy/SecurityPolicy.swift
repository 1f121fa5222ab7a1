import BelayCertificates

/// Whom an app trusts besides, or instead of, the system: pins, and which checks hold. It is AFNetworking's
/// `AFSecurityPolicy`, with its settings, its order of evaluation and its results.
///
/// The settings can be written in two ways. AFNetworking's own names allow every combination, also those that contradict
/// themselves (``contradictions(forNamedHost:)`` tells):
///
/// ```swift
/// var policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: certificates)
/// policy.allowInvalidCertificates = true
/// ```
///
/// The other spelling cannot contradict itself, since pins cannot be empty and a policy without pins has no setting that
/// would need them:
///
/// ```swift
/// let policy = SecurityPolicy.pinned(to: PinnedKeys(first, backup))
/// let test = SecurityPolicy.pinned(to: PinnedCertificates(selfSigned), chain: .pinsOnly)
/// ```
///
/// A pin is compared with the path that was built and verified, never with the list that the peer sent: whoever appends
/// the genuine certificate to a chain of his own gains nothing.
public struct SecurityPolicy: Sendable, Hashable {
    /// What of the path is compared with the pins.
    public enum PinningMode: String, Sendable, Hashable, CaseIterable {
        /// Nothing: the system's anchors decide.
        case none
        /// Keys: a certificate renewed with the same key stays accepted.
        case publicKey
        /// Whole certificates, which become the only anchors.
        case certificate
    }

    /// How much of the path must be pinned.
    public enum ChainMatching: String, Sendable, Hashable, CaseIterable {
        /// At least one certificate.
        case any
        /// Every certificate but the root; a path of one must itself be pinned.
        case all
    }

    /// What is compared with the pins.
    public var pinningMode: PinningMode
    /// The pinned certificates; in mode ``PinningMode/publicKey`` their keys count.
    public var pinnedCertificates: [Certificate]
    /// Pinned keys beside those of ``pinnedCertificates``; they have no meaning in mode ``PinningMode/certificate``.
    public var pinnedKeys: Set<SPKIPin>
    /// Whether chains that are not valid against the system's anchors are let through; with pins, only where the pins
    /// match, and only for dates, names, purposes and a missing anchor.
    public var allowInvalidCertificates: Bool
    /// Whether the name of the host is compared with the certificate.
    public var validatesDomainName: Bool
    /// How much of the path must be pinned.
    public var chainMatching: ChainMatching

    /// Puts a policy together under AFNetworking's names.
    public init(
        pinningMode: PinningMode = .none, pinnedCertificates: [Certificate] = [], pinnedKeys: Set<SPKIPin> = [],
        allowInvalidCertificates: Bool = false, validatesDomainName: Bool = true, chainMatching: ChainMatching = .any
    ) {
        self.pinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
        self.pinnedKeys = pinnedKeys
        self.allowInvalidCertificates = allowInvalidCertificates
        self.validatesDomainName = validatesDomainName
        self.chainMatching = chainMatching
    }

    /// AFNetworking's `defaultPolicy`: no pins, valid certificates only, the name is compared.
    public static let `default` = SecurityPolicy()

    /// The keys that mode ``PinningMode/publicKey`` compares.
    public var effectivePins: Set<SPKIPin> { pinnedKeys.union(pinnedCertificates.map(\.pin)) }

    /// Whether the mode compares pins and there are none that it can compare.
    var hasNoUsablePins: Bool {
        switch pinningMode {
        case .none: false
        case .publicKey: pinnedCertificates.isEmpty && pinnedKeys.isEmpty
        case .certificate: pinnedCertificates.isEmpty
        }
    }

    /// AFNetworking's question: whether the server is to be trusted for a host.
    ///
    /// - Parameters:
    ///   - trust: the chain with its anchors; its policies are replaced by the one for the host.
    ///   - domain: the host; nil where there is no name to compare. A text that is no host is refused.
    public func evaluateServerTrust(_ trust: ServerTrust, forDomain domain: String?) -> Bool {
        var trust = trust
        do throws(ServerNameError) {
            trust.policies = [.tlsServer(name: try domain.map(ServerName.named))]
        } catch {
            return false
        }
        return evaluate(trust).isTrusted
    }
}

extension ServerName {
    fileprivate static func named(_ host: String) throws(ServerNameError) -> ServerName { try ServerName(host) }
}
