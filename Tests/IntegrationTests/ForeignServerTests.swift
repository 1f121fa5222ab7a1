import BelayCertificates
import BelayTLS
import BelayTrust
import Foundation
import TestSupport
import Testing

/// Servers and files of the two libraries; each server has certificates of its own library's making.
@Suite("OpenSSL and GnuTLS", Provides<ForeignWorlds>())
enum TLSLibraries {
    private static let versions = [TLSVersion.tls12, .tls13]

    @Suite("openssl s_server and gnutls-serv")
    struct Both {
        @Test("A good server is trusted", arguments: ForeignServer.allCases, versions)
        func oneWay(server: ForeignServer, version: TLSVersion) async throws {
            let world = try server.world()
            try await server.run(version) { site in
                let connection = try await site.connect()
                #expect(connection.evidence.version == version)
                #expect(connection.evidence.chain == (try world.certificates("chain")).map(\.der))
                #expect(connection.certificateRequest == nil)
                await connection.close()
                #expect(try await site.verdict().isTrusted)
                #expect(try await site.answer().hasPrefix("HTTP/1.0 200"))
                #expect(try await site.check().status == 0)
            }
        }

        @Test("A refused server gets no byte of a request", arguments: ForeignServer.allCases, versions)
        func silence(server: ForeignServer, version: TLSVersion) async throws {
            try await server.run(version) { site in
                let relay = try Relay(to: site.port)
                let relayed = site.with(port: relay.port)
                let run = try await relayed.with(name: "www.attacker.test").check()
                #expect(run.status == 1)
                #expect(try await relayed.with(name: "www.attacker.test").verdict().errors == ["name.mismatch"])
                let conversations = await relay.conversations(2)
                #expect(conversations.count == 2)
                for conversation in conversations { expectNoRequest(conversation, version) }
                // The same measure sees a request where there is one.
                _ = try await relayed.answer()
                #expect(await relay.conversations(3).last?.holdsRequest(version) == true)
            }
        }

        @Test(
            "A server that demands an identity, given none, is the same error in each version",
            arguments: ForeignServer.allCases, versions)
        func identityRequired(server: ForeignServer, version: TLSVersion) async throws {
            let issuer = try server.world().certificates("client-root")[0].subject.der
            try await server.run(version, clients: .identified) { site in
                #expect(try await site.refusal() == .clientCertificateRequired(acceptableIssuers: [issuer]))
                let run = try await site.check()
                #expect(run.status == 3)
                #expect(run.errors.contains("demands a client certificate"))
                #expect(run.errors.contains("--identity"))
            }
        }

        @Test(
            "An identity is accepted with its intermediate where the server knows only the root",
            arguments: ForeignServer.allCases, versions)
        func identity(server: ForeignServer, version: TLSVersion) async throws {
            let world = try server.world()
            #expect(world.client.certificates == (try world.certificates("client-chain")))
            try await server.run(version, clients: .identified) { site in
                #expect(try await site.refusal(identity: world.client) == nil)
                #expect(try await site.answer(identity: world.client).hasPrefix("HTTP/1.0 200"))
                let run = try await site.check(
                    "--identity", world.folder("client.p12"), "--passphrase-file", world.folder("passphrase"))
                #expect(run.status == 0)
                #expect(run.output.contains("one was sent"))
            }
        }

        @Test(
            "An identity of another authority, and one without its intermediate, are refused as such",
            arguments: ForeignServer.allCases, versions)
        func wrongIdentity(server: ForeignServer, version: TLSVersion) async throws {
            let world = try server.world()
            let bare = try Identity(certificate: world.client.certificate, privateKey: world.client.privateKey)
            try await server.run(version, clients: .identified) { site in
                for identity in [world.stranger, bare] {
                    let refusal = try await site.refusal(identity: identity)
                    guard case .clientCertificateRefused = refusal else {
                        Issue.record("\(identity.certificate.subject): \(String(describing: refusal))")
                        continue
                    }
                }
            }
        }
    }

    @Suite("openssl s_server")
    struct OpenSSL {
        private let world: ForeignWorld

        init() throws {
            world = try ForeignServer.openssl.world()
        }

        @Test("TLS 1.0 and 1.1 are spoken when asked for, and refused by name", arguments: [TLSVersion.tls10, .tls11])
        func oldVersions(version: TLSVersion) async throws {
            let option = version == .tls10 ? "-tls1" : "-tls1_1"
            try await OpenSSLServer.run(in: world, [option, "-cipher", "ALL:@SECLEVEL=0"]) { site in
                let connection = try await site.connect { $0.minimumVersion = .tls10 }
                #expect(connection.evidence.version == version)
                await connection.close()
                #expect(try await site.verdict { $0.minimumVersion = .tls10 }.errors.contains("tls.version"))
                #expect(try await site.answer { $0.minimumVersion = .tls10 }.hasPrefix("HTTP/1.0 200"))
                guard case .protocolVersion = try await site.refusal() else {
                    Issue.record("\(version) was not refused as a version")
                    return
                }
                let relay = try Relay(to: site.port)
                let run = try await site.with(port: relay.port).check()
                #expect(run.status == 1)
                #expect(run.output.contains("tls.version"))
                #expect(run.output.contains("\(version)"))
                for conversation in await relay.conversations(2) {
                    #expect(conversation.lengths(Relay.Record.applicationData).isEmpty)
                }
            }
        }

