import BelayCertificates
import BelayTrust

/// What App Transport Security says about one URL: refused, or what the connection must be.
public struct TransportSecurityDecision: Sendable, Hashable {
    /// Whether the load may go on, given a server that meets what is demanded.
    public let isAllowed: Bool
    /// Apple's code for a load that is refused before a packet is sent, -1022
    /// (`NSURLErrorAppTransportSecurityRequiresSecureConnection`); nil otherwise. Failures of connections have codes of their own.
    public let errorCode: Int?
    /// Whether HTTPS is required for the host, whatever the scheme of the URL is.
    public let requiresHTTPS: Bool
    /// What is added to a TLS connection to the host.
    public let demands: TLSDemands
    /// Whether an ATS key demands Certificate Transparency.
    public let requiresCertificateTransparency: Bool
    /// Whether the system demands Certificate Transparency of authorities that it came with, whatever the app says.
    public let systemRequiresCertificateTransparency: Bool
    /// Whether App Transport Security is not enforced on the TLS connection, so that the app's delegate may overrule server trust. It
    /// never means that the system passes over trust by itself.
    public let isTrustRelaxed: Bool
    /// The key of the entry of `NSExceptionDomains` that counts; nil where none does.
    public let matched: String?
    /// Which identities the server must show, by `NSPinnedDomains`; nil where the host is not pinned.
    public let pins: PinnedIdentities?
    /// The package of NIAP's rules that holds; nil for none.
    public let niapPackage: NIAPPackage?
    /// The keys that decided, each as its way from the root of the file; none where the defaults did.
    public let decidedBy: [[String]]
    /// Why nothing is allowed at all: the errors of a configuration that is to be enforced; empty otherwise.
    public let malformations: [Finding]
    let basis: Basis
    let caveats: [Caveat]

    /// What App Transport Security adds to a TLS connection.
    public struct TLSDemands: Sendable, Hashable {
        /// The oldest version; nil where nothing is demanded and the default of the system holds.
        public var minimumVersion: TLSVersion?
        /// Whether the key exchange must be ephemeral.
        public var requiresForwardSecrecy: Bool
        /// The suites that are offered.
        public var suites: Suites
        /// Whether keys must have the sizes of ATS: RSA of 2048 bits, elliptic curves of 256.
        public var limitsKeySizes: Bool
        /// Whether certificates must be signed with SHA-256 or better.
        public var limitsHashes: Bool

        /// Nothing beyond the default of the system.
        static let none = TLSDemands(
            minimumVersion: nil, requiresForwardSecrecy: false, suites: .any, limitsKeySizes: false, limitsHashes: false
        )
        /// Everything.
        static let all = TLSDemands(
            minimumVersion: .tls12, requiresForwardSecrecy: true, suites: .ats, limitsKeySizes: true, limitsHashes: true
        )

        /// The smallest RSA key, in bits; nil where none is demanded.
        public var minimumRSABits: Int? { limitsKeySizes ? 2_048 : nil }
        /// The smallest key on an elliptic curve, in bits; nil where none is demanded.
        public var minimumECBits: Int? { limitsKeySizes ? 256 : nil }
        /// The weakest hash of a signature; nil where none is demanded.
        public var minimumHash: String? { limitsHashes ? "SHA-256" : nil }
    }

    /// Groups of cipher suites.
    public enum Suites: String, Sendable, Hashable {
        /// Those with forward secrecy.
        case ats
        /// These, and those whose key exchange is RSA.
        case atsCompatibility = "ats-compatibility"
        /// Whatever the system offers.
        case any
    }
}

extension TransportSecurityDecision {
    /// What decided, in the order in which it is looked at.
    enum Basis: Sendable, Hashable {
        case malformed
        /// The app was linked before there was App Transport Security.
        case absent
        /// `depth` labels below the name of the entry.
        case exception(ExceptionDomain, depth: Int)
        case local(isAddress: Bool)
        case webContent
        case media
        /// `NSAllowsArbitraryLoads`.
        case arbitraryLoads
        /// `NSAllowsArbitraryLoads` is true, and ignored since other keys are there.
        case arbitraryLoadsIgnored([String])
        case required
        /// A local destination whose exemption `NSAllowsLocalNetworking` removed.
        case localDenied
    }

    /// What somebody should know about an answer.
    enum Caveat: Sendable, Hashable {
        case deepSubdomain(documented: Bool)
        case legacyUnread([String])
        case legacyRead
        case privateAddress
        case historicAddress
        case otherScheme(String)
        case localNetworkingIsNoAddressKey
        case builtInUndocumented
        case package
    }
}
