import BelayCertificates
import BelayTrust
import Foundation
import Testing

@Suite("Suites in the forms of their own projects")
struct PublishedSuiteTests {
    /// A case in x509-limbo's form, of certificates of our own.
    private func limbo(
        _ id: String, _ world: TestPKI, expects result: String = "SUCCESS", _ changes: [String: Any] = [:]
    ) -> [String: Any] {
        let fields: [String: Any] = [
            "id": id, "description": "a note", "validation_kind": "SERVER", "features": [String](),
            "conflicts_with": [String](), "importance": "undetermined", "trusted_certs": [world.root.certificate.pem],
            "untrusted_intermediates": [world.intermediate.certificate.pem], "peer_certificate": world.leaf.pem,
            "peer_certificate_key": NSNull(), "validation_time": "2026-06-01T00:00:00Z",
            "signature_algorithms": [String](), "key_usage": [String](), "extended_key_usage": [String](),
            "expected_result": result, "expected_peer_name": ["kind": "DNS", "value": TestPKI.host],
            "expected_peer_names": [Any](), "max_chain_depth": NSNull(),
        ]
        return fields.merging(changes) { $1 }
    }

    private func suite(_ cases: [[String: Any]], version: Int = 1) throws -> PublishedSuite {
        try PublishedSuite(
            try JSONSerialization.data(withJSONObject: ["version": version, "testcases": cases] as [String: Any]))
    }

    private func verdicts(_ suite: PublishedSuite) throws -> [Bool] {
        try suite.cases.map { try PublishedCases.evaluate($0).isTrusted == $0.expectsAcceptance }
    }

    @Test("x509-limbo: chain, anchors, time, name, depth and result mean what they say")
    func meaning() throws {
        let world = try TestPKI.good.get()
        let address = try TestPKI(leaf: { $0.set(.subjectAlternativeNames([GeneralName(host: "192.0.2.1")])) })
        let suite = try suite([
            limbo("rfc5280::good", world),
            limbo("rfc5280::no-intermediate", world, expects: "FAILURE", ["untrusted_intermediates": [String]()]),
            limbo("rfc5280::no-anchor", world, expects: "FAILURE", ["trusted_certs": [String]()]),
            limbo("rfc5280::late", world, expects: "FAILURE", ["validation_time": "2036-06-01T00:00:00Z"]),
            limbo(
                "rfc5280::name", world, expects: "FAILURE",
                ["expected_peer_name": ["kind": "DNS", "value": "other.host.test"]]),
            limbo("rfc5280::no-name", world, ["expected_peer_name": NSNull()]),
            limbo("rfc5280::address", address, ["expected_peer_name": ["kind": "IP", "value": "192.0.2.1"]]),
            limbo(
                "rfc5280::depth-0", world, expects: "FAILURE", ["max_chain_depth": 0, "features": ["max-chain-depth"]]),
            limbo("rfc5280::depth-1", world, ["max_chain_depth": 1, "features": ["max-chain-depth"]]),
            limbo("rfc5280::usage", world, ["extended_key_usage": ["serverAuth"], "key_usage": ["digitalSignature"]]),
            limbo("rfc5280::client", world, expects: "FAILURE", ["validation_kind": "CLIENT"]),
        ])
        #expect(suite.notRun.isEmpty)
        #expect(suite.cases.count == 11)
        #expect(try verdicts(suite).allSatisfy(\.self))
        // An expectation that is wrong shows.
        #expect(try verdicts(self.suite([limbo("rfc5280::wrong", world, expects: "FAILURE")])) == [false])
    }

    @Test("x509-limbo: the name space chooses the rules, and revocation lists are passed on")
    func rules() throws {
        let named = try TestPKI(leaf: { $0.subject = DistinguishedName(commonName: "not.among.test") })
        let world = try TestPKI.good.get()
        let list = try world.intermediate.list(revoking: [world.leaf])
        let pem = "-----BEGIN X509 CRL-----\n\(Data(list.der).base64EncodedString())\n-----END X509 CRL-----\n"
        let suite = try suite([
            limbo("rfc5280::cn", named), limbo("webpki::cn", named, expects: "FAILURE"),
            limbo("bettertls::cn", named),
            limbo("crl::revoked", world, expects: "FAILURE", ["crls": [pem], "features": ["has-crl"]]),
        ])
        #expect(suite.cases.count == 4)
        #expect(try verdicts(suite).allSatisfy(\.self))
    }

