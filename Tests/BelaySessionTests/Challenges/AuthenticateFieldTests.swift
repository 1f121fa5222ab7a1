import BelaySession
import Testing

@Suite("WWW-Authenticate")
struct AuthenticateFieldTests {
    private func schemes(_ fields: String...) throws -> [String] {
        try AuthenticateChallenge.read(fields).map(\.scheme)
    }

    // RFC 9110, section 11.6.1.
    @Test("the RFC's example: two challenges in a field, quotes in a quoted string")
    func rfc9110() throws {
        let challenges = try AuthenticateChallenge.read([
            #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#
        ])
        #expect(challenges.map(\.scheme) == ["basic", "newauth"])
        #expect(challenges[0].parameters.map(\.name) == ["realm"] && challenges[0]["realm"] == "simple")
        #expect(challenges[1]["realm"] == "apps" && challenges[1]["type"] == "1")
        #expect(challenges[1]["title"] == #"Login to "apps""#)
    }

    // RFC 7616, section 3.9.1: two fields of one response.
    @Test("the RFC's example of Digest, the stronger algorithm first")
    func rfc7616() throws {
        let fields = [
            #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
            #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
        ]
        let challenges = try AuthenticateChallenge.read(fields)
        #expect(challenges.count == 2)
        #expect(challenges[0]["nonce"] == "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v")
        #expect(challenges[1]["qop"] == "auth, auth-int")
        let offers = PasswordOffer.offers(in: challenges)
        #expect(offers.map(\.scheme) == [.digestSHA256, .digestMD5])
        #expect(offers.map(\.realm) == ["http-auth@example.org", "http-auth@example.org"])
    }

