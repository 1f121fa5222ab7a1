import BelayCertificates

/// A root, an intermediate and a server below it, made once: most tests only need some certificates.
enum World {
    struct Members: Sendable {
        let root: CertificateIssuer
        let intermediate: CertificateIssuer
        let server: Identity
    }

    static let ecdsa = Result { try make(.p256) }

    static func make(_ key: PrivateKey.Specification) throws -> Members {
        let root = try CertificateIssuer.selfSigned(
            .authority(named: "Test Root", organization: "Example Ltd"), key: .generate(key))
        let intermediate = try root.issueAuthority(
            .authority(named: "Test Intermediate", pathLength: 0), key: .generate(key))
        let server = try intermediate.issueIdentity(
            .server(names: ["www.host.test", "*.host.test", "192.0.2.7", "2001:db8::7"]), key: .generate(key))
        return Members(root: root, intermediate: intermediate, server: server)
    }
}

extension String {
    /// The bytes in UTF-8.
    var bytes: [UInt8] { Array(utf8) }
}
