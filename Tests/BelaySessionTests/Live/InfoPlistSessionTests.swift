import BelayCertificates
import BelayLaboratory
import BelaySession
import BelayTLS
import BelayTransportSecurity
import BelayTrust
import Foundation
import SessionTestSupport
import TestSupport
import Testing

@Suite("A session that holds to an Info.plist")
struct InfoPlistSessionTests {
    private static let url = "https://\(RawTLSServer.host)/"

    /// A session under the content of NSAppTransportSecurity, for which every host is the server.
    private static func session(
        _ server: RawTLSServer, _ keys: String, policy: ConnectionPolicy? = nil,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict>\(keys)</dict></dict></plist>
            """
        let configuration = TransportSecurityConfiguration(
            try PlistReader().read(Array(text.utf8)), file: "Info.plist")
        let apple = try ConnectionPolicy.tests { $0.trust.rules = .apple }
        return try Session(
            infoPlist: configuration, configuration: .tests(server, change),
            hostPolicies: HostPolicies(default: .use(policy ?? apple)))
    }

    private static func exception(_ keys: String) -> String {
        "<key>NSExceptionDomains</key><dict><key>\(RawTLSServer.host)</key><dict>\(keys)</dict></dict>"
    }

    private static func pins(leaf: [SPKIPin]? = nil, authority: [SPKIPin]? = nil) -> String {
        func list(_ key: String, _ pins: [SPKIPin]?) -> String {
            guard let pins else { return "" }
            let entries = pins.map {
                "<dict><key>SPKI-SHA256-BASE64</key><string>\($0.description.replacingPrefix("sha256/"))</string></dict>"
            }
            return "<key>\(key)</key><array>\(entries.joined())</array>"
        }
        return "<key>NSPinnedDomains</key><dict><key>\(RawTLSServer.host)</key><dict>"
            + list("NSPinnedLeafIdentities", leaf) + list("NSPinnedCAIdentities", authority) + "</dict></dict>"
    }

    private static func issued(_ key: PrivateKey.Specification) throws -> Identity {
        try SharedWorld.get().authorities.publicIntermediate.issueIdentity(
            .server(names: [RawTLSServer.host]), key: .generate(key))
    }

    @Test("an Info.plist that says nothing lets a good server in, and refuses http before a socket is opened")
    func nothing() async throws {
        let server = try RawTLSServer()
        let session = try Self.session(server, "")
        #expect(try await session.get(Self.url).text() == "answer")
        let connections = server.statistics.connections
        let error = await session.refusal(.get("http://\(RawTLSServer.host)/"))
        guard case .cleartext? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.appleCode == -1022)
        #expect(server.statistics.connections == connections)
        await server.stop()
    }

    @Test("an exception lets http out to its host, and to no other")
    func cleartextException() async throws {
        let server = try RawTLSServer()
        let session = try Self.session(
            server, Self.exception("<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"))
        // The server speaks TLS alone, so that there is no answer; that it was asked is what counts.
        let asked = await session.refusal(.get("http://\(RawTLSServer.host)/"))
        if case .cleartext? = asked?.reason { Issue.record("it was refused") }
        #expect(server.statistics.connections == 1)
        let error = await session.refusal(.get("http://other.test/"))
        guard case .cleartext? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(server.statistics.connections == 1)
        await server.stop()
    }

    @Test("TLS 1.0 is spoken where an exception says so, and nowhere else")
    func oldVersion() async throws {
        let server = try RawTLSServer { $0.versions = .tls10 ... .tls10 }
        let strict = try Self.session(server, "")
        guard case .tls(.protocolVersion)? = await strict.refusal(.get(Self.url))?.reason else {
            Issue.record("\(String(describing: await strict.refusal(.get(Self.url))))")
            return
        }
        let eased = try Self.session(
            server, Self.exception("<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string>"))
        #expect(try await eased.get(Self.url).text() == "answer")
        let other = try Self.session(
            server, Self.exception("<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.1</string>"))
        #expect(await other.refusal(.get(Self.url)) != nil)
        await server.stop()
    }

    @Test(
        "a demanded TLS 1.3 refuses a server of TLS 1.2 and accepts one of 1.3", arguments: [TLSVersion.tls12, .tls13])
    func newVersion(version: TLSVersion) async throws {
        let server = try RawTLSServer { $0.versions = version...version }
        let session = try Self.session(
            server, Self.exception("<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string>"))
        let error = await session.refusal(.get(Self.url))
        #expect((error == nil) == (version == .tls13))
        await server.stop()
    }

    @Test("a server without forward secrecy needs the exception for it")
    func forwardSecrecy() async throws {
        let server = try RawTLSServer { setup in
            setup.identity = try Self.issued(.rsa(bits: 2_048))
            setup.versions = .tls12 ... .tls12
            setup.cipherSuites = .openSSL(list: "AES128-GCM-SHA256")
        }
        let strict = try Self.session(server, "")
        #expect(await strict.refusal(.get(Self.url)) != nil)
        #expect(server.bytes == 0)
        let eased = try Self.session(
            server, Self.exception("<key>NSExceptionRequiresForwardSecrecy</key><false/>"))
        #expect(try await eased.get(Self.url).text() == "answer")
        await server.stop()
    }

    @Test("an RSA key of 1024 bits is refused, one of 2048 accepted")
    func keySize() async throws {
        for (kind, isAccepted) in [(PrivateKey.Specification.rsa(bits: 2_048), true), (.rsa(bits: 1_024), false)] {
            let server = try RawTLSServer { $0.identity = try Self.issued(kind) }
            let error = await (try Self.session(server, "")).refusal(.get(Self.url))
            #expect((error == nil) == isAccepted, "\(String(describing: error))")
            await server.stop()
        }
    }

    @Test("G17: NSPinnedDomains holds for leaves and authorities, both where both are given; no handler overrules it")
    func pinnedDomains() async throws {
        let identity = try Self.issued(.p256)
        let server = try RawTLSServer { $0.identity = identity }
        let leaf = try #require(identity.certificates.first).pin
        let root = try #require(SharedWorld.anchors().certificates.first).pin
        let wrong = SPKIPin(SHA256Digest(of: [1]))
        let table: [(String, Bool)] = [
            (Self.pins(leaf: [leaf, wrong]), true), (Self.pins(leaf: [wrong]), false),
            (Self.pins(authority: [root]), true), (Self.pins(authority: [wrong]), false),
            // The key of a leaf in the list of authorities matches nothing.
            (Self.pins(authority: [leaf]), false),
            (Self.pins(leaf: [leaf], authority: [root]), true), (Self.pins(leaf: [leaf], authority: [wrong]), false),
        ]
        for (keys, isAccepted) in table {
            let before = server.bytes
            for asks in [false, true] {
                let session = try Self.session(server, keys) { configuration in
                    if asks { configuration.onChallenge = { _ in .useCredential(.serverTrust()) } }
                }
                let error = await session.refusal(.get(Self.url))
                #expect((error == nil) == isAccepted, "\(keys)")
                if !isAccepted {
                    #expect(error?.rules.contains("ats.pinned-domains") == true)
                    #expect(error?.appleCode == -1200)
                    #expect(server.bytes == before)
                }
            }
        }
        await server.stop()
    }

    @Test("where nothing relaxes trust, neither a policy nor a handler lets in what the system would not")
    func trustLock() async throws {
        let identity = try Self.issued(.p256)
        let server = try RawTLSServer { $0.identity = identity }
        let pin = try #require(identity.certificates.first).pin
        var loose = ConnectionPolicy.apple
        loose.trust.systemAnchors = .none
        loose.securityPolicy = SecurityPolicy(
            pinningMode: .publicKey, pinnedKeys: [pin], allowInvalidCertificates: true)
        let relaxing = "<key>NSAllowsArbitraryLoads</key><true/>"
        for (keys, isAccepted) in [("", false), (relaxing, true)] {
            let session = try Self.session(server, keys, policy: loose)
            let error = await session.refusal(.get(Self.url))
            #expect((error == nil) == isAccepted, "\(String(describing: error))")
            if !isAccepted { #expect(error?.rules.contains("ats.trust-lock") == true) }
        }
        var strict = ConnectionPolicy.apple
        strict.trust.systemAnchors = .none
        for (keys, isAccepted) in [("", false), (relaxing, true)] {
            let session = try Self.session(server, keys, policy: strict) { configuration in
                configuration.onChallenge = { _ in .useCredential(.serverTrust()) }
            }
            let error = await session.refusal(.get(Self.url))
            #expect((error == nil) == isAccepted, "\(String(describing: error))")
        }
        await server.stop()
    }

    @Test("a configuration with an error in it allows nothing, whatever else it says")
    func malformed() async throws {
        let server = try RawTLSServer()
        let session = try Self.session(server, "<key>NSAllowsArbitraryLoads</key><string>YES</string>")
        for url in [Self.url, "http://\(RawTLSServer.host)/"] {
            let error = await session.refusal(.get(url))
            guard case .transportSecurity(let findings)? = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(findings.contains { $0.rule.identifier == "ats.wrong-type" })
        }
        #expect(server.statistics.connections == 0)
        await server.stop()
    }

    @Test("each hop of a redirect is decided about by itself")
    func redirects() async throws {
        let server = try RawTLSServer(["one.test", "two.test"]) { setup in
            setup.answer = { _, connection in
                connection.serverName == "one.test" ? .redirect(302, to: "https://two.test/") : .text("two")
            }
        }
        let wrong = SPKIPin(SHA256Digest(of: [1]))
        let keys = Self.pins(leaf: [wrong])
        let pinned = try Self.session(server, keys.replacingText(RawTLSServer.host, "two.test"))
        let error = await pinned.refusal(.get("https://one.test/"))
        #expect(error?.rules.contains("ats.pinned-domains") == true)
        #expect(try await Self.session(server, keys).get("https://one.test/").text() == "two")
        await server.stop()
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }

    fileprivate func replacingText(_ text: String, _ other: String) -> String {
        components(separatedBy: text).joined(separator: other)
    }
}
