import BelayCertificates
import BelayTransportSecurity
import BelayTrust
import Testing

@Suite("NSPinnedDomains")
struct PinTests {
    private func pinned(_ entries: String) throws -> TransportSecurityConfiguration {
        try configuration("<dict><key>NSPinnedDomains</key><dict>\(entries)</dict></dict>")
    }

    private func entry(_ key: String, leaf: String? = nil, ca: String? = nil, _ more: String = "") -> String {
        var text = more
        if let leaf { text += "<key>NSPinnedLeafIdentities</key>\(leaf)" }
        if let ca { text += "<key>NSPinnedCAIdentities</key>\(ca)" }
        return "<key>\(key)</key><dict>\(text)</dict>"
    }

    private func list(_ digests: String...) -> String {
        "<array>" + digests.map { "<dict><key>SPKI-SHA256-BASE64</key><string>\($0)</string></dict>" }.joined()
            + "</array>"
    }

    private func pin(_ base64: String) throws -> SPKIPin { try SPKIPin(text: base64) }

    @Test("a host is pinned by its own name in any case, with a dot at its end, and from iOS 14 on")
    func hosts() throws {
        let read = try pinned(entry("Example.TEST", leaf: list(pinA)))
        #expect(read.findings.isEmpty)
        for host in ["example.test", "EXAMPLE.test", "example.test."] {
            #expect(try read.decide("https://\(host)/").pins?.leaf == [try pin(pinA)])
        }
        for host in ["www.example.test", "test", "other.test"] {
            #expect(try read.decide("https://\(host)/").pins == nil)
        }
        for (system, isPinned) in [("ios13.7", false), ("ios14", true), ("macos10.15", false), ("macos11", true)] {
            #expect(try (read.decide("https://example.test/", system).pins != nil) == isPinned)
        }
        // The key's dot does not go away.
        let dot = try pinned(entry("example.test.", leaf: list(pinA)))
        #expect(try dot.decide("https://example.test./").pins == nil)
    }

    @Test("one label more is covered by a Boolean that is true, not by a number, and never two")
    func subdomainsOfPins() throws {
        let covered = try pinned(entry("a.test", leaf: list(pinA), subdomains))
        #expect(try covered.decide("https://b.a.test/").pins != nil)
        #expect(try covered.decide("https://c.b.a.test/").pins == nil)
        #expect(try covered.decide("https://a.test/").pins != nil)
        let number = try pinned(
            entry("a.test", leaf: list(pinA), "<key>NSIncludesSubdomains</key><integer>1</integer>"))
        #expect(try number.decide("https://b.a.test/").pins == nil && number.rules == ["ats.wrong-type"])
    }

    @Test("the pins of several entries for a host are united")
    func union() throws {
        let read = try pinned(
            entry("a.test", leaf: list(pinA), subdomains) + entry("b.a.test", leaf: list(pinB), ca: list(pinA))
                + entry("B.a.test", leaf: list()))
        let pins = try #require(try read.decide("https://b.a.test/").pins)
        let (a, b) = (try pin(pinA), try pin(pinB))
        #expect(pins.leaf == [a, b] && pins.authority == [a])
        #expect(try read.decide("https://b.a.test/").isAllowed)
    }

    @Test("a list without an identity that a certificate can have pins to nothing: TLS fails, cleartext does not care")
    func nothing() throws {
        let lists = [
            "<array/>", "<string>\(pinA)</string>", "<array><string>\(pinA)</string></array>", "<true/>",
            "<array><dict><key>SPKI-SHA256-Base64</key><string>\(pinA)</string></dict></array>",
            "<array><dict/></array>",
            list("AAAA"), list("?"), list(""),
            "<array><dict><key>SPKI-SHA256-BASE64</key><data>AAAA</data></dict></array>",
        ]
        for text in lists {
            for read in [
                try pinned(entry("a.test", leaf: text)), try pinned(entry("a.test", leaf: list(pinA), ca: text)),
            ] {
                let decision = try read.decide("https://a.test/")
                #expect(!decision.isAllowed && decision.errorCode == nil && decision.requiresHTTPS, "\(text)")
                #expect(decision.pins?.isUnsatisfiable == true)
                #expect(read.rules.contains("ats.pins-nothing") && read.isMalformed)
            }
        }
        let open = try configuration(
            """
            <dict><key>NSExceptionDomains</key><dict><key>a.test</key><dict>\(insecure)</dict></dict>
            <key>NSPinnedDomains</key><dict><key>a.test</key><dict><key>NSPinnedLeafIdentities</key><array/></dict></dict></dict>
            """)
        #expect(try open.decide("http://a.test/").isAllowed)
        #expect(try !open.decide("https://a.test/").isAllowed)
    }

    @Test("an entry without either list pins nothing; good identities stay beside bad ones; stray bits do not matter")
    func others() throws {
        let none = try pinned(entry("a.test", subdomains))
        #expect(try none.decide("https://a.test/").pins == nil && none.rules == ["ats.pins-missing"])
        let mixed = try pinned(entry("a.test", leaf: list("AAAA", pinA)))
        #expect(try mixed.decide("https://a.test/").pins?.leaf == [try pin(pinA)])
        #expect(mixed.rules == ["ats.pin-malformed"])
        // The last character but one has two bits that belong to no byte: I and J differ in one of them.
        let stray = try pinned(entry("a.test", leaf: list(String(pinA.dropLast(2)) + "J=")))
        #expect(try stray.decide("https://a.test/").pins?.leaf == [try pin(pinA)])
        #expect(try pinned("<key>a.test</key><array/>").rules == ["ats.wrong-type"])
        let list = try configuration("<dict><key>NSPinnedDomains</key><array/></dict>")
        #expect(list.rules == ["ats.wrong-type"])
        #expect(try pinned(entry("https://a.test", leaf: self.list(pinA))).rules == ["ats.domain-key"])
    }

    @Test(
        "a leaf's pin is of the leaf, an authority's of any other certificate, and both must match where both are given"
    )
    func matching() throws {
        let (a, b, c) = (try pin(pinA), try pin(pinB), SPKIPin(SHA256Digest(of: [1])))
        #expect(PinnedIdentities(leaf: [a]).matches(path: [a, b]))
        #expect(!PinnedIdentities(leaf: [a]).matches(path: [b, a]))
        #expect(PinnedIdentities(authority: [a]).matches(path: [b, c, a]))
        #expect(!PinnedIdentities(authority: [a]).matches(path: [a, b]))
        #expect(!PinnedIdentities(authority: [a]).matches(path: [a]))
        #expect(PinnedIdentities(leaf: [a], authority: [b]).matches(path: [a, b]))
        #expect(!PinnedIdentities(leaf: [a], authority: [b]).matches(path: [a, c]))
        #expect(!PinnedIdentities(leaf: [a], authority: [b]).matches(path: [c, b]))
        #expect(!PinnedIdentities(leaf: []).matches(path: [a]) && !PinnedIdentities(leaf: [a]).matches(path: []))
    }

    @Test("pins demand nothing else: not HTTPS, and no key switches them off")
    func independent() throws {
        let text = entry("a.test", ca: list(pinA))
        let read = try configuration(
            "<dict><key>NSAllowsArbitraryLoads</key><true/><key>NSPinnedDomains</key><dict>\(text)</dict></dict>")
        #expect(try read.decide("http://a.test/").isAllowed)
        let decision = try read.decide("https://a.test/")
        #expect(decision.isTrustRelaxed && decision.pins?.authority?.count == 1)
        #expect(decision.decidedBy == [["NSAllowsArbitraryLoads"], ["NSPinnedDomains", "a.test"]])
    }
}
