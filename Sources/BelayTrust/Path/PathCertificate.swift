import BelayCertificates

/// A certificate as the search sees it: with what rules ask for decoded once, and where it came from.
///
/// It lives for one evaluation, in one thread; lazily decoded fields are why it is a class.
final class PathCertificate {
    /// Where a certificate came from.
    enum Origin: Equatable {
        /// The peer sent it, at this place.
        case sent(Int)
        /// It is trusted: a path may end here.
        case anchor
        /// It is known otherwise, for example pinned, and may serve as an intermediate.
        case known
    }

    let certificate: Certificate
    let origin: Origin
    /// A number that tells the certificates of an evaluation apart.
    let number: Int
    private let anchor: AnchorStore.Entry?

    init(_ certificate: Certificate, origin: Origin, number: Int, anchor: AnchorStore.Entry? = nil) {
        self.certificate = certificate
        self.origin = origin
        self.number = number
        self.anchor = anchor
    }

    var isAnchor: Bool { origin == .anchor }

    /// Whether it is an anchor that came with the system, as opposed to one that somebody added.
    var isShippedAnchor: Bool { anchor?.isShipped ?? false }

    private(set) lazy var subject = certificate.subject
    private(set) lazy var issuer = certificate.issuer
    private(set) lazy var subjectHash = subject.canonicalHash
    private(set) lazy var issuerHash = issuer.canonicalHash
    private(set) lazy var isSelfIssued = subjectHash == issuerHash && subject == issuer
    private(set) lazy var pin = certificate.pin
    private(set) lazy var fingerprint = certificate.fingerprint
    private(set) lazy var keyKind = certificate.publicKey.kind
    private(set) lazy var signatureAlgorithm = certificate.signatureAlgorithm

    private(set) lazy var keyUsage = decoded { () throws(DERError) in try certificate.keyUsage }
    private(set) lazy var extendedKeyUsage = decoded { () throws(DERError) in try certificate.extendedKeyUsage }
    private(set) lazy var basicConstraints = decoded { () throws(DERError) in try certificate.basicConstraints }
    private(set) lazy var nameConstraints = decoded { () throws(DERError) in try certificate.nameConstraints }
    private(set) lazy var alternativeNames = decoded { () throws(DERError) in try certificate.subjectAlternativeNames }
    /// The names that constraints of authorities above are about, made ready for comparison.
    private(set) lazy var constrainedNames = NameConstraint.names(of: self)
    private(set) lazy var subjectKeyIdentifier = decoded { () throws(DERError) in
        try certificate.subjectKeyIdentifier
    }
    private(set) lazy var authorityKeyIdentifier = decoded { () throws(DERError) in
        try certificate.authorityKeyIdentifier
    }

    private(set) lazy var certificatePolicies = decoded { () throws(DERError) in try certificate.certificatePolicies }
    private(set) lazy var policyMappings = decoded { () throws(DERError) in try certificate.policyMappings }
    private(set) lazy var policyConstraints = decoded { () throws(DERError) in try certificate.policyConstraints }
    private(set) lazy var inhibitAnyPolicy = decoded { () throws(DERError) in try certificate.inhibitAnyPolicy }

    /// An extension: absent, decoded, or malformed (which the rule on extensions reports; nobody else need care).
    enum Decoded<Value> {
        case absent
        case present(Value)
        case malformed(DERError)

        var value: Value? {
            if case .present(let value) = self { value } else { nil }
        }
    }

    private func decoded<Value>(_ read: () throws(DERError) -> Value?) -> Decoded<Value> {
        do throws(DERError) {
            guard let value = try read() else { return .absent }
            return .present(value)
        } catch {
            return .malformed(error)
        }
    }

    /// The key with which signatures of this certificate's subject are verified; nil where it cannot be used.
    func verificationKey(_ cache: TrustCache?) -> VerificationKey? {
        if let anchor { return anchor.verificationKey }
        if let cache { return cache.verificationKey(of: self) }
        return ownKey
    }

    /// What a check with this certificate's key counts in the budget.
    private(set) lazy var verificationCost = certificate.publicKey.verificationCost

    private lazy var ownKey = VerificationKey(certificate.publicKey)
}
