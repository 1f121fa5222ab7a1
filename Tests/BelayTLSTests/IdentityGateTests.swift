import BelayCertificates
import BelayTrust
import Testing

@testable import BelayTLS

@Suite("A client identity is shown only to a server that is accepted")
struct IdentityGateTests {
    private let client: TestCertificate
    private let server: TestCertificate

    init() throws {
        client = try TestCertificate.make("client.test")
        server = try TestCertificate.make("server.test")
    }

    private static let versions = [TLSVersion.tls10, .tls11, .tls12, .tls13]

    /// What both sides saw.
    private final class Seen: Sendable {
        /// The client chains that the server was asked to judge.
        let chains = Protected<[[[UInt8]]]>([])
        /// The evidence that the client was asked to judge.
        let evidence = Protected<[PeerEvidence]>([])

        var demand: TLSServerConfiguration.Demand {
            .init { chain in
                self.chains.withLock { $0.append(chain) }
                return true
            }
        }

        func judge(_ verdict: Bool) -> @Sendable (PeerEvidence) -> Bool {
            { evidence in
                self.evidence.withLock { $0.append(evidence) }
                // What a verdict may leave behind in this thread's queue of errors must not end the handshake.
                _ = try? TLSIdentity.withoutKey(certificates: [[1, 2, 3]])
                return verdict
            }
        }
    }

    private func connect(
        _ bench: Bench, _ server: TLSServer, _ judge: @escaping @Sendable (PeerEvidence) -> Bool
    ) async throws -> TLSConnection {
        var options = bench.options
        options.minimumVersion = .tls10
        return try await bench.client.handshake(
            with: TLSEndpoint(host: "server.test", port: 443),
            connectTo: TLSEndpoint(host: "127.0.0.1", port: server.port), options: options,
            identity: try client.identity(), presentingIf: judge)
    }

    private func only(_ version: TLSVersion, _ configuration: inout TLSServerConfiguration) {
        configuration.minimumVersion = version
        configuration.maximumVersion = version
    }

    @Test("a server that is not accepted sees no certificate, and the connection says why", arguments: versions)
    func withheld(version: TLSVersion) async throws {
        let bench = try Bench()
        let seen = Seen()
        let server = try bench.server(identity: server.identity()) {
            only(version, &$0)
            $0.clientAuthentication = .request(seen.demand)
        }
        let connection = try await connect(bench, server, seen.judge(false))
        #expect(connection.withheldIdentity && !connection.sentClientCertificate)
        #expect(connection.certificateRequest != nil)
        #expect(try await connection.fetch().contains("client certificates: 0\n"))
        #expect(seen.chains.withLock { $0 }.isEmpty)
        await connection.close()
        await server.stop()
    }

    @Test("a server that is accepted sees the certificate, after one question with all evidence", arguments: versions)
    func presented(version: TLSVersion) async throws {
        let bench = try Bench()
        let seen = Seen()
        let server = try bench.server(identity: server.identity()) {
            only(version, &$0)
            $0.clientAuthentication = .require(seen.demand)
        }
        let connection = try await connect(bench, server, seen.judge(true))
        #expect(!connection.withheldIdentity && connection.sentClientCertificate)
        #expect(try await connection.fetch().contains("client certificates: 1\n"))
        #expect(seen.chains.withLock { $0 } == [[client.der]])
        let evidence = seen.evidence.withLock { $0 }
        #expect(evidence.count == 1)
        let judged = try #require(evidence.first)
        let whole = connection.evidence
        #expect(judged.chain == [self.server.der] && judged.version == version && judged.host == "server.test")
        #expect(judged.cipherSuite == whole.cipherSuite && judged.keyExchangeGroup == whole.keyExchangeGroup)
        await connection.close()
        await server.stop()
    }

    @Test("a server that is not accepted and demands a certificate gets none, in every version", arguments: versions)
    func demanded(version: TLSVersion) async throws {
        let bench = try Bench()
        let seen = Seen()
        let server = try bench.server {
            only(version, &$0)
            $0.clientAuthentication = .require(seen.demand)
        }
        do {
            let connection = try await connect(bench, server, seen.judge(false))
            _ = try await connection.confirm(within: .seconds(60))
            Issue.record("the server went on")
        } catch let error as TLSError {
            #expect(error.reason == .clientIdentityWithheld(acceptableIssuers: []))
            #expect("\(error)".contains("not trusted"))
        }
        #expect(seen.chains.withLock { $0 }.isEmpty)
        await server.stop()
    }

