import BelayCertificates

/// A signed certificate timestamp: a log's promise to publish a certificate (RFC 6962, section 3.2).
public struct SignedTimestamp: Sendable, Hashable {
    /// How it came.
    public enum Delivery: String, Sendable, Hashable, CaseIterable {
        /// In an extension of the certificate, for its precertificate.
        case embedded
        /// In the TLS extension `signed_certificate_timestamp`.
        case tls
        /// In an extension of the stapled OCSP response.
        case ocsp
    }

    /// How it came.
    public let delivery: Delivery
    /// The log: the SHA-256 digest of its key.
    public let log: SHA256Digest
    /// The moment, in milliseconds since 1970.
    public let milliseconds: UInt64
    /// Extensions, of which RFC 6962 defines none; they are signed.
    public let extensions: [UInt8]
    /// The algorithm of the signature; nil where it is none that RFC 6962 allows.
    public let algorithm: SignatureAlgorithm?
    /// The signature.
    public let signature: [UInt8]

    /// Seconds since 1970.
    var seconds: Int64 { Int64(clamping: milliseconds / 1_000) }
}

extension SignedTimestamp {
    /// Reads a list as it stands in TLS, in a certificate, and in an OCSP response (RFC 6962, section 3.3).
    ///
    /// Timestamps of other versions than 1 are passed over, as the RFC wants; nil where the list itself is malformed.
    static func list(_ bytes: [UInt8], _ delivery: Delivery) -> [SignedTimestamp]? {
        var reader = VectorReader(bytes[...])
        guard let list = reader.vector(lengthBytes: 2), reader.isAtEnd else { return nil }
        var timestamps: [SignedTimestamp] = []
        var entries = VectorReader(list)
        while !entries.isAtEnd {
            guard let entry = entries.vector(lengthBytes: 2), !entry.isEmpty else { return nil }
            guard entry.first == 0 else { continue }
            guard let timestamp = SignedTimestamp(entry, delivery) else { return nil }
            timestamps.append(timestamp)
            // A certificate with a thousand promises is an attack on whoever checks them.
            guard timestamps.count <= 64 else { return nil }
        }
        return timestamps
    }

    private init?(_ bytes: ArraySlice<UInt8>, _ delivery: Delivery) {
        var reader = VectorReader(bytes)
        guard reader.take(1) != nil, let log = reader.take(32).flatMap({ SHA256Digest(bytes: Array($0)) }),
            let time = reader.take(8), let extensions = reader.vector(lengthBytes: 2), let hash = reader.take(1)?.first,
            let kind = reader.take(1)?.first, let signature = reader.vector(lengthBytes: 2), reader.isAtEnd
        else { return nil }
        self.delivery = delivery
        self.log = log
        milliseconds = time.reduce(0) { $0 << 8 | UInt64($1) }
        self.extensions = Array(extensions)
        // Section 2.1.4: ECDSA on P-256 or RSA, with SHA-256.
        algorithm =
            switch (hash, kind) {
            case (4, 3): .ecdsa(.sha256)
            case (4, 1): .rsaPKCS1(.sha256)
            default: nil
            }
        self.signature = Array(signature)
    }

    /// What the log signed (RFC 6962, section 3.2).
    ///
    /// - Returns: nil where there is no such thing: for an embedded one without the issuer's certificate.
    func signedData(leaf: Certificate, issuer: Certificate?) -> [UInt8]? {
        var data: [UInt8] = [0, 0]
        data += (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> (56 - $0 * 8)) }
        let certificate: [UInt8]
        if delivery == .embedded {
            guard let issuer, let precertificate = leaf.precertificate else { return nil }
            data += [0, 1] + issuer.pin.digest.bytes
            certificate = precertificate
        } else {
            data += [0, 0]
            certificate = leaf.der
        }
        guard certificate.count < 1 << 24, extensions.count < 1 << 16 else { return nil }
        data += [UInt8(certificate.count >> 16), UInt8(certificate.count >> 8 & 0xFF), UInt8(certificate.count & 0xFF)]
        data += certificate
        data += [UInt8(extensions.count >> 8), UInt8(extensions.count & 0xFF)] + extensions
        return data
    }
}

extension Certificate {
    /// 1.3.6.1.4.1.11129.2.4.2
    static let timestampsIdentifier: [UInt8] = [0x2B, 6, 1, 4, 1, 0xD6, 0x79, 2, 4, 2]

    /// The list of timestamps that is embedded, as the extension has it; nil without the extension.
    var embeddedTimestampList: [UInt8]? {
        guard let found = extensions.first(where: { $0.identifier.octets == Self.timestampsIdentifier }) else {
            return nil
        }
        var reader = DERReader(found.value)
        guard let contents = try? reader.read(.octetString), reader.isAtEnd else { return [] }
        return Array(found.value[contents])
    }

    /// The signed part as it was when the log signed it: without the timestamps (RFC 6962, section 3.2).
    fileprivate var precertificate: [UInt8]? {
        let bytes = signedBytes
        var reader = DERReader(bytes)
        var fields: [UInt8] = []
        do throws(DERError) {
            _ = try reader.enter(.sequence)
            while !reader.isAtEnd {
                let field = try reader.readAny()
                guard field.tag == .contextConstructed(3) else {
                    fields += bytes[field.element]
                    continue
                }
                var inner = DERReader(bytes, in: field.contents)
                _ = try inner.enter(.sequence)
                var kept: [UInt8] = []
                while !inner.isAtEnd {
                    let one = try inner.readAny()
                    var identifier = DERReader(bytes, in: one.contents)
                    let octets = try identifier.readObjectIdentifier()
                    if !bytes[octets].elementsEqual(Self.timestampsIdentifier) { kept += bytes[one.element] }
                }
                // Without any extension left the field goes as well.
                guard !kept.isEmpty else { continue }
                fields += DERWriter.element(.contextConstructed(3), DERWriter.element(.sequence, kept))
            }
        } catch { return nil }
        return DERWriter.element(.sequence, fields)
    }
}

/// A cursor over vectors of TLS (RFC 8446, section 3.4).
struct VectorReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A vector whose length stands before it in so many bytes.
    mutating func vector(lengthBytes: Int) -> ArraySlice<UInt8>? {
        guard let length = take(lengthBytes) else { return nil }
        return take(length.reduce(0) { $0 << 8 | Int($1) })
    }
}
