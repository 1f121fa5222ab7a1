import BelayCertificates
import BelayTrust
import Testing

@testable import BelayTLS

@Suite("Handshake")
struct HandshakeTests {
    @Test("each version from TLS 1.0 to 1.3 is negotiated when both sides allow it", arguments: TLSVersion.allCases)
    func versions(version: TLSVersion) async throws {
        let bench = try Bench()
        let server = try bench.server {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
        let connection = try await bench.connect(to: server) { $0.minimumVersion = min(version, .tls12) }
        #expect(connection.evidence.version == version)
        #expect(try await connection.fetch().contains("version: \(version)"))
        await connection.close()
        await server.stop()
        #expect(server.statistics.failures.isEmpty)
    }

    @Test(
        "the evidence has the chain byte for byte, in the order it was sent, strangers included",
        arguments: [TLSVersion.tls12, .tls13])
    func chainAsSent(version: TLSVersion) async throws {
        let bench = try Bench()
        let root = try TestCertificate.make("Root", isAuthority: true)
        let intermediate = try TestCertificate.make("Intermediate", issuer: root, isAuthority: true)
        let stranger = try TestCertificate.make("stranger.test", key: .rsa(bits: 2048))
        let leaf = try TestCertificate.make("server.test", issuer: intermediate)
        let server = try bench.server(identity: leaf.identity(with: [stranger, root, intermediate])) {
            $0.maximumVersion = version
        }
        let connection = try await bench.connect(to: server)
        #expect(connection.evidence.chain == [leaf, stranger, root, intermediate].map(\.der))
        await connection.close()
        await server.stop()
    }

    @Test("suite and group are named as in the IANA registry")
    func suites() async throws {
        let bench = try Bench()
        let server = try bench.server(identity: TestCertificate.make("server.test", key: .rsa(bits: 2048)).identity()) {
            $0.maximumVersion = .tls12
            $0.cipherSuites = .openSSL(list: "ECDHE-RSA-AES128-GCM-SHA256")
        }
        let connection = try await bench.connect(to: server)
        // RFC 5289, section 3.2: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 is 0xC02F. OpenSSL prefers x25519.
        #expect(
            connection.evidence.cipherSuite
                == CipherSuite(code: 0xC02F, name: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"))
        #expect(connection.evidence.keyExchangeGroup == "x25519")
        await connection.close()
        let newer = try bench.server()
        let second = try await bench.connect(to: newer)
        // RFC 8446, appendix B.4: 0x1302.
        #expect(second.evidence.cipherSuite == CipherSuite(code: 0x1302, name: "TLS_AES_256_GCM_SHA384"))
        #expect(second.evidence.keyExchangeGroup == "x25519")
        await second.close()
        await server.stop()
        await newer.stop()
    }

    @Test("a static RSA key exchange has no group and no forward secrecy")
    func staticRSA() async throws {
        let bench = try Bench()
        let server = try bench.server(identity: TestCertificate.make("server.test", key: .rsa(bits: 2048)).identity()) {
            $0.maximumVersion = .tls12
            $0.cipherSuites = .openSSL(list: "AES128-GCM-SHA256")
        }
        let connection = try await bench.connect(to: server)
        #expect(connection.evidence.keyExchangeGroup == nil)
        #expect(!connection.evidence.cipherSuite.hasForwardSecrecy)
        await connection.close()
        let error = await bench.failure(connectingTo: server) { $0.cipherSuites = .forwardSecret }
        #expect(error?.reason == .noSharedCipher(TLSAlert(code: 40)))
        await server.stop()
    }

    @Test("stapled response and timestamps arrive as sent", arguments: [TLSVersion.tls12, .tls13])
    func stapleAndTimestamps(version: TLSVersion) async throws {
        let bench = try Bench()
        let staple: [UInt8] = [0x30, 0x03, 0x0A, 0x01, 0x06]
        let timestamps: [UInt8] = [0x00, 0x05, 0x00, 0x03, 1, 2, 3]
        let server = try bench.server {
            $0.maximumVersion = version
            $0.stapledResponse = staple
            $0.timestampList = timestamps
        }
        let connection = try await bench.connect(to: server)
        #expect(connection.evidence.stapledResponse == staple)
        #expect(connection.evidence.timestampList == timestamps)
        await connection.close()
        await server.stop()
    }

    @Test("SNI carries a name without its trailing dot, and never an address")
    func serverName() async throws {
        let bench = try Bench()
        let server = try bench.server()
        let target = TLSEndpoint(host: "127.0.0.1", port: server.port)
        for (endpoint, expected) in [
            (TLSEndpoint(hostLiteral: "Server.TEST.", host: "server.test", port: 443), "server.test"),
            (TLSEndpoint(host: "server.test.", port: 443), "server.test"),
            (TLSEndpoint(host: "127.0.0.1", port: 443), "none"),
            (TLSEndpoint(host: "::1", port: 443), "none"),
        ] {
            let connection = try await bench.client.handshake(
                with: endpoint, connectTo: target, options: bench.options)
            #expect(try await connection.fetch().contains("server name: \(expected)\n"))
            #expect(connection.evidence.hostLiteral == endpoint.hostLiteral)
            #expect(connection.evidence.host == endpoint.host)
            #expect(connection.evidence.peerAddress == "127.0.0.1:\(server.port)")
            await connection.close()
        }
        await server.stop()
    }

    @Test("IPv6 is spoken like IPv4")
    func version6() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.interfaces = .loopback }
        for (host, address) in [("::1", "[::1]:\(server.port)"), ("127.0.0.1", "127.0.0.1:\(server.port)")] {
            let connection = try await bench.client.handshake(
                with: TLSEndpoint(host: host, port: server.port), options: bench.options)
            #expect(connection.evidence.peerAddress == address)
            await connection.close()
        }
        await server.stop()
    }

