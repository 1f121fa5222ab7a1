import BelayCertificates
import BelayTrust
import Foundation
import Testing

/// A server in one of the situations of the policy table: what it sends, and what is pinned.
struct PolicySituation: Sendable {
    let chain: [Certificate]
    let pins: [Certificate]
    /// The public authority, which is the system's only anchor.
    let anchor: Certificate

    static let all = Result { try make() }

    private static func make() throws -> [String: PolicySituation] {
        let host = TestPKI.host
        let past = Validity(from: moment - 86_400 * 20, through: moment - 86_400)
        let root = try CertificateIssuer.root(named: "Public Root")
        let issuer = try root.authority(named: "Public Issuer")
        let privateRoot = try CertificateIssuer.root(named: "Private Root")
        let privateIssuer = try privateRoot.authority(named: "Private Issuer")
        func publicChain(_ leaf: Certificate) -> [Certificate] { [leaf, issuer.certificate] }
        func situation(_ chain: [Certificate], _ pins: [Certificate]) -> PolicySituation {
            PolicySituation(chain: chain, pins: pins, anchor: root.certificate)
        }
        func selfSigned(_ names: [String], _ validity: Validity = .current) throws -> Certificate {
            try CertificateIssuer.selfSigned(.server(names: names, validity: validity), key: .generate(.p256))
                .certificate
        }
        let good = try issuer.server([host])
        let otherName = try issuer.server(["other.test"])
        let expired = try issuer.server([host]) { $0.validity = past }
        let key = try PrivateKey.generate(.p256)
        let renewed = try issuer.server([host], key: key)
        let before = try issuer.server([host], key: key) { $0.validity = past }
        let own = try (selfSigned([host]), selfSigned(["other.test"]), selfSigned([host], past))
        // An ordinary site of the private authority that plays the authority itself.
        let siteKey = try PrivateKey.generate(.p256)
        let site = try privateIssuer.server(["site.test"], key: siteKey)
        let impostor = try CertificateIssuer(certificate: site, privateKey: siteKey)
        return try [
            "A": situation(publicChain(good), [good]),
            "B": situation(publicChain(otherName), [otherName]),
            "C": situation(publicChain(expired), [expired]),
            "D": situation([own.0], [own.0]),
            "E": situation([own.1], [own.1]),
            "F": situation([own.2], [own.2]),
            "G": situation([selfSigned([host])], [good]),
            "H": situation(publicChain(issuer.server(["attacker.test"])), [good]),
            "I": situation(publicChain(issuer.server([host])), [good]),
            "J": situation([privateIssuer.server([host]), privateIssuer.certificate], [privateRoot.certificate]),
            "K": situation(publicChain(renewed), [before]),
            "L": situation(
                [privateIssuer.server(["other.test"]), privateIssuer.certificate], [privateRoot.certificate]),
            "M": situation([impostor.server([host]), site, privateIssuer.certificate], [privateRoot.certificate]),
            "N": situation(publicChain(issuer.server(["attacker.test"])), [root.certificate]),
        ]
    }

    func trust(host: String? = TestPKI.host) -> ServerTrust { TestPKI.trust(chain, host: host, anchors: [anchor]) }
}

/// The table, as the format says.
struct ExpectedTable: Decodable, Sendable {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        let pinning: String
        let allowInvalidCertificates: Bool
        let validatesDomainName: Bool
        let accept: [String: Bool]

        var testDescription: String { "\(pinning), \(allowInvalidCertificates), \(validatesDomainName)" }

        func policy(_ pins: [Certificate], matching: SecurityPolicy.ChainMatching = .any) throws -> SecurityPolicy {
            SecurityPolicy(
                pinningMode: try #require(SecurityPolicy.PinningMode(rawValue: pinning)),
                pinnedCertificates: pinning == "none" ? [] : pins, allowInvalidCertificates: allowInvalidCertificates,
                validatesDomainName: validatesDomainName, chainMatching: matching)
        }
    }

    struct EmptyRow: Decodable, Sendable {
        let pinning: String
        let allowInvalidCertificates: Bool
        let validatesDomainName: Bool
        let acceptA: Bool
    }

    let situations: [String: String]
    let table: [Row]
    let emptyPins: [EmptyRow]

    static let published = Result {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures/security-policy.json")
        return try JSONDecoder().decode(ExpectedTable.self, from: Data(contentsOf: file))
    }
}