    @Test("x509-limbo: what is not supported is not run, and named")
    func unsupported() throws {
        let world = try TestPKI.good.get()
        let suite = try suite([
            limbo("a", world, ["features": ["pedantic-rfc5280", "time-travel"]]),
            limbo("b", world, ["signature_algorithms": ["RSA_WITH_SHA256"]]),
            limbo("c", world, ["key_usage": ["keyAgreement"]]),
            limbo("d", world, ["extended_key_usage": ["codeSigning"]]),
            limbo("e", world, ["expected_peer_name": ["kind": "RFC822", "value": "a@host.test"]]),
            limbo("f", world, ["ocsp_responses": ["x"]]),
            limbo("g", world, ["expected_result": "MAYBE"]),
            limbo("h", world),
        ])
        #expect(suite.cases.map(\.id) == ["h"])
        let reasons = Dictionary(uniqueKeysWithValues: suite.notRun)
        for (id, word) in [
            ("a", "time-travel"), ("b", "signature_algorithms"), ("c", "keyAgreement"), ("d", "codeSigning"),
            ("e", "RFC822"), ("f", "ocsp_responses"), ("g", "MAYBE"),
        ] {
            #expect(reasons[id]?.contains(word) == true, "\(id): \(reasons[id] ?? "run")")
        }
        #expect(reasons.count == 7)
    }

    @Test("BetterTLS: what it exports is judged at the moment of the export")
    func betterTLS() throws {
        let day = 86_400.0
        // Valid for a day on each side of the moment, as its exporter makes them; long past, whatever the clock says.
        let around = Validity(
            from: Date(timeIntervalSince1970: 1_700_000_000 - day),
            through: Date(timeIntervalSince1970: 1_700_000_000 + day))
        let world = try TestPKI(
            root: { $0.validity = around }, intermediate: { $0.validity = around }, leaf: { $0.validity = around })
        let old = try world.intermediate.server { template in
            template.validity = Validity(
                from: Date(timeIntervalSince1970: 1_700_000_000 - 2 * day),
                through: Date(timeIntervalSince1970: 1_700_000_000 - 60))
        }
        let base64 = { (certificate: Certificate) in Data(certificate.der).base64EncodedString() }
        func entry(_ id: Int, _ leaf: Certificate, _ host: String, _ expected: String, _ isWarning: Bool) -> [String:
            Any]
        {
            [
                "id": id, "certificates": [base64(leaf), base64(world.intermediate.certificate)], "hostname": host,
                "requiredFeatures": ["BRANCHING"], "expected": expected, "failureIsWarning": isWarning,
            ]
        }
        let export: [String: Any] = [
            "betterTlsRevision": "0", "trustRoot": base64(world.root.certificate),
            "suites": [
                "pathbuilding": [
                    "features": ["BRANCHING"], "sanityCheckTestCase": 0, "featureTestCases": [String: [Int]](),
                    "testCases": [
                        entry(0, world.leaf, TestPKI.host, "ACCEPT", false),
                        entry(1, old, TestPKI.host, "REJECT", false),
                        entry(2, world.leaf, "other.test", "ACCEPT", true),
                        entry(3, world.leaf, "other.test", "PERHAPS", true),
                    ],
                ] as [String: Any]
            ],
        ]
        let suite = try PublishedSuite(try JSONSerialization.data(withJSONObject: export))
        #expect(
            suite.cases.map(\.id) == [
                "bettertls::pathbuilding::tc0", "bettertls::pathbuilding::tc1", "bettertls::pathbuilding::tc2",
            ])
        #expect(try verdicts(suite) == [true, true, false])
        #expect(suite.cases.last?.note == PublishedCases.Case.debatable)
        #expect(suite.notRun.map(\.id) == ["bettertls::pathbuilding::tc3"])
    }

    @Test(
        "a file that is no suite is an error that says what was expected",
        arguments: [
            ("[]", "not a JSON object"), ("{}", "neither 'testcases'"),
            (#"{"testcases":[],"version":2}"#, "is 2; 1 is known"),
            ("{", "not a JSON object"), (#"{"trustRoot":"x","suites":{"a":{}}}"#, "has no 'testCases'"),
        ])
    func unreadable(_ text: String, _ words: String) throws {
        let error = try #require(throws: PublishedSuite.Unreadable.self) { try PublishedSuite(Data(text.utf8)) }
        #expect(error.description.contains(words))
    }
}
