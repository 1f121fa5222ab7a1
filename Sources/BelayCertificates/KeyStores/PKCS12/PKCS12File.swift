/// A PKCS#12 file taken apart as far as that needs no passphrase (RFC 7292, section 4).
struct PKCS12File {
    /// What its integrity code is; nil where it has none.
    let integrity: PKCS12Integrity?
    /// The octets that the integrity code covers.
    let content: [UInt8]
    /// Its safes, in order.
    let safes: [Safe]
    /// Whether it is BER and not DER.
    let isBER: Bool

    /// A part of a file that is encrypted as a whole, or not.
    enum Safe {
        /// The bags are there to read: SafeContents.
        case plain([UInt8])
        /// Encrypted with a passphrase: its AlgorithmIdentifier, and what comes out of it.
        case encrypted(algorithm: [UInt8], data: [UInt8])
        /// Encrypted in another way, in words.
        case unsupported(String)
    }

    /// Takes a file apart.
    ///
    /// - Throws: ``KeyStoreError``.
    init(_ bytes: [UInt8]) throws(KeyStoreError) {
        guard BinaryKind(bytes) == .pkcs12 else {
            throw .notAKeyStore(found: (try? FileContent(bytes).description) ?? "damaged text")
        }
        if let expected = bytes.missingLength { throw .truncated(.pkcs12, bytes: bytes.count, expected: expected) }
        let der: [UInt8]
        do throws(DERError) { der = try BER.normalized(bytes) } catch {
            let hasLength = bytes[1] != 0x80
            if !hasLength && error.reason == .truncated {
                throw .truncated(.pkcs12, bytes: bytes.count, expected: nil)
            }
            throw .malformed(.pkcs12, error.reason.description, at: error.offset)
        }
        isBER = der != bytes
        (content, integrity) = try readingPKCS12 {
            var reader = DERReader(der)
            let outer = try reader.enter(.sequence)
            let version = try reader.readSmallInteger()
            guard version == 3 else { throw KeyStoreError.unsupportedVersion(.pkcs12, version) }
            let content = try Self.readContent(&reader)
            let integrity = reader.isAtEnd ? nil : try PKCS12Integrity(&reader)
            try reader.leave(outer)
            return (content, integrity)
        }
        safes = try readingPKCS12("in its safes") { [content] in
            var reader = DERReader(try BER.normalized(content))
            let outer = try reader.enter(.sequence)
            var safes: [Safe] = []
            while !reader.isAtEnd { safes.append(try Self.readSafe(&reader)) }
            try reader.leave(outer)
            return safes
        }
    }

    /// The ContentInfo around everything; it has to be plain data, which the MAC covers.
    private static func readContent(_ reader: inout DERReader) throws -> [UInt8] {
        let outer = try reader.enter(.sequence)
        let type = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
        if type == PKCS12OID.signedData { throw KeyStoreError.unsupportedIntegrityCode(.pkcs12, "a signature") }
        guard type == PKCS12OID.data else {
            throw DERError(.other("content of type \(AlgorithmNames.name(type))"), at: reader.position)
        }
        let explicit = try reader.enter(.contextConstructed(0))
        let content = try BER.octets(&reader, .octetString)
        try reader.leave(explicit)
        try reader.leave(outer)
        return content
    }

    /// One ContentInfo (RFC 7292, section 4.1).
    private static func readSafe(_ reader: inout DERReader) throws -> Safe {
        let outer = try reader.enter(.sequence)
        let type = OID(octets: reader.bytes[try reader.readObjectIdentifier()])
        let explicit = try reader.enter(.contextConstructed(0))
        let safe: Safe
        switch type {
        case PKCS12OID.data:
            safe = .plain(try BER.octets(&reader, .octetString))
        case PKCS12OID.encryptedData:
            let data = try reader.enter(.sequence)
            _ = try reader.readSmallInteger()
            let inner = try reader.enter(.sequence)
            _ = try reader.readObjectIdentifier()
            let algorithm = Array(reader.bytes[try reader.readAny().element])
            safe = .encrypted(algorithm: algorithm, data: try BER.octets(&reader, .contextPrimitive(0)))
            try reader.leave(inner)
            while !reader.isAtEnd { _ = try reader.readAny() }
            try reader.leave(data)
        default:
            _ = try reader.readAny()
            safe = .unsupported(
                type == PKCS12OID.envelopedData ? "the public key of somebody" : AlgorithmNames.name(type))
        }
        try reader.leave(explicit)
        try reader.leave(outer)
        return safe
    }
}

/// Runs readers of DER, whose errors become those of a PKCS#12 file.
///
/// - Parameter place: where in the file it is, where the places in the errors do not count from its start.
func readingPKCS12<Result>(_ place: String? = nil, _ body: () throws -> Result) throws(KeyStoreError) -> Result {
    do {
        return try body()
    } catch let error as KeyStoreError {
        throw error
    } catch let error as DERError {
        throw .malformed(
            .pkcs12, place.map { "\($0): \(error)" } ?? error.reason.description, at: place == nil ? error.offset : nil)
    } catch {
        throw .malformed(.pkcs12, place.map { "\($0): \(error)" } ?? "\(error)", at: nil)
    }
}
