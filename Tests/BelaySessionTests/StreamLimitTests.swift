import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTrust
import SessionTestSupport
import TestSupport
import Testing

@Suite("Servers that take few requests at a time")
struct StreamLimitTests {
    private static func server(_ streams: Int, _ change: (inout RawTLSServer.Setup) -> Void = { _ in }) throws
        -> RawTLSServer
    {
        try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.maximumStreams = streams
            setup.refusesStreams = true
            change(&setup)
        }
    }

    /// Sends the requests all at once; what each was answered.
    private static func answers(_ session: Session, _ requests: [Request]) async -> [Result<String, SessionError>] {
        await withTaskGroup(of: (Int, Result<String, SessionError>).self) { group in
            for (number, request) in requests.enumerated() {
                group.addTask {
                    do throws(SessionError) {
                        return (number, .success(String(decoding: try await session.send(request).body, as: UTF8.self)))
                    } catch { return (number, .failure(error)) }
                }
            }
            var answers = [Result<String, SessionError>](repeating: .success(""), count: requests.count)
            for await (number, answer) in group { answers[number] = answer }
            return answers
        }
    }

    @Test(
        "Of 200 requests at once each is answered, and the server has done each once", arguments: [1, 4, 100],
        [HTTPMethod.get, .post])
    func many(streams: Int, method: HTTPMethod) async throws {
        let server = try Self.server(streams) { setup in
            setup.answer = { request, _ in HTTPAnswer.text(String(decoding: request.content, as: UTF8.self)) }
        }
        let session = try Session.tests(server)
        // A second wave finds the connections of the first.
        for wave in 0..<2 {
            let requests = (0..<200).map { number in
                Request(method, "", body: method == .get ? .none : .text("\(wave).\(number)"))
            }
            let answers = await Self.answers(session, requests)
            for (number, answer) in answers.enumerated() {
                switch answer {
                case .success(let text): #expect(text == (method == .get ? "" : "\(wave).\(number)"))
                case .failure(let error): Issue.record("\(error)")
                }
            }
        }
        await server.stop()
        let connections = await server.connections
        let contents = connections.flatMap(\.requests).map { String(decoding: $0.content, as: UTF8.self) }
        #expect(contents.count == 400)
        if method == .post { #expect(Set(contents).count == 400) }
        #expect(connections.map(\.refusedStreams).reduce(0, +) == 0)
    }

    // MARK: Requests that wait for the server's first word

    /// Runs `body` while requests wait behind a first one for the server's settings.
    private static func whileWaiting(
        _ change: (inout SessionConfiguration) -> Void = { _ in },
        _ body: (RawTLSServer, Session, Latch, [Task<SessionError?, Never>]) async throws -> Void
    ) async throws {
        let latch = Latch()
        let server = try Self.server(100) { $0.settingsLatch = latch }
        let session = try Session.tests(server, change)
        let first = Task { await session.refusal() }
        #expect(await server.wait { $0.first?.requests.count == 1 })
        let others = (0..<20).map { _ in Task { await session.refusal() } }
        try await body(server, session, latch, [first] + others)
        await latch.open()
        for request in [first] + others { _ = await request.value }
        await server.stop()
        // All of them came to the one connection first.
        #expect(await server.connections.first?.requests.isEmpty == false)
    }

    @Test("Requests that wait for the server's settings are held to a policy that changes meanwhile")
    func superseded() async throws {
        try await Self.whileWaiting { server, session, latch, requests in
            session.policy = try .tests { $0.expectedName = try ServerName("other.test") }
            await latch.open()
            #expect(await requests[0].value == nil)
            for request in requests.dropFirst() { #expect(await request.value?.rules == ["name.mismatch"]) }
            #expect(await server.requests.count == 1)
        }
    }

    @Test("Requests that wait for the server's settings can be cancelled, the first one too")
    func cancelled() async throws {
        try await Self.whileWaiting { server, _, latch, requests in
            for request in requests.prefix(3) {
                request.cancel()
                guard case .cancelled = await request.value?.reason else {
                    Issue.record("not cancelled")
                    continue
                }
            }
            await latch.open()
            for request in requests.dropFirst(3) { #expect(await request.value == nil) }
            #expect(await server.connections.count == 1)
        }
    }

    @Test("A server that never says a word holds nobody up for longer than the limit on silence")
    func silent() async throws {
        try await Self.whileWaiting({ $0.timeouts.idle = .milliseconds(300) }) { server, _, _, requests in
            for request in requests {
                guard case .timedOut(.milliseconds(300)) = await request.value?.reason else {
                    Issue.record("\(String(describing: await request.value))")
                    continue
                }
            }
            // They did not wait for one another: each would have been sent then, in its turn.
            #expect(await server.requests.count <= 3)
        }
    }

    // MARK: What is sent twice

    /// A server that ends the connection instead of answering the second request.
    private static func dropping(isHTTP2: Bool) throws -> RawTLSServer {
        let count = Journal(0)
        return try RawTLSServer { setup in
            setup.protocols = isHTTP2 ? ["h2"] : ["http/1.1"]
            setup.answer = { _, _ in
                await count.update { $0 += 1 }
                return await count.value == 2 ? .dropped : .text("answer")
            }
        }
    }

    @Test(
        "Of requests whose connection ends without an answer those are sent again that mean the same twice",
        arguments: [false, true], [HTTPMethod.get, .put, .post, .patch])
    func dropped(isHTTP2: Bool, method: HTTPMethod) async throws {
        let server = try Self.dropping(isHTTP2: isHTTP2)
        let session = try Session.tests(server)
        #expect(try await session.text() == "answer")
        let request = Request(method, "", body: method == .get ? .none : .text("once"))
        let isRepeatable = [HTTPMethod.get, .put].contains(method)
        let error = await session.refusal(request)
        if isRepeatable {
            #expect(error == nil)
        } else if case .connectionLost? = error?.reason {
        } else {
            Issue.record("\(String(describing: error))")
        }
        await server.stop()
        #expect(await server.requests.count == (isRepeatable ? 3 : 2))
    }

    @Test("A request that is sent again is held to the policy of that moment", arguments: [false, true])
    func repeatedUnderAnother(isHTTP2: Bool) async throws {
        let latch = Latch()
        let count = Journal(0)
        let server = try RawTLSServer { setup in
            setup.protocols = isHTTP2 ? ["h2"] : ["http/1.1"]
            setup.answer = { _, _ in
                await count.update { $0 += 1 }
                return await count.value == 2 ? .dropped.waiting(for: latch) : .text("answer")
            }
        }
        let session = try Session.tests(server)
        #expect(try await session.text() == "answer")
        let request = Task { await session.refusal() }
        #expect(await server.wait { $0.map(\.requests.count).reduce(0, +) == 2 })
        session.securityPolicy = .pinned(to: PinnedKeys(SPKIPin(SHA256Digest(of: [1]))))
        await latch.open()
        #expect(await request.value?.rules == ["pin.mismatch"])
        await server.stop()
        #expect(await server.connections.map(\.requests.count).reduce(0, +) == 2)
        #expect(await server.connections.dropFirst().allSatisfy { $0.bytes == 0 })
    }

    @Test("A POST that the server says it has not looked at is sent again, from a kept connection too")
    func unseen() async throws {
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.turnsDown = .goodbye
            setup.answersFirst = 1
        }
        let session = try Session.tests(server)
        #expect(try await session.text() == "answer")
        #expect(await session.refusal(.post("", body: .text("once"))) == nil)
        await server.stop()
        #expect(await server.connections.map(\.refusedStreams) == [1, 0])
        #expect(await server.connections.map(\.requests.count) == [1, 1])
    }

    @Test(
        "A POST that the server may have looked at is not sent again, on connections new and kept", arguments: [0, 1])
    func failed(streams: Int) async throws {
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.turnsDown = .failure
            setup.answersFirst = streams
        }
        let session = try Session.tests(server)
        if streams > 0 { #expect(try await session.text() == "answer") }
        let error = await session.refusal(.post("", body: .text("once")))
        await server.stop()
        guard case .connectionLost? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await server.connections.map(\.refusedStreams).reduce(0, +) == 1)
    }

    @Test(
        "A request that is refused without a look goes out six times and no more, whatever its method, and no answer is made up",
        arguments: [RawTLSServer.StreamRefusal.reset, .goodbye, .goodbyeAndCut], [HTTPMethod.get, .post])
    func refusedAlways(_ refusal: RawTLSServer.StreamRefusal, method: HTTPMethod) async throws {
        let server = try RawTLSServer { setup in
            setup.protocols = ["h2"]
            setup.turnsDown = refusal
        }
        let session = try Session.tests(server)
        let error = try #require(
            await session.refusal(Request(method, "", body: method == .get ? .none : .text("once"))))
        await server.stop()
        guard case .connectionLost(let text) = error.reason else {
            Issue.record("\(error)")
            return
        }
        let count = await server.connections.map(\.refusedStreams).reduce(0, +)
        #expect(count == 6 && text.contains("6 times"), "\(count) times: \(text)")
    }

    @Test("A handle that had its connections end under it many times is none the worse")
    func droppedOften() async throws {
        let isEven = Journal(false)
        let server = try RawTLSServer { setup in
            setup.answer = { _, _ in
                await isEven.update { $0.toggle() }
                return await isEven.value ? .text("answer") : .dropped
            }
        }
        let session = try Session.tests(server)
        // libcurl gives up at the sixth time in the life of a handle.
        for _ in 0..<20 { #expect(try await session.text() == "answer") }
        await server.stop()
    }
}
