import BelayCertificates
import BelayTrust
import Foundation
import Mutation
import Testing

/// What holds for every chain, shown on mutants of good ones: certificates changed as trees and signed again.
///
/// `make differential` judges many more of them, by other verifiers too.
@Suite("Mutants of good chains")
struct MutantTests {
    private static func trust(_ mutant: Mutator.Mutant) throws -> ServerTrust {
        var trust = ServerTrust(
            chain: mutant.chain, policies: [.tlsServer(name: try ServerName(mutant.host))],
            anchors: AnchorStore(mutant.anchors.compactMap { try? Certificate(der: $0) }))
        trust.evaluationTime = Date(timeIntervalSince1970: Double(mutant.time))
        return trust
    }

    @Test("the chains that they start from are good under the sets standard and rfc5280")
    func seeds() throws {
        for seed in try Blueprint.seeds() {
            for rules in [RuleSet.standard, .rfc5280] {
                let verdict = try Self.trust(Mutator.unchanged(seed)).with { $0.rules = rules }.evaluate()
                #expect(verdict.isTrusted, "\(rules.name): \(verdict.findings)")
            }
        }
    }

    /// Where a byte is changed after signing depends on the length of the signatures before it.
    private static func isRepeatable(_ step: String) -> Bool { !step.hasPrefix("flip") }

    @Test("a number gives the same mutant each time, apart from signatures")
    func numbers() throws {
        let mutator = Mutator(seeds: try Blueprint.seeds())
        for number in 0..<50 as Range<UInt64> {
            let first = try mutator.mutant(number)
            let second = try mutator.mutant(number)
            #expect(first.steps.filter(Self.isRepeatable) == second.steps.filter(Self.isRepeatable))
            #expect(first.host == second.host && first.time == second.time)
        }
    }

    @Test("refusals have a reason, acceptances a whole path, and neither cache, story nor a stricter set changes that")
    func invariants() throws {
        let mutator = Mutator(seeds: try Blueprint.seeds())
        let cache = TrustCache()
        var accepted = 0
        for number in 0..<1_200 as Range<UInt64> {
            let trust = try Self.trust(mutator.mutant(number))
            let verdict = trust.evaluate()
            #expect(verdict.isTrusted == verdict.errors.isEmpty, "\(number)")
            #expect(!verdict.isTrusted || verdict.isPathComplete, "\(number)")
            if verdict.isTrusted { accepted += 1 }
            let told = trust.with {
                $0.cache = cache
                $0.explains = true
            }.evaluate()
            #expect(told.findings == verdict.findings && told.path == verdict.path, "\(number)")
            // What the profile accepts, the basic rules accept.
            for rules in [RuleSet.rfc5280, .webpki] where !verdict.isTrusted {
                #expect(!trust.with { $0.rules = rules }.evaluate().isTrusted, "\(number) \(rules.name)")
            }
        }
        #expect(accepted > 100)
    }
}
