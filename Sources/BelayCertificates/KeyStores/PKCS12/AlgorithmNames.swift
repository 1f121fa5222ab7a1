import COpenSSL

/// Words for algorithms, and OpenSSL's functions for them, by object identifier.
enum AlgorithmNames {
    /// The name that people use, for example `SHA-256`; OpenSSL's where there is no better one, or the dotted form.
    static func name(_ identifier: OID) -> String {
        let number = OBJ_txt2nid(identifier.description)
        if let name = names[number] { return name }
        guard number != NID_undef, let name = OBJ_nid2ln(number) else { return identifier.description }
        return String(cString: name)
    }

    private static let names: [Int32: String] = [
        NID_md5: "MD5", NID_sha1: "SHA-1", NID_sha224: "SHA-224", NID_sha256: "SHA-256", NID_sha384: "SHA-384",
        NID_sha512: "SHA-512", NID_sha512_224: "SHA-512/224", NID_sha512_256: "SHA-512/256",
        NID_hmacWithSHA1: "HMAC-SHA-1", NID_hmacWithSHA224: "HMAC-SHA-224", NID_hmacWithSHA256: "HMAC-SHA-256",
        NID_hmacWithSHA384: "HMAC-SHA-384", NID_hmacWithSHA512: "HMAC-SHA-512",
        NID_hmacWithSHA512_224: "HMAC-SHA-512/224", NID_hmacWithSHA512_256: "HMAC-SHA-512/256",
        NID_aes_128_cbc: "AES-128-CBC", NID_aes_192_cbc: "AES-192-CBC", NID_aes_256_cbc: "AES-256-CBC",
        NID_des_ede3_cbc: "3DES-CBC", NID_des_cbc: "DES-CBC",
    ]

    /// The digest with an identifier; nil where OpenSSL's default provider has none. To be freed.
    static func fetchDigest(_ identifier: OID) -> OpaquePointer? {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return EVP_MD_fetch(nil, identifier.description, nil)
    }

    /// The digest behind an HMAC function's identifier (RFC 8018, appendix B.1.2); nil for another identifier.
    static func digest(ofHMAC identifier: OID) -> OID? {
        let digest: Int32
        switch OBJ_txt2nid(identifier.description) {
        case NID_hmacWithMD5: digest = NID_md5
        case NID_hmacWithSHA1: digest = NID_sha1
        case NID_hmacWithSHA224: digest = NID_sha224
        case NID_hmacWithSHA256: digest = NID_sha256
        case NID_hmacWithSHA384: digest = NID_sha384
        case NID_hmacWithSHA512: digest = NID_sha512
        case NID_hmacWithSHA512_224: digest = NID_sha512_224
        case NID_hmacWithSHA512_256: digest = NID_sha512_256
        default: return nil
        }
        guard let object = OBJ_nid2obj(digest) else { return nil }
        return OID(octets: UnsafeBufferPointer(start: OBJ_get0_data(object), count: OBJ_length(object)))
    }
}