    @Test("a server that does not ask is not judged in the middle, and nothing is withheld from it")
    func notAsked() async throws {
        let bench = try Bench()
        let seen = Seen()
        let server = try bench.server()
        let connection = try await connect(bench, server, seen.judge(false))
        #expect(!connection.withheldIdentity && !connection.sentClientCertificate)
        #expect(seen.evidence.withLock { $0 }.isEmpty)
        await connection.close()
        await server.stop()
    }

    @Test("a server without the key of its certificate is not even judged", arguments: [TLSVersion.tls12, .tls13])
    func impostor(version: TLSVersion) async throws {
        let bench = try Bench()
        let seen = Seen()
        let server = try bench.server(identity: .withoutKey(certificates: [server.der])) {
            only(version, &$0)
            $0.clientAuthentication = .require(seen.demand)
        }
        await #expect {
            _ = try await connect(bench, server, seen.judge(true))
        } throws: {
            if case .keyDoesNotMatchCertificate = ($0 as? TLSError)?.reason { true } else { false }
        }
        #expect(seen.evidence.withLock { $0 }.isEmpty && seen.chains.withLock { $0 }.isEmpty)
        await server.stop()
    }

    @Test(
        "an examination of a server that is not accepted tells what it showed, whether or not it goes on",
        arguments: [TLSVersion.tls12, .tls13], [false, true])
    func examination(version: TLSVersion, hasIdentity: Bool) async throws {
        let bench = try Bench()
        let issuer = try TestCertificate.make("Issuer", isAuthority: true)
        for isDemanded in [false, true] {
            let seen = Seen()
            var demand = seen.demand
            demand.acceptableIssuers = [issuer.der]
            let server = try bench.server(identity: server.identity()) {
                only(version, &$0)
                $0.clientAuthentication = isDemanded ? .require(demand) : .request(demand)
            }
            let examination = try await bench.client.examine(
                TLSEndpoint(host: "server.test", port: 443),
                connectTo: TLSEndpoint(host: "127.0.0.1", port: server.port), timeouts: TLSTimeouts(all: .seconds(60)),
                identity: hasIdentity ? client.identity() : nil, presentingIf: seen.judge(false))
            #expect(examination.evidence.chain == [self.server.der] && examination.evidence.version == version)
            #expect(!examination.sentClientCertificate && examination.withheldIdentity == hasIdentity)
            let issuers = [try issuer.subjectName()]
            #expect(examination.certificateRequest?.acceptableIssuers == issuers)
            let reason: TLSError.Reason =
                hasIdentity
                ? .clientIdentityWithheld(acceptableIssuers: issuers)
                : .clientCertificateRequired(acceptableIssuers: issuers)
            #expect(examination.ending?.reason == (isDemanded ? reason : nil))
            #expect(examination.failure == nil && examination.findings.isEmpty)
            #expect(seen.chains.withLock { $0 }.isEmpty)
            await server.stop()
            // One connection told all of it.
            #expect(server.statistics.connections == 1)
        }
    }

    @Test("an examination of a server that is accepted and demands a certificate fails", arguments: [true, false])
    func examinationFails(isAsked: Bool) async throws {
        let bench = try Bench()
        let server = try bench.server { $0.clientAuthentication = .require(.init()) }
        let endpoint = TLSEndpoint(host: "server.test", port: 443)
        let target = TLSEndpoint(host: "127.0.0.1", port: server.port)
        let timeouts = TLSTimeouts(all: .seconds(60))
        await #expect {
            if isAsked {
                _ = try await bench.client.examine(
                    endpoint, connectTo: target, timeouts: timeouts, identity: nil
                ) { _ in true }
            } else {
                _ = try await bench.client.examine(endpoint, connectTo: target, timeouts: timeouts)
            }
        } throws: {
            ($0 as? TLSError)?.reason == .clientCertificateRequired(acceptableIssuers: [])
        }
        await server.stop()
    }
}
