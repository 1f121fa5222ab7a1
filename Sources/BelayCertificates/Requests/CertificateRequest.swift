/// A certificate signing request, PKCS#10 (RFC 2986): a name, a key, and the proof that whoever asks has it.
///
/// Reading one is strict, as for certificates, and checks the signature: a value of this type was signed by its own key.
///
/// ```swift
/// let request = try CertificateRequest.make(
///     subject: DistinguishedName(commonName: "www.example.com"),
///     extensions: [.subjectAlternativeNames([.dns("www.example.com")])], key: key)
/// print(request.pem, request.pin)
/// ```
public struct CertificateRequest: Sendable {
    /// The exact bytes.
    public let der: [UInt8]
    private let subjectRange: Range<Int>
    private let publicKeyLayout: PublicKeyLayout
    private let algorithm: Range<Int>
    /// The attributes in order, not decoded (RFC 2986, section 4.1).
    public let attributes: [Attribute]
    /// The extensions that are asked for (RFC 2985, section 5.4.2); none where the request does not say.
    public let extensions: [CertificateExtension]
    /// The names that are asked for besides the subject (RFC 5280, section 4.2.1.6); none where the request does not say.
    public let subjectAlternativeNames: [GeneralName]

    /// An attribute: a type and its values.
    public struct Attribute: Sendable, Hashable {
        /// The type.
        public let identifier: OID
        /// The values in DER, not decoded.
        public let values: [[UInt8]]
    }

    /// Reads a request and checks its signature.
    ///
    /// - Throws: ``CertificateRequestError``: malformed, signed in a way that is not checked here, or not by its own key.
    public init(der: [UInt8]) throws(CertificateRequestError) {
        let walk: RequestWalk
        do throws(DERError) { walk = try RequestWalk(der) } catch { throw .malformed(error) }
        self.der = der
        subjectRange = walk.subject
        publicKeyLayout = walk.publicKey
        algorithm = walk.algorithm
        attributes = walk.attributes
        extensions = walk.extensions
        subjectAlternativeNames = walk.names
        guard let key = VerificationKey(publicKey) else { throw .unusableKey(publicKey.description) }
        // That whoever asks has the key is proved by a weak digest as well; what is issued is signed with another.
        guard !signatureAlgorithm.isUnknown else { throw .unknownAlgorithm(signatureAlgorithm.description) }
        guard key.verifies(Array(der[walk.signature]), over: der, in: walk.signedPart, with: signatureAlgorithm) else {
            throw .wrongSignature
        }
    }

    /// Whom the certificate shall name.
    public var subject: DistinguishedName { DistinguishedName(der, in: subjectRange) }

    /// The key that the certificate shall be for.
    public var publicKey: PublicKey { PublicKey(der, in: publicKeyLayout) }

    /// The pin of the key: that of every certificate that is issued for this request.
    public var pin: SPKIPin { publicKey.pin }

    /// The algorithm of the signature.
    public var signatureAlgorithm: SignatureAlgorithm { SignatureAlgorithm(der, in: algorithm) }

    /// The request in PEM.
    public var pem: String { PEM.encode(label: "CERTIFICATE REQUEST", der: der) }
}

extension SignatureAlgorithm {
    fileprivate var isUnknown: Bool {
        switch self {
        case .other, .malformed: true
        default: false
        }
    }
}

extension CertificateRequest: Hashable {
    /// Whether both are the same bytes.
    public static func == (left: CertificateRequest, right: CertificateRequest) -> Bool {
        areEqual(left.der, right.der)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension CertificateRequest: CustomStringConvertible {
    /// Whom it asks for, and the kind of key.
    public var description: String { "request for \(subject), with \(publicKey)" }
}

extension OID {
    /// The attribute `extensionRequest` (RFC 2985, section 5.4.2).
    public static let extensionRequest = OID(octets: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 14])
}

/// One strict walk over a CertificationRequest (RFC 2986, section 4).
private struct RequestWalk {
    let signedPart: Range<Int>
    let subject: Range<Int>
    let publicKey: PublicKeyLayout
    let attributes: [CertificateRequest.Attribute]
    let extensions: [CertificateExtension]
    let names: [GeneralName]
    let algorithm: Range<Int>
    let signature: Range<Int>

    init(_ der: [UInt8]) throws(DERError) {
        var reader = DERReader(der)
        let request = try reader.enter(.sequence)
        let signedStart = reader.position
        let signed = try reader.enter(.sequence)
        // v1(0) is the only version there is.
        _ = try reader.readSmallInteger(upTo: 0)
        subject = try CertificateLayout.readName(&reader)
        publicKey = try PublicKeyLayout(&reader)

        let list = try reader.enter(.contextConstructed(0))
        var attributes: [CertificateRequest.Attribute] = []
        var slots: [ExtensionSlot]?
        while !reader.isAtEnd {
            let start = reader.position
            let attribute = try reader.enter(.sequence)
            let identifier = OID(octets: der[try reader.readObjectIdentifier()])
            let valuesStart = reader.position
            let set = try reader.enter(.set)
            guard !reader.isAtEnd else { throw DERError(.empty, at: valuesStart) }
            var values: [[UInt8]] = []
            while !reader.isAtEnd {
                if identifier == .extensionRequest {
                    // Two lists would let one tool read the first and another the second.
                    guard slots == nil else { throw DERError(.other("extensions are asked for twice"), at: start) }
                    let list = reader.position
                    slots = try CertificateLayout.readExtensionList(&reader)
                    values.append(Array(der[list..<reader.position]))
                } else {
                    values.append(Array(der[try reader.readAny().element]))
                }
            }
            try reader.leave(set)
            try reader.leave(attribute)
            attributes.append(CertificateRequest.Attribute(identifier: identifier, values: values))
        }
        try reader.leave(list)
        try reader.leave(signed)
        signedPart = signedStart..<reader.position

        algorithm = try CertificateLayout.readAlgorithmIdentifier(&reader)
        signature = try reader.readOctetAlignedBitString()
        try reader.leave(request)
        try reader.finish()

        self.attributes = attributes
        extensions = (slots ?? []).map { CertificateExtension(der, slot: $0) }
        names = try Self.names(slots ?? [], in: der)
    }

    private static func names(_ slots: [ExtensionSlot], in der: [UInt8]) throws(DERError) -> [GeneralName] {
        for slot in slots where slot.kind == .subjectAlternativeName {
            var reader = DERReader(der, in: slot.value)
            let names = try GeneralName.readList(&reader)
            try reader.finish()
            return names
        }
        return []
    }
}
