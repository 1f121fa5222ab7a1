import BelaySession
import Testing

@Suite("Redirects")
struct RedirectDecisionTests {
    private static let start = "https://a.test/dir/page?q#part"

    /// What comes of a redirect of one request.
    private func next(
        _ status: Int = 302, _ location: String? = "/new", method: HTTPMethod = .get, from url: String = start,
        hasBody: Bool = false, canReplayBody: Bool = true, headers: [String] = [],
        _ change: (inout RedirectPolicy) -> Void = { _ in }
    ) throws -> RedirectDecision {
        var policy = RedirectPolicy()
        change(&policy)
        let context = RedirectContext(
            method: method, url: try SessionURL(url), hasBody: hasBody, canReplayBody: canReplayBody,
            headerNames: headers)
        return RedirectDecision.next(
            for: status, locations: location.map { [$0] } ?? [], from: context, policy: policy)
    }

    private func hop(_ decision: RedirectDecision) throws -> RedirectHop {
        guard case .follow(let hop) = decision else { throw NotFollowed(decision: decision) }
        return hop
    }

    private struct NotFollowed: Error { let decision: RedirectDecision }

    // MARK: Methods and bodies

    // RFC 9110, sections 15.4.2 to 15.4.9.
    @Test(
        "the status decides about method and body",
        arguments: [
            (301, "GET", "GET"), (301, "HEAD", "HEAD"), (301, "POST", "GET"), (301, "PUT", "PUT"),
            (301, "DELETE", "DELETE"),
            (302, "GET", "GET"), (302, "HEAD", "HEAD"), (302, "POST", "GET"), (302, "PATCH", "PATCH"),
            (303, "GET", "GET"), (303, "HEAD", "HEAD"), (303, "POST", "GET"), (303, "PUT", "GET"),
            (303, "DELETE", "GET"),
            (307, "GET", "GET"), (307, "POST", "POST"), (307, "PUT", "PUT"), (308, "POST", "POST"),
            (308, "HEAD", "HEAD"),
        ])
    func methods(status: Int, method: String, becomes: String) throws {
        let hop = try hop(next(status, method: HTTPMethod(method), hasBody: true, headers: ["Content-Type", "Accept"]))
        #expect(hop.method == HTTPMethod(becomes))
        #expect(hop.keepsBody == (method == becomes))
        #expect(hop.dropsHeaders == (method == becomes ? [] : ["Content-Type"]))
    }

    @Test("a body that is sent no more takes the headers that describe it along")
    func bodyHeaders() throws {
        let names = [
            "content-type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location", "Digest",
            "Last-Modified", "Transfer-Encoding",
        ]
        #expect(try hop(next(303, method: .post, hasBody: true, headers: names + ["Accept"])).dropsHeaders == names)
        #expect(try hop(next(303, method: .get, headers: ["Content-Type"])).dropsHeaders.isEmpty)
    }

    @Test("a body that cannot be sent twice is not replayed")
    func streams() throws {
        #expect(try next(307, method: .post, hasBody: true, canReplayBody: false) == .refuse(.bodyGone))
        #expect(try hop(next(303, method: .post, hasBody: true, canReplayBody: false)).keepsBody == false)
    }

    @Test(
        "other statuses are no redirects, and a redirect without a place is a response",
        arguments: [200, 201, 300, 304, 305, 306, 399, 401, 500])
    func otherStatuses(status: Int) throws {
        #expect(try next(status) == .stop)
        #expect(try next(301, nil) == .stop)
    }

    // MARK: Other origins

    @Test(
        "K3: what is meant for one origin does not cross to another",
        arguments: ["https://other.test/x", "https://a.test:8443/x", "https://sub.a.test/", "//other.test"])
    func secrets(location: String) throws {
        let headers = [
            "authorization", "Cookie", "Proxy-Authorization", "X-Auth-Token", "X-Api-Key", "X-Tenant", "Accept", "Host",
        ]
        let hop = try hop(next(307, location, headers: headers) { $0.sensitiveHeaders = ["x-tenant"] })
        #expect(hop.dropsHeaders == headers.filter { $0 != "Accept" })
        #expect(!hop.keepsCredentials && !hop.keepsIdentity && !hop.isSameOrigin)
    }

