import BelayCertificates
import COpenSSL

@testable import BelayTLS

/// A certificate made by OpenSSL, with its key.
struct TestCertificate {
    let der: [UInt8]
    let key: PrivateKey

    struct Failed: Error {}

    /// Makes a certificate; signed with its own key unless there is an issuer.
    ///
    /// - Parameter padding: bytes of a comment that makes the certificate larger.
    static func make(
        _ name: String, key specification: PrivateKey.Specification = .p256, issuer: TestCertificate? = nil,
        isAuthority: Bool = false, padding: Int = 0
    ) throws -> TestCertificate {
        let key = try PrivateKey.generate(specification)
        guard let certificate = X509_new() else { throw Failed() }
        defer { X509_free(certificate) }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64.max >> 1))
        X509_gmtime_adj(X509_getm_notBefore(certificate), -3600)
        X509_gmtime_adj(X509_getm_notAfter(certificate), 86_400)
        let subject = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8_shim, Array(name.utf8), CInt(name.utf8.count), -1, 0)
        if let issuer {
            try issuer.withCertificate { _ = X509_set_issuer_name(certificate, X509_get_subject_name($0)) }
        } else {
            X509_set_issuer_name(certificate, subject)
        }
        var extensions = [(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE")]
        if !isAuthority { extensions.append((NID_subject_alt_name, "DNS:\(name)")) }
        if padding > 0 {
            extensions.append((NID_netscape_comment, String(repeating: "x", count: padding)))
        }
        for (kind, value) in extensions {
            guard let made = X509V3_EXT_conf_nid(nil, nil, kind, value) else { throw Failed() }
            defer { X509_EXTENSION_free(made) }
            X509_add_ext(certificate, made, -1)
        }
        let isSet = key.withKey { X509_set_pubkey(certificate, $0) }
        let signed = (issuer?.key ?? key).withKey { signer in
            X509_sign(certificate, signer, EVP_PKEY_get_base_id(signer) == EVP_PKEY_ED25519 ? nil : EVP_sha256())
        }
        guard isSet == 1, signed > 0 else { throw Failed() }
        var output: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &output)
        guard count > 0, let output else { throw Failed() }
        defer { belay_openssl_free(output) }
        return TestCertificate(der: Array(UnsafeBufferPointer(start: output, count: Int(count))), key: key)
    }

    private static let MBSTRING_UTF8_shim: CInt = 0x1000

    private func withCertificate(_ body: (OpaquePointer) -> Void) throws {
        let read = der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_X509(nil, &position, buffer.count)
        }
        guard let read else { throw Failed() }
        defer { X509_free(read) }
        body(read)
    }

    /// The subject's name, DER, as it appears among acceptable issuers.
    func subjectName() throws -> [UInt8] {
        var name: [UInt8] = []
        try withCertificate { certificate in
            var output: UnsafeMutablePointer<UInt8>?
            let count = i2d_X509_NAME(X509_get_subject_name(certificate), &output)
            guard count > 0, let output else { return }
            name = Array(UnsafeBufferPointer(start: output, count: Int(count)))
            belay_openssl_free(output)
        }
        return name
    }

    /// This certificate and what follows it, as an identity.
    func identity(with others: [TestCertificate] = []) throws -> TLSIdentity {
        try TLSIdentity(certificates: [der] + others.map(\.der), privateKey: key)
    }
}
