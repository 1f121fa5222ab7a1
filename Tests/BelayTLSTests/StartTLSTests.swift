import BelayCertificates
import BelayTrust
import Testing

@testable import BelayTLS

/// What a server says in the clear: first the greeting, then an answer to each thing that the client says.
private struct ClearScript: Sendable {
    var greeting: [UInt8] = []
    var answers: [[UInt8]]
    /// Whether TLS begins after the last answer.
    var changes = true
    /// Whether the server says everything without listening, and hangs up.
    var hangsUp = false

    static func lines(_ greeting: String, _ answers: String..., changes: Bool = true) -> ClearScript {
        ClearScript(greeting: Array(greeting.utf8), answers: answers.map { Array($0.utf8) }, changes: changes)
    }

    /// What a server of each protocol says that changes to TLS, by the examples of the RFCs.
    static func good(_ name: StartTLSProtocol) -> ClearScript {
        switch name {
        case .smtp:
            .lines(
                "220 mail.imc.org SMTP service ready\r\n",
                "250-mail.imc.org offers a warm hug of welcome\r\n250-8BITMIME\r\n250-STARTTLS\r\n250 DSN\r\n",
                "220 Go ahead\r\n")
        case .imap:
            .lines(
                "* OK [CAPABILITY IMAP4rev2] ready\r\n",
                "* CAPABILITY IMAP4rev2 STARTTLS LOGINDISABLED\r\na1 OK CAPABILITY completed\r\n",
                "a2 OK Begin TLS negotiation now\r\n")
        case .pop3:
            .lines(
                "+OK POP3 server ready\r\n", "+OK Capability list follows\r\nTOP\r\nSTLS\r\nUSER\r\n.\r\n",
                "+OK Begin TLS negotiation\r\n")
        case .ftp: .lines("220-hello\r\n220 ready\r\n", "234 AUTH TLS OK.\r\n")
        case .postgres: ClearScript(answers: [[0x53]])
        case .ldap: ClearScript(answers: [ldapResult(0)])
        }
    }

    /// An extended response (RFC 4511, section 4.12) to message 1, without matched DN.
    static func ldapResult(_ code: UInt8, diagnostic: String = "") -> [UInt8] {
        let text = Array(diagnostic.utf8)
        let result: [UInt8] = [0x0A, 1, code, 0x04, 0, 0x04, UInt8(text.count)] + text
        let message: [UInt8] = [0x02, 1, 1, 0x78, UInt8(result.count)] + result
        return [0x30, UInt8(message.count)] + message
    }
}

@Suite("STARTTLS")
struct StartTLSTests {
    /// Connects to a server that plays a script; what came of it, and what the client said in the clear.
    private func play(
        _ script: ClearScript, as name: StartTLSProtocol, limit: Duration = .seconds(60)
    ) async throws -> (result: Result<PeerEvidence, TLSError>, said: [String], statistics: TLSServerStatistics) {
        let bench = try Bench()
        let said = Protected<[String]>([])
        let server = try bench.server { configuration in
            configuration.preamble = { connection in
                do throws(RawConnection.Over) {
                    if script.hangsUp {
                        try await connection.write(script.greeting + script.answers.joined())
                        return false
                    }
                    try await connection.write(script.greeting)
                    for answer in script.answers {
                        let bytes = try await connection.read()
                        said.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                        if bytes.isEmpty { return false }
                        try await connection.write(answer)
                    }
                    if !script.changes {
                        while case let bytes = try await connection.read(), !bytes.isEmpty {
                            said.withLock { $0.append("after the end: \(bytes)") }
                        }
                    }
                } catch {
                    return false
                }
                return script.changes
            }
        }
        let result: Result<PeerEvidence, TLSError>
        do throws(TLSError) {
            let connection = try await bench.connect(to: server) {
                $0.startTLS = name
                $0.timeouts.startTLS = limit
            }
            await connection.close()
            result = .success(connection.evidence)
        } catch {
            result = .failure(error)
        }
        _ = await server.waitUntilServed(1)
        let statistics = server.statistics
        await server.stop()
        return (result, said.withLock { $0 }, statistics)
    }

    /// Why there is no connection.
    private func failure(_ script: ClearScript, as name: StartTLSProtocol) async throws -> StartTLSFailure? {
        let (result, _, statistics) = try await play(script, as: name)
        #expect(statistics.handshakes == 0)
        guard case .failure(let error) = result else { return nil }
        #expect(error.phase == .startTLS)
        if case .startTLS(let failure) = error.reason { return failure }
        Issue.record("\(error)")
        return nil
    }

