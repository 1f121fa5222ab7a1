import BelayCertificates
import BelayTrust
import Foundation
import Testing

@Suite("Revocation lists")
struct RevocationTests {
    private let world: TestPKI
    init() throws { world = try TestPKI.good.get() }

    /// The verdict with lists for the leaf, and a good one of the root.
    private func verdict(_ lists: RevocationList...) throws -> Verdict {
        try world.trust.with { $0.revocationLists = lists + [try world.root.list()] }.evaluate()
    }

    private static func oid(_ text: String) throws -> OID { try #require(OID(dotted: text)) }

    /// A list with an issuing distribution point of these contents.
    private func scoped(_ contents: [UInt8], revoking: [Certificate] = []) throws -> RevocationList {
        try world.intermediate.list(
            revoking: revoking,
            extensions: [
                CertificateExtension(
                    identifier: Self.oid("2.5.29.28"), isCritical: true, value: DERWriter.element(.sequence, contents))
            ])
    }

    @Test("a certificate that no list names is good, one that is listed is revoked")
    func goodAndRevoked() throws {
        #expect(try verdict(world.intermediate.list()).findings.isEmpty)
        #expect(try verdict(world.intermediate.list(revoking: [world.root.certificate])).isTrusted)
        let revoked = try verdict(world.intermediate.list(revoking: [world.leaf], reason: 1))
        #expect(revoked.errors == ["revocation.revoked"])
        #expect(revoked.result == .fatalTrustFailure)
        #expect(revoked.finding("revocation.revoked")?.message.contains("the key was compromised") == true)
        let intermediate = try world.trust.with {
            $0.revocationLists = [
                try world.intermediate.list(), try world.root.list(revoking: [world.intermediate.certificate]),
            ]
        }.evaluate()
        #expect(intermediate.finding("revocation.revoked")?.depth == 1)
    }

    @Test("every reason revokes but the one that lifts a hold", arguments: [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 200])
    func reasons(reason: Int) throws {
        let verdict = try verdict(world.intermediate.list(revoking: [world.leaf], reason: reason))
        #expect(verdict.isTrusted == (reason == 8))
    }

    @Test(
        "a list is current from its issue to its next update, both included",
        arguments: [(-86_401, false), (-86_400, true), (86_400, true), (86_401, false)])
    func currency(offset: Int, isCurrent: Bool) throws {
        let trust = try world.trust.with {
            $0.evaluationTime = moment + Double(offset)
            $0.revocationLists = [
                try world.intermediate.list(),
                try world.root.list {
                    $0.thisUpdate = moment - 200_000
                    $0.nextUpdate = moment + 200_000
                },
            ]
        }
        #expect(trust.evaluate().errors == (isCurrent ? [] : ["revocation.list-stale"]))
    }

    @Test("a list without a next update cannot be relied on")
    func noNextUpdate() throws {
        #expect(try verdict(world.intermediate.list { $0.nextUpdate = nil }).errors == ["revocation.list-stale"])
    }

    @Test("a list of another signer, or of an issuer that may not sign lists, is no list")
    func signer() throws {
        let stranger = try CertificateIssuer.root(named: "X")
        let forged = try stranger.list { $0.issuer = world.intermediate.certificate.subject }
        #expect(try verdict(forged).errors == ["revocation.list-invalid"])
        #expect(
            try verdict(world.intermediate.list { $0.corruptsSignature = true }).errors == ["revocation.list-invalid"])
        #expect(
            try verdict(world.intermediate.list { $0.signatureAlgorithm = .ecdsa(.sha1) }).errors
                == ["revocation.list-invalid"])
        let mute = try TestPKI(intermediate: { $0.set(.keyUsage(.keyCertSign)) })
        let trust = try mute.trust.with { $0.revocationLists = [try mute.intermediate.list(), try mute.root.list()] }
        #expect(trust.evaluate().errors == ["revocation.list-invalid"])
    }

    @Test("a bad list beside a good one does no harm, and a revocation in either counts")
    func severalLists() throws {
        let good = try world.intermediate.list()
        let bad = try world.intermediate.list { $0.corruptsSignature = true }
        #expect(try verdict(good, bad).isTrusted)
        #expect(try verdict(bad, good).isTrusted)
        let revoking = try world.intermediate.list(revoking: [world.leaf])
        for lists in [[good, revoking], [revoking, good]] {
            #expect(try verdict(lists[0], lists[1]).errors == ["revocation.revoked"])
        }
    }

    @Test("delta lists, indirect lists and unknown critical extensions are named as unsupported")
    func unsupported() throws {
        let delta = try world.intermediate.list(extensions: [
            CertificateExtension(identifier: Self.oid("2.5.29.27"), isCritical: true, value: [2, 1, 1])
        ])
        let unknown = try world.intermediate.list(extensions: [
            CertificateExtension(identifier: Self.oid("1.3.6.1.4.1.99999.7"), isCritical: true, value: [5, 0])
        ])
        let foreign = try world.intermediate.list {
            $0.entries = [
                .init(
                    serialNumber: [1], date: moment,
                    extensions: [
                        CertificateExtension(
                            identifier: (try? Self.oid("2.5.29.29")) ?? .anyExtendedKeyUsage, isCritical: true,
                            value: DERWriter.sequence(
                                GeneralName.directory(DistinguishedName(commonName: "Other")).der))
                    ])
            ]
        }
        // [4] indirectCRL TRUE
        for list in [delta, unknown, foreign, try scoped([0x84, 1, 0xFF])] {
            let verdict = try verdict(list)
            #expect(verdict.errors == ["revocation.list-unsupported"])
            #expect(verdict.result == .recoverableTrustFailure)
        }
        let harmless = try world.intermediate.list(extensions: [
            CertificateExtension(identifier: Self.oid("1.3.6.1.4.1.99999.7"), isCritical: false, value: [5, 0])
        ])
        #expect(try verdict(harmless).isTrusted)
    }

    @Test("lists for leaves, authorities and attribute certificates cover those")
    func scopes() throws {
        // [1] onlyContainsUserCerts, [2] onlyContainsCACerts, [5] onlyContainsAttributeCerts
        #expect(try verdict(scoped([0x81, 1, 0xFF])).findings.isEmpty)
        #expect(try verdict(scoped([0x81, 1, 0xFF], revoking: [world.leaf])).errors == ["revocation.revoked"])
        #expect(try verdict(scoped([0x82, 1, 0xFF])).rules == ["revocation.no-list"])
        #expect(try verdict(scoped([0x85, 1, 0xFF])).rules == ["revocation.no-list"])
        // [3] onlySomeReasons: keyCompromise. Nothing is said about the others.
        #expect(try verdict(scoped([0x83, 2, 6, 0x40])).errors == ["revocation.list-unsupported"])
        #expect(
            try verdict(scoped([0x83, 2, 6, 0x40], revoking: [world.leaf])).errors == ["revocation.revoked"])
    }

    @Test("lists for some reasons each are enough when together they have all")
    func reasonsTogether() throws {
        // Bits 1 to 4, and 5 to 8, of ReasonFlags.
        let first: [UInt8] = [0x83, 2, 3, 0x78]
        let second: [UInt8] = [0x83, 3, 7, 0x07, 0x80]
        #expect(try verdict(scoped(first), scoped(second)).findings.isEmpty)
        #expect(try verdict(scoped(first), scoped(first)).errors == ["revocation.list-unsupported"])
        #expect(try verdict(scoped(first), scoped(second, revoking: [world.leaf])).errors == ["revocation.revoked"])
        // Without bit 8.
        #expect(try verdict(scoped(first), scoped([0x83, 2, 0, 0x07])).errors == ["revocation.list-unsupported"])
    }

    @Test("a list of a distribution point covers the certificates that name the point")
    func distributionPoints() throws {
        let uri = "http://crl.host.test/1.crl"
        let named = try TestPKI(leaf: { $0.set(.revocationLists(at: [uri])) })
        func list(_ uri: String, of issuer: CertificateIssuer) throws -> RevocationList {
            let name = DERWriter.element(
                .contextConstructed(0), DERWriter.element(.contextConstructed(0), GeneralName.uri(uri).der))
            return try issuer.list(extensions: [
                CertificateExtension(
                    identifier: Self.oid("2.5.29.28"), isCritical: true, value: DERWriter.sequence(name))
            ])
        }
        func judge(_ world: TestPKI, _ uri: String) throws -> Set<String> {
            try world.trust.with {
                $0.revocationLists = [try list(uri, of: world.intermediate), try world.root.list()]
            }.evaluate().rules
        }
        #expect(try judge(named, uri) == [])
        #expect(try judge(named, "http://crl.host.test/2.crl") == ["revocation.no-list"])
        #expect(try judge(world, uri) == ["revocation.no-list"])
    }

    /// nameRelativeToCRLIssuer: CN=`name`.
    private static func relative(_ name: String) -> [UInt8] {
        let attribute = DERWriter.sequence(
            DERWriter.element(.objectIdentifier, [0x55, 4, 3]), DERWriter.element(.utf8String, Array(name.utf8)))
        return DERWriter.element(.contextConstructed(0), DERWriter.element(.contextConstructed(1), attribute))
    }

    @Test("a point that is named relative to the issuer is the one below its name, in either spelling, on both sides")
    func relativeNames() throws {
        let points = { (point: [UInt8]) in
            CertificateExtension(
                identifier: try Self.oid("2.5.29.31"), isCritical: false,
                value: DERWriter.sequence(DERWriter.sequence(point)))
        }
        let world = try TestPKI(leaf: {
            $0.extensions.append((try? points(Self.relative("a"))) ?? .basicConstraints(.init(isAuthority: true)))
        })
        let point = try #require(world.leaf.revocationListDistributionPoints.first?.names.first)
        #expect(point.description.contains("CN=a") && point.description.contains("CN=Intermediate"))
        let full = DERWriter.element(.contextConstructed(0), DERWriter.element(.contextConstructed(0), point.der))
        func judge(_ scope: [UInt8], revoking: [Certificate] = []) throws -> Set<String> {
            let list = try world.intermediate.list(
                revoking: revoking,
                extensions: [
                    CertificateExtension(
                        identifier: Self.oid("2.5.29.28"), isCritical: true, value: DERWriter.sequence(scope))
                ])
            return try world.trust.with { $0.revocationLists = [list, try world.root.list()] }.evaluate().rules
        }
        for scope in [Self.relative("a"), full] {
            #expect(try judge(scope) == [])
            #expect(try judge(scope, revoking: [world.leaf]) == ["revocation.revoked"])
        }
        #expect(try judge(Self.relative("b")) == ["revocation.no-list"])
    }

    @Test("a relative name that is none makes the list malformed")
    func malformedRelativeName() throws {
        let point = DERWriter.element(.contextConstructed(0), DERWriter.element(.contextConstructed(1), [5, 0]))
        #expect(throws: DERError.self) { try scoped(point) }
    }

    @Test("the profile demands dates through 2049 as UTCTime and a next update; the standard set reads either form")
    func dates() throws {
        #expect(
            try departures(world.intermediate.list { $0.generalizesDates = true })
                == ["its revocation list has a year through 2049 as GeneralizedTime"])
        #expect(
            try departures(
                world.intermediate.list(revoking: [world.root.certificate]) { $0.generalizesEntryDates = true })
                == ["its revocation list has a year through 2049 as GeneralizedTime"])
        #expect(try verdict(world.intermediate.list { $0.generalizesDates = true }).findings.isEmpty)
        #expect(
            try verdict(
                world.intermediate.list(revoking: [world.leaf]) {
                    $0.generalizesDates = true
                    $0.generalizesEntryDates = true
                }
            ).errors == ["revocation.revoked"])
        // From 2050 on it is the only form.
        #expect(
            try departures(world.intermediate.list { $0.nextUpdate = Date(timeIntervalSince1970: 2_524_608_000) }) == []
        )
        #expect(
            try world.intermediate.list { $0.nextUpdate = nil }.profileDepartures.contains(
                "does not say when the next one is due"))
    }

    @Test("where lists are required, a certificate that none covers is refused, also where none was given")
    func required() throws {
        let none = world.trust.with { $0.requiresRevocationLists = true }
        #expect(none.evaluate().errors == ["revocation.list-missing"])
        #expect(Set(none.evaluate().findings.compactMap(\.depth)) == [0, 1])
        let some = try none.with { $0.revocationLists = [try world.intermediate.list()] }.evaluate()
        #expect(some.errors == ["revocation.list-missing"] && some.findings.map(\.depth) == [1])
        let all = try none.with { $0.revocationLists = [try world.intermediate.list(), try world.root.list()] }
        #expect(all.evaluate().findings.isEmpty)
        // Nobody says whether an anchor is revoked.
        #expect(none.with { $0.anchors = AnchorStore([world.leaf]) }.evaluate().isTrusted)
    }

    /// A list of the leaf's issuer under the profile: what is wrong with it.
    private func departures(_ list: RevocationList) throws -> [String] {
        let trust = try world.trust.with {
            $0.revocationLists = [list, try world.root.list()]
            $0.rules = .rfc5280
        }
        let verdict = trust.evaluate()
        #expect(trust.with { $0.rules = .standard }.evaluate().isTrusted)
        #expect(verdict.errors == (verdict.isTrusted ? [] : ["rfc5280.revocation-list"]))
        return verdict.findings.map(\.message)
    }

    @Test("the profile demands version 2, the issuer's key, a number, and a critical scope; the standard set does not")
    func profile() throws {
        #expect(try departures(world.intermediate.list()) == [])
        #expect(
            try departures(world.intermediate.list { $0.number = nil }) == ["its revocation list has no number"])
        #expect(
            try departures(world.intermediate.list { $0.addsKeyIdentifier = false })
                == ["its revocation list has no authority key identifier"])
        func bent(_ identifier: String, critical: Bool, _ value: [UInt8]) throws -> [String] {
            let added = CertificateExtension(
                identifier: try Self.oid(identifier), isCritical: critical, value: value)
            return try departures(
                world.intermediate.list {
                    if identifier == "2.5.29.20" { $0.number = nil }
                    if identifier == "2.5.29.35" { $0.addsKeyIdentifier = false }
                    $0.extensions.append(added)
                })
        }
        #expect(try bent("2.5.29.20", critical: true, [2, 1, 5]) == ["its revocation list has a critical number"])
        let negative = "its revocation list has a number that is negative or longer than 20 octets"
        #expect(try bent("2.5.29.20", critical: false, [2, 1, 0x85]) == [negative])
        #expect(try bent("2.5.29.20", critical: false, [2, 21] + [UInt8](repeating: 1, count: 21)) == [negative])
        #expect(try bent("2.5.29.20", critical: false, [2, 21, 0, 0x80] + [UInt8](repeating: 1, count: 19)) == [])
        // A key identifier beside, and issuer and serial number instead of one.
        #expect(
            try bent("2.5.29.35", critical: true, [0x30, 3, 0x80, 1, 7])
                == ["its revocation list has a critical authority key identifier"])
        // [1] onlyContainsUserCerts.
        #expect(
            try bent("2.5.29.28", critical: false, [0x30, 3, 0x81, 1, 0xFF])
                == ["its revocation list has a scope that is not critical"])
    }

    @Test("a certificate that no list covers is a warning; without lists nothing is asked")
    func noList() throws {
        let verdict = try world.trust.with { $0.revocationLists = [try world.root.list()] }.evaluate()
        #expect(verdict.isTrusted)
        #expect(verdict.finding("revocation.no-list")?.severity == .warning)
        #expect(verdict.finding("revocation.no-list")?.depth == 0)
        #expect(world.trust.evaluate().findings.isEmpty)
    }
}

