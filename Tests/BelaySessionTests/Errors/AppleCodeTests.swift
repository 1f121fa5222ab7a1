import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import Foundation
import SessionTestSupport
import TestSupport
import Testing

// Apple, "URL Loading System Error Codes"; which failure has which one is also in the reports of apps (-1202 for unknown roots).
@Suite("The codes that Apple's systems would report")
struct AppleCodeTests {
    fileprivate static func issued(_ validity: Validity = .days(90), by issuer: CertificateIssuer? = nil) throws
        -> Identity
    {
        let issuer = try issuer ?? SharedWorld.get().authorities.publicIntermediate
        return try issuer.issueIdentity(
            .server(names: [RawTLSServer.host], validity: validity), key: .generate(.p256))
    }

    fileprivate static func ago(_ days: Double) -> Date { Date().addingTimeInterval(-86_400 * days) }

    /// What is wrong with a server, and the code.
    enum Trouble: String, CaseIterable, Sendable {
        case expired, notYetValid, unknownRoot, selfSigned, wrongName, expiredAndWrongName, wrongPin, oldTLS,
            demandsIdentity
        case notTLS, hangs

        var code: Int {
            switch self {
            case .expired: -1201
            case .notYetValid: -1204
            case .unknownRoot, .selfSigned, .wrongName, .expiredAndWrongName, .wrongPin: -1202
            case .oldTLS, .notTLS: -1200
            case .demandsIdentity: -1206
            case .hangs: -1001
            }
        }

        func set(_ setup: inout RawTLSServer.Setup) throws {
            switch self {
            case .expired, .expiredAndWrongName:
                setup.identity = try issued(Validity(from: ago(9), through: ago(1)))
            case .notYetValid: setup.identity = try issued(Validity(from: ago(-1), through: ago(-9)))
            case .unknownRoot: setup.identity = try issued(by: SharedWorld.get().authorities.privateIntermediate)
            case .selfSigned:
                let key = try PrivateKey.generate(.p256)
                let made = try CertificateIssuer.selfSigned(.server(names: [RawTLSServer.host]), key: key)
                setup.identity = try Identity(certificates: [made.certificate], privateKey: key)
            case .oldTLS: setup.versions = .tls11 ... .tls11
            case .demandsIdentity: setup.clients = .require(try SharedWorld.demand())
            case .notTLS: setup.misbehaviour = .plainHTTP
            case .hangs: setup.misbehaviour = .hangsInHandshake
            case .wrongName, .wrongPin: break
            }
        }
    }

    @Test("a server that is refused, by what is wrong with it", arguments: Trouble.allCases)
    func server(_ trouble: Trouble) async throws {
        let server = try RawTLSServer { try trouble.set(&$0) }
        let policy = try ConnectionPolicy.tests { policy in
            if trouble == .wrongName || trouble == .expiredAndWrongName {
                policy.expectedName = try ServerName("other.test")
            }
            if trouble == .wrongPin { policy.securityPolicy = .pinned(to: PinnedKeys(SPKIPin(SHA256Digest(of: [1])))) }
        }
        let session = try Session.tests(server, policy: policy) {
            if trouble == .hangs { $0.timeouts.connect = .milliseconds(300) }
        }
        let error = try #require(await session.refusal())
        #expect(error.appleCode == trouble.code, "\(error)")
        await server.stop()
        #expect(server.bytes == 0)
    }

    @Test("no connection, no address, no rule, no cleartext, no time, no wish to go on")
    func others() async throws {
        let server = try RawTLSServer()
        let port = server.port
        await server.stop()
        let session = try Session(configuration: .tests(at: nil), policy: .tests())
        #expect(await session.refusal(.get("https://127.0.0.1:\(port)/"))?.appleCode == -1004)
        #expect(await session.refusal(.get("http://127.0.0.1:\(port)/"))?.appleCode == -1022)
        #expect(await session.refusal(.get("https://nobody.invalid/"))?.appleCode == -1003)
        #expect(await session.refusal(.get("nothing at all"))?.appleCode == -1000)
        let denying = try Session(configuration: .tests(at: nil), hostPolicies: HostPolicies(default: .deny))
        #expect(await denying.refusal(.get("https://127.0.0.1:\(port)/"))?.appleCode == -1022)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await session.refusal(.get("https://127.0.0.1:\(port)/"))
        }
        #expect(await cancelled.value?.appleCode == -999)
    }
}

extension AppleCodeTests.Trouble {
    fileprivate func issued(_ validity: Validity = .days(90), by issuer: CertificateIssuer? = nil) throws -> Identity {
        try AppleCodeTests.issued(validity, by: issuer)
    }
    fileprivate func ago(_ days: Double) -> Date { AppleCodeTests.ago(days) }
}