    @Test("changes to TLS as each protocol's standard says", arguments: StartTLSProtocol.allCases)
    func changes(_ name: StartTLSProtocol) async throws {
        let (result, said, statistics) = try await play(.good(name), as: name)
        #expect(try result.get().chain.count == 1)
        #expect(statistics.handshakes == 1 && statistics.failures.isEmpty)
        let expected: [String] =
            switch name {
            case .smtp: ["EHLO [127.0.0.1]\r\n", "STARTTLS\r\n"]
            case .imap: ["a1 CAPABILITY\r\n", "a2 STARTTLS\r\n"]
            case .pop3: ["CAPA\r\n", "STLS\r\n"]
            case .ftp: ["AUTH TLS\r\n"]
            // 80877103 is 0x04D2162F.
            case .postgres: [String(decoding: [0, 0, 0, 8, 4, 0xD2, 0x16, 0x2F], as: UTF8.self)]
            // SEQUENCE, messageID 1, ExtendedRequest (application 23), requestName (context 0).
            case .ldap:
                [
                    "0\u{1D}\u{2}\u{1}\u{1}w\u{18}" + String(decoding: [0x80, 0x16], as: UTF8.self)
                        + "1.3.6.1.4.1.1466.20037"
                ]
            }
        #expect(said == expected)
    }

