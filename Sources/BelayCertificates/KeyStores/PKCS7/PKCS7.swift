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
            let (identifier, content) = try readContentInfo(bytes)
            if identifier == signedData {
                var content = content
                let explicit = content.inside(try content.read(.contextConstructed(0)))
                return try readSignedData(bytes, explicit)
            }
            throw DERError(.other("it holds \(name(of: identifier)), not certificates"), at: 0)
        } catch {
            throw failure(error, bytes)
        }
    }

    private static func readContentInfo(_ bytes: [UInt8]) throws(DERError) -> (OID, BERReader) {
        var reader = BERReader(bytes)
        var content = reader.inside(try reader.read(.sequence))
        guard reader.isAtEnd else { throw DERError(.trailingData, at: reader.position) }
        return (OID(octets: bytes[try content.read(.objectIdentifier).contents]), content)
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

    private static func readSignedData(_ bytes: [UInt8], _ explicit: BERReader) throws(DERError) -> KeyStore {
        var explicit = explicit
        var fields = explicit.inside(try explicit.read(.sequence))
        _ = try fields.read(.integer)
        _ = try fields.read(.set)
        _ = try fields.read(.sequence)
        var entries: [KeyStore.Entry] = []
        if fields.nextTag == .contextConstructed(0) {
            var list = fields.inside(try fields.read())
            while !list.isAtEnd { entries.append(.init(name: nil, content: certificate(bytes, try list.read()))) }
        }
        if fields.nextTag == .contextConstructed(1) {
            var list = fields.inside(try fields.read())
            while !list.isAtEnd { entries.append(.init(name: nil, content: revocationList(bytes, try list.read()))) }
        }
        let isSigned = !fields.inside(try fields.read(.set)).isAtEnd
        return KeyStore(format: .pkcs7, integrity: isSigned ? .unchecked("a signature") : .none, entries: entries)
    }

    private static func certificate(_ bytes: [UInt8], _ element: BERReader.Element) -> KeyStore.Content {
        guard element.tag == .sequence else { return .other("a certificate of another kind than X.509") }
        do throws(DERError) {
            return .certificate(try Certificate(der: Array(bytes[element.whole])), isTrusted: false)
        } catch {
            return .malformedCertificate(error)
        }
    }

    private static func revocationList(_ bytes: [UInt8], _ element: BERReader.Element) -> KeyStore.Content {
        guard element.tag == .sequence else { return .other("revocation information of another kind than a CRL") }
        do throws(DERError) {
            return .revocationList(try RevocationList(der: Array(bytes[element.whole])))
        } catch {
            return .other("a revocation list (CRL) that cannot be read: \(error)")
        }
    }

    private static func failure(_ error: DERError, _ bytes: [UInt8]) -> KeyStoreError {
        if error.reason == .truncated || bytes.missingLength != nil {
            .truncated(.pkcs7, bytes: bytes.count, expected: bytes.missingLength)
        } else {
            .malformed(.pkcs7, error.reason.description, at: error.offset)
        }
    }

    private static let data = OID(octets: arc + [1])
    private static let signedData = OID(octets: arc + [2])
    private static let arc: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7]
}