@Suite("Revocation: what lists say outlives them, and no setting overrules it")
struct LastingRevocationTests {
    private func trust(_ reason: Int?, isStale: Bool) throws -> ServerTrust {
        let world = try TestPKI.good.get()
        let start = moment.addingTimeInterval(isStale ? -20_000 : -10)
        let list = try world.intermediate.issue(
            RevocationListTemplate(
                thisUpdate: start, nextUpdate: start.addingTimeInterval(10_000),
                entries: [.init(serialNumber: world.leaf.serialNumber, date: start, reason: reason)]))
        return try world.trust.with { $0.revocationLists = [try RevocationList(der: list)] }
    }

    @Test("a genuine list that is out of date still revokes whom it lists, but for a hold")
    func stale() throws {
        #expect(try trust(1, isStale: true).evaluate().errors == ["revocation.revoked"])
        #expect(try trust(nil, isStale: true).evaluate().result == .fatalTrustFailure)
        #expect(try trust(6, isStale: true).evaluate().errors == ["revocation.list-stale"])
    }

    @Test("allowing invalid certificates does not let a revoked one through, in any mode")
    func notOverruled() throws {
        let trust = try trust(1, isStale: false)
        let leaf = try TestPKI.good.get().leaf
        for mode in SecurityPolicy.PinningMode.allCases {
            let policy = SecurityPolicy(
                pinningMode: mode, pinnedCertificates: mode == .none ? [] : [leaf], allowInvalidCertificates: true,
                validatesDomainName: mode != .none)
            let verdict = policy.evaluate(trust)
            #expect(verdict.result == .fatalTrustFailure, "\(mode)")
            #expect(verdict.errors.contains("revocation.revoked"))
        }
    }
}
