import BelayCertificates
import Foundation
import Testing

@Suite("Issuing")
struct IssuingTests {
    private static func world(
        _ key: PrivateKey.Specification = .p256
    ) throws -> (root: CertificateIssuer, intermediate: CertificateIssuer, server: Identity) {
        let root = try CertificateIssuer.selfSigned(
            .authority(named: "Test Root", organization: "Example Ltd"), key: .generate(key))
        let intermediate = try root.issueAuthority(
            .authority(named: "Test Intermediate", pathLength: 0), key: .generate(key))
        let server = try intermediate.issueIdentity(
            .server(names: ["www.host.test", "*.host.test", "192.0.2.7", "2001:db8::7"]), key: .generate(key))
        return (root, intermediate, server)
    }

    @Test(
        "OpenSSL verifies a chain of three, name and purpose included, for each kind of key",
        arguments: [
            PrivateKey.Specification.p256, .p384, .p521, .rsa(bits: 2048), .ed25519, .ed448,
            .ellipticCurve("brainpoolP256r1"),
        ])
    func opensslVerifiesChain(key: PrivateKey.Specification) throws {
        let world = try Self.world(key)
        let folder = try TemporaryFolder()
        let root = try folder.write("root.pem", world.root.certificate.pem)
        let chain = try folder.write("chain.pem", world.server.chain.map(\.pem).joined())
        let leaf = try folder.write("leaf.pem", world.server.certificate.pem)
        for name in [
            "-verify_hostname=www.host.test", "-verify_hostname=a.host.test", "-verify_ip=192.0.2.7",
            "-verify_ip=2001:db8::7",
        ] {
            let parts = name.split(separator: "=").map(String.init)
            let result = try Tool.openssl(
                "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", root, "-untrusted", chain, parts[0],
                parts[1], leaf)
            #expect(result.text.hasSuffix("leaf.pem: OK\n"))
        }
        let wrong = try Tool.run(
            "openssl", ["verify", "-CAfile", root, "-untrusted", chain, "-verify_hostname", "other.test", leaf])
        #expect(wrong.status != 0)
    }
}
