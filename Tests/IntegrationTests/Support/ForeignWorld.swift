import BelayCertificates
import Foundation
import TestSupport

/// Authorities, a server and clients whose keys, certificates and PKCS#12 files are all made by a foreign tool.
///
/// Its files: `root.pem`; `server.pem`, `server.key`, `chain.pem` (server and intermediate); `client-root.pem`; `client.p12` and
/// `stranger.p12`, which `passphrase` opens.
struct ForeignWorld: Sendable {
    /// Who makes it.
    enum Maker: String, CaseIterable, Sendable {
        case openssl
        case certtool
    }

    /// A certificate to make.
    private struct Member {
        let file: String
        let name: String
        var issuer: String?
        var purpose = Purpose.authority
        var isRSA = false

        enum Purpose { case authority, server, client }
    }

    let folder: TemporaryFolder
    /// The client, read from `client.p12`: certificate and intermediate.
    let client: Identity
    /// A client of another authority, read from `stranger.p12`.
    let stranger: Identity

    static let passphrase = "secret"

    init(madeBy maker: Maker) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let members = [
            Member(file: "root", name: "Server Root"),
            Member(file: "intermediate", name: "Server Intermediate", issuer: "root"),
            Member(file: "server", name: Site.host, issuer: "intermediate", purpose: .server),
            Member(file: "rsa-server", name: Site.host, issuer: "intermediate", purpose: .server, isRSA: true),
            Member(file: "client-root", name: "Client Root"),
            Member(file: "client-intermediate", name: "Client Intermediate", issuer: "client-root"),
            Member(file: "client", name: "Client", issuer: "client-intermediate", purpose: .client),
            Member(file: "strange-root", name: "Strange Root"),
            Member(file: "stranger", name: "Stranger", issuer: "strange-root", purpose: .client),
        ]
        for member in members {
            switch maker {
            case .openssl: try ForeignWorld.makeWithOpenSSL(member, in: folder)
            case .certtool: try ForeignWorld.makeWithCerttool(member, in: folder)
            }
        }
        for (chain, parts) in [
            ("chain", ["server", "intermediate"]), ("rsa-chain", ["rsa-server", "intermediate"]),
            ("client-chain", ["client", "client-intermediate"]), ("stranger-chain", ["stranger", "strange-root"]),
        ] {
            try folder.write("\(chain).pem", try parts.flatMap { try folder.read("\($0).pem") })
        }
        try folder.write("passphrase", ForeignWorld.passphrase + "\n")
        for name in ["client", "stranger"] {
            switch maker {
            case .openssl:
                try Tool.openssl(
                    "pkcs12", "-export", "-inkey", folder("\(name).key"), "-in", folder("\(name)-chain.pem"),
                    "-passout", "file:" + folder("passphrase"), "-out", folder("\(name).p12"))
            case .certtool:
                try Tool.succeed(
                    "certtool",
                    [
                        "--to-p12", "--outder", "--pkcs-cipher", "aes-256", "--hash", "SHA256", "--p12-name", name,
                        "--password", ForeignWorld.passphrase, "--load-privkey", folder("\(name).key"),
                        "--load-certificate", folder("\(name)-chain.pem"), "--outfile", folder("\(name).p12"),
                    ])
            }
        }
        let passphrase = Secret(text: ForeignWorld.passphrase)
        client = try Identity.read(contentsOf: folder("client.p12"), passphrase: passphrase)
        stranger = try Identity.read(contentsOf: folder("stranger.p12"), passphrase: passphrase)
    }

    /// The certificates of a file.
    func certificates(_ name: String) throws -> [Certificate] {
        try Certificate.read(contentsOf: folder("\(name).pem"))
    }

    private static func makeWithOpenSSL(_ member: Member, in folder: TemporaryFolder) throws {
        // Nothing of the machine's own configuration.
        let configuration = try folder.write("openssl.cnf", "[req]\ndistinguished_name = name\n[name]\n")
        var extensions = ["subjectKeyIdentifier=hash"]
        switch member.purpose {
        case .authority:
            extensions += ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"]
        case .server:
            extensions += [
                "basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature,keyEncipherment",
                "extendedKeyUsage=serverAuth", "subjectAltName=DNS:\(member.name),IP:::1",
            ]
        case .client:
            extensions += [
                "basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature",
                "extendedKeyUsage=clientAuth",
            ]
        }
        var arguments = ["req", "-x509", "-new", "-config", configuration, "-nodes", "-days", "90", "-sha256"]
        arguments += member.isRSA ? ["-newkey", "rsa:2048"] : ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        arguments += ["-subj", "/CN=\(member.name)", "-keyout", folder("\(member.file).key")]
        arguments += ["-out", folder("\(member.file).pem")]
        for value in extensions { arguments += ["-addext", value] }
        if let issuer = member.issuer {
            arguments += ["-CA", folder("\(issuer).pem"), "-CAkey", folder("\(issuer).key")]
        }
        try Tool.succeed("openssl", arguments)
    }

    private static func makeWithCerttool(_ member: Member, in folder: TemporaryFolder) throws {
        var lines = ["cn = \"\(member.name)\"", "expiration_days = 90"]
        switch member.purpose {
        case .authority: lines += ["ca", "cert_signing_key", "crl_signing_key"]
        case .server:
            lines += ["tls_www_server", "signing_key", "dns_name = \"\(member.name)\"", "ip_address = \"::1\""]
            if member.isRSA { lines.append("encryption_key") }
        case .client: lines += ["tls_www_client", "signing_key"]
        }
        let template = try folder.write("template", lines.joined(separator: "\n") + "\n")
        let key = folder("\(member.file).key")
        try Tool.succeed(
            "certtool",
            ["--generate-privkey", "--outfile", key]
                + (member.isRSA ? ["--key-type=rsa", "--bits=2048"] : ["--key-type=ecdsa", "--curve=secp256r1"]))
        var arguments = ["--template", template, "--load-privkey", key, "--outfile", folder("\(member.file).pem")]
        if let issuer = member.issuer {
            arguments += [
                "--generate-certificate", "--load-ca-certificate", folder("\(issuer).pem"), "--load-ca-privkey",
                folder("\(issuer).key"),
            ]
        } else {
            arguments.append("--generate-self-signed")
        }
        try Tool.succeed("certtool", arguments)
    }
}

/// A world for each foreign server.
struct ForeignWorlds: Provided {
    let openssl: ForeignWorld
    let gnutls: ForeignWorld

    @TaskLocal static var current: ForeignWorlds?

    static func withCurrent(_ value: ForeignWorlds, _ body: @Sendable () async throws -> Void) async throws {
        try await $current.withValue(value, operation: body)
    }

    static func make() async throws -> ForeignWorlds {
        ForeignWorlds(openssl: try ForeignWorld(madeBy: .openssl), gnutls: try ForeignWorld(madeBy: .certtool))
    }

    func end() async {
        for world in [openssl, gnutls] { world.folder.remove() }
    }
}
