import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("Servers that are wrong in HTTP")
struct HTTPFaultTests {
    private static let bodyLimit = 1 << 20

    private static func session(_ server: RawTLSServer, patience: Duration = .seconds(120)) throws -> Session {
        try Session.tests(server) { configuration in
            configuration.maximumBodySize = bodyLimit
            configuration.timeouts.total = patience
        }
    }

    @Test(
        "each ends with the right answer or a typed error, and leaves the session usable", arguments: HTTPFault.allCases
    )
    func outcome(_ fault: HTTPFault) async throws {
        let server = try RawTLSServer { $0.script = fault.script }
        let session = try Self.session(server, patience: fault.needsTimeout ? .milliseconds(300) : .seconds(120))
        // The second finds what the first has left behind: a connection that must not be used again, for one.
        for _ in 0..<2 {
            var request = Request.get("0")
            request.acceptance = .any
            do throws(SessionError) {
                let response = try await session.send(request)
                switch fault.outcome {
                case .answer(let content), .answerOrError(let content):
                    #expect(String(decoding: response.body, as: UTF8.self) == content)
                case .error: Issue.record("\(response.statusCode) \(response.headers) \(response.body.count) bytes")
                }
            } catch {
                if case .answer = fault.outcome { Issue.record("\(error)") }
                if case .other = error.reason { Issue.record("untyped: \(error)") }
                #expect(!"\(error)".isEmpty)
            }
        }
        await server.stop()
    }

    @Test(
        "the reason is the one that the server is made for",
        arguments: [
            (HTTPFault.noAnswer, "timedOut"), (.stalledHeaders, "timedOut"), (.stalledBody, "timedOut"),
            (.resetBeforeAnswer, "connectionLost"), (.resetInHeaders, "connectionLost"),
            (.resetInBody, "connectionLost"),
            (.closedBeforeAnswer, "connectionLost"), (.truncatedBody, "truncated"), (.hugeLength, "truncated"),
            (.differingLengths, "malformedResponse"), (.negativeLength, "malformedResponse"),
            (.overflowingLength, "malformedResponse"), (.endlessBody, "bodyTooLarge"),
            (.headerFlood, "headersTooLarge"), (.hugeHeader, "headersTooLarge"), (.trailerFlood, "headersTooLarge"),
            (.garbage, "malformedResponse"), (.bareBody, "malformedResponse"), (.futureVersion, "malformedResponse"),
            (.badStatus, "malformedResponse"), (.chunkSizeNonsense, "malformedResponse"),
            (.chunkSizeNegative, "malformedResponse"), (.chunkSizeOverflow, "malformedResponse"),
            (.chunkWithoutEnd, "malformedResponse"), (.informationalStorm, "tooManyInformational"),
            (.unaskedSwitch, "malformedResponse"), (.compressionBomb, "bodyTooLarge"),
            (.corruptCompression, "contentCoding"), (.truncatedCompression, "contentCoding"),
            (.unknownEncoding, "contentCoding"), (.manyEncodings, "contentCoding"), (.redirectToFile, "redirect"),
            (.redirectToNowhere, "redirect"), (.redirectLoop, "redirect"), (.redirectChain, "redirect"),
            (.redirectToCleartext, "redirect"), (.closedInHeaders, "connectionLost"),
        ])
    func reasons(_ fault: HTTPFault, _ expected: String) async throws {
        let server = try RawTLSServer { $0.script = fault.script }
        let session = try Self.session(server, patience: fault.needsTimeout ? .milliseconds(300) : .seconds(120))
        let error = await session.refusal(.get("0"))
        await server.stop()
        let found = error.map { "\($0.reason)".prefix { $0.isLetter } } ?? "answer"
        #expect(found == expected, "\(error.map { "\($0)" } ?? "")")
    }

    @Test(
        "a length that goes on in a second line is no length",
        arguments: ["Content-Length: 1\r\n 7\r\n", "Content-Length: 17\r\n \r\n", "Content-Length:\r\n\t17\r\n"])
    func foldedLength(_ field: String) async throws {
        let server = try RawTLSServer { setup in
            setup.script = { connection throws(TLSError) in
                _ = try await connection.read()
                try await connection.write(Array("HTTP/1.1 200 OK\r\n\(field)\r\n0123456789abcdefg".utf8))
            }
        }
        let error = try #require(await Self.session(server).refusal())
        guard case .malformedResponse(let text) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(text.lowercased().contains("length"))
        await server.stop()
    }

    @Test("headers longer than libcurl takes are said to be, whatever the session allows", arguments: [1, 5_000])
    func longHeaders(lines: Int) async throws {
        let server = try RawTLSServer { setup in
            setup.answer = { _, _ in
                let value = String(repeating: "x", count: 6 << 20 / lines)
                return HTTPAnswer(200, Array(repeating: ("Filling", value), count: lines))
            }
        }
        let session = try Session.tests(server) { $0.maximumHeaderSize = 64 << 20 }
        let error = try #require(await session.refusal())
        guard case .headersTooLarge(let limit) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(limit == (lines == 1 ? 100 : 300) << 10)
        await server.stop()
    }

