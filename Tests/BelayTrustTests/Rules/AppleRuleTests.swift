import BelayCertificates
import BelayTrust
import Foundation
import Testing

/// Apple's published requirements, at their dates: support.apple.com/103769 (825 days and purposes, from 2019-07-01) and
/// support.apple.com/102028 (398 days, from 2020-09-01), and the limits that the CA/Browser Forum announced (SC-081v3).
@Suite("Apple's rules")
struct AppleRuleTests {
    private static let day = 86_400.0

    /// The verdict on a leaf that was issued at a date and is valid for so many days, a day after its issue.
    private func verdict(
        issued date: String, days: Int, isShipped: Bool = false, leafIsAnchor: Bool = false,
        _ bend: TestPKI.Bend = { _ in }
    ) throws -> Verdict {
        let start = try #require(RFC3339.date(date + "T00:00:00Z"))
        let authority = Validity(from: start - 365 * Self.day, through: start + 3_650 * Self.day)
        let world = try TestPKI(
            root: { $0.validity = authority }, intermediate: { $0.validity = authority },
            leaf: {
                $0.validity = Validity(from: start, through: start + Double(days) * Self.day)
                bend(&$0)
            })
        var trust = world.trust
        let anchor = leafIsAnchor ? world.leaf : world.root.certificate
        trust.anchors = AnchorStore([anchor], isShipped: { _ in isShipped })
        trust.evaluationTime = start + Self.day
        trust.rules = .apple
        return trust.evaluate()
    }

    @Test(
        "private certificates: 825 days since July 2019, any length before",
        arguments: [
            ("2024-01-01", 825, true), ("2024-01-01", 826, false), ("2019-07-01", 825, true),
            ("2019-07-01", 826, false),
            ("2019-06-30", 826, true), ("2019-06-30", 3_000, true), ("2024-01-01", 398, true),
        ])
    func privateLifetime(date: String, days: Int, isAccepted: Bool) throws {
        let verdict = try verdict(issued: date, days: days)
        #expect(verdict.errors == (isAccepted ? [] : ["apple.lifetime"]))
        #expect(verdict.rules.contains("apple.other-roots"))
    }

    @Test(
        "certificates under shipped anchors: 398 days since September 2020, 825 since March 2018",
        arguments: [
            ("2020-09-01", 398, true), ("2020-09-01", 399, false), ("2020-08-31", 399, true), ("2020-08-31", 825, true),
            ("2020-08-31", 826, false), ("2018-03-01", 825, true), ("2018-03-01", 826, false),
            ("2018-02-28", 826, true),
        ])
    func publicLifetime(date: String, days: Int, isAccepted: Bool) throws {
        #expect(
            try verdict(issued: date, days: days, isShipped: true).errors == (isAccepted ? [] : ["apple.lifetime"]))
    }

    @Test(
        "announced limits are warnings under shipped anchors alone",
        arguments: [
            ("2026-03-14", 201, false), ("2026-03-15", 200, false), ("2026-03-15", 201, true),
            ("2027-03-15", 100, false),
            ("2027-03-15", 101, true), ("2029-03-15", 47, false), ("2029-03-15", 48, true),
        ])
    func announcedLifetime(date: String, days: Int, isTooLong: Bool) throws {
        let shipped = try verdict(issued: date, days: days, isShipped: true)
        #expect(shipped.isTrusted)
        #expect(shipped.finding("apple.lifetime-announced")?.severity == (isTooLong ? .warning : nil))
        #expect(try verdict(issued: date, days: days).finding("apple.lifetime-announced") == nil)
    }

    @Test("a leaf that is itself the anchor may be valid for as long as it likes, with any purposes")
    func leafAsAnchor() throws {
        let verdict = try verdict(issued: "2024-01-01", days: 3_000, leafIsAnchor: true) { template in
            template.extensions.removeAll { $0.identifier.description == "2.5.29.37" }
        }
        #expect(verdict.errors == [])
    }

    @Test(
        "servers say that they are servers: since July 2019, and under shipped anchors always",
        arguments: [
            ("2019-07-01", false, false), ("2019-06-30", false, true), ("2019-06-30", true, false),
            ("2024-01-01", true, false),
        ])
    func purpose(date: String, isShipped: Bool, isAccepted: Bool) throws {
        let verdict = try verdict(issued: date, days: 300, isShipped: isShipped) { template in
            template.extensions.removeAll { $0.identifier.description == "2.5.29.37" }
        }
        #expect(verdict.errors == (isAccepted ? [] : ["apple.eku"]))
    }

    @Test("any purpose is not the purpose that is demanded", arguments: [("2019-07-01", false), ("2019-06-30", true)])
    func anyPurpose(date: String, isAccepted: Bool) throws {
        let vague = try verdict(issued: date, days: 300) { $0.set(.extendedKeyUsage([.anyExtendedKeyUsage])) }
        #expect(vague.errors == (isAccepted ? [] : ["apple.eku"]))
        let both = try verdict(issued: date, days: 300) {
            $0.set(.extendedKeyUsage([.anyExtendedKeyUsage, .serverAuthentication]))
        }
        #expect(both.errors == [])
    }

    @Test("a name in the common name alone is none")
    func commonNameOnly() throws {
        let verdict = try verdict(issued: "2024-01-01", days: 300) { template in
            template.subject = DistinguishedName(commonName: TestPKI.host)
            template.remove(RuleCase.subjectAlternativeName)
        }
        #expect(verdict.errors == ["name.no-alternative-names"])
    }

    @Test("a wildcard under a top-level domain beside good names is a warning, and none to the standard rules")
    func topLevelWildcard() throws {
        let names = [GeneralName.dns("app.localhost"), .dns("*.localhost")]
        let world = try TestPKI(leaf: { $0.setNames(names) })
        let trust = try world.trust.with { $0.policies = [.tlsServer(name: try ServerName("app.localhost"))] }
        #expect(trust.evaluate().findings.isEmpty)
        let verdict = trust.with { $0.rules = .apple }.evaluate()
        #expect(verdict.isTrusted)
        #expect(verdict.finding("apple.wildcard")?.severity == .warning)
    }

    @Test("a certificate for clients alone is no server's, under every set", arguments: RuleSet.all.map(\.name))
    func clientOnly(_ set: String) throws {
        let world = try TestPKI(leaf: { $0.set(.extendedKeyUsage([.clientAuthentication])) })
        let rules = try #require(RuleSet.named(set))
        #expect(world.trust.with { $0.rules = rules }.evaluate().errors.contains("eku.purpose"))
    }
}
