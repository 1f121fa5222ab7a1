/// Bundles of certificates and revocation lists in PKCS#7 SignedData (RFC 2315, section 9; RFC 5652, section 5), as `.p7b` and
/// `.p7c` files have them.
///
/// ```swift
/// let bundle = PKCS7.encode(identity.certificates)
/// let certificates = try KeyStore(bytes: bundle).certificates
/// ```
public enum PKCS7 {
    /// Writes a bundle that nobody signs (RFC 2315, section 9: "degenerate") in DER.
    ///
    /// The certificates stand in the order in which they are given, the leaf first by convention. DER would have them sorted;
    /// every other program writes and expects them in order.
    public static func encode(_ certificates: [Certificate], revocationLists: [RevocationList] = []) -> [UInt8] {
        var signedData = DERWriter.integer(1)
        // No digest algorithms, since there are no signatures, and no content.
        signedData += DERWriter.set(of: [])
        signedData += DERWriter.sequence(DERWriter.objectIdentifier(data))
        if !certificates.isEmpty {
            signedData += DERWriter.element(.contextConstructed(0), certificates.flatMap(\.der))
        }
        if !revocationLists.isEmpty {
            signedData += DERWriter.element(.contextConstructed(1), revocationLists.flatMap(\.der))
        }
        signedData += DERWriter.set(of: [])
        return DERWriter.sequence(
            DERWriter.objectIdentifier(self.signedData),
            DERWriter.element(.contextConstructed(0), DERWriter.element(.sequence, signedData)))
    }

    /// The same in PEM, with the label `PKCS7`.
    public static func pem(_ certificates: [Certificate], revocationLists: [RevocationList] = []) -> String {
        PEM.encode(label: "PKCS7", der: encode(certificates, revocationLists: revocationLists))
    }

    /// Reads a bundle in DER or BER. Signatures are not checked: what certificates are worth, nobody's signature over the bundle
    /// says.
    static func read(_ bytes: [UInt8]) throws(KeyStoreError) -> KeyStore {
        do throws(DERError) {
            var reader = DERReader(try BER.normalized(bytes))
            let outer = try reader.enter(.sequence)
            let identifier = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
            guard identifier == signedData else {
                throw DERError(.other("it holds \(name(of: identifier)), not certificates"), at: 0)
            }
            let explicit = try reader.enter(.contextConstructed(0))
            let store = try readSignedData(&reader)
            try reader.leave(explicit)
            try reader.leave(outer)
            return store
        } catch {
            if error.reason == .truncated || bytes.missingLength != nil {
                throw .truncated(.pkcs7, bytes: bytes.count, expected: bytes.missingLength)
            }
            throw .malformed(.pkcs7, error.reason.description, at: error.offset)
        }
    }

    private static func name(of identifier: OID) -> String {
        switch identifier.octets.starts(with: arc) ? identifier.octets.last : nil {
        case 1: "plain data"
        case 3, 4: "data encrypted for somebody"
        case 5: "a digest"
        case 6: "encrypted data"
        default: "content of the kind \(identifier)"
        }
    }

    private static func readSignedData(_ reader: inout DERReader) throws(DERError) -> KeyStore {
        let outer = try reader.enter(.sequence)
        _ = try reader.readInteger()
        _ = try reader.read(.set)
        _ = try reader.read(.sequence)
        var entries: [KeyStore.Entry] = []
        if reader.next(is: .contextConstructed(0)) {
            let list = try reader.enter(.contextConstructed(0))
            while !reader.isAtEnd { entries.append(.init(name: nil, content: try readCertificate(&reader))) }
            try reader.leave(list)
        }
        if reader.next(is: .contextConstructed(1)) {
            let list = try reader.enter(.contextConstructed(1))
            while !reader.isAtEnd { entries.append(.init(name: nil, content: try readRevocationList(&reader))) }
            try reader.leave(list)
        }
        let isSigned = try !reader.read(.set).isEmpty
        try reader.leave(outer)
        return KeyStore(format: .pkcs7, integrity: isSigned ? .unchecked("a signature") : .none, entries: entries)
    }

    private static func readCertificate(_ reader: inout DERReader) throws(DERError) -> KeyStore.Content {
        let (tag, _, element) = try reader.readAny()
        guard tag == .sequence else { return .other("a certificate of another kind than X.509") }
        do throws(DERError) {
            return .certificate(try Certificate(der: Array(reader.bytes[element])), isTrusted: false)
        } catch {
            return .malformedCertificate(error)
        }
    }

    private static func readRevocationList(_ reader: inout DERReader) throws(DERError) -> KeyStore.Content {
        let (tag, _, element) = try reader.readAny()
        guard tag == .sequence else { return .other("revocation information of another kind than a CRL") }
        return KeyStore.revocationList(Array(reader.bytes[element]))
    }

    private static let data = OID(octets: arc + [1])
    private static let signedData = OID(octets: arc + [2])
    private static let arc: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7]
}
