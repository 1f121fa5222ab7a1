import BelayCertificates
import BelayTLS
import SessionTestSupport
import TestSupport
import Testing

/// Against aiosmtpd, Dovecot, pyftpdlib, PostgreSQL and OpenLDAP.
@Suite("Servers that change to TLS", .serialized)
struct StartTLSServerTests {
    @Test("belay cert fetch gets the chain that the server is configured with", arguments: StartTLSProtocol.allCases)
    func fetch(_ name: StartTLSProtocol) async throws {
        try await ClearServer.run(name) { port, chain in
            let run = try await Program.run(
                "cert", "fetch", "\(name.rawValue)://\(Site.host)", "--connect-to", "127.0.0.1:\(port)", "--timeout",
                "60")
            #expect(run.status == 0, "\(run.errors)")
            #expect(try PEM.blocks(in: Array(run.output.utf8)).map(\.der) == chain.map(\.der))
            // TLS from the first byte is not what it speaks.
            let direct = try await Program.run(
                "cert", "fetch", "https://\(Site.host)", "--connect-to", "127.0.0.1:\(port)", "--timeout", "5")
            #expect(direct.status == 3)
            let anchors = try SharedWorld.anchorsFile()
            let options = [
                "--connect-to", "127.0.0.1:\(port)", "--timeout", "60", "--no-system-anchors", "--anchor", anchors,
            ]
            let check = try await Program.run(["check", Site.host, "--starttls", name.rawValue] + options)
            #expect(check.status == 0, "\(check.output) \(check.errors)")
            let other = try await Program.run(["check", "\(name.rawValue)://other.test"] + options)
            #expect(other.status == 1 && other.output.contains("name."), "\(other.output) \(other.errors)")
        }
    }
}