        /// An exception that allows TLS 1.0 has SHA-1 with it, as that version signs with nothing better; a NIAP package never has.
        @Test(
            "Under TLS 1.2 a handshake that is signed with SHA-1 is refused, and one with SHA-256 accepted",
            arguments: [
                ("SHA1", "", false), ("SHA256", "", true), ("SHA1", "NSExceptionMinimumTLSVersion", true),
                ("SHA1", "both", false), ("SHA256", "both", true), ("SHA1", "package", false),
                ("SHA256", "package", true),
            ])
        func handshakeSignature(_ hash: String, _ keys: String, isAccepted: Bool) async throws {
            let old = "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string>"
            let package = "<key>NSExceptionRequiresNIAPTLSPackageVersion</key><string>FCP_v2.1</string>"
            let entry = keys == "both" ? old + package : keys == "package" ? package : keys.isEmpty ? "" : old
            let folder = try TemporaryFolder()
            let plist = try folder.write(
                "Info.plist",
                "<plist><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>"
                    + "<key>\(Site.host)</key><dict>\(entry)</dict></dict></dict></dict></plist>")
            let arguments = [
                "-tls1_2", "-sigalgs", "RSA+\(hash)", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0",
            ]
            try await OpenSSLServer.run(in: world, certificate: "rsa-server", arguments) { site in
                let relay = try Relay(to: site.port)
                let run = try await site.with(port: relay.port).check("--info-plist", plist)
                #expect(run.status == (isAccepted ? 0 : 1), "\(run)")
                guard !isAccepted else { return }
                for conversation in await relay.conversations(1) {
                    #expect(conversation.lengths(Relay.Record.applicationData).isEmpty)
                }
            }
        }

        @Test("A suite without forward secrecy is noticed and refused")
        func staticRSA() async throws {
            let arguments = ["-tls1_2", "-cipher", "AES128-GCM-SHA256"]
            try await OpenSSLServer.run(in: world, certificate: "rsa-server", arguments) { site in
                let connection = try await site.connect()
                // RFC 5288, section 3: 0x009C.
                #expect(
                    connection.evidence.cipherSuite == CipherSuite(code: 0x9C, name: "TLS_RSA_WITH_AES_128_GCM_SHA256"))
                #expect(connection.evidence.keyExchangeGroup == nil)
                await connection.close()
                #expect(try await site.verdict().errors == ["tls.forward-secrecy"])
                let run = try await site.check()
                #expect(run.status == 1)
                #expect(run.output.contains("tls.forward-secrecy"))
            }
        }

        @Test(
            "A server with nothing but suites that nobody should speak is refused, and told why",
            arguments: [
                (["-cipher", "NULL-SHA256:@SECLEVEL=0"], "tls.unencrypted"),
                (["-cipher", "AECDH-AES128-SHA:@SECLEVEL=0"], "tls.anonymous"),
                (["-cipher", "PSK-AES128-GCM-SHA256", "-psk", "00112233", "-nocert"], "tls.no-agreement"),
            ] as [([String], String)])
        func weakSuites(_ arguments: [String], rule: String) async throws {
            try await OpenSSLServer.run(in: world, certificate: "rsa-server", ["-tls1_2"] + arguments) { site in
                let run = try await site.check()
                #expect(run.status == 1, "\(run.errors)")
                #expect(run.output.contains(rule), "\(run.output)")
                #expect(!run.output.contains("tls.forward-secrecy") || rule == "tls.unencrypted")
                let json = try await site.check("--format", "json").json()
                #expect(json["trusted"] as? Bool == false)
                #expect((json["connection"] is NSNull) == (rule == "tls.no-agreement"))
            }
        }

        @Test("A leaf without its intermediate is refused")
        func leafOnly() async throws {
            try await OpenSSLServer.run(in: world, chain: nil, []) { site in
                let connection = try await site.connect()
                #expect(connection.evidence.chain.count == 1)
                await connection.close()
                let verdict = try await site.verdict()
                #expect(!verdict.isTrusted)
                #expect(verdict.errors.contains("anchor.unknown"))
                let run = try await site.check()
                #expect(run.status == 1)
                #expect(run.output.contains("Server Intermediate"))
            }
        }

        @Test("IPv6: the address is what the certificate must name, and there is no SNI")
        func version6() async throws {
            try await OpenSSLServer.run(in: world, address: "::1", ["-6"]) { site in
                let connection = try await site.with(name: "::1").connect()
                #expect(connection.evidence.peerAddress == "[::1]:\(site.port)")
                await connection.close()
                #expect(try await site.with(name: "::1").verdict().isTrusted)
                #expect(try await site.check().status == 0)
                #expect(try await site.with(name: "::2").verdict().errors == ["name.mismatch"])
            }
        }

        @Test("An identity is sent where no issuers are named", arguments: versions)
        func noIssuers(version: TLSVersion) async throws {
            let arguments = [version == .tls12 ? "-tls1_2" : "-tls1_3", "-Verify", "3", "-verify_return_error"]
            let authorities = ["-verifyCAfile", world.folder("client-root.pem")]
            try await OpenSSLServer.run(in: world, arguments + authorities) { site in
                #expect(try await site.refusal() == .clientCertificateRequired(acceptableIssuers: []))
                let connection = try await site.connect(identity: world.client)
                #expect(connection.sentClientCertificate)
                #expect(connection.certificateRequest?.acceptableIssuers == [])
                await connection.close()
                #expect(try await site.answer(identity: world.client).hasPrefix("HTTP/1.0 200"))
            }
        }

        @Test("A server that has another key than the pinned one is refused")
        func otherKey() async throws {
            let wrong = try world.folder.write("wrong.txt", "\(try world.certificates("rsa-server")[0].pin)\n")
            try await OpenSSLServer.run(in: world, []) { site in
                let run = try await site.check("--pins", wrong)
                #expect(run.status == 1)
                #expect(run.output.contains("pin.mismatch"))
            }
        }
    }
}
