import BelayCertificates
import BelayTrust
import CPeers

/// Trust evaluations, DER in: ours beside X509_verify_cert.
struct EvaluationBenchmarks {
    let materials: [Material]
    let interleaving: Interleaving

    func run(into report: inout Report) async throws {
        for material in materials {
            let targets: (cold: Double, warm: Double) = material.kind == "P-256" ? (2.3, 4.5) : (3.5, 7)
            try await run(material, targets.cold, targets.warm, into: &report)
        }
    }

    private func run(_ material: Material, _ cold: Double, _ warm: Double, into report: inout Report) async throws {
        let root = material.root.der
        guard let store = peer_store_new(root, root.count) else { throw BenchmarkError("OpenSSL refuses the root") }
        defer { peer_store_free(store) }
        let intermediate = material.intermediate.der
        let leaves = material.leaves.map(\.der)
        let peer = Job(
            name: "X509_verify_cert",
            includes:
                "d2i_X509 of leaf and intermediate, store with the root loaded, purpose sslserver, host name; both freed"
        ) { count in
            for index in 0..<count {
                let leaf = leaves[index % leaves.count]
                guard peer_verify(store, leaf, leaf.count, intermediate, intermediate.count, Material.host) == 1 else {
                    throw BenchmarkError("OpenSSL refuses the chain")
                }
            }
        }
        let anchors = AnchorStore([material.root])
        let chains = leaves.map { [$0, intermediate] }
        let policy = TrustPolicy.tlsServer(name: try ServerName(Material.host))
        func evaluate(_ count: Int, _ cache: (_ index: Int) -> TrustCache?) throws {
            for index in 0..<count {
                var trust = ServerTrust(chain: chains[index % chains.count], policies: [policy], anchors: anchors)
                trust.cache = cache(index)
                guard trust.evaluate().isTrusted else { throw BenchmarkError("Belay refuses the chain") }
            }
        }

        let coldJob = Job(
            name: "ServerTrust.evaluate, cold",
            includes:
                "parse of leaf and intermediate, anchors loaded, no cache: the intermediate's key decoded and both "
                + "signatures checked each time; name, purposes, constraints, strength"
        ) { count in
            try evaluate(count) { _ in nil }
        }
        try await report.compare(
            "evaluation, \(material.kind), cold", coldJob, peer, .atLeast(cold), interleaving)

        let warmJob = Job(
            name: "ServerTrust.evaluate, warm, new leaf",
            includes:
                "the same with a TrustCache that has met the intermediate but not the leaf: one signature is checked"
        ) { count in
            var current = TrustCache()
            try evaluate(count) { index in
                // A fresh cache for each pass over the leaves. Its first evaluation, one in a pass, is a cold one.
                if index % chains.count == 0 { current = TrustCache() }
                return current
            }
        }
        try await report.compare(
            "evaluation, \(material.kind), warm, new leaf each time", warmJob, peer, .atLeast(warm), interleaving)

        let cache = TrustCache()
        let knownJob = Job(
            name: "ServerTrust.evaluate, warm, known leaf",
            includes: "the same with a TrustCache that has met leaf and intermediate: no signature is checked"
        ) { count in
            try evaluate(count) { _ in cache }
        }
        try await report.compare(
            "evaluation, \(material.kind), warm, known leaf", knownJob, peer, .atLeast(warm), interleaving)
        try await runVerdictCache(material, knownJob, policy, anchors, into: &report)
    }

    /// Repetitions of a question beside the fastest evaluation there is: the same chain, nothing to verify.
    private func runVerdictCache(
        _ material: Material, _ uncached: Job, _ policy: TrustPolicy, _ anchors: AnchorStore, into report: inout Report
    ) async throws {
        let verdicts = VerdictCache()
        let trustCache = TrustCache()
        func ask(_ chain: [[UInt8]]) throws {
            var trust = ServerTrust(chain: chain, policies: [policy], anchors: anchors)
            trust.cache = trustCache
            guard verdicts.evaluate(trust).isTrusted else { throw BenchmarkError("Belay refuses the chain") }
        }
        let intermediate = material.intermediate.der
        for leaf in material.leaves { try ask([leaf.der, intermediate]) }
        // Octets of their own, as from another handshake: equality must look at them.
        let repeated = material.leaves.map { leaf in [leaf.der.map { $0 }, intermediate.map { $0 }] }
        let job = Job(
            name: "VerdictCache.evaluate",
            includes:
                "a chain that was judged before, with octets of its own; 512 such chains are kept, the clock is read"
        ) { count in
            for index in 0..<count { try ask(repeated[index % repeated.count]) }
        }
        try await report.compare(
            "verdict cache, \(material.kind)", job, uncached, .atLeast(20), interleaving)
    }
}
