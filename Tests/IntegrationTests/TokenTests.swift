import BelayCertificates
import TestSupport
import Testing

/// Client identities whose private key is on a token, at a server that wants them.
@Suite("Keys on a PKCS#11 token", Provides<TokenWorld>())
struct TokenTests {
    private let world: TokenWorld

    init() throws {
        world = try TokenWorld.provided()
    }

    private static let versions = ["TLSv1.2", "TLSv1.3"]

    @Test("nginx knows the client by the certificate and its chain on the token", arguments: versions)
    func certificateOnToken(version: String) async throws {
        let run = try await world.get(
            version, "--identity", "pkcs11:token=shop;object=rsa", "--pkcs11-module", TokenWorld.module,
            "--passphrase-file", world.folder("pin"))
        #expect(run.output == "\(version) CN=ada-rsa\n" && run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(await world.peer.waitForOutput { $0.contains("<\(version) CN=ada-rsa>") })
    }

    @Test("nginx knows the client by a certificate beside the token", arguments: versions)
    func certificateInFile(version: String) async throws {
        let run = try await world.get(
            version, "--identity",
            "pkcs11:token=shop;id=%02;type=private?pin-source=file:\(world.folder("pin"))&module-path=\(TokenWorld.module)",
            "--identity-certificate", world.folder("ec.pem"))
        #expect(run.output == "\(version) CN=ada-ec\n" && run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    }
}