    @Test(
        "bytes in the clear after the consent are refused, and no handshake begins",
        arguments: StartTLSProtocol.allCases)
    func injection(_ name: StartTLSProtocol) async throws {
        var script = ClearScript.good(name)
        let last = script.answers.count - 1
        script.answers[last] += Array("250 injected\u{1B}[31m\r\n".utf8)
        script.changes = false
        let (result, said, _) = try await play(script, as: name)
        guard case .failure(let error) = result, case .startTLS(.plaintextAfterConsent(name, let found)) = error.reason
        else { return #expect(Bool(false), "\(result)") }
        #expect(found.hasPrefix("250 injected") && !found.contains("\u{1B}"))
        #expect(said.count == script.answers.count)
        #expect(error.description.contains("tampering"))
    }

    @Test("bytes in the clear that come later fail the handshake")
    func lateInjection() async throws {
        var script = ClearScript.good(.ftp)
        script.answers.append(Array("220 too late\r\n".utf8))
        script.changes = false
        let (result, said, _) = try await play(script, as: .ftp)
        guard case .failure(let error) = result else { return #expect(Bool(false)) }
        #expect(error.phase == .handshake)
        // The second thing it says is its ClientHello.
        #expect(said.count == 2 && said[1].utf8.first == 22)
    }

    @Test("a server that does not offer it is not asked; its offers are named")
    func notOffered() async throws {
        let mail = try await failure(
            .lines("220 x\r\n", "250-x\r\n250-SIZE 1000\r\n250 XSTARTTLS\r\n", changes: false), as: .smtp)
        #expect(mail == .notOffered(.smtp, offered: ["SIZE 1000", "XSTARTTLS"]))
        let mailbox = try await failure(
            .lines("* OK x\r\n", "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\na1 OK\r\n", changes: false), as: .imap)
        #expect(mailbox == .notOffered(.imap, offered: ["IMAP4rev1", "AUTH=PLAIN"]))
        let post = try await failure(.lines("+OK\r\n", "+OK\r\nTOP\r\n.\r\n", changes: false), as: .pop3)
        #expect(post == .notOffered(.pop3, offered: ["TOP"]))
    }

    @Test(
        "a no is told with the server's words",
        arguments: [
            (
                StartTLSProtocol.smtp, "220 x\r\n", ["250-x\r\n250 starttls\r\n", "454 TLS not available\r\n"],
                "454 TLS not available"
            ),
            (.smtp, "554 no SMTP\r\n", [], "554 no SMTP"),
            (.smtp, "220 x\r\n", ["502 no EHLO\r\n"], "502 no EHLO"),
            (.imap, "* BYE overloaded\r\n", [], "* BYE overloaded"),
            (.imap, "* PREAUTH hello\r\n", [], "* PREAUTH hello"),
            (.imap, "* OK x\r\n", ["* CAPABILITY STARTTLS\r\na1 OK\r\n", "a2 BAD no\r\n"], "BAD no"),
            (.imap, "* OK x\r\n", ["* BYE gone\r\n"], "* BYE gone"),
            (.pop3, "-ERR busy\r\n", [], "-ERR busy"), (.pop3, "+OK\r\n", ["-ERR what\r\n", "-ERR no\r\n"], "-ERR no"),
            (.ftp, "220 x\r\n", ["502-AUTH\r\n anything\r\n502 not here\r\n"], "502-AUTH  anything 502 not here"),
            (.ftp, "421 closed\r\n", [], "421 closed"), (.postgres, "", ["N"], "N (TLS is off)"),
        ] as [(StartTLSProtocol, String, [String], String)])
    func refusals(_ name: StartTLSProtocol, greeting: String, answers: [String], words: String) async throws {
        let script = ClearScript(
            greeting: Array(greeting.utf8), answers: answers.map { Array($0.utf8) }, changes: false)
        guard case .refused(name, _, let answer) = try await failure(script, as: name) else {
            return #expect(Bool(false))
        }
        #expect(answer == words)
    }

    @Test("LDAP: a result other than success is told, and lengths may be long, as Active Directory writes them")
    func ldap() async throws {
        let refused = try await failure(
            ClearScript(answers: [ClearScript.ldapResult(52, diagnostic: "no \u{7}TLS")], changes: false), as: .ldap)
        guard case .refused(.ldap, "StartTLS", let answer) = refused else { return #expect(Bool(false)) }
        #expect(answer.hasPrefix("result 52 no ") && answer.hasSuffix("TLS") && !answer.contains("\u{7}"))
        // 30 84 0000001b, 02 01 01, 78 84 00000007 …
        let long: [UInt8] =
            [0x30, 0x84, 0, 0, 0, 16, 0x02, 1, 1, 0x78, 0x84, 0, 0, 0, 7, 0x0A, 1, 0, 0x04, 0, 0x04, 0]
        let (result, _, _) = try await play(ClearScript(answers: [long]), as: .ldap)
        #expect(try result.get().chain.count == 1)
    }

    @Test(
        "an answer that the protocol does not have is told, escaped",
        arguments: [
            (StartTLSProtocol.smtp, "SSH-2.0-x\r\n", []), (.smtp, "220-a\r\n221 b\r\n", []),
            (.imap, "+OK POP3\r\n", []),
            (.smtp, "\u{1B}[2J\r\n", []), (.imap, "* OK x\r\n", ["a9 OK\r\n"]), (.pop3, "* OK IMAP\r\n", []),
            (.pop3, "+OK\r\n", ["* what\r\n"]), (.ftp, "hello\r\n", []), (.ftp, "220 x\r\n", ["334 more\r\n"]),
            (.postgres, "", ["X"]), (.postgres, "", ["HTTP/1.1 400\r\n"]), (.ldap, "", ["HTTP/1.1 400\r\n"]),
            (.ldap, "", ["0\u{3}\u{2}\u{1}\u{1}"]), (.ldap, "", ["0\u{7}\u{2}\u{1}\u{1}x\u{2}\u{A}\u{1}"]),
        ] as [(StartTLSProtocol, String, [String])])
    func unexpected(_ name: StartTLSProtocol, greeting: String, answers: [String]) async throws {
        let script = ClearScript(
            greeting: Array(greeting.utf8), answers: answers.map { Array($0.utf8) }, changes: false)
        guard case .unexpectedAnswer(name, _, let found) = try await failure(script, as: name) else {
            return #expect(Bool(false))
        }
        #expect(!found.isEmpty && found.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test("a line without end, a reply without end and a length beyond reason end the connection")
    func tooLong() async throws {
        let line = String(repeating: "x", count: 9_000)
        #expect(
            try await failure(.lines("220 \(line)", changes: false), as: .smtp)
                == .answerTooLong(.smtp, limit: CleartextChannel.longestLine))
        let lines = String(repeating: "220-more\r\n", count: 10_000)
        #expect(
            try await failure(.lines(lines, changes: false), as: .ftp)
                == .answerTooLong(.ftp, limit: CleartextChannel.longestDialogue))
        #expect(
            try await failure(
                ClearScript(answers: [[0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF]], changes: false), as: .ldap)
                == .answerTooLong(.ldap, limit: CleartextChannel.longestDialogue))
    }

    @Test(
        "a server that says nothing costs no more than the limit, whatever the protocol",
        arguments: StartTLSProtocol.allCases)
    func silence(_ name: StartTLSProtocol) async throws {
        let (result, _, _) = try await play(
            ClearScript(answers: [], changes: false), as: name, limit: .milliseconds(50))
        guard case .failure(let error) = result else { return #expect(Bool(false)) }
        #expect(error.reason == .timedOut(.milliseconds(50)) && error.phase == .startTLS)
    }

    @Test("a server that hangs up is told as such", arguments: StartTLSProtocol.allCases)
    func hangsUp(_ name: StartTLSProtocol) async throws {
        let bench = try Bench()
        let server = try bench.server { $0.preamble = { _ in false } }
        let error = await bench.failure(connectingTo: server) { $0.startTLS = name }
        #expect(error?.phase == .startTLS)
        #expect(error?.reason == .closedEarly(bytesReceived: 0) || error?.reason == .reset)
        await server.stop()
    }

    @Test("whatever a server says in the clear ends in an error of its phase", arguments: StartTLSProtocol.allCases)
    func nonsense(_ name: StartTLSProtocol) async throws {
        // What the protocols are made of, put together at random; the seed is fixed.
        let parts: [[UInt8]] =
            [
                "220", "250", "234", " ", "-", "\r\n", "\n", "\r", "* OK", "* CAPABILITY STARTTLS", "a1 OK", "a2 OK",
                "+OK", ".\r\n",
                "STARTTLS", "STLS", "-ERR", "S", "E", "\u{0}", "ü",
            ].map { Array($0.utf8) } + [
                [0x30], [0x84], [0x80], [0xFF], [0x02, 1, 1], [0x78], [0x0A, 1, 0], [0x04, 0], [7],
            ]
        var state: UInt64 = 42
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<30 {
            let texts = (0..<(1 + random(3))).map { _ in
                (0..<(1 + random(12))).flatMap { _ in parts[random(parts.count)] }
            }
            let script = ClearScript(answers: texts, changes: false, hangsUp: true)
            let (result, _, _) = try await play(script, as: name)
            guard case .failure(let error) = result else { return #expect(Bool(false)) }
            // Where it happens to say the right thing, the handshake finds that it has hung up.
            #expect([.startTLS, .handshake].contains(error.phase) && !error.description.isEmpty)
            #expect(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(texts)")
        }
    }

    @Test("cancelling in the middle closes the connection")
    func cancellation() async throws {
        let bench = try Bench()
        let server = try bench.server { configuration in
            configuration.preamble = { connection in
                try? await connection.waitForEnd()
                return false
            }
        }
        let task = Task { await bench.failure(connectingTo: server) { $0.startTLS = .imap } }
        await bench.waitUntil { server.statistics.connections == 1 }
        task.cancel()
        #expect(await task.value?.reason == .cancelled)
        #expect(await server.waitUntilServed(1))
        await server.stop()
    }
}

@Suite("TLSLocation")
struct TLSLocationTests {
    @Test(
        "schemes say port and protocol",
        arguments: [
            ("www.example.com", "www.example.com:443"), ("https://www.example.com:8443/x?y#z", "www.example.com:8443"),
            ("SMTP://mail.example.com", "mail.example.com:25 (SMTP)"),
            ("smtps://mail.example.com", "mail.example.com:465"),
            ("submission://mail.example.com", "mail.example.com:587 (SMTP)"),
            ("imap://[::1]:1143", "[::1]:1143 (IMAP)"),
            ("postgresql://db.example.com/name", "db.example.com:5432 (PostgreSQL)"), ("ldaps://d.test", "d.test:636"),
            ("pop3://p.test", "p.test:110 (POP3)"), ("ftp://f.test", "f.test:21 (FTP)"),
            ("ldap://d.test", "d.test:389 (LDAP)"),
            ("imaps://i.test", "i.test:993"), ("pop3s://p.test", "p.test:995"), ("ftps://f.test", "f.test:990"),
        ])
    func schemes(_ text: String, _ meaning: String) throws {
        #expect(try TLSLocation(text).description == meaning)
    }

    @Test("a protocol that is named gives a host its port, and must not contradict the scheme")
    func named() throws {
        #expect(try TLSLocation("d.test", startTLS: .ldap).description == "d.test:389 (LDAP)")
        #expect(try TLSLocation("d.test:1389", startTLS: .ldap).description == "d.test:1389 (LDAP)")
        #expect(try TLSLocation("ldap://d.test", startTLS: .ldap).description == "d.test:389 (LDAP)")
        for text in ["https://d.test", "ldaps://d.test", "smtp://d.test"] {
            #expect(throws: EndpointError.self) { try TLSLocation(text, startTLS: .ldap) }
        }
        for text in ["http://a.test", "gopher://a.test", "smtp://user@a.test", "smtp://", "smtp:/a.test"] {
            #expect(throws: EndpointError.self) { try TLSLocation(text) }
        }
    }
}
