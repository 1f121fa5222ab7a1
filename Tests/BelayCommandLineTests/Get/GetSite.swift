import BelayLaboratory
import Foundation
import SessionTestSupport

/// A server that `belay get` and curl ask the same of.
struct GetSite: Sendable {
    let server: RawTLSServer
    let anchors: String

    init(_ change: (inout RawTLSServer.Setup) throws -> Void = { _ in }) throws {
        server = try RawTLSServer([RawTLSServer.host], change)
        anchors = try SharedWorld.anchorsFile()
    }

    /// A server that answers everything alike.
    init(answering answer: HTTPAnswer) throws {
        try self.init { $0.answer = { _, _ in answer } }
    }

    var url: String { "https://\(RawTLSServer.host)/path?page=1" }

    /// The options that lead to the server and trust it.
    var options: [String] {
        ["--connect-to", "127.0.0.1:\(server.port)", "--no-system-anchors", "--anchor", anchors, "--timeout", "30"]
    }

    func get(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) async throws -> Program.Run {
        try await Program.run(["get", url] + options + arguments, input: input, environment: environment)
    }

    func get(_ arguments: String...) async throws -> Program.Run { try await get(arguments) }

    func curl(_ arguments: [String], input: [UInt8] = []) async throws -> Tool.Result {
        try await Tool.finish(
            "curl",
            [
                "--silent", "--show-error", "--noproxy", "*", "--cacert", anchors, "--connect-to",
                "::127.0.0.1:\(server.port)", url,
            ] + arguments, input: input)
    }
}
