import BelayCertificates
import BelayTrust
import Glibc
import Testing

@testable import BelayTLS

@Suite("Failures")
struct FailureTests {
    @Test("a server that answers in plain HTTP is named as such, with its first line")
    func plainHTTP() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = .plainHTTP }
        let error = await bench.failure(connectingTo: server)
        #expect(error?.reason == .notTLS(.http("HTTP/1.1 400 Bad Request")))
        #expect(error?.phase == .handshake)
        #expect(error?.endpoint.host == "server.test")
        #expect(error?.peerAddress == "127.0.0.1:\(server.port)")
        #expect(error?.description.contains("HTTPS port") == true)
        await server.stop()
    }

    @Test(
        "other protocols are recognised by their first bytes, and nothing they send reaches a terminal raw",
        arguments: [
            ("SSH-2.0-OpenSSH_9.2\r\n", TLSError.OtherProtocol.ssh("SSH-2.0-OpenSSH_9.2")),
            ("220 mail.test ESMTP\r\n", .text("220 mail.test ESMTP")),
            ("\u{1B}[31mred", .unknown("1b 5b 33 31 6d 72 65 64")),
            ("\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}", .unknown("00 01 02 03 04 05")),
        ])
    func otherProtocols(greeting: String, expected: TLSError.OtherProtocol) async throws {
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = .sends(Array(greeting.utf8)) }
        let error = await bench.failure(connectingTo: server)
        #expect(error?.reason == .notTLS(expected))
        await server.stop()
    }

    @Test("a handshake cut off by FIN is closed early")
    func truncated() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = .truncates }
        guard case .closedEarly(let count)? = await bench.failure(connectingTo: server)?.reason else {
            Issue.record("not closed early")
            return
        }
        #expect(count > 0)
        await server.stop()
    }

    @Test("a connection that ends before the first byte is closed early after none")
    func closedAtOnce() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = .sends([]) }
        #expect(await bench.failure(connectingTo: server)?.reason == .closedEarly(bytesReceived: 0))
        await server.stop()
    }

    @Test("a connection broken off by RST is a reset")
    func reset() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = .resets }
        let error = await bench.failure(connectingTo: server)
        #expect(error?.reason == .reset)
        #expect(error?.phase == .handshake)
        await server.stop()
    }

    @Test("a port where nobody listens refuses")
    func refused() async throws {
        let bench = try Bench()
        let server = try bench.server()
        await server.stop()
        let error = await bench.failure(connectingTo: server)
        #expect(error?.reason == .refused)
        #expect(error?.phase == .connect)
    }

    @Test("a handshake without end is ended by its size")
    func endless() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = .endlessHandshake }
        let error = await bench.failure(connectingTo: server)
        // 1 MiB for certificates and 256 KiB for the rest.
        #expect(error?.reason == .handshakeTooLong(limit: 1_310_720))
        await server.stop()
    }

    @Test(
        "silence, and a stop in the middle, are timeouts of the handshake",
        arguments: [TLSServerConfiguration.Misbehaviour.silence, .hangsInHandshake])
    func hangs(misbehaviour: TLSServerConfiguration.Misbehaviour) async throws {
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = misbehaviour }
        let error = await bench.failure(connectingTo: server) { $0.timeouts.handshake = .milliseconds(150) }
        #expect(error?.reason == .timedOut(.milliseconds(150)))
        #expect(error?.phase == .handshake)
        #expect(error?.description.contains("no end after 0.15 s") == true)
        await server.stop()
    }

    @Test("a server that drips its bytes is waited for, and no longer than the limit")
    func drips() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = .drips(bytes: 100, pause: .microseconds(200)) }
        let connection = try await bench.connect(to: server)
        #expect(try await connection.fetch().hasSuffix("Slowly, but completely.\n"))
        await connection.close()
        await server.stop()

        let slower = try bench.server { $0.misbehaviour = .drips(bytes: 1, pause: .milliseconds(50)) }
        let error = await bench.failure(connectingTo: slower) { $0.timeouts.handshake = .milliseconds(200) }
        #expect(error?.reason == .timedOut(.milliseconds(200)))
        await slower.stop()
    }

    @Test("a server that never answers a request is a timeout of the read")
    func readTimeout() async throws {
        let bench = try Bench()
        let server = try bench.server { configuration in
            configuration.handler = { connection throws(TLSError) in
                while try await !connection.read().isEmpty {}
            }
        }
        let connection = try await bench.connect(to: server)
        try await connection.write([1, 2, 3])
        await #expect(throws: TLSError.self) { try await connection.read(within: .milliseconds(50)) }
        do {
            _ = try await connection.read()
            Issue.record("a connection that failed was read from")
        } catch {
            #expect(error.reason == .closed)
        }
        await server.stop()
    }

    @Test("a peer that reads nothing is a timeout of the write")
    func writeTimeout() async throws {
        let bench = try Bench()
        let server = try bench.server { configuration in
            configuration.handler = { connection throws(TLSError) in
                try await connection.write([1])
                // Waits for the goodbye, which comes only after what it does not read.
                try await bench.waitForCancellation()
            }
        }
        let connection = try await bench.connect(to: server)
        do {
            try await connection.write([UInt8](repeating: 7, count: 64 << 20), within: .milliseconds(200))
            Issue.record("64 MiB went into a peer that does not read")
        } catch {
            #expect(error.phase == .write)
            #expect(error.reason == .timedOut(.milliseconds(200)))
        }
        await server.stop()
    }

    @Test("a server without a common version says which it has", arguments: [TLSVersion.tls10, .tls11])
    func oldServer(version: TLSVersion) async throws {
        let bench = try Bench()
        let server = try bench.server {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
        let error = await bench.failure(connectingTo: server) { $0.maximumVersion = .tls12 }
        #expect(error?.reason == .protocolVersion(minimum: .tls12, maximum: .tls12, found: version.rawValue))
        #expect(error?.description.contains("the server chose \(version)") == true)
        // A server that reads the list of versions (RFC 8446, section 4.2.1) does not choose; it says no.
        let refused = await bench.failure(connectingTo: server)
        #expect(refused?.reason == .protocolVersion(minimum: .tls12, maximum: .tls13, found: nil))
        await server.stop()
    }

    @Test("a server that is too new answers with an alert")
    func newServer() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.minimumVersion = .tls13 }
        let error = await bench.failure(connectingTo: server) { $0.maximumVersion = .tls12 }
        #expect(error?.reason == .protocolVersion(minimum: .tls12, maximum: .tls12, found: nil))
        await server.stop()
    }

    @Test(
        "the genuine certificate without its key is told apart from every other failure",
        arguments: [PrivateKey.Specification.p256, .p384, .rsa(bits: 2048), .ed25519], [TLSVersion.tls12, .tls13])
    func withoutKey(specification: PrivateKey.Specification, version: TLSVersion) async throws {
        let bench = try Bench()
        let genuine = try TestCertificate.make("server.test", key: specification)
        let server = try bench.server(identity: .withoutKey(certificates: [genuine.der])) {
            $0.maximumVersion = version
        }
        let error = await bench.failure(connectingTo: server)
        #expect(error?.reason == .keyDoesNotMatchCertificate(chain: [genuine.der]))
        await server.stop()
        #expect(server.statistics.handshakes == 0)
    }

    @Test("without its key a static RSA key exchange fails too")
    func withoutKeyStaticRSA() async throws {
        let bench = try Bench()
        let genuine = try TestCertificate.make("server.test", key: .rsa(bits: 2048))
        let server = try bench.server(identity: .withoutKey(certificates: [genuine.der])) {
            $0.maximumVersion = .tls12
            $0.cipherSuites = .openSSL(list: "AES128-GCM-SHA256")
        }
        let error = await bench.failure(connectingTo: server)
        #expect(error?.reason == .keyDoesNotMatchCertificate(chain: [genuine.der]))
        await server.stop()
    }

    @Test("a certificate of 250 kB passes", arguments: [TLSVersion.tls12, .tls13])
    func largeCertificate(version: TLSVersion) async throws {
        let bench = try Bench()
        let large = try TestCertificate.make("server.test", padding: 250_000)
        let server = try bench.server(identity: large.identity()) { $0.maximumVersion = version }
        let connection = try await bench.connect(to: server)
        #expect(connection.evidence.chain == [large.der])
        await connection.close()
        await server.stop()
    }

    @Test("certificates beyond a mebibyte have an error of their own")
    func tooLarge() async throws {
        let bench = try Bench()
        let server = try bench.server {
            $0.misbehaviour = .certificateMessage([[UInt8](repeating: 0, count: 1_100_000)])
        }
        let error = await bench.failure(connectingTo: server)
        #expect(error?.reason == .certificateMessageTooLarge(limit: 1_048_576))
        await server.stop()
    }

    @Test("certificates that cannot be read are handed out as they were sent")
    func unreadable() async throws {
        let bench = try Bench()
        for chain in [[[UInt8](repeating: 0xA5, count: 300)], [[0x30, 0x00]], [[0x30, 0x82, 0xFF, 0xFF]]] {
            let server = try bench.server { $0.misbehaviour = .certificateMessage(chain) }
            guard case .unreadableCertificate(let sent, _)? = await bench.failure(connectingTo: server)?.reason else {
                Issue.record("\(chain) was not refused as unreadable")
                continue
            }
            #expect(sent == chain)
            await server.stop()
        }
    }

    @Test("a server without a certificate has presented none")
    func noCertificate() async throws {
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = .certificateMessage([]) }
        #expect(await bench.failure(connectingTo: server)?.reason == .noCertificate)
        await server.stop()
    }

    @Test("options that cannot be are refused before anything is sent")
    func unusableOptions() async throws {
        let bench = try Bench()
        let server = try bench.server()
        let changes: [@Sendable (inout TLSOptions) -> Void] = [
            { $0.maximumVersion = .tls11 },
            { $0.cipherSuites = .openSSL(list: "NO-SUCH-SUITE") },
            { $0.cipherSuites = .openSSL(list: "DEFAULT", suites: "TLS_NO_SUCH_SUITE") },
            { $0.applicationProtocols = [""] },
            { $0.applicationProtocols = [String(repeating: "x", count: 256)] },
        ]
        for change in changes {
            let error = await bench.failure(connectingTo: server, change)
            #expect(error?.phase == .prepare)
            guard case .unusableOptions? = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(server.statistics.connections == 0)
        await server.stop()
    }

    @Test("a server that lacks secure renegotiation is refused in plain words")
    func insecureRenegotiation() async throws {
        // RFC 5246, section 7.4.1.3: TLS 1.2, a random, no session, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, no compression, no extensions.
        let body: [UInt8] = [3, 3] + [UInt8](repeating: 0x42, count: 32) + [0, 0xC0, 0x2F, 0]
        let hello: [UInt8] = [22, 3, 3, 0, UInt8(body.count + 4), 2, 0, 0, UInt8(body.count)] + body
        let bench = try Bench()
        let server = try bench.server { $0.misbehaviour = .sends(hello) }
        let error = await bench.failure(connectingTo: server)
        #expect(error?.reason == .insecureRenegotiation)
        #expect(error?.description.contains("RFC 5746") == true && error?.remedy.contains("Update") == true)
        await server.stop()
    }

    @Test("every reason has a text and a remedy that is a sentence")
    func texts() {
        let endpoint = TLSEndpoint(host: "::1", port: 443)
        let reasons: [TLSError.Reason] = [
            .notResolved("unknown"), .refused, .unreachable("no route"), .reset, .timedOut(.seconds(5)),
            .notTLS(.text("220")), .protocolVersion(minimum: .tls12, maximum: .tls12, found: 0x0300),
            .noSharedCipher(nil), .alert(TLSAlert(code: 112)), .closedEarly(bytesReceived: 1), .badFinished,
            .clientCertificateRequired(acceptableIssuers: []),
            .clientCertificateRefused(TLSAlert(code: 48), acceptableIssuers: []),
            .identityUnusable("weak"), .protocolViolation("bad"), .insecureRenegotiation, .renegotiationRefused,
            .closedEarly(bytesReceived: 0), .system(call: "socket", code: EMFILE), .cancelled,
            .closed, .concurrentUse, .noCertificate, .keyDoesNotMatchCertificate(chain: []),
        ]
        for reason in reasons {
            let error = TLSError(endpoint: endpoint, phase: .handshake, reason: reason)
            #expect(error.summary.hasPrefix("[::1]:443: TLS handshake: "))
            #expect(error.remedy.hasSuffix("."))
            #expect(error.summary.count > "[::1]:443: TLS handshake: ".count)
        }
        #expect(TLSError(endpoint: endpoint, phase: .connect, reason: .timedOut(.seconds(5))).summary.hasSuffix("5 s"))
        // An end without an alert has other likely causes at other moments.
        for (phase, word) in [
            (TLSError.Phase.handshake, "balancer"), (.confirm, "client identity"), (.read, "goodbye"),
        ] {
            let error = TLSError(endpoint: endpoint, phase: phase, reason: .closedEarly(bytesReceived: 0))
            #expect(error.summary.contains("did not say why") && error.remedy.contains(word))
        }
    }
}
