import BelayCertificates
import BelayLaboratory
import Foundation
import TestSupport

/// An nginx with a server for each state, all certificates made by ``CertificateIssuer``.
struct Nginx: Provided {
    /// The servers; each has a port of its own.
    enum Server: String, CaseIterable {
        /// TLS 1.2 and 1.3, HTTP/2; www with ECDSA and stock with RSA, told apart by SNI.
        case modern
        case tls12
        case tls13
        case incomplete
        /// Clients must show a certificate of the client root's.
        case mutual
        case optional
        /// Clients are asked for a certificate of anybody's, and no issuers are named.
        case anyIssuer
        case stapling
        /// The key is encrypted.
        case encryptedKey
    }

    let peer: Peer
    let folder: TemporaryFolder
    let ports: [Server: UInt16]
    let world: LaboratoryWorld
    let server: Identity
    let rsaServer: Identity
    let staple: [UInt8]

    @TaskLocal static var current: Nginx?

    static func withCurrent(_ value: Nginx, _ body: @Sendable () async throws -> Void) async throws {
        try await $current.withValue(value, operation: body)
    }

    func site(_ server: Server) throws -> Site {
        guard let port = ports[server] else { throw Missing(server: server) }
        return Site(port: port, anchors: folder("roots.pem"))
    }

    struct Missing: Error {
        let server: Server
    }

    func end() async {
        await peer.stop()
        folder.remove()
    }

    static func make() async throws -> Nginx {
        let folder = try TemporaryFolder()
        let world = try LaboratoryWorld()
        let authorities = world.authorities
        let server = try authorities.publicIntermediate.issueIdentity(
            .server(names: [Site.host]), key: .generate(.p256))
        let rsaRoot = try CertificateIssuer.selfSigned(
            .authority(named: "RSA Root"), key: .generate(.rsa(bits: 2048)))
        let rsaIntermediate = try rsaRoot.issueAuthority(
            .authority(named: "RSA Intermediate", pathLength: 0), key: .generate(.rsa(bits: 2048)))
        let rsaServer = try rsaIntermediate.issueIdentity(
            .server(names: [Site.otherHost]), key: .generate(.rsa(bits: 2048)))

        try folder.write("roots.pem", authorities.publicRoot.certificate.pem + rsaRoot.certificate.pem)
        try folder.write("chain.pem", server.certificates.map(\.pem).joined())
        try folder.write("leaf.pem", server.certificate.pem)
        try folder.write("key.pem", server.privateKey.pkcs8PEM())
        try folder.write("encrypted-key.pem", server.privateKey.encryptedPKCS8PEM(passphrase: Secret(text: "secret")))
        try folder.write("passphrase", "secret\n")
        // Key and certificates in one file, as many servers have them.
        try folder.write("rsa.pem", rsaServer.pem())
        try folder.write("client-root.pem", authorities.clientRoot.certificate.pem)
        let staple = try staple(for: server.certificate, of: authorities.publicIntermediate, in: folder)

        let servers = Server.allCases
        let (peer, ports) = try await NginxProcess.start(in: folder, ports: servers.count) { ports in
            configuration(zip(servers, ports).map { $0.configuration(port: $1) })
        }
        return Nginx(
            peer: peer, folder: folder, ports: Dictionary(uniqueKeysWithValues: zip(servers, ports)), world: world,
            server: server, rsaServer: rsaServer, staple: staple)
    }

    private static func configuration(_ blocks: [String]) -> String {
        """
        log_format brief '<$server_port "$request" $ssl_client_verify>';
        access_log /dev/stdout brief;
        ssl_protocols TLSv1.2 TLSv1.3;
        \(blocks.joined(separator: "\n"))
        """
    }

    /// A response that `openssl ocsp` makes.
    private static func staple(
        for certificate: Certificate, of issuer: CertificateIssuer, in folder: TemporaryFolder
    ) throws -> [UInt8] {
        let serial = certificate.serialNumber.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        let index = try folder.write("index.txt", "V\t350101000000Z\t\t\(serial.joined())\tunknown\t/CN=\(Site.host)\n")
        let authority = try folder.write("issuer.pem", issuer.certificate.pem)
        let key = try folder.write("issuer.key", issuer.privateKey.pkcs8PEM())
        try Tool.openssl(
            "ocsp", "-index", index, "-CA", authority, "-rsigner", authority, "-rkey", key, "-issuer", authority,
            "-cert", folder("leaf.pem"), "-ndays", "1", "-respout", folder("staple.der"))
        return try folder.read("staple.der")
    }
}

extension Nginx.Server {
    fileprivate func configuration(port: UInt16) -> String {
        let answer =
            "return 200 \"$ssl_protocol, client $ssl_client_verify $ssl_client_s_dn, name $ssl_server_name\\n\";"
        func block(_ more: String, name: String = Site.host, parameters: String = "") -> String {
            """
            server {
                listen 127.0.0.1:\(port) ssl\(parameters); server_name \(name);
                \(more)
                location / { \(answer) }
            }
            """
        }
        return switch self {
        case .modern:
            block("", parameters: " http2") + "\n"
                + block(
                    "ssl_certificate rsa.pem; ssl_certificate_key rsa.pem;", name: Site.otherHost, parameters: " http2")
        case .tls12: block("ssl_protocols TLSv1.2;")
        case .tls13: block("ssl_protocols TLSv1.3;")
        case .incomplete: block("ssl_certificate leaf.pem; ssl_certificate_key key.pem;")
        case .mutual: block("ssl_verify_client on; ssl_client_certificate client-root.pem;")
        case .optional: block("ssl_verify_client optional; ssl_client_certificate client-root.pem;")
        case .anyIssuer: block("ssl_verify_client optional_no_ca;")
        case .stapling: block("ssl_stapling on; ssl_stapling_file staple.der;")
        case .encryptedKey:
            block("ssl_certificate chain.pem; ssl_certificate_key encrypted-key.pem; ssl_password_file passphrase;")
        }
    }
}
