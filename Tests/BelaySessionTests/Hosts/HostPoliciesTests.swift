import BelayCertificates
import BelaySession
import BelayTrust
import Testing

@Suite("Policies by host")
struct HostPoliciesTests {
    /// A set that denies by default, whose rules are told apart by their patterns.
    private func hosts(_ patterns: [String], default fallback: HostPolicies.Action = .deny) throws -> HostPolicies {
        var hosts = HostPolicies(default: fallback)
        for pattern in patterns { try hosts.set(.use(ConnectionPolicy()), for: HostPattern(pattern)) }
        return hosts
    }

    /// The pattern of the rule that decides about a host; nil for the default.
    private func decider(_ hosts: HostPolicies, _ host: String) throws -> String? {
        switch hosts.match(try ServerName(host)).rule {
        case .pattern(let pattern): pattern.description
        case .fallback: nil
        }
    }

    private func denial(_ hosts: HostPolicies, _ host: String) throws -> HostDenial? {
        if case .refuse(let denial) = hosts.match(try ServerName(host)).decision { denial } else { nil }
    }

    // MARK: Published situations

    @Test("C1: a wildcard is not compared by how a name begins")
    func wildcardPrefix() throws {
        let hosts = try hosts(["*.foo.test", "**.bar.test"])
        #expect(try decider(hosts, "bar.foo.test") == "*.foo.test")
        for host in [
            "bar.foo.test.evil.test", "foo.test.evil.test", "evilfoo.test", "evilbar.test", "bar.test.evil.test",
        ] {
            #expect(try decider(hosts, host) == nil)
            #expect(try denial(hosts, host) != nil)
        }
    }

    @Test(
        "C3: a URL given as a host is a configuration error",
        arguments: [
            "https://www.host.test/v1/", "http://host.test", "www.host.test/v1", "host.test:8443",
            "https://host.test:443",
        ])
    func urlAsHost(text: String) {
        let error = #expect(throws: HostPatternError.self) { try HostPattern(text) }
        #expect(error.map { ConfigurationError.hostPattern($0).description.contains("host") } == true)
    }

    @Test(
        "C6: one label means one, any depth means every one and the apex",
        arguments: [
            ("*.host.test", "host.test", false), ("*.host.test", "a.host.test", true),
            ("*.host.test", "a.b.host.test", false), ("**.host.test", "host.test", true),
            ("**.host.test", "a.host.test", true), ("**.host.test", "a.b.host.test", true),
        ])
    func levels(pattern: String, host: String, isFor: Bool) throws {
        let hosts = try hosts([pattern])
        #expect(try decider(hosts, host) == (isFor ? pattern : nil))
    }

    // The A-label is GNU libidn's of bücher.
    @Test(
        "C8: U-labels and A-labels meet, both ways",
        arguments: [
            ("bücher.test", "xn--bcher-kva.test"), ("xn--bcher-kva.test", "bücher.test"),
            ("BÜCHER.test", "bücher.TEST."),
            ("*.bücher.test", "www.xn--bcher-kva.test"), ("**.xn--bcher-kva.test", "a.b.Bücher.test"),
        ])
    func internationalised(pattern: String, host: String) throws {
        let hosts = try hosts([pattern])
        #expect(try decider(hosts, host) == HostPattern(pattern).description)
        #expect(try decider(hosts, SessionURL("https://\(host)/").host.description) == HostPattern(pattern).description)
    }

    // MARK: Precedence

    @Test(
        "the most specific rule decides, in whatever order they were given",
        arguments: [
            ("a.b.test", "a.b.test"), ("x.b.test", "*.b.test"), ("b.test", "**.b.test"), ("x.y.b.test", "**.b.test"),
            ("x.c.b.test", "**.c.b.test"), ("c.b.test", "*.b.test"), ("y.test", "**.test"), ("other.example", nil),
            ("192.0.2.7", "192.0.2.7"), ("192.0.2.8", "192.0.2.0/24"), ("192.0.3.1", "192.0.0.0/16"),
            ("10.0.0.1", "0.0.0.0/0"),
            ("2001:db8::7", "2001:db8::7"), ("2001:DB8:0:0:0::8", "2001:db8::/64"), ("2001:db8:1::", "2001:db8::/33"),
            ("2001:db9::", nil),
        ])
    func precedence(host: String, decides: String?) throws {
        let patterns = [
            "**.test", "**.b.test", "*.b.test", "a.b.test", "**.c.b.test", "0.0.0.0/0", "192.0.0.0/16", "192.0.2.0/24",
            "192.0.2.7", "2001:db8::/33", "2001:db8::/64", "2001:db8::7",
        ]
        #expect(try decider(hosts(patterns), host) == decides)
        #expect(try decider(hosts(patterns.reversed()), host) == decides)
    }

