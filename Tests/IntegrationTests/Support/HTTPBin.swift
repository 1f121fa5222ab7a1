import BelayCertificates
import BelaySession
import Foundation
import SessionTestSupport
import TestSupport

/// httpbin behind gunicorn with TLS, for `www.shop.test`.
struct HTTPBin: Provided {
    let peer: Peer
    let folder: TemporaryFolder
    let port: UInt16

    @TaskLocal static var current: HTTPBin?

    static func withCurrent(_ value: HTTPBin, _ body: @Sendable () async throws -> Void) async throws {
        try await $current.withValue(value, operation: body)
    }

    /// In the virtual environment that `Scripts/setup test` makes.
    private static let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(".cache/httpbin/bin/gunicorn")

    static func make() async throws -> HTTPBin {
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Tool.Failed(description: "\(program.path) is missing; Scripts/setup test installs it")
        }
        let folder = try TemporaryFolder()
        let identity = try SharedWorld.server([Site.host, Site.otherHost])
        let chain = try folder.write("chain.pem", identity.certificates.map(\.pem).joined())
        let key = try folder.write("key.pem", identity.privateKey.pkcs8PEM())
        let peer = try await Peer.start(
            program.path,
            [
                "--bind", "127.0.0.1:0", "--certfile", chain, "--keyfile", key, "--workers", "1", "--worker-class",
                "gthread",
                "--threads", "16", "--keep-alive", "60", "--no-control-socket", "--worker-tmp-dir", folder.path,
                "httpbin:app",
            ]
        ) { $0.contains("Booting worker") }
        let marker = "Listening at: https://127.0.0.1:"
        let output = await peer.output
        guard let place = output.range(of: marker),
            let port = UInt16(output[place.upperBound...].prefix { $0.isNumber })
        else {
            await peer.stop()
            throw Peer.NotReady(program: program.path, output: output)
        }
        return HTTPBin(peer: peer, folder: folder, port: port)
    }

    func end() async {
        await peer.stop()
        folder.remove()
    }

    /// A session with httpbin as its base.
    func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> Session {
        try Session(
            baseURL: "https://\(Site.host)/", configuration: .tests(at: "127.0.0.1:\(port)", change), policy: .tests())
    }
}