    @Test("the server's preference decides the application protocol")
    func applicationProtocol() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.applicationProtocols = ["http/1.1", "h2"] }
        let connection = try await bench.connect(to: server) { $0.applicationProtocols = ["h2", "http/1.1"] }
        #expect(connection.evidence.applicationProtocol == "http/1.1")
        await connection.close()
        let none = try await bench.connect(to: server)
        #expect(none.evidence.applicationProtocol == nil)
        await none.close()
        let error = await bench.failure(connectingTo: server) { $0.applicationProtocols = ["spdy/3"] }
        #expect(error?.reason == .noSharedApplicationProtocol)
        await server.stop()
    }

    @Test(
        "keys of every kind serve",
        arguments: [PrivateKey.Specification.p256, .p384, .p521, .rsa(bits: 2048), .ed25519])
    func keyKinds(specification: PrivateKey.Specification) async throws {
        let bench = try Bench()
        let server = try bench.server(identity: TestCertificate.make("server.test", key: specification).identity())
        let connection = try await bench.connect(to: server)
        #expect(try await connection.fetch().hasPrefix("HTTP/1.1 200 OK\r\n"))
        await connection.close()
        await server.stop()
    }

    @Test("a connection that is closed instead of used has sent not one byte", arguments: [TLSVersion.tls12, .tls13])
    func nothingSent(version: TLSVersion) async throws {
        let bench = try Bench()
        let server = try bench.server { $0.maximumVersion = version }
        let connection = try await bench.connect(to: server)
        await connection.close()
        #expect(await server.waitUntilServed(1))
        #expect(server.statistics.handshakes == 1)
        #expect(server.statistics.applicationBytesReceived == 0)
        #expect(server.statistics.failures.isEmpty)
        await server.stop()
    }

    @Test("data that arrives in one piece with session tickets is not waited for in vain")
    func dataBehindTickets() async throws {
        let bench = try Bench()
        let isWritten = Protected(false)
        let server = try bench.server { configuration in
            configuration.handler = { connection throws(TLSError) in
                try await connection.write(Array("welcome".utf8))
                isWritten.withLock { $0 = true }
                _ = try await connection.read()
            }
        }
        let connection = try await bench.connect(to: server)
        // Now tickets and data lie in the socket together, and nothing else will come.
        await bench.waitUntil { isWritten.withLock { $0 } }
        #expect(String(decoding: try await connection.read(), as: UTF8.self) == "welcome")
        await connection.close()
        await server.stop()
    }

    @Test("data larger than any buffer goes both ways")
    func bulk() async throws {
        let bench = try Bench()
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let server = try bench.server { configuration in
            configuration.handler = { connection throws(TLSError) in
                var received: [UInt8] = []
                while received.count < bytes.count { received += try await connection.read(upTo: 100_000) }
                try await connection.write(received)
            }
        }
        let connection = try await bench.connect(to: server)
        async let answer = connection.readToEnd()
        try await connection.write(bytes)
        #expect(try await answer == bytes)
        await connection.close()
        await server.stop()
        #expect(server.statistics.applicationBytesReceived == bytes.count)
    }
}
