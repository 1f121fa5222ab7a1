import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTransportSecurity
import BelayTrust
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("Certificate Transparency on connections")
struct TransparencySessionTests {
    private let logs: [TestLog]
    private let list: LogList

    init() throws {
        logs = try ["one", "two"].map { try TestLog($0) }
        list = LogList(
            logs: logs.map { log in
                LogList.Log(name: log.name, operatorName: log.name, key: log.key.publicKey)
            }, timestamp: Int64(Date().timeIntervalSince1970))
    }

    /// A server's identity with so many embedded timestamps.
    private func identity(_ count: Int) throws -> Identity {
        let issuer = try SharedWorld.get().authorities.publicIntermediate
        var template = CertificateTemplate.server(names: [RawTLSServer.host])
        template.serialNumber = [1, 2, 3, 4]
        let key = try PrivateKey.generate(.p256)
        let plain = try issuer.issue(template, for: key.publicKey)
        guard count > 0 else { return try issuer.issueIdentity(template, key: key) }
        let moment = Int(Date().timeIntervalSince1970) - 60
        template.extensions.append(
            try TestLog.extension(
                logs.prefix(count).map {
                    try $0.timestamp(plain.signedBytes, issuer: issuer.certificate, seconds: moment)
                }))
        return try issuer.issueIdentity(template, key: key)
    }

    private func session(_ server: RawTLSServer, _ list: LogList?, isShipped: Bool = true) throws -> Session {
        let policy = try ConnectionPolicy.tests { policy in
            policy.trust.rules = .apple
            policy.trust.logList = list
            policy.trust.anchors = AnchorStore(try SharedWorld.anchors().certificates) { _ in isShipped }
        }
        return try Session(
            infoPlist: .default, configuration: .tests(server), hostPolicies: HostPolicies(default: .use(policy)))
    }

    @Test(
        "a server under a public anchor needs timestamps that hold, embedded or by TLS; without a list of logs nobody looks"
    )
    func connections() async throws {
        let url = "https://\(RawTLSServer.host)/"
        for (embedded, delivered, isAccepted) in [
            (2, 0, true), (1, 0, false), (0, 0, false), (0, 2, true), (0, 1, false),
        ] {
            let identity = try identity(embedded)
            let server = try RawTLSServer { setup in
                setup.identity = identity
                let leaf = try #require(identity.certificates.first)
                guard delivered > 0 else { return }
                let moment = Int(Date().timeIntervalSince1970) - 60
                setup.timestampList = TestLog.list(
                    try logs.prefix(delivered).map { try $0.timestamp(leaf.der, issuer: nil, seconds: moment) })
            }
            let error = await (try session(server, list)).refusal(.get(url))
            #expect((error == nil) == isAccepted, "\(embedded) \(delivered) \(String(describing: error))")
            if !isAccepted { #expect(error?.rules == ["ct.policy"] && server.bytes == 0) }
            #expect(await (try session(server, nil)).refusal(.get(url)) == nil)
            #expect(await (try session(server, list, isShipped: false)).refusal(.get(url)) == nil)
            await server.stop()
        }
    }

    @Test(
        "what TLS delivered holds for resumed sessions, which deliver nothing", arguments: [TLSVersion.tls12, .tls13])
    func resumption(_ version: TLSVersion) async throws {
        let identity = try identity(0)
        let server = try RawTLSServer { setup in
            setup.identity = identity
            setup.versions = version...version
            setup.resumption = .tickets
            setup.answer = { _, _ in
                var answer = HTTPAnswer.text("answer")
                answer.closes = true
                return answer
            }
            let leaf = try #require(identity.certificates.first)
            let moment = Int(Date().timeIntervalSince1970) - 60
            setup.timestampList = TestLog.list(
                try logs.map { try $0.timestamp(leaf.der, issuer: nil, seconds: moment) })
        }
        let session = try session(server, list)
        for _ in 0..<3 { #expect(await session.refusal(.get("https://\(RawTLSServer.host)/")) == nil) }
        #expect(await server.connections.contains { $0.isResumed })
        await server.stop()
    }

    @Test("OpenSSL's own client finds the same timestamps valid")
    func openssl() async throws {
        let identity = try identity(2)
        let server = try RawTLSServer { $0.identity = identity }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var file = "enabled_logs = one, two\n"
        for log in logs {
            file +=
                "[\(log.name)]\ndescription = \(log.name)\nkey = \(Data(log.key.publicKey.der).base64EncodedString())\n"
        }
        let known = try folder.write("logs.cnf", file)
        let run = try await Tool.finish(
            "openssl",
            [
                "s_client", "-connect", "127.0.0.1:\(server.port)", "-servername", RawTLSServer.host, "-CAfile",
                try SharedWorld.anchorsFile(), "-ct", "-ctlogfile", known,
            ])
        #expect(run.all.components(separatedBy: "SCT validation status: valid").count == 3, "\(run.all)")
        await server.stop()
    }
}
