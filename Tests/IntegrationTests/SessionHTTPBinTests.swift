import BelaySession
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("A session and httpbin", Provides<HTTPBin>())
struct SessionHTTPBinTests {
    private let bin: HTTPBin

    init() throws {
        bin = try HTTPBin.provided()
    }

    /// What `/anything` says that it has got.
    private struct Echo: Decodable, Sendable {
        let method: String
        let url: String
        let args: [String: OneOrMany]
        let form: [String: OneOrMany]
        let data: String
        let headers: [String: String]
        let json: JSONValue?
    }

    private enum OneOrMany: Decodable, Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
        case one(String)
        case many([String])

        init(stringLiteral value: String) { self = .one(value) }
        init(arrayLiteral elements: String...) { self = .many(elements) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .one(text)
            } else {
                self = .many(try container.decode([String].self))
            }
        }
    }

    private struct User: Codable, Sendable, Equatable {
        var name: String
        var age: Int
    }

    // MARK: Requests

    @Test("Each method arrives as itself")
    func methods() async throws {
        let session = try bin.session()
        for method: HTTPMethod in [.get, .post, .put, .patch, .delete] {
            let echo = try await session.send(Request(method, "anything/here"), as: Echo.self)
            #expect(echo.method == method.rawValue)
            #expect(echo.url == "https://\(Site.host)/anything/here")
        }
        let head = try await session.head("get")
        #expect(head.statusCode == 200 && head.body.isEmpty)
        #expect(head.headers["Content-Type"] == "application/json")
        #expect(try await session.head("get").headers["Content-Length"].flatMap { Int($0) } ?? 0 > 0)
    }

    @Test("JSON, text and bytes arrive as they were, and say what they are")
    func bodies() async throws {
        let session = try bin.session()
        let user = User(name: "Zoë", age: 41)
        let json = try await session.post("anything", body: try .json(user), as: Echo.self)
        #expect(json.headers["Content-Type"] == "application/json")
        #expect(try JSONDecoder().decode(User.self, from: Data(json.data.utf8)) == user)
        let text = try await session.put("anything", body: .text("naïve ☃"), as: Echo.self)
        #expect(text.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(text.data == "naïve ☃")
        // httpbin shows what is no UTF-8 as a data URL.
        let bytes: [UInt8] = [0, 0xFF, 0x0D, 0x0A, 0x80]
        let raw = try await session.patch("anything", body: .bytes(bytes), as: Echo.self)
        #expect(raw.headers["Content-Type"] == "application/octet-stream")
        #expect(raw.data == "data:application/octet-stream;base64," + Data(bytes).base64EncodedString())
        let empty = try await session.post("anything", body: .none, as: Echo.self)
        #expect(empty.data.isEmpty && empty.headers["Content-Length"] == "0")
    }

    @Test("A property list arrives as Python reads property lists")
    func propertyList() async throws {
        let session = try bin.session()
        let user = User(name: "Zoë", age: 41)
        let echo = try await session.post("anything", body: try .propertyList(user), as: Echo.self)
        #expect(echo.headers["Content-Type"] == "application/x-plist")
        let script = "import plistlib, sys; print(plistlib.loads(sys.stdin.buffer.read()))"
        let result = try await Tool.finish("python3", ["-c", script], input: Array(echo.data.utf8))
        #expect(result.text == "{'age': 41, 'name': 'Zoë'}\n", "\(result)")
    }

    @Test("A megabyte goes up and comes back")
    func large() async throws {
        let text = String(repeating: "0123456789abcdef", count: 65_536)
        let echo = try await bin.session().post("anything", body: .text(text), as: Echo.self)
        #expect(echo.data == text)
    }

    @Test("Parameters are read as they were written: in the query, in a form, nested and repeated")
    func parameters() async throws {
        let session = try bin.session()
        let parameters: Parameters = ["q": "red shoes & more=+%", "sizes": [41, 42], "user": ["name": "Zoë"]]
        let query = try await session.send(.get("anything?kept=1", parameters: parameters), as: Echo.self)
        let expected: [String: OneOrMany] = [
            "q": "red shoes & more=+%", "sizes[]": ["41", "42"], "user[name]": "Zoë",
        ]
        #expect(query.args == expected.merging(["kept": "1"]) { $1 })
        let form = try await session.send(.post("anything", parameters: parameters), as: Echo.self)
        #expect(form.form == expected)
        #expect(form.headers["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true)
        #expect(form.args.isEmpty)
    }

    @Test("Headers of the request win over those of the session, and both arrive")
    func headers() async throws {
        let session = try bin.session {
            $0.headers = ["X-Both": "session", "X-Session": "yes", "User-Agent": "Shop/1"]
        }
        let request = Request.get("anything", headers: ["x-both": "request", "X-Empty": ""])
        let echo = try await session.send(request, as: Echo.self)
        #expect(echo.headers["X-Both"] == "request")
        #expect(echo.headers["X-Session"] == "yes")
        #expect(echo.headers["User-Agent"] == "Shop/1")
        #expect(echo.headers["X-Empty"] == "")
    }

    // MARK: Responses

    @Test("Compressed content is unpacked", arguments: ["gzip", "deflate", "brotli"])
    func compression(encoding: String) async throws {
        let response = try await bin.session().get(encoding)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
        #expect(object[encoding == "gzip" ? "gzipped" : encoding == "deflate" ? "deflated" : "brotli"] as? Bool == true)
    }

    @Test("Where nothing shall be unpacked, what comes is what was sent")
    func packed() async throws {
        let response = try await bin.session { $0.decompresses = false }.get("gzip")
        #expect(response.body.starts(with: [0x1F, 0x8B]))
    }

    @Test(
        "Content of every shape arrives whole",
        arguments: ["bytes/100000?seed=7", "stream-bytes/100000?seed=7&chunk_size=777"])
    func content(path: String) async throws {
        #expect(try await bin.session().get(path).body.count == 100_000)
    }

    @Test("Text is read by its charset")
    func text() async throws {
        #expect(try await bin.session().get("encoding/utf8").text().contains("ሰማይ አይታረስ"))
    }

    @Test("A status that is not fine is an error with the answer in it; 204 is fine")
    func status() async throws {
        let session = try bin.session()
        #expect(try await session.get("status/204").body.isEmpty)
        for code in [400, 404, 418, 500, 503] {
            let error = try #require(await session.refusal(.get("status/\(code)")))
            guard case .rejected(let rejection) = error.reason else {
                Issue.record("\(error)")
                continue
            }
            #expect(rejection.response.statusCode == code)
            #expect(error.appleCode == -1011)
            if code == 418 { #expect(String(decoding: rejection.response.body, as: UTF8.self).contains("teapot")) }
        }
    }

    @Test("A request that takes too long ends in time, and leaves nothing that disturbs the next")
    func timeout() async throws {
        let session = try bin.session()
        var request = Request.get("delay/10")
        request.timeouts.total = .milliseconds(300)
        let clock = ContinuousClock()
        let start = clock.now
        let error = try #require(await session.refusal(request))
        #expect(clock.now - start < .seconds(8))
        guard case .timedOut(.milliseconds(300)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.appleCode == -1001)
        #expect(try await session.get("get").statusCode == 200)
    }

    // MARK: Redirects, cookies, passwords

    @Test("Redirects are followed", arguments: ["redirect/3", "relative-redirect/3", "absolute-redirect/3"])
    func redirects(path: String) async throws {
        let response = try await bin.session().get(path)
        #expect(response.statusCode == 200)
        #expect(response.url == "https://\(Site.host)/get")
    }

    @Test("Redirects end where the session's limit is")
    func tooManyRedirects() async throws {
        let session = try bin.session { $0.redirects.limit = 3 }
        #expect(try await session.get("redirect/3").statusCode == 200)
        let error = try #require(await session.refusal(.get("redirect/4")))
        guard case .redirect(.tooMany(limit: 3)) = error.reason else {
            Issue.record("\(error)")
            return
        }
    }

    /// RFC 9110, sections 15.4.2 to 15.4.9.
    @Test(
        "A redirected POST stays one with 307 and 308, and becomes a GET with 301, 302 and 303",
        arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func redirectedPost(status: Int, method: String) async throws {
        let echo = try await bin.session().send(
            Request(
                .post, "redirect-to", query: ["url": "/anything", "status_code": .init(stringLiteral: "\(status)")],
                body: .text("the body")), as: Echo.self)
        #expect(echo.method == method)
        #expect(echo.data == (method == "POST" ? "the body" : ""))
        #expect((echo.headers["Content-Type"] == nil) == (method == "GET"))
    }

    @Test("Cookies are kept and sent back, go when they are deleted, and belong to one session")
    func cookies() async throws {
        struct Jar: Decodable, Sendable { let cookies: [String: String] }
        let session = try bin.session()
        let set = try await session.get("cookies/set", parameters: ["basket": "7", "mood": "good"], as: Jar.self)
        #expect(set.cookies == ["basket": "7", "mood": "good"])
        #expect(try await session.get("cookies", as: Jar.self).cookies == set.cookies)
        let left = try await session.get("cookies/delete", parameters: ["mood": ""], as: Jar.self)
        #expect(left.cookies == ["basket": "7"])
        #expect(try await bin.session().get("cookies", as: Jar.self).cookies.isEmpty)
        let without = try bin.session { $0.storesCookies = false }
        #expect(try await without.get("cookies/set", parameters: ["basket": "7"], as: Jar.self).cookies.isEmpty)
    }

    @Test(
        "A password is given to who asks for it, by Basic and by Digest",
        arguments: [
            "basic-auth/user/secret", "digest-auth/auth/user/secret", "digest-auth/auth/user/secret/MD5",
            "digest-auth/auth/user/secret/SHA-256",
        ])
    func passwords(path: String) async throws {
        let session = try bin.session {
            $0.onChallenge = { challenge in
                guard case .serverTrust = challenge.kind else {
                    return challenge.previousFailureCount == 0
                        ? .useCredential(.password(user: "user", password: "secret")) : .performDefaultHandling
                }
                return .performDefaultHandling
            }
        }
        struct Answer: Decodable, Sendable {
            let authenticated: Bool
            let user: String
        }
        let answer = try await session.get(path, as: Answer.self)
        #expect(answer.authenticated && answer.user == "user")
        let wrong = try bin.session {
            $0.onChallenge = { challenge in
                guard case .serverTrust = challenge.kind else {
                    return challenge.previousFailureCount < 2
                        ? .useCredential(.password(user: "user", password: "guess")) : .performDefaultHandling
                }
                return .performDefaultHandling
            }
        }
        let error = try #require(await wrong.refusal(.get(path)))
        guard case .rejected(let rejection) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(rejection.response.statusCode == 401)
        #expect(!"\(error)".contains("guess"))
    }
}