    @Test(
        "headers that are longer than HTTP/2 has room for are said to be, and what helps is said too",
        arguments: [140, 250])
    func longHTTP2Headers(kibibytes: Int) async throws {
        let value = String(repeating: "x", count: 1_016)
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.answer = { _, _ in .text("ok", (0..<kibibytes).map { ("X-\($0)", value) }) }
        }
        let error = try #require(await Session.tests(server).refusal())
        await server.stop()
        guard case .headersTooLarge(let limit) = error.reason else {
            Issue.record("\(error)")
            return
        }
        // DYN_H2_HEADERS of libcurl.
        #expect(limit == 128 << 10)
        #expect(error.remedy.contains("HTTP/1.1"), "\(error)")
    }

    @Test("a head of HTTP/2 in very many frames is the response's fault")
    func manyFrames() async throws {
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.longestFrame = 256
            setup.answer = { _, _ in .text("ok", [("Long", String(repeating: "x", count: 8_192))]) }
        }
        let error = try #require(await Session.tests(server).refusal())
        await server.stop()
        guard case .malformedResponse(let text) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(text.contains("CONTINUATION"))
    }

    @Test("a request whose header is longer than libcurl sends is said to be")
    func longRequest() async throws {
        let server = try RawTLSServer()
        let long = String(repeating: "x", count: 6 << 20)
        let error = try #require(await Session.tests(server).refusal(.get("", headers: ["Filling": long])))
        guard case .configuration(let text) = error.reason else {
            Issue.record("\("\(error)".prefix(300))")
            return
        }
        #expect(text.contains("1 MiB"))
        await server.stop()
        #expect(await server.requests.isEmpty)
    }

    @Test("an exchange that is reset as soon as it connects is a connection that was reset")
    func resetsAtOnce() async throws {
        let server = try RawTLSServer { $0.misbehaviour = .resetsAtOnce }
        let session = try Self.session(server)
        let error = try #require(await session.refusal())
        switch error.reason {
        case .tls(.reset): #expect(error.appleCode == -1005)
        // What libcurl sees of a reset that comes while it writes is that there is nothing to read.
        case .tls(.closedEarly(bytesReceived: 0)): #expect(error.phase == .handshake)
        // It may be over before anybody has seen that it stood.
        case .notConnected: #expect(error.appleCode == -1004)
        default: Issue.record("\(error)")
        }
        await server.stop()
    }

    @Test(
        "what goes wrong before the handshake is over is an error of TLS",
        arguments: [
            TLSServerConfiguration.Misbehaviour.plainHTTP, .sends([0xDE, 0xAD, 0xBE, 0xEF, 0, 1, 2, 3]), .truncates,
            .resets,
            .endlessHandshake, .certificateMessage([Array("this is no certificate".utf8)]),
        ])
    func handshakes(_ misbehaviour: TLSServerConfiguration.Misbehaviour) async throws {
        let server = try RawTLSServer { $0.misbehaviour = misbehaviour }
        let session = try Self.session(server)
        let error = try #require(await session.refusal())
        guard case .tls(let reason) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.phase == .handshake)
        switch (misbehaviour, reason) {
        case (.plainHTTP, .notTLS), (.sends, .notTLS), (.truncates, .closedEarly), (.resets, .reset),
            (.endlessHandshake, .handshakeTooLong), (.endlessHandshake, .protocolViolation),
            (.certificateMessage, .unreadableCertificate):
            break
        default: Issue.record("\(error)")
        }
        await server.stop()
    }

    @Test(
        "a handshake that does not go on ends with the time to connect",
        arguments: [TLSServerConfiguration.Misbehaviour.silence, .hangsInHandshake])
    func silence(_ misbehaviour: TLSServerConfiguration.Misbehaviour) async throws {
        let server = try RawTLSServer { $0.misbehaviour = misbehaviour }
        let session = try Session.tests(server) { $0.timeouts.connect = .milliseconds(300) }
        let error = try #require(await session.refusal())
        guard case .timedOut(.milliseconds(300)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.appleCode == -1001)
        await server.stop()
    }

    @Test("a request that waits for another's connection keeps its own limit")
    func waiting() async throws {
        let server = try RawTLSServer { $0.misbehaviour = .hangsInHandshake }
        let session = try Session.tests(server)
        let first = Task { await session.refusal() }
        #expect(await server.waitForStatistics { $0.rawBytesReceived > 0 })
        // libcurl would have the second one wait for as long as the first one's connection is in the making, which is a minute.
        var request = Request.get("")
        request.timeouts.total = .milliseconds(300)
        let error = try #require(await session.refusal(request))
        guard case .timedOut(.milliseconds(300)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        // It was not the first one's end that ended the second.
        first.cancel()
        guard case .cancelled = await first.value?.reason else {
            Issue.record("the first request has ended by itself")
            return
        }
        await server.stop()
    }
}