    @Test("K3: a body is not replayed across origins without being asked to be", arguments: [301, 302, 307, 308])
    func bodies(status: Int) throws {
        let refusal = try next(status, "https://other.test/", method: .put, hasBody: true)
        let (from, to) = (try SessionURL("https://a.test").origin, try SessionURL("https://other.test").origin)
        #expect(refusal == .refuse(.bodyToOtherOrigin(from: from, to: to)))
        let asked = try next(status, "https://other.test/", method: .put, hasBody: true) {
            $0.replaysBodyAcrossOrigins = true
        }
        #expect(try hop(asked).keepsBody)
        #expect(try hop(next(303, "https://other.test/", method: .put, hasBody: true)).keepsBody == false)
    }

    @Test("credentials and identity cross only where each is asked for; a Host set by hand never does")
    func asked() throws {
        let headers = ["Authorization", "X-Token", "Host"]
        let credentials = try hop(
            next(302, "https://other.test/", headers: headers) { $0.keepsCredentialsAcrossOrigins = true })
        #expect(credentials.dropsHeaders == ["Host"] && credentials.keepsCredentials && !credentials.keepsIdentity)
        let identity = try hop(
            next(302, "https://other.test/", headers: headers) { $0.keepsIdentityAcrossOrigins = true })
        #expect(identity.dropsHeaders == headers && !identity.keepsCredentials && identity.keepsIdentity)
    }

    @Test(
        "the same origin in another spelling is the same",
        arguments: ["https://A.test/x", "https://a.test:443/x", "HTTPS://a.test./x", "x", "?y"])
    func sameOrigin(location: String) throws {
        let hop = try hop(next(302, location, headers: ["Authorization", "Cookie", "Host"]))
        #expect(hop.dropsHeaders.isEmpty && hop.keepsCredentials && hop.keepsIdentity && hop.isSameOrigin)
    }

    @Test("U-labels and A-labels are the same origin")
    func internationalisedOrigin() throws {
        let hop = try hop(next(302, "https://xn--bcher-kva.test/x", from: "https://bücher.test/", headers: ["Cookie"]))
        #expect(hop.isSameOrigin && hop.dropsHeaders.isEmpty)
    }

    @Test("what was lost on the way does not come back with the first origin")
    func noReturn() throws {
        let policy = RedirectPolicy()
        var context = RedirectContext(
            method: .get, url: try SessionURL("https://a.test/"), headerNames: ["Authorization", "Accept"])
        for location in ["https://b.test/", "https://a.test/again", "https://a.test/more"] {
            let decision = RedirectDecision.next(for: 302, locations: [location], from: context, policy: policy)
            let hop = try hop(decision)
            context = context.following(hop)
            #expect(!hop.keepsCredentials && !hop.keepsIdentity)
            #expect(context.headerNames == ["Accept"])
        }
    }

    // MARK: Cleartext

    @Test("https leads to http only where that is allowed; http leads to https always")
    func downgrade() throws {
        let (from, to) = (try SessionURL("https://a.test").origin, try SessionURL("http://a.test").origin)
        #expect(try next(302, "http://a.test/x") == .refuse(.downgrade(from: from, to: to)))
        let allowed = try hop(next(302, "http://a.test/x", headers: ["Authorization"]) { $0.allowsDowngrade = true })
        #expect(allowed.url.text == "http://a.test/x" && allowed.dropsHeaders == ["Authorization"])
        let up = try hop(next(301, "https://a.test/", from: "http://a.test/", headers: ["Authorization"]))
        #expect(up.url.isSecure && up.dropsHeaders == ["Authorization"])
    }

    // MARK: Limits

