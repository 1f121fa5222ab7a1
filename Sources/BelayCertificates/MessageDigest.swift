import COpenSSL

/// The digests of HTTP's own authentication (RFC 7616, section 3.2), by OpenSSL's names.
package enum MessageDigest: String, Sendable, CaseIterable {
    case md5 = "MD5"
    case sha256 = "SHA256"
    case sha512Truncated = "SHA512-256"

    /// The digest of a secret, in lower-case hexadecimal; nil where OpenSSL does not have it, as MD5 where FIPS 140 rules.
    package func hexadecimal(of secret: Secret) -> String? {
        secret.withUnsafeBytes { hexadecimal(of: $0) }
    }

    /// The digest of a text in UTF-8.
    package func hexadecimal(of text: String) -> String? {
        var text = text
        return text.withUTF8 { hexadecimal(of: UnsafeRawBufferPointer($0)) }
    }

    private func hexadecimal(of bytes: UnsafeRawBufferPointer) -> String? {
        var output = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count = 0
        guard EVP_Q_digest(nil, rawValue, nil, bytes.baseAddress, bytes.count, &output, &count) == 1 else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        let text = output.prefix(count).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
