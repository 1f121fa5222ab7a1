import BelayCertificates
import BelayLaboratory
import Foundation
import TestSupport

/// Tokens of SoftHSM's with keys that were made there, and an nginx that wants their certificates.
///
/// SoftHSM finds its tokens by its environment. So whatever uses them is a process of its own, with an environment of its own.
struct TokenWorld: Provided {
    /// The token `shop` has the keys `rsa` and `ec`, with the certificate of `rsa` and that of its issuer. The token `spare` has
    /// another `ec`, under whose identifier stands the certificate of `rsa`, and `twice`, which has two certificates.
    static let pin = "47119305"
    static let sparePIN = "08156622"
    static let module = "/usr/lib/softhsm/libsofthsm2.so"
    /// Logs every call to another module: OpenSC's.
    static let spy = "\(libraries)/pkcs11-spy.so"
    /// A library that is no module.
    static let noModule = "\(libraries)/libz.so.1"
    #if arch(arm64)
    private static let libraries = "/usr/lib/aarch64-linux-gnu"
    #else
    private static let libraries = "/usr/lib/x86_64-linux-gnu"
    #endif

    let folder: TemporaryFolder
    let peer: Peer
    let ports: [String: UInt16]

    @TaskLocal static var current: TokenWorld?

    static func withCurrent(_ value: TokenWorld, _ body: @Sendable () async throws -> Void) async throws {
        try await $current.withValue(value, operation: body)
    }

    func end() async {
        await peer.stop()
        folder.remove()
    }

    /// What tells SoftHSM where its tokens are.
    var environment: [String: String] { Self.environment(folder) }

    private static func environment(_ folder: TemporaryFolder) -> [String: String] {
        ["PATH": "/usr/bin:/bin", "SOFTHSM2_CONF": folder("softhsm2.conf")]
    }

    static func make() async throws -> TokenWorld {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("tokens"), withIntermediateDirectories: true)
        try folder.write("softhsm2.conf", "directories.tokendir = \(folder("tokens"))\nobjectstore.backend = file\n")
        try folder.write("pin", pin + "\n")
        try folder.write("spare-pin", sparePIN + "\n")
        try folder.write("wrong-pin", "9999\n")
        for (token, pin) in [("shop", pin), ("spare", sparePIN)] {
            try await tool(
                "softhsm2-util", ["--init-token", "--free", "--label", token, "--pin", pin, "--so-pin", "123456"],
                folder)
        }
        try await generate("rsa:2048", "rsa", "01", "shop", pin, folder)
        try await generate("EC:prime256v1", "ec", "02", "shop", pin, folder)
        try await generate("EC:prime256v1", "ec", "02", "spare", sparePIN, folder)
        try await generate("EC:prime256v1", "twice", "03", "spare", sparePIN, folder)

        let world = try LaboratoryWorld()
        let issuer = world.authorities.clientIntermediate
        for name in ["rsa", "ec"] {
            let certificate = try issuer.issue(
                .client(named: "ada-\(name)"), for: PublicKey(der: folder.read("\(name).pub")))
            try folder.write("\(name).pem", certificate.pem + issuer.certificate.pem)
            try folder.write("\(name).der", certificate.der)
        }
        let past = Validity(
            from: Date(timeIntervalSinceNow: -864_000), through: Date(timeIntervalSinceNow: -86_400))
        let late = try issuer.issue(
            .client(named: "ada-late", validity: past), for: PublicKey(der: folder.read("ec.pub")))
        try folder.write("expired.pem", late.pem + issuer.certificate.pem)
        try folder.write("issuer.der", issuer.certificate.der)
        try await store("rsa.der", id: "01", "shop", pin, folder)
        try await store("issuer.der", id: "aa", "shop", pin, folder)
        try await store("rsa.der", id: "02", "spare", sparePIN, folder)
        for name in ["bob", "bert"] {
            let key = try PublicKey(der: folder.read("spare-twice.pub"))
            try folder.write("\(name).der", issuer.issue(.client(named: name), for: key).der)
            try await store("\(name).der", id: "03", "spare", sparePIN, folder)
        }