    // RFC 7617, sections 2 and 2.1; RFC 4559, section 4.1.
    @Test("examples of Basic and of a token")
    func others() throws {
        #expect(try AuthenticateChallenge.read([#"Basic realm="WallyWorld""#])[0]["realm"] == "WallyWorld")
        #expect(try AuthenticateChallenge.read([#"Basic realm="foo", charset="UTF-8""#])[0]["charset"] == "UTF-8")
        #expect(try AuthenticateChallenge.read(["Negotiate"])[0].parameters.isEmpty)
        #expect(
            try AuthenticateChallenge.read(["Negotiate a87421000492aa874209af8bc028"])[0].token
                == "a87421000492aa874209af8bc028")
        #expect(try AuthenticateChallenge.read(["Negotiate oYG+/w==, Basic realm=x"])[0].token == "oYG+/w==")
    }

    @Test("schemes without anything, tokens and parameters may follow each other in every order")
    func orders() throws {
        #expect(try schemes("Negotiate, Basic realm=x") == ["negotiate", "basic"])
        #expect(try schemes("Basic realm=x, Negotiate") == ["basic", "negotiate"])
        #expect(try schemes("Basic realm=x, Negotiate, NTLM") == ["basic", "negotiate", "ntlm"])
        #expect(try schemes("Basic realm = \"x\" , charset = UTF-8, Digest nonce=n") == ["basic", "digest"])
        #expect(try schemes("Basic realm=\"a, Digest realm=b\"") == ["basic"])
        #expect(try schemes("Basic realm=x", "", "Digest realm=y") == ["basic", "digest"])
        #expect(try schemes(", ,Basic realm=x,, charset=UTF-8,,") == ["basic"])
        #expect(try schemes("BASIC REALM=x") == ["basic"])
        #expect(try AuthenticateChallenge.read(["BASIC REALM=x"])[0]["realm"] == "x")
        #expect(try AuthenticateChallenge.read([#"Basic realm="""#])[0]["realm"] == "")
        #expect(try AuthenticateChallenge.read([#"Basic realm="ü \ü""#])[0]["realm"] == "ü ü")
    }

    @Test(
        "what two readers could understand differently is refused",
        arguments: [
            #"Basic realm="open"#, #"Basic realm="a"b"#, "Basic realm=a b", "Basic realm=a realm=b", "Basic =x", "=x",
            "Basic realm=", #"Basic realm="\"#, "Basic realm=x; charset=y", "Basic/realm=x", #"Basic "realm"=x"#,
            "Basic realm=\"a\u{0}b\"", "Basic realm=\"a\nb\"", "Basic: realm=x", "Basic realm=x, y=", "Bäsic realm=x",
        ])
    func malformed(field: String) throws {
        let challenges = try? AuthenticateChallenge.read([field])
        // "realm=" by itself is a token68 by the grammar, and makes no offer.
        #expect(challenges == nil || PasswordOffer.offers(in: challenges ?? []).isEmpty)
        if field != "Basic realm=" {
            #expect(throws: AuthenticateFieldError.self) { try AuthenticateChallenge.read([field]) }
        }
    }

    @Test("a parameter that is there twice is refused")
    func duplicates() {
        #expect(throws: AuthenticateFieldError.duplicate(name: "realm")) {
            try AuthenticateChallenge.read(["Basic realm=x, charset=UTF-8, Realm=y"])
        }
    }

    @Test("fields are bounded")
    func bounds() {
        let long = "Basic realm=\"" + String(repeating: "x", count: AuthenticateChallenge.maximumLength) + "\""
        #expect(throws: AuthenticateFieldError.tooLong(limit: 16_384)) { try AuthenticateChallenge.read([long]) }
        let half = String(repeating: "x", count: 9_000)
        #expect(throws: AuthenticateFieldError.tooLong(limit: 16_384)) { try AuthenticateChallenge.read([half, half]) }
        let many = (0..<33).map { "S\($0)" }.joined(separator: ", ")
        #expect(throws: AuthenticateFieldError.tooMany(limit: 32)) { try AuthenticateChallenge.read([many]) }
        let parameters = "S " + (0..<33).map { "p\($0)=1" }.joined(separator: ",")
        #expect(throws: AuthenticateFieldError.tooMany(limit: 32)) { try AuthenticateChallenge.read([parameters]) }
        #expect(throws: AuthenticateFieldError.tooMany(limit: 32)) {
            try AuthenticateChallenge.read(Array(repeating: "Basic realm=x", count: 33))
        }
    }

    @Test("the strongest way comes first, whatever the order, and what is no offer is none")
    func strength() throws {
        func offers(_ fields: String...) throws -> [PasswordOffer.Scheme] {
            PasswordOffer.offers(in: try AuthenticateChallenge.read(fields)).map(\.scheme)
        }
        #expect(
            try offers(
                "Basic realm=x, Digest realm=x, nonce=n, algorithm=SHA-512-256, Digest realm=x, nonce=n, Bearer realm=x",
                "Digest realm=x, nonce=n, algorithm=SHA-256-sess")
                == [.digestSHA512, .digestSHA256, .digestMD5, .basic])
        #expect(try offers("Basic", "Basic charset=UTF-8", "Bearer realm=x", "Digest realm=x", "Digest nonce=n") == [])
        #expect(
            try offers("Digest realm=x, nonce=n, algorithm=ROT13", "Digest realm=x, nonce=n, qop=\"auth-int\"") == [])
        #expect(try offers("Digest realm=x, nonce=n, qop=auth") == [.digestMD5])
        let stale = try AuthenticateChallenge.read(["Digest realm=x, nonce=n, stale=TRUE", "Basic realm=x"])
        #expect(PasswordOffer.offers(in: stale).map(\.isStale) == [true, false])
    }

    @Test("random fields are read or refused, and end")
    func noise() {
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "Basic", "Digest", " ", ",", "=", "\"", "\\", "realm", "x", "==", "\t", "nonce", ";", "\u{0}", "é", "/",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...16, using: &generator)
            let field = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let challenges = try? AuthenticateChallenge.read([field]) else { continue }
            #expect(challenges.allSatisfy { !$0.scheme.isEmpty && $0.parameters.allSatisfy { !$0.name.isEmpty } })
            _ = PasswordOffer.offers(in: challenges)
        }
    }
}
