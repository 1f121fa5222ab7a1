import BelayCertificates
import BelayTrust
import Testing

@testable import BelayTLS

@Suite("Client identity")
struct ClientIdentityTests {
    private let root: TestCertificate
    private let intermediate: TestCertificate
    private let client: TestCertificate

    init() throws {
        root = try TestCertificate.make("Client Root", isAuthority: true)
        intermediate = try TestCertificate.make("Client Intermediate", issuer: root, isAuthority: true)
        client = try TestCertificate.make("client.test", issuer: intermediate)
    }

    private static let versions = [TLSVersion.tls10, .tls11, .tls12, .tls13]

    /// What a client learns from a server that demands an identity, whether in the handshake or right after it.
    private func refusal(
        _ bench: Bench, _ server: TLSServer, identity: TLSIdentity? = nil
    ) async throws -> TLSError.Reason? {
        do throws(TLSError) {
            let connection = try await bench.connect(to: server, identity: identity) { $0.minimumVersion = .tls10 }
            _ = try await connection.confirm(within: .seconds(60))
            await connection.close()
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("a server that demands an identity says so with the same error in every version", arguments: versions)
    func required(version: TLSVersion) async throws {
        let bench = try Bench()
        let server = try bench.server {
            $0.minimumVersion = version
            $0.maximumVersion = version
            $0.clientAuthentication = .require(.init(acceptableIssuers: [root.der]))
        }
        let name = try root.subjectName()
        #expect(try await refusal(bench, server) == .clientCertificateRequired(acceptableIssuers: [name]))
        await server.stop()
        #expect(server.statistics.applicationBytesReceived == 0)
    }

    @Test("the first read tells the same where nobody waited for it", arguments: [TLSVersion.tls12, .tls13])
    func requiredOnRead(version: TLSVersion) async throws {
        let bench = try Bench()
        let server = try bench.server {
            $0.maximumVersion = version
            $0.clientAuthentication = .require(.init())
        }
        do throws(TLSError) {
            _ = try await bench.connect(to: server).read()
            Issue.record("something was read")
        } catch {
            #expect(error.reason == .clientCertificateRequired(acceptableIssuers: []))
        }
        await server.stop()
    }

    @Test("a write that meets a server's refusal says the same, not that the pipe is broken")
    func requiredOnWrite() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.clientAuthentication = .require(.init()) }
        for _ in 0..<20 {
            do throws(TLSError) {
                let connection = try await bench.connect(to: server)
                while true { try await connection.write([UInt8](repeating: 1, count: 1000)) }
            } catch {
                #expect(error.reason == .clientCertificateRequired(acceptableIssuers: []))
            }
        }
        await server.stop()
        #expect(server.statistics.applicationBytesReceived == 0)
    }

    @Test("an identity is sent with its chain", arguments: versions)
    func sent(version: TLSVersion) async throws {
        let bench = try Bench()
        let seen = Protected<[[UInt8]]>([])
        let server = try bench.server {
            $0.minimumVersion = version
            $0.maximumVersion = version
            $0.clientAuthentication = .require(
                .init { chain in
                    seen.withLock { $0 = chain }
                    return true
                })
        }
        let connection = try await bench.connect(to: server, identity: client.identity(with: [intermediate])) {
            $0.minimumVersion = .tls10
        }
        #expect(connection.sentClientCertificate)
        let request = try #require(connection.certificateRequest)
        #expect(request.acceptableIssuers.isEmpty)
        // rsa_sign, dss_sign and ecdsa_sign (RFC 5246, section 7.4.4; RFC 8422, section 5.5), which OpenSSL names.
        #expect(request.certificateTypes == (version == .tls13 ? [] : [1, 2, 64]))
        // ecdsa_secp256r1_sha256; before TLS 1.2 there are no schemes.
        #expect(request.signatureSchemes.contains(0x0403) == (version >= .tls12))
        let confirmation = try await connection.confirm(within: .seconds(60))
        #expect(confirmation == (version == .tls13 ? .accepted : .notNeeded))
        #expect(try await connection.fetch().contains("client certificates: 2\n"))
        #expect(seen.withLock { $0 } == [client.der, intermediate.der])
        await connection.close()
        await server.stop()
    }

    @Test(
        "an identity the server does not want is refused with its alert, and the issuers it named are told",
        arguments: versions)
    func refused(version: TLSVersion) async throws {
        let bench = try Bench()
        let name = try root.subjectName()
        let server = try bench.server {
            $0.minimumVersion = version
            $0.maximumVersion = version
            $0.clientAuthentication = .require(.init(acceptableIssuers: [root.der]) { _ in false })
        }
        // RFC 8446, section 6.2: unknown_ca is 48.
        #expect(
            try await refusal(bench, server, identity: client.identity())
                == .clientCertificateRefused(TLSAlert(code: 48), acceptableIssuers: [name]))
        await server.stop()
    }

    @Test("an identity is not sent to a server that does not ask")
    func notAsked() async throws {
        let bench = try Bench()
        let server = try bench.server()
        let connection = try await bench.connect(to: server, identity: client.identity())
        #expect(!connection.sentClientCertificate)
        #expect(connection.certificateRequest == nil)
        #expect(try await connection.confirm(within: .seconds(60)) == .notNeeded)
        #expect(try await connection.fetch().contains("client certificates: 0\n"))
        await connection.close()
        await server.stop()
    }

    @Test("a server that only asks takes a client without identity", arguments: [TLSVersion.tls12, .tls13])
    func requested(version: TLSVersion) async throws {
        let bench = try Bench()
        let server = try bench.server {
            $0.maximumVersion = version
            $0.clientAuthentication = .request(.init())
        }
        let connection = try await bench.connect(to: server)
        #expect(connection.certificateRequest != nil)
        #expect(!connection.sentClientCertificate)
        #expect(try await connection.confirm(within: .seconds(60)) == (version == .tls13 ? .accepted : .notNeeded))
        await connection.close()
        await server.stop()
    }

    @Test("silence after the handshake is neither yes nor no, and the connection stays usable")
    func silence() async throws {
        let bench = try Bench()
        let server = try bench.server {
            $0.sendsTickets = false
            $0.clientAuthentication = .request(.init())
        }
        let connection = try await bench.connect(to: server, identity: client.identity())
        #expect(try await connection.confirm(within: .milliseconds(30)) == .unknown)
        #expect(try await connection.fetch().contains("client certificates: 1\n"))
        await connection.close()
        await server.stop()
    }

    @Test("data that arrives while the server's word is awaited is kept for the next read")
    func earlyData() async throws {
        let bench = try Bench()
        let server = try bench.server {
            $0.sendsTickets = false
            $0.clientAuthentication = .request(.init())
            $0.handler = { connection throws(TLSError) in try await connection.write(Array("welcome".utf8)) }
        }
        let connection = try await bench.connect(to: server)
        #expect(try await connection.confirm(within: .seconds(60)) == .accepted)
        #expect(String(decoding: try await connection.readToEnd(), as: UTF8.self) == "welcome")
        await connection.close()
        await server.stop()
    }

    @Test("a key that does not belong to the certificate is refused when the identity is made")
    func mismatch() throws {
        let other = try TestCertificate.make("other.test")
        #expect(throws: TLSIdentityError.self) {
            try TLSIdentity(certificates: [client.der], privateKey: other.key)
        }
        #expect(throws: TLSIdentityError.self) { try TLSIdentity(certificates: [], privateKey: other.key) }
        #expect(throws: TLSIdentityError.self) { try TLSIdentity(certificates: [[1, 2]], privateKey: other.key) }
    }
}