    @Test("twenty hops are followed, and not one more")
    func limit() throws {
        var context = RedirectContext(method: .get, url: try SessionURL("https://a.test/0"))
        for number in 1...20 {
            let decision = RedirectDecision.next(
                for: 302, locations: ["/\(number)"], from: context, policy: RedirectPolicy())
            context = context.following(try hop(decision))
        }
        #expect(context.hops == 20 && context.url.path == "/20")
        #expect(
            RedirectDecision.next(for: 302, locations: ["/21"], from: context, policy: RedirectPolicy())
                == .refuse(.tooMany(limit: 20)))
    }

    @Test("a page may send back to itself once, for a cookie; a circle ends at its third round")
    func loops() throws {
        var context = RedirectContext(method: .get, url: try SessionURL("https://a.test/"))
        let back = RedirectDecision.next(for: 302, locations: ["/#other"], from: context, policy: RedirectPolicy())
        context = context.following(try hop(back))
        #expect(
            RedirectDecision.next(for: 302, locations: ["/"], from: context, policy: RedirectPolicy())
                == .refuse(.loop("https://a.test/")))
        // POST, then the result of it under the same URL, is no circle.
        let posted = RedirectContext(method: .post, url: try SessionURL("https://a.test/"), hasBody: true)
        let shown = RedirectDecision.next(for: 303, locations: ["/"], from: posted, policy: RedirectPolicy())
        #expect(try hop(shown).method == .get)
    }

    // MARK: Location

    // RFC 9110, section 10.2.2: the examples of its text.
    @Test("a fragment is inherited by a place that has none of its own")
    func fragments() throws {
        let first = try hop(next(303, "/People.html#tim", from: "http://www.example.org/~tim"))
        #expect(first.url.absoluteText == "http://www.example.org/People.html#tim")
        let second = try hop(
            next(301, "http://www.example.net/index.html", from: "http://www.example.org/index.html#larry"))
        #expect(second.url.absoluteText == "http://www.example.net/index.html#larry")
    }

    @Test("places are relative to the URL that was asked, and mended where they hold what URLs do not")
    func resolution() throws {
        #expect(try hop(next(302, " other ü ")).url.text == "https://a.test/dir/other%20%C3%BC")
        #expect(try hop(next(302, "../x?y")).url.text == "https://a.test/x?y")
    }

    @Test(
        "a place that is no http URL, or hides a password, is refused",
        arguments: [
            "ftp://a.test/", "javascript:alert(1)", "file:///etc/passwd", "https://user:sesame@a.test/", "https://",
            "https://a.test:99999/", "/x\ny", "//0x7f.1/", "data:,x", "http:",
        ])
    func badPlaces(location: String) throws {
        guard case .refuse(.badLocation(let error)) = try next(302, location) else {
            Issue.record("'\(location)' was not refused as a place")
            return
        }
        #expect(!"\(error)".contains("sesame"))
    }

    @Test("several places that differ are refused; the same one twice is one")
    func severalPlaces() throws {
        let context = RedirectContext(method: .get, url: try SessionURL("https://a.test/"))
        #expect(
            RedirectDecision.next(
                for: 302, locations: ["/x", "https://b.test/"], from: context, policy: RedirectPolicy())
                == .refuse(.severalLocations(2)))
        let same = RedirectDecision.next(for: 302, locations: ["/x", " /x"], from: context, policy: RedirectPolicy())
        #expect(try hop(same).url.path == "/x")
    }

    @Test("an empty place is none", arguments: ["", "  ", "\t"])
    func emptyPlace(location: String) throws {
        #expect(try next(302, location) == .stop)
        #expect(try next(307, location, method: .post, hasBody: true) == .stop)
    }

    // MARK: Modes

    @Test("modes: none leaves every redirect to the caller, sameOrigin those that lead elsewhere")
    func modes() throws {
        #expect(try next(302, "/x") { $0.mode = .none } == .stop)
        #expect(try next(302, "https://b.test/") { $0.mode = .sameOrigin } == .stop)
        #expect(try next(302, "http://a.test/") { $0.mode = .sameOrigin } == .stop)
        #expect(try hop(next(302, "/x") { $0.mode = .sameOrigin }).url.path == "/x")
    }

    @Test("refusals tell where it would have led and what to do")
    func texts() throws {
        guard case .refuse(let downgrade) = try next(302, "http://b.test/?token=sesame") else {
            Issue.record("not refused")
            return
        }
        #expect("\(downgrade)".contains("https://a.test") && "\(downgrade)".contains("http://b.test"))
        #expect(!"\(downgrade)".contains("sesame"))
    }
}