        let server = try world.authorities.publicIntermediate.issueIdentity(
            .server(names: [Site.host]), key: .generate(.p256))
        try folder.write("chain.pem", server.certificates.map(\.pem).joined())
        try folder.write("key.pem", server.privateKey.pkcs8PEM())
        try folder.write("roots.pem", world.authorities.publicRoot.certificate.pem)
        try folder.write("client-root.pem", world.authorities.clientRoot.certificate.pem)
        let versions = ["TLSv1.2", "TLSv1.3"]
        let (peer, ports) = try await NginxProcess.start(in: folder, ports: versions.count) { ports in
            zip(versions, ports).map { version, port in
                """
                server {
                    listen 127.0.0.1:\(port) ssl; ssl_protocols \(version);
                    ssl_verify_client on; ssl_verify_depth 2; ssl_client_certificate client-root.pem;
                    location / { return 200 "$ssl_protocol $ssl_client_s_dn\\n"; }
                }
                """
            }.joined(separator: "\n") + "log_format who '<$ssl_protocol $ssl_client_s_dn>'; access_log /dev/stdout who;"
        }
        return TokenWorld(folder: folder, peer: peer, ports: Dictionary(uniqueKeysWithValues: zip(versions, ports)))
    }

    /// Runs `belay` as somebody who has these tokens.
    func belay(_ arguments: [String], _ more: [String: String] = [:]) async throws -> Program.Run {
        try await Program.run(arguments, environment: environment.merging(more) { $1 })
    }

    /// Runs `belay get` on one of the servers.
    func get(_ version: String, _ more: String..., environment: [String: String] = [:]) async throws -> Program.Run {
        let address = "127.0.0.1:\(ports[version] ?? 0)"
        return try await belay(
            [
                "get", "https://\(Site.host)", "--connect-to", address, "--timeout", "30", "--no-system-anchors",
                "--anchor", folder("roots.pem"),
            ] + more, environment)
    }

    /// Runs the probe with the PIN of `shop`; anything but success is an error.
    func probe(_ arguments: String..., environment more: [String: String] = [:]) async throws -> String {
        let program = try Program.executable().deletingLastPathComponent().appendingPathComponent("token-probe")
        let environment = environment.merging(more) { $1 }.merging(["PIN": Self.pin]) { $1 }
        let result = try await Tool.finish(program.path, arguments, environment: environment)
        guard result.status == 0 else { throw Tool.Failed(description: "\(arguments): \(result.status) \(result.all)") }
        return result.text
    }

    /// Runs a program on the tokens; anything but success is an error.
    @discardableResult
    static func tool(_ program: String, _ arguments: [String], _ folder: TemporaryFolder) async throws -> Tool.Result {
        let result = try await Tool.finish(program, arguments, environment: environment(folder))
        guard result.status == 0 else {
            throw Tool.Failed(description: "\(program) \(arguments.joined(separator: " ")): \(result.all)")
        }
        return result
    }

    /// Makes a key on a token, and fetches its public half.
    private static func generate(
        _ kind: String, _ label: String, _ id: String, _ token: String, _ pin: String, _ folder: TemporaryFolder
    ) async throws {
        let common = ["--module", module, "--token-label", token]
        try await tool(
            "pkcs11-tool",
            common + ["--login", "--pin", pin, "--keypairgen", "--key-type", kind, "--id", id, "--label", label], folder
        )
        let file = token == "shop" ? "\(label).pub" : "\(token)-\(label).pub"
        try await tool(
            "pkcs11-tool", common + ["--read-object", "--type", "pubkey", "--id", id, "--output-file", folder(file)],
            folder)
    }

    /// Stores a certificate on a token.
    private static func store(
        _ file: String, id: String, _ token: String, _ pin: String, _ folder: TemporaryFolder
    ) async throws {
        try await tool(
            "pkcs11-tool",
            [
                "--module", module, "--token-label", token, "--login", "--pin", pin, "--write-object", folder(file),
                "--type", "cert", "--id", id,
            ], folder)
    }
}
