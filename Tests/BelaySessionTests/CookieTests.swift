import BelayLaboratory
import BelaySession
import SessionTestSupport
import Testing

@Suite("Cookies of the caller beside those of servers")
struct CookieTests {
    /// Sets a cookie under `/set`, sends on under `/go` and `/away`, and says what `Cookie` fields a request had.
    private func server() throws -> RawTLSServer {
        try RawTLSServer([RawTLSServer.host, "other.test"]) { setup in
            setup.answer = { request, _ in
                switch request.target {
                case "/set": .text("set", [("Set-Cookie", "set=1; Path=/")])
                case "/go": HTTPAnswer(302, [("Location", "/end"), ("Set-Cookie", "set=1; Path=/")])
                case "/away":
                    HTTPAnswer(302, [("Location", "https://other.test/end"), ("Set-Cookie", "set=1; Path=/")])
                default:
                    .text(request.fields.filter { $0.name == "cookie" }.map(\.value).joined(separator: " | "))
                }
            }
        }
    }

    // RFC 6265, section 5.4: "the user agent MUST NOT attach more than one Cookie header field"; the order is curl's.
    @Test(
        "a request has one Cookie field, whoever its cookies are from",
        arguments: [
            ([("Cookie", "own=2")], "set=1; own=2"), ([("cookie", "own=2; more=3")], "set=1; own=2; more=3"),
            ([("Cookie", "own=2"), ("COOKIE", "more=3")], "set=1; own=2; more=3"),
            ([("Cookie", "set=2")], "set=1; set=2"),
            ([("X-Cookie", "own=2")], "set=1"), ([], "set=1"),
        ] as [([(String, String)], String)])
    func oneField(_ fields: [(String, String)], _ expected: String) async throws {
        let server = try server()
        let session = try Session.tests(server)
        let headers = try HTTPHeaders(fields)
        // Before the server has set one, the caller's are alone.
        let own = fields.filter { $0.0.lowercased() == "cookie" }.map(\.1).joined(separator: "; ")
        #expect(try await String(decoding: session.send(.get("end", headers: headers)).body, as: UTF8.self) == own)
        _ = try await session.text("set")
        #expect(try await String(decoding: session.send(.get("end", headers: headers)).body, as: UTF8.self) == expected)
        // Nothing of it stays with the handle that sent it.
        #expect(try await session.text("end") == "set=1")
        await server.stop()
    }

    @Test("a redirect takes both along within an origin, and neither to another, unless that is asked for")
    func redirects() async throws {
        let server = try server()
        let headers: HTTPHeaders = ["Cookie": "own=2"]
        func body(_ path: String, _ session: Session) async throws -> String {
            String(decoding: try await session.send(.get(path, headers: headers)).body, as: UTF8.self)
        }
        #expect(try await body("go", Session.tests(server)) == "set=1; own=2")
        #expect(try await body("away", Session.tests(server)) == "")
        let generous = try Session.tests(server) { $0.redirects.keepsCredentialsAcrossOrigins = true }
        // What a server has set stays with it in any case.
        #expect(try await body("away", generous) == "own=2")
        await server.stop()
    }

    @Test("a session that keeps no cookies sends the caller's in one field")
    func withoutStore() async throws {
        let server = try server()
        let session = try Session.tests(server) { $0.storesCookies = false }
        _ = try await session.text("set")
        let headers = try HTTPHeaders([("Cookie", "a=1"), ("Cookie", "b=2")])
        #expect(
            try await String(decoding: session.send(.get("end", headers: headers)).body, as: UTF8.self) == "a=1; b=2")
        await server.stop()
    }
}
