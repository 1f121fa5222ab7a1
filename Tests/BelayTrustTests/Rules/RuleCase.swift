import BelayCertificates
import BelayTrust
import Foundation
import Testing

/// Of one rule: a situation in which it has nothing to say, one in which it has, and what it says then.
struct RuleCase: Sendable, CustomTestStringConvertible {
    /// What a situation came to. The result is nil where no verdict is made, for example for a policy as it stands.
    struct Outcome {
        let findings: [Finding]
        let result: TrustResult?
        init(_ verdict: Verdict) {
            findings = verdict.findings
            result = verdict.result
        }
        init(_ findings: [Finding]) {
            self.findings = findings
            result = nil
        }
    }

    let rule: String
    var severity = Finding.Severity.error
    var depth: Int?
    /// The result of the refusing situation.
    let result: TrustResult?
    /// The result of the accepting situation.
    var goodResult: TrustResult? = .unspecified
    let accepting: @Sendable () throws -> Outcome
    let refusing: @Sendable () throws -> Outcome

    var testDescription: String { rule }

    /// A case whose accepting situation is the good chain and whose refusing one is a bent one.
    static func chain(
        _ rule: String, depth: Int?, _ result: TrustResult, severity: Finding.Severity = .error,
        root: @escaping @Sendable (inout CertificateTemplate) -> Void = { _ in },
        intermediate: @escaping @Sendable (inout CertificateTemplate) -> Void = { _ in },
        leaf: @escaping @Sendable (inout CertificateTemplate) -> Void = { _ in },
        _ change: @escaping @Sendable (inout ServerTrust, TestPKI) throws -> Void = { _, _ in }
    ) -> RuleCase {
        RuleCase(
            rule: rule, severity: severity, depth: depth, result: result,
            accepting: { Outcome(try TestPKI.good.get().trust.evaluate()) },
            refusing: {
                let world = try TestPKI(root: root, intermediate: intermediate, leaf: leaf)
                return Outcome(try world.trust.with { try change(&$0, world) }.evaluate())
            })
    }

    /// A case whose situations differ in a policy.
    static func policy(
        _ rule: String, severity: Finding.Severity = .error, _ result: TrustResult,
        goodResult: TrustResult = .unspecified,
        good: @escaping @Sendable (TestPKI) throws -> SecurityPolicy,
        bad: @escaping @Sendable (TestPKI) throws -> SecurityPolicy,
        _ change: @escaping @Sendable (inout ServerTrust) throws -> Void = { _ in }
    ) -> RuleCase {
        RuleCase(
            rule: rule, severity: severity, result: result, goodResult: goodResult,
            accepting: {
                let world = try TestPKI.good.get()
                return Outcome(try good(world).evaluate(world.trust))
            },
            refusing: {
                let world = try TestPKI.good.get()
                return Outcome(try bad(world).evaluate(world.trust.with(change)))
            })
    }

    /// A case about a policy's weaknesses.
    static func weakness(
        _ rule: String, _ severity: Finding.Severity, good: SecurityPolicy,
        bad: @escaping @Sendable (TestPKI) throws -> SecurityPolicy
    ) -> RuleCase {
        RuleCase(
            rule: rule, severity: severity, result: nil, goodResult: nil, accepting: { Outcome(good.weaknesses) },
            refusing: { Outcome(try bad(TestPKI.good.get()).weaknesses) })
    }
}

@Suite("Rules: each with a situation that it accepts and one that it reports")
struct RuleTests {
    @Test("every rule of the catalogue has a case, and the other way round")
    func catalogueIsCovered() {
        let covered = RuleCase.all.map(\.rule)
        #expect(covered.count == Set(covered).count)
        // What the stricter sets add, and what is said of identities, is tested beside them.
        let stricter = ["rfc5280.", "webpki.", "apple.", "ct.", "identity."]
        let catalogue = RuleCatalogue.all.map(\.identifier).filter { rule in
            !stricter.contains { rule.hasPrefix($0) }
        }
        let missing = Set(catalogue).symmetricDifference(covered)
        #expect(missing.isEmpty, "\(missing.sorted())")
        #expect(Set(RuleCatalogue.all.map(\.identifier)).count == RuleCatalogue.all.count)
    }

    @Test("identifiers are lower case and dotted, texts are sentences, and unknown identifiers are no rules")
    func catalogueIsWellFormed() {
        for rule in RuleCatalogue.all {
            #expect(rule.identifier.contains("."))
            #expect(rule.identifier.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7A || "0123456789.-".utf8.contains($0) })
            #expect(rule.summary.hasSuffix("."))
            #expect(rule.remedy.hasSuffix("."))
            #expect(!rule.source.isEmpty)
            #expect(rule.severity == .error || rule.consequence == .none)
            #expect(RuleCatalogue.rule(rule.identifier) == rule)
        }
        #expect(RuleCatalogue.rule("validity") == nil)
    }

    @Test("the rule is silent where nothing is wrong", arguments: RuleCase.all)
    func accepts(_ ruleCase: RuleCase) throws {
        let outcome = try ruleCase.accepting()
        #expect(!outcome.findings.contains { $0.rule.identifier == ruleCase.rule }, "\(outcome.findings)")
        #expect(outcome.result == ruleCase.goodResult, "\(outcome.findings)")
    }

    @Test("the rule reports what is wrong, where, and how grave it is", arguments: RuleCase.all)
    func reports(_ ruleCase: RuleCase) throws {
        let outcome = try ruleCase.refusing()
        let finding = try #require(
            outcome.findings.first { $0.rule.identifier == ruleCase.rule }, "\(outcome.findings)")
        #expect(finding.severity == ruleCase.severity)
        #expect(finding.depth == ruleCase.depth)
        #expect(outcome.result == ruleCase.result, "\(outcome.findings)")
        #expect(!finding.message.isEmpty && !finding.remedy.isEmpty)
    }
}
