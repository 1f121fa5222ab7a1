import COpenSSL

/// A private key on a named curve, read here and not by OpenSSL's decoders, which leave what they decoded in freed memory.
///
/// What is read is the form that everybody writes; whatever else there is (explicit curves, no public key, a compressed
/// point) is left to OpenSSL, and so are the errors.
enum EllipticCurveScalar {
    /// The key of a PrivateKeyInfo; nil where it is left to OpenSSL.
    static func key(_ info: OpaquePointer) -> OpaquePointer? {
        var octets: UnsafePointer<UInt8>?
        var count: Int32 = 0
        var algorithm: UnsafePointer<X509_ALGOR>?
        guard PKCS8_pkey_get0(nil, &octets, &count, &algorithm, info) == 1, let octets, let algorithm else {
            return nil
        }
        var identifier: OpaquePointer?
        var kind: Int32 = 0
        var parameters: UnsafeRawPointer?
        X509_ALGOR_get0(&identifier, &kind, &parameters, algorithm)
        guard OBJ_obj2nid(identifier) == NID_X9_62_id_ecPublicKey, kind == V_ASN1_OBJECT, let parameters,
            let group = OBJ_nid2sn(OBJ_obj2nid(OpaquePointer(parameters)))
        else { return nil }
        var der = Array(UnsafeBufferPointer(start: octets, count: Int(count)))
        defer { der.wipe() }
        return key(der, String(cString: group))
    }

    /// The key of an ECPrivateKey (RFC 5915, section 3) that names its curve; nil where it is left to OpenSSL.
    static func key(sec1 der: [UInt8]) -> OpaquePointer? { key(der, nil) }

    private static func key(_ der: [UInt8], _ group: String?) -> OpaquePointer? {
        guard let parts = try? Parts(der), let group = group ?? parts.group, let point = parts.point,
            der[point].first == 0x04
        else { return nil }
        let key = der.withUnsafeBufferPointer { bytes in
            belay_ec_private_key(
                group, UnsafeBufferPointer(rebasing: bytes[parts.scalar]).baseAddress, parts.scalar.count,
                UnsafeBufferPointer(rebasing: bytes[point]).baseAddress, point.count)
        }
        if key == nil { ERR_clear_error() }
        return key
    }

    /// Where the parts of an ECPrivateKey stand.
    private struct Parts {
        let scalar: Range<Int>
        var group: String?
        var point: Range<Int>?

        init(_ der: [UInt8]) throws(DERError) {
            var reader = DERReader(der)
            let outer = try reader.enter(.sequence)
            guard try reader.readSmallInteger(upTo: 1) == 1 else { throw DERError(.integerOutOfRange, at: 0) }
            scalar = try reader.read(.octetString)
            if reader.next(is: .contextConstructed(0)) {
                let explicit = try reader.enter(.contextConstructed(0))
                let curve = PublicKey.NamedCurve(identifier: OID(octets: der[try reader.readObjectIdentifier()]))
                group = curve.groupName
                try reader.leave(explicit)
            }
            if reader.next(is: .contextConstructed(1)) {
                let explicit = try reader.enter(.contextConstructed(1))
                point = try reader.readOctetAlignedBitString()
                try reader.leave(explicit)
            }
            try reader.leave(outer)
            try reader.finish()
        }
    }
}
