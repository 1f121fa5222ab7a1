import BelayCertificates
import FoundationEssentials

/// A chain as its signed parts and the keys that sign them: it can be changed anywhere and issued again, so that what was
/// changed meets the rules and not only the signatures.
public struct Blueprint: Sendable {
    /// A certificate that is not signed yet.
    public struct Draft: Sendable {
        /// The signed part.
        public var signedPart: DERTree
        /// Which of the keys is the certificate's own.
        public var key: Int
        /// Which of the drafts issues it; its own number for a self-signed one.
        public var issuer: Int
        /// The hash of its signature.
        public var hash = SignatureAlgorithm.Hash.sha256

        /// The name in the certificate's field `issuer`.
        public var issuerName: DERTree {
            get { field(3) }
            set { setField(3, newValue) }
        }
        /// The name in the certificate's field `subject`.
        public var subject: DERTree {
            get { field(5) }
            set { setField(5, newValue) }
        }
        /// The field `validity`.
        public var validity: DERTree {
            get { field(4) }
            set { setField(4, newValue) }
        }
        /// The field `subjectPublicKeyInfo`.
        public var publicKey: DERTree {
            get { field(6) }
            set { setField(6, newValue) }
        }
        /// The extensions; an empty list takes the field away.
        public var extensions: [DERTree] {
            get { signedPart.elements.first { $0.tag == 0xA3 }?.elements.first?.elements ?? [] }
            set {
                signedPart.elements.removeAll { $0.tag == 0xA3 }
                if !newValue.isEmpty {
                    signedPart.elements.append(DERTree(.contextConstructed(3), [DERTree(.sequence, newValue)]))
                }
            }
        }

        /// A field by its place in certificates of version 3.
        public func field(_ place: Int) -> DERTree {
            signedPart.elements.indices.contains(place) ? signedPart.elements[place] : DERTree(.null, octets: [])
        }

        /// Writes a field by its place in certificates of version 3.
        public mutating func setField(_ place: Int, _ tree: DERTree) {
            if signedPart.elements.indices.contains(place) { signedPart.elements[place] = tree }
        }
    }

    /// Every certificate, the root first.
    public var drafts: [Draft]
    /// The keys that sign.
    public var keys: [PrivateKey]
    /// What the server sends: numbers of drafts, leaf first.
    public var chain: [Int]
    /// What is trusted: numbers of drafts.
    public var anchors: [Int]
    /// The name that is asked for.
    public var host: String
    /// The moment that is judged at, in seconds since 1970.
    public var time: Int64

    /// The certificates in DER.
    public struct Issued: Sendable {
        /// What the server sends, leaf first.
        public var chain: [[UInt8]]
        /// What is trusted.
        public var anchors: [[UInt8]]
    }

    /// Signs every draft.
    public func issue() throws(PrivateKeyError) -> Issued {
        var certificates: [[UInt8]] = []
        for draft in drafts {
            let issuer = drafts.indices.contains(draft.issuer) ? drafts[draft.issuer] : draft
            let key = keys[keys.indices.contains(issuer.key) ? issuer.key : 0]
            certificates.append(try Self.sign(draft, key))
        }
        func select(_ numbers: [Int]) -> [[UInt8]] {
            numbers.compactMap { certificates.indices.contains($0) ? certificates[$0] : nil }
        }
        return Issued(chain: select(chain), anchors: select(anchors))
    }

    private static func sign(_ draft: Draft, _ key: PrivateKey) throws(PrivateKeyError) -> [UInt8] {
        let algorithm = key.algorithm(with: draft.hash)
        var part = draft.signedPart
        let written = part.elements.indices.contains(2) ? part.elements[2] : DERTree(.sequence, [])
        // The usual algorithm is written anew, since the issuer's key may have changed; a mutated one stays as it is.
        let isUsual = PrivateKey.usualAlgorithms.contains(written.der)
        let identifier = isUsual ? key.identifier(with: draft.hash) : written
        if isUsual, part.elements.indices.contains(2) { part.elements[2] = identifier }
        let bytes = part.der
        let signature = try key.sign(bytes, with: algorithm)
        return DERWriter.sequence(bytes, identifier.der, DERWriter.bitString(signature))
    }
}

extension PrivateKey {
    private static let ecdsaArcs: [SignatureAlgorithm.Hash: [UInt8]] = [
        .sha1: [1], .sha224: [3, 1], .sha256: [3, 2], .sha384: [3, 3], .sha512: [3, 4],
    ]
    private static let rsaArcs: [SignatureAlgorithm.Hash: UInt8] = [
        .md5: 4, .sha1: 5, .sha256: 11, .sha384: 12, .sha512: 13, .sha224: 14,
    ]

    /// The AlgorithmIdentifiers that ``Blueprint/issue()`` writes.
    fileprivate static let usualAlgorithms: Set<[UInt8]> = Set(
        ecdsaArcs.values.map { ecdsa($0).der } + rsaArcs.values.map { rsa($0).der } + [ed25519.der])

    private static func ecdsa(_ arcs: [UInt8]) -> DERTree {
        DERTree(.sequence, [DERTree(.objectIdentifier, octets: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4] + arcs)])
    }
    private static func rsa(_ arc: UInt8) -> DERTree {
        DERTree(
            .sequence,
            [
                DERTree(.objectIdentifier, octets: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, arc]),
                DERTree(.null, octets: []),
            ])
    }
    private static let ed25519 = DERTree(.sequence, [DERTree(.objectIdentifier, octets: [0x2B, 0x65, 0x70])])

    fileprivate func algorithm(with hash: SignatureAlgorithm.Hash) -> SignatureAlgorithm {
        switch publicKey.kind {
        case .rsa: .rsaPKCS1(hash)
        case .ed25519: .ed25519
        default: .ecdsa(hash == .md5 ? .sha256 : hash)
        }
    }

    fileprivate func identifier(with hash: SignatureAlgorithm.Hash) -> DERTree {
        switch publicKey.kind {
        case .rsa: Self.rsa(Self.rsaArcs[hash] ?? 11)
        case .ed25519: Self.ed25519
        default: Self.ecdsa(Self.ecdsaArcs[hash] ?? [3, 2])
        }
    }
}
