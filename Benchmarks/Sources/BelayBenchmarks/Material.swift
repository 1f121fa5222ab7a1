import BelayCertificates

/// Certificates to measure with: a root, an intermediate, and many leaves of it, made anew for each run.
struct Material {
    static let host = "www.example.com"

    let kind: String
    let root: Certificate
    let intermediate: Certificate
    let leaves: [Certificate]
    let server: Identity

    /// Makes a root, an intermediate and `count` leaves, the leaves with one key.
    init(_ kind: String, _ specification: PrivateKey.Specification, leaves count: Int) throws {
        self.kind = kind
        let rootIssuer = try CertificateIssuer.selfSigned(
            .authority(named: "Example Root", organization: "Example"), key: .generate(specification))
        let issuer = try rootIssuer.issueAuthority(
            .authority(named: "Example Intermediate", organization: "Example", pathLength: 0),
            key: .generate(specification))
        let key = try PrivateKey.generate(specification)
        let template = CertificateTemplate.server(names: [Self.host, "example.com"])
        root = rootIssuer.certificate
        intermediate = issuer.certificate
        leaves = try (0..<count).map { _ in try issuer.issue(template, for: key.publicKey) }
        server = try Identity(certificate: leaves[0], chain: [issuer.certificate], privateKey: key)
    }
}