@Suite("Security policy: the table, offline")
struct PolicyTableTests {
    @Test("the table is whole: twelve settings, fourteen situations")
    func isWhole() throws {
        let expected = try ExpectedTable.published.get()
        #expect(expected.table.count == 12)
        #expect(expected.emptyPins.count == 8)
        #expect(Set(expected.situations.keys) == Set(try PolicySituation.all.get().keys))
        for row in expected.table { #expect(row.accept.count == 14) }
    }

    @Test(
        "each setting accepts exactly the situations that it must", arguments: try ExpectedTable.published.get().table)
    func table(row: ExpectedTable.Row) throws {
        for (letter, situation) in try PolicySituation.all.get().sorted(by: { $0.key < $1.key }) {
            let verdict = try row.policy(situation.pins).evaluate(situation.trust())
            #expect(verdict.isTrusted == row.accept[letter], "\(letter): \(verdict.result) \(verdict.findings)")
            // What is accepted says how, and what is refused says why.
            if verdict.isTrusted {
                #expect(verdict.errors.isEmpty)
            } else {
                #expect(!verdict.errors.isEmpty, "\(letter)")
            }
        }
    }

    @Test("a wrong name that is let through is said not to have been checked", arguments: ["B", "E", "L", "N"])
    func nameNotChecked(letter: String) throws {
        let situation = try #require(try PolicySituation.all.get()[letter])
        let policy = SecurityPolicy(
            pinningMode: .publicKey, pinnedCertificates: situation.pins, allowInvalidCertificates: true)
        let verdict = policy.evaluate(situation.trust())
        #expect(verdict.result == .proceed)
        #expect(verdict.finding("policy.name-not-checked")?.severity == .warning)
        #expect(verdict.finding("name.mismatch")?.severity == .warning)
    }

    @Test("a policy that pins nothing refuses everything, whatever else it says")
    func emptyPins() throws {
        let situation = try #require(try PolicySituation.all.get()["A"])
        for row in try ExpectedTable.published.get().emptyPins {
            for matching in SecurityPolicy.ChainMatching.allCases {
                let policy = SecurityPolicy(
                    pinningMode: try #require(SecurityPolicy.PinningMode(rawValue: row.pinning)),
                    allowInvalidCertificates: row.allowInvalidCertificates,
                    validatesDomainName: row.validatesDomainName, chainMatching: matching)
                let verdict = policy.evaluate(situation.trust())
                #expect(verdict.isTrusted == row.acceptA)
                #expect(verdict.result == .deny)
                #expect(verdict.errors.isSubset(of: ["policy.empty-pin-set", "policy.contradiction"]))
            }
        }
    }

    @Test("AFNetworking's question gives the same answers; without a domain the contradiction is none")
    func serverTrust() throws {
        for row in try ExpectedTable.published.get().table {
            for (letter, situation) in try PolicySituation.all.get() {
                let policy = try row.policy(situation.pins)
                #expect(
                    policy.evaluateServerTrust(situation.trust(host: nil), forDomain: TestPKI.host)
                        == row.accept[letter])
                #expect(!policy.evaluateServerTrust(situation.trust(), forDomain: "not a host"))
            }
        }
        let own = try #require(try PolicySituation.all.get()["D"])
        let open = SecurityPolicy(allowInvalidCertificates: true)
        #expect(!open.evaluateServerTrust(own.trust(), forDomain: TestPKI.host))
        #expect(open.evaluateServerTrust(own.trust(), forDomain: nil))
        #expect(!SecurityPolicy.default.evaluateServerTrust(own.trust(), forDomain: nil))
    }
}
