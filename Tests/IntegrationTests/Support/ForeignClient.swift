import BelayCertificates
import BelayLaboratory
import BelayTLS
import TestSupport

/// Clients that visit the laboratory's servers.
enum ForeignClient: String, CaseIterable, Sendable {
    case openssl
    case gnutls
    case curl

    /// Asks a server for a page, trusting the anchors of a file and nothing else.
    ///
    /// - Parameter identity: a file with a client's key and certificates, in PEM.
    func visit(_ server: LaboratoryServer, anchors: String, identity: String? = nil) async throws -> Visit {
        let (host, port) = (server.host, server.address.port)
        let request = Array("GET / HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8)
        let result: Tool.Result
        switch self {
        case .openssl:
            var arguments = ["s_client", "-connect", "127.0.0.1:\(port)", "-servername", host]
            arguments += ["-verify_hostname", host, "-CAfile", anchors, "-no-CApath", "-no-CAstore"]
            arguments += ["-verify_return_error", "-ign_eof"]
            if let identity { arguments += ["-cert", identity, "-key", identity, "-cert_chain", identity] }
            result = try await Tool.finish("openssl", arguments, input: request)
        case .gnutls:
            var arguments = ["--port", "\(port)", "--sni-hostname", host, "--verify-hostname", host]
            arguments += ["--x509cafile", anchors, "--logfile", "/dev/null"]
            if let identity { arguments += ["--x509certfile", identity, "--x509keyfile", identity] }
            // At the end of its input it would leave without reading the answer.
            result = try await Tool.finish(
                "gnutls-cli", arguments + ["127.0.0.1"], input: request, keepsInputOpen: true)
        case .curl:
            return try await curl(server, anchors: anchors, identity.map { ["--cert", $0] } ?? [])
        }
        return Visit(result)
    }

    /// Lets curl visit a server, with more options.
    func curl(_ server: LaboratoryServer, anchors: String, _ more: [String]) async throws -> Visit {
        let arguments = ["--silent", "--show-error", "--include", "--noproxy", "*", "--cacert", anchors]
        let place = ["--connect-to", "::127.0.0.1:\(server.address.port)", "https://\(server.host)/"]
        return Visit(try await Tool.finish("curl", arguments + more + place))
    }

    /// How a visit ended.
    struct Visit: Sendable {
        let status: Int32
        let isAnswered: Bool
        let all: String

        init(_ result: Tool.Result) {
            status = result.status
            all = result.all
            isAnswered = result.text.contains("200 OK\r\n")
        }
    }
}

/// The laboratory that they visit.
struct VisitedLaboratory: Provided {
    let laboratory: Laboratory
    let folder: TemporaryFolder
    /// The public roots, in PEM.
    let anchors: String

    static let good: [LaboratoryServer.Kind] = [
        .oneWay, .tls12, .tls13, .forwardSecrecy, .rsa3072, .p384, .p521, .identityRequested, .slow,
    ]
    static let bad: [LaboratoryServer.Kind] = [
        .privateAuthority, .selfSigned, .expired, .notYetValid, .wrongName, .wrongPurpose, .missingIntermediate,
        .pinnedAppendedToSelfSigned, .withoutKey, .malformedCertificate,
    ]
    static let mutual: [LaboratoryServer.Kind] = [.mutual, .mutualTLS12, .mutualWithoutIssuers]

    @TaskLocal static var current: VisitedLaboratory?

    static func withCurrent(_ value: VisitedLaboratory, _ body: @Sendable () async throws -> Void) async throws {
        try await $current.withValue(value, operation: body)
    }

    static func make() async throws -> VisitedLaboratory {
        let laboratory = try await Laboratory.start(on: try EventLoop(), servers: good + bad + mutual)
        let folder = try TemporaryFolder()
        let roots = laboratory.world.authorities.systemRoots.map(\.pem).joined()
        return VisitedLaboratory(
            laboratory: laboratory, folder: folder, anchors: try folder.write("roots.pem", roots))
    }

    func end() async {
        await laboratory.stop()
        folder.remove()
    }
}
