import BelayTrust
import Foundation
import Testing

/// A refusal for the wrong reason is right by accident: the rule that a case is about must be among the findings.
@Suite("Conformance: for the right reason")
struct ConformanceReasonTests {
    /// Whether one of the errors belongs to one of these rules; a pattern that ends in a dot stands for an area.
    private func isExplained(_ verdict: Verdict, by patterns: [String]) -> Bool {
        verdict.errors.contains { rule in
            patterns.contains { $0.hasSuffix(".") ? rule.hasPrefix($0) : rule == $0 }
        }
    }

    private func refusals(_ suite: String) throws -> [(PublishedCases.Case, Verdict)] {
        try PublishedCases.load(suite).filter { !$0.expectsAcceptance }.map { ($0, try PublishedCases.evaluate($0)) }
    }

    @Test("path building")
    func pathBuilding() throws {
        let reasons = [
            "EXPIRED": ["validity.expired"], "NOT_A_CA": ["ca.not-an-authority"],
            "MISSING_BASIC_CONSTRAINTS": ["ca.not-an-authority"], "DEPRECATED_CRYPTO": ["signature.weak-hash"],
            "NAME_CONSTRAINTS": ["constraints."], "BAD_EKU": ["eku.issuer-purpose"],
        ]
        for (testCase, verdict) in try refusals("trust-pathbuilding") {
            let feature = try #require(testCase.features.first { $0.hasPrefix("INVALID_REASON_") })
            let expected = try #require(reasons[String(feature.dropFirst("INVALID_REASON_".count))])
            #expect(isExplained(verdict, by: expected), "\(testCase.id): \(testCase.note)\n\(verdict.findings)")
        }
    }

    @Test("name constraints")
    func nameConstraints() throws {
        for (testCase, verdict) in try refusals("trust-nameconstraints") {
            // Either feature may be the one that refuses, and only these areas may.
            var expected: [String] = []
            if testCase.features.contains("NAME_CONSTRAINTS") { expected.append("constraints.") }
            if testCase.features.contains(where: { $0.hasPrefix("VALIDATE_") }) { expected.append("name.") }
            #expect(isExplained(verdict, by: expected), "\(testCase.id): \(testCase.note)\n\(verdict.findings)")
            // Some have an alternative name with bytes that are not ASCII.
            let others = verdict.errors.filter { rule in
                rule != "extension.malformed" && !["constraints.", "name."].contains { rule.hasPrefix($0) }
            }
            #expect(others.isEmpty, "\(testCase.id): \(others)")
        }
    }

    @Test("servers")
    func servers() throws {
        let reasons = [
            "partial-wildcard": ["name.mismatch"], "ip-name": ["name.mismatch"], "self-signed": ["anchor.unknown"],
            "sha1-leaf": ["signature.weak-hash"], "rsa1024": ["key.too-small"], "rsa512": ["key.too-small"],
            "eku-client-only": ["eku.purpose"], "eku-email-intermediate": ["eku.issuer-purpose"],
            "leaf-as-ca": ["ca.not-an-authority"], "pathlen-violated": ["ca.path-length"],
            "name-constraint-violated": ["constraints.not-permitted"], "revoked": ["revocation.revoked"],
            "pinning-test": ["pin.mismatch"],
        ]
        for (testCase, verdict) in try refusals("trust-servers") {
            let name = testCase.id.replacingOccurrences(of: "badssl::", with: "")
            let expected = try #require(reasons[name], "no reason is known for \(testCase.id)")
            #expect(isExplained(verdict, by: expected), "\(testCase.id)\n\(verdict.findings)")
        }
    }

