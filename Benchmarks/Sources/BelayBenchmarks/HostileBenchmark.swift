import BelayTrust

/// What chains cost that are made to cost: each must end quickly, and with a finding of its own.
struct HostileBenchmark {
    let rounds: Int

    func run(into report: inout Report) throws {
        let target = Target.atMost(50)
        for chain in try HostileChains.all() {
            let spread = Comparison.Spread(try measure(chain))
            report.add(
                Limit(
                    name: chain.name, includes: "\(chain.includes); evaluation with its explanation",
                    unit: "CPU-ms", value: spread, target: target.text, isMet: target.isMet(by: spread.median)))
        }
        for (name, chains) in try HostileChains.growing() {
            report.add(Growth(name, try chains.map { (size: $0.size, milliseconds: try measure($0.chain)) }))
        }
    }

    /// Milliseconds of processor time for each of the rounds.
    private func measure(_ chain: HostileChain) throws -> [Double] {
        try (0..<rounds).map { _ in
            let start = Cost.now()
            let verdict = chain.trust.evaluate()
            let milliseconds = (Cost.now() - start).processor * 1_000
            let rules = verdict.findings(.error).map(\.rule.identifier)
            guard chain.rule.map(rules.contains) ?? verdict.isTrusted else {
                throw BenchmarkError("\(chain.name): expected \(chain.rule ?? "trust"), found \(Set(rules).sorted())")
            }
            return milliseconds
        }
    }
}
