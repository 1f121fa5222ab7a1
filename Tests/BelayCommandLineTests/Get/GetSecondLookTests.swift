import BelayLaboratory
import BelayTLS
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("The second look of belay get")
struct GetSecondLookTests {
    /// The options that lead to a port of loopback, with limits that the tests' own are far below.
    private static func get(at port: UInt16, _ more: String...) async throws -> Program.Run {
        try await Program.run(
            [
                "get", "https://\(RawTLSServer.host)/", "--connect-to", "127.0.0.1:\(port)", "--no-system-anchors",
                "--anchor", try SharedWorld.anchorsFile(), "--no-proxy", "--timeout", "50",
            ] + more)
    }

    @Test("it is told with --verbose, and tells what speaks there instead of TLS")
    func told() async throws {
        let server = try RawTLSServer { $0.misbehaviour = .plainHTTP }
        let run = try await Self.get(at: server.port, "--verbose")
        #expect(run.status == 3 && run.errors.contains("plain HTTP"), "\(run.errors)")
        #expect(run.errors.contains("* connecting to \(RawTLSServer.host):443 once more"), "\(run.errors)")
        let quiet = try await Self.get(at: server.port)
        #expect(!quiet.errors.contains("once more"), "\(quiet.errors)")
        await server.stop()
    }

    @Test("it keeps within what is left of the limits", arguments: ["--max-time", "--connect-timeout"])
    func limits(option: String) async throws {
        let server = try RawTLSServer { $0.misbehaviour = .plainHTTP }
        let release = DispatchSemaphore(value: 0)
        // The server's words on the second connection wait until the program has ended.
        let relay = try InterveningRelay(to: server.port) { number in if number > 0 { release.wait() } }
        let began = ContinuousClock.now
        let run = try await Self.get(at: relay.port, option, "2", "--verbose")
        #expect(.now - began < .seconds(30))
        release.signal()
        #expect(run.status == 3 && run.errors.contains("does not speak TLS"), "\(run.errors)")
        #expect(run.errors.contains("in the time that was left"), "\(run.errors)")
        relay.stop()
        await server.stop()
    }
}