    @Test("pinning")
    func pinning() throws {
        let reasons = [
            ("AndNoPinningMode", ["policy.contradiction"]), ("NoPinnedCertificates", ["policy.empty-pin-set"]),
            ("DoesNotAllowADNServerTrust", ["pin.mismatch"]), ("InvalidDomainName", ["name.mismatch"]),
            ("DefaultPolicyDoesNotAllowInvalidCertificate", ["anchor.unknown"]),
            ("ProducesCorrectErrorForCertificatePinning", ["pin.mismatch", "policy.empty-pin-set"]),
        ]
        for (testCase, verdict) in try refusals("trust-pinning") {
            let expected = try #require(
                reasons.first { testCase.id.contains($0.0) }?.1, "no reason is known for \(testCase.id)")
            #expect(isExplained(verdict, by: expected), "\(testCase.id)\n\(verdict.findings)")
        }
    }

    @Test("the limbo, as far as it is about path validation")
    func limbo() throws {
        let reasons: [(String, [String])] = [
            ("cve-2025-61727", ["constraints.not-permitted"]),
            ("invalid-issuer-key", ["signature.invalid", "anchor.unknown"]),
            ("pathlen::intermediate", ["ca.path-length"]), ("pathlen::max-chain-depth", ["path.too-deep"]),
            ("pathological::", ["anchor.unknown", "path.budget-exceeded", "path."]),
            ("eku::ee-wrong-eku", ["eku.purpose"]), ("nc::permitted-", ["constraints.not-permitted"]),
            ("nc::excluded-", ["constraints.excluded"]), ("nc::restrictive", ["constraints.not-permitted"]),
            ("nc::intermediate-with-san", ["constraints."]), ("nc::nc-permits", ["constraints.not-permitted"]),
            ("nc::nc-forbids-othername", ["constraints."]),
            ("nc::invalid-", ["constraints.", "extension.malformed", "rfc5280."]),
            ("nc::intermediate-permitted-excluded", ["extension.malformed"]),
            ("validity::expired", ["validity.expired"]), ("validity::not-yet-valid", ["validity.not-yet-valid"]),
            ("root-missing-basic-constraints", ["ca.not-an-authority"]),
            ("ica-ku-keycertsign", ["path.issuer-not-sent"]),
            ("ca-as-leaf-wrong-san", ["name.mismatch"]), ("san::mismatch", ["name.mismatch"]),
            ("san::wildcard", ["name.mismatch", "webpki.", "extension.malformed"]),
            ("san::no-san", ["name.no-alternative-names"]), ("explicit-curve", ["key.unsupported"]),
            ("chain-missing-intermediate", ["path.issuer-not-sent"]), ("serial::", ["rfc5280."]),
            ("ski::", ["rfc5280."]),
            ("aki::", ["rfc5280.", "webpki."]), ("san::public-suffix", ["webpki."]), ("webpki::cn::", ["webpki."]),
        ]
        var explained = 0
        for (testCase, verdict) in try refusals("trust-limbo") {
            guard let expected = reasons.first(where: { testCase.id.contains($0.0) })?.1 else {
                #expect(!verdict.errors.isEmpty)
                continue
            }
            explained += 1
            #expect(isExplained(verdict, by: expected), "\(testCase.id): \(verdict.errors)\n\(testCase.note)")
        }
        if PublishedCases.arePresent { #expect(explained > 50) }
    }

    @Test("the limbo under the set 'standard': every case is answered, and the score is reported")
    func limboUnderStandard() throws {
        var right = 0
        var wrong: [String] = []
        let cases = PublishedCases.load("trust-limbo")
        for testCase in cases {
            var fields = try #require(
                try JSONSerialization.jsonObject(with: Data(testCase.line)) as? [String: Any])
            fields["rules"] = "standard"
            let line = Array(try JSONSerialization.data(withJSONObject: fields))
            let read = try TrustCase(json: line) { () throws(SystemAnchorsError) in .empty }
            let verdict = read.evaluate().verdict
            // What is refused says why.
            #expect(verdict.isTrusted || !verdict.errors.isEmpty, "\(testCase.id)")
            if verdict.isTrusted == testCase.expectsAcceptance { right += 1 } else { wrong.append(testCase.id) }
        }
        print("limbo under standard: \(right) of \(cases.count)")
        // Whatever 'standard' lets through that the stricter sets refuse is about form, never the other way round.
        #expect(wrong.allSatisfy { id in cases.contains { $0.id == id && !$0.expectsAcceptance } }, "\(wrong)")
    }
}