    @Test("a host that a rule excludes goes to the next rule, and to the default at last")
    func exclusions() throws {
        var hosts = HostPolicies(default: .deny)
        try hosts.set(
            .use(ConnectionPolicy()), for: HostPattern("**.b.test"),
            excluding: [HostPattern("**.old.b.test"), HostPattern("x.b.test")])
        #expect(try decider(hosts, "a.b.test") == "**.b.test")
        #expect(try denial(hosts, "x.b.test")?.pattern == nil && denial(hosts, "x.b.test") != nil)
        #expect(try denial(hosts, "a.old.b.test") != nil)
        try hosts.set(.deny, for: HostPattern("**.test"))
        #expect(try denial(hosts, "x.b.test")?.pattern == HostPattern("**.test"))
        try hosts.set(.use(ConnectionPolicy()), for: HostPattern("old.b.test"))
        #expect(try denial(hosts, "old.b.test") == nil)
        #expect(try denial(hosts, "a.old.b.test") != nil)
    }

    @Test("an address block may exclude addresses")
    func excludedAddresses() throws {
        var hosts = HostPolicies(default: .deny)
        try hosts.set(
            .use(ConnectionPolicy()), for: HostPattern("192.0.2.0/24"), excluding: [HostPattern("192.0.2.128/25")])
        #expect(try denial(hosts, "192.0.2.127") == nil)
        #expect(try denial(hosts, "192.0.2.128") != nil)
    }

    // RFC 4291, section 2.5.5.2: the kernel connects such an address over IPv4.
    @Test("a rule for an IPv4 address is not walked around by its IPv4-mapped spelling")
    func mappedAddresses() throws {
        var hosts = HostPolicies(default: .use(ConnectionPolicy()))
        try hosts.set(.deny, for: HostPattern("192.0.2.0/24"))
        #expect(try denial(hosts, "[::ffff:192.0.2.7]")?.pattern == HostPattern("192.0.2.0/24"))
        #expect(try denial(hosts, "::ffff:c000:207") != nil)
        #expect(try denial(hosts, "[::fffe:192.0.2.7]") == nil)
        try hosts.set(.use(ConnectionPolicy()), for: HostPattern("::ffff:192.0.2.7"))
        #expect(try denial(hosts, "::ffff:192.0.2.7") == nil)
    }

