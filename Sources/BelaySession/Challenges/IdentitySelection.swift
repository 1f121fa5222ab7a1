import BelayCertificates
import BelayTLS
import BelayTrust
import FoundationEssentials

/// An identity with what a choice needs to know of it.
public struct ClientIdentity: Sendable {
    /// The certificates that are sent, the leaf first.
    public let certificates: [Certificate]
    /// The identity, ready for handshakes.
    public let identity: TLSIdentity

    /// Makes an identity ready.
    ///
    /// - Throws: `TLSIdentityError` where OpenSSL cannot use it.
    public init(_ identity: Identity) throws(TLSIdentityError) {
        certificates = identity.certificates
        self.identity = try TLSIdentity(identity)
    }

    /// Whether one of the issuers leads to the leaf: it is the issuer of one of the certificates (RFC 5246, section 7.4.4).
    func isIssued(byOneOf issuers: Set<DistinguishedName>) -> Bool {
        certificates.contains { issuers.contains($0.issuer) }
    }

    /// Whether the leaf's key is of one of the kinds.
    func hasKey(ofOneOf kinds: Set<ClientKeyType>) -> Bool {
        certificates.first.flatMap { ClientKeyType($0.publicKey) }.map(kinds.contains) ?? false
    }

    func isValid(at moment: Date) -> Bool {
        guard let validity = certificates.first?.validity else { return false }
        return validity.notBefore <= moment && moment <= validity.notAfter
    }
}

/// Who the client is, for servers that ask: one identity, or several of which the one that a server accepts is shown.
///
/// ```swift
/// var identities = IdentitySelection(amongst: [work, home])
/// try identities.set([bank], for: HostPattern("**.bank.test"))
/// ```
public struct IdentitySelection: Sendable {
    private enum Candidates: Sendable {
        case explicit(TLSIdentity)
        case several([ClientIdentity])
    }

    /// What is shown.
    public enum Choice: Sendable {
        /// This identity.
        case present(TLSIdentity)
        /// None, for this reason; an empty list is sent, and the server decides whether that is enough.
        case nothing(Absence)
    }

    /// Why nothing is shown.
    public enum Absence: Sendable, Hashable {
        /// There is no identity for the host.
        case noIdentity
        /// None has a key of a kind that the server accepts.
        case keyTypes
        /// None leads to an issuer that the server accepts.
        case issuers
    }

    private var general: Candidates
    private var special: [Candidates] = []
    private var index = HostPatternIndex()

    /// Nobody.
    public init() { general = .several([]) }

    /// This identity and no other, whatever issuers and kinds of key a server names: whoever chose it knows better than a list
    /// that is often wrong.
    public init(explicit identity: TLSIdentity) { general = .explicit(identity) }

    /// Those of several that a server accepts; the earlier one where it accepts more.
    public init(amongst identities: [ClientIdentity]) { general = .several(identities) }

    /// Gives hosts an identity of their own, which is shown whatever a server names. The most specific pattern holds.
    ///
    /// - Throws: ``ConfigurationError/duplicateHostPattern(_:)``
    public mutating func set(explicit identity: TLSIdentity, for pattern: HostPattern) throws(ConfigurationError) {
        try add(.explicit(identity), pattern)
    }

    /// Gives hosts identities of their own. The most specific pattern holds; without any identity, nobody is shown to these hosts.
    ///
    /// - Throws: ``ConfigurationError/duplicateHostPattern(_:)``
    public mutating func set(_ identities: [ClientIdentity], for pattern: HostPattern) throws(ConfigurationError) {
        try add(.several(identities), pattern)
    }

    /// Chooses for a server that asks.
    ///
    /// An explicit identity is never swapped and never held back. Of several the first counts that has a key of a kind that is
    /// accepted, leads to an issuer that is accepted, and is valid now; if none is valid, the first that has the rest, so that
    /// the server can say what is wrong with it. Empty lists accept everything.
    ///
    /// - Parameters:
    ///   - host: who asks.
    ///   - acceptableIssuers: distinguished names in DER. Those that cannot be read accept nobody.
    ///   - keyTypes: the kinds of key.
    ///   - moment: now.
    ///   - ofHostAlone: after a redirect from another origin, which the general identities must not follow.
    public func choice(
        for host: ServerName, acceptableIssuers: [[UInt8]], keyTypes: Set<ClientKeyType>, at moment: Date,
        ofHostAlone: Bool = false
    ) -> Choice {
        let own = index.first(for: host) { special.indices.contains($0) ? special[$0] : nil }
        guard let candidates = own ?? (ofHostAlone ? nil : general) else { return .nothing(.noIdentity) }
        switch candidates {
        case .explicit(let identity):
            return .present(identity)
        case .several(let identities):
            guard !identities.isEmpty else { return .nothing(.noIdentity) }
            let usable = keyTypes.isEmpty ? identities : identities.filter { $0.hasKey(ofOneOf: keyTypes) }
            guard !usable.isEmpty else { return .nothing(.keyTypes) }
            let issuers = Set(acceptableIssuers.compactMap { try? DistinguishedName(der: $0) })
            let accepted = acceptableIssuers.isEmpty ? usable : usable.filter { $0.isIssued(byOneOf: issuers) }
            guard let first = accepted.first(where: { $0.isValid(at: moment) }) ?? accepted.first else {
                return .nothing(.issuers)
            }
            return .present(first.identity)
        }
    }

    private mutating func add(_ candidates: Candidates, _ pattern: HostPattern) throws(ConfigurationError) {
        guard index.insert(special.count, for: pattern) else { throw .duplicateHostPattern(pattern) }
        special.append(candidates)
    }
}

extension IdentitySelection.Absence: CustomStringConvertible {
    /// The reason in words, and what to do.
    public var description: String {
        switch self {
        case .noIdentity: "no identity is configured for the host. Give the session one"
        case .keyTypes:
            "no identity has a key of a kind that the server accepts. Have one issued for such a key, or set one explicitly"
        case .issuers:
            "no identity was issued by an authority that the server accepts. Use one that was, or set one explicitly"
        }
    }
}