    @Test("equal patterns are a configuration error, whatever their spelling")
    func duplicates() throws {
        for (first, second) in [
            ("bücher.test", "XN--BCHER-KVA.test."), ("*.b.test", "*.B.test"), ("**.b.test", "**.b.test"),
            ("::1", "[0:0::1]"), ("192.0.2.0/24", "192.0.2.77/24"),
        ] {
            var hosts = try hosts([first])
            #expect(throws: ConfigurationError.duplicateHostPattern(try HostPattern(second))) {
                try hosts.set(.deny, for: HostPattern(second))
            }
            #expect(hosts.entries.count == 1)
        }
        _ = try hosts(["b.test", "*.b.test", "**.b.test", "192.0.2.0/24", "192.0.2.0/25", "192.0.2.0"])
    }

    @Test("a rule can be replaced and removed")
    func changes() throws {
        var hosts = try hosts(["a.test", "**.test", "b.test"])
        hosts.replace(.init(try HostPattern("A.test"), .deny))
        #expect(try denial(hosts, "a.test")?.pattern == HostPattern("a.test"))
        #expect(hosts.entries.count == 3)
        hosts.replace(.init(try HostPattern("c.test"), .deny))
        #expect(try denial(hosts, "c.test") != nil)
        #expect(try hosts.remove(HostPattern("a.test")) && !hosts.remove(HostPattern("a.test")))
        #expect(try decider(hosts, "a.test") == "**.test")
        #expect(try decider(hosts, "b.test") == "b.test" && decider(hosts, "c.test") == "c.test")
        try hosts.set(.deny, for: HostPattern("a.test"))
        #expect(try denial(hosts, "a.test") != nil)
    }

    // MARK: Defaults

    @Test("without a rule the default decides")
    func defaults() throws {
        let open = HostPolicies()
        guard case .use(let policy) = open.match(try ServerName("h.test")).decision else {
            Issue.record("the default default refuses")
            return
        }
        #expect(policy.securityPolicy == .default && !policy.allowsCleartext)
        let closed = HostPolicies(default: .deny)
        #expect(try denial(closed, "h.test")?.description.contains("no rule is for 'h.test'") == true)
        #expect(try denial(closed, "192.0.2.1") != nil)
    }

    @Test("a denial names the rule and the host")
    func denialText() throws {
        var hosts = HostPolicies()
        try hosts.set(.deny, for: HostPattern("**.b.test"))
        let text = try #require(try denial(hosts, "a.b.test")).description
        #expect(text.contains("'a.b.test'") && text.contains("'**.b.test'"))
    }

    @Test("the identifier is the rule's: the same for all its hosts, other than every other rule's")
    func identifiers() throws {
        let hosts = try hosts(["**.b.test", "a.b.test"])
        let copy = hosts
        #expect(try hosts.match(ServerName("x.b.test")).rule == copy.match(ServerName("y.b.test")).rule)
        #expect(try hosts.match(ServerName("x.b.test")).rule != hosts.match(ServerName("a.b.test")).rule)
        #expect(try hosts.match(ServerName("x.test")).rule == .fallback)
    }

    @Test("the policy of the rule is the one that is given")
    func policies() throws {
        var special = ConnectionPolicy()
        special.allowsCleartext = true
        let hosts = try HostPolicies(
            default: .use(ConnectionPolicy()),
            [.init(HostPattern("a.test"), .use(special)), .init(HostPattern("b.test"), .deny)])
        guard case .use(let policy) = hosts.match(try ServerName("a.test")).decision else {
            Issue.record("refused")
            return
        }
        #expect(policy.allowsCleartext)
    }

    @Test("among fifty thousand rules each host finds its own")
    func manyRules() throws {
        var many = HostPolicies(default: .deny)
        for number in 0..<50_000 { try many.set(.use(ConnectionPolicy()), for: HostPattern("h\(number).b.test")) }
        for number in stride(from: 0, to: 50_000, by: 7) {
            let match = many.match(try ServerName("h\(number).b.test"))
            #expect(match.rule == .pattern(try HostPattern("h\(number).b.test")))
        }
        #expect(many.match(try ServerName("h50000.b.test")).rule == .fallback)
    }

    // MARK: Findings

    @Test("a public suffix is an error where it is pinned, a warning where not, and nothing where it is denied")
    func publicSuffixes() throws {
        let pins = PinnedKeys(SPKIPin(SHA256Digest(of: [1])), SPKIPin(SHA256Digest(of: [2])))
        let pinned = ConnectionPolicy(securityPolicy: .pinned(to: pins))
        for (action, severity) in [
            (HostPolicies.Action.use(pinned), Finding.Severity.error), (.use(ConnectionPolicy()), .warning),
            (.deny, nil),
        ] {
            let hosts = try HostPolicies(default: .deny, [.init(HostPattern("**.azurewebsites.net"), action)])
            #expect(hosts.findings().map(\.severity) == [severity].compactMap(\.self))
            #expect(hosts.findings().allSatisfy { $0.rule.identifier == "pin.public-suffix" })
            if severity == .error {
                #expect(throws: ConfigurationError.self) { try hosts.validate() }
            } else {
                try hosts.validate()
            }
        }
        let own = try HostPolicies(default: .deny, [.init(HostPattern("myid.azurewebsites.net"), .use(pinned))])
        #expect(own.findings().isEmpty)
    }

    @Test("pins beside cleartext, and policies that contradict themselves, are found wherever they stand")
    func policyFindings() throws {
        var cleartext = ConnectionPolicy(securityPolicy: .pinned(to: PinnedKeys(SPKIPin(SHA256Digest(of: [1])))))
        cleartext.allowsCleartext = true
        let contradictory = ConnectionPolicy(securityPolicy: SecurityPolicy(allowInvalidCertificates: true))
        let empty = ConnectionPolicy(securityPolicy: SecurityPolicy(pinningMode: .publicKey))
        for (policy, rule, isError) in [
            (cleartext, "policy.pinned-cleartext", false), (contradictory, "policy.contradiction", true),
            (empty, "policy.empty-pin-set", true),
        ] {
            for hosts in [
                HostPolicies(default: .use(policy)),
                try HostPolicies(default: .deny, [.init(HostPattern("192.0.2.1"), .use(policy))]),
            ] {
                #expect(hosts.findings().map(\.rule.identifier) == [rule])
                if isError {
                    #expect(throws: ConfigurationError.self) { try hosts.validate() }
                } else {
                    try hosts.validate()
                }
            }
        }
    }
}
