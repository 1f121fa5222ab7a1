import BelayTrust

/// What came of a run: how often everybody agreed, and the disagreements by class.
struct Report {
    private struct Key: Hashable {
        let peer: Peer
        let name: String
    }

    private var cases = 0
    private var acceptedByBelay: [Peer: Int] = [:]
    private var acceptedByPeer: [Peer: Int] = [:]
    private var agreements: [Peer: Int] = [:]
    private var explained: [Key: Int] = [:]
    private var unexplained: [Key: [String]] = [:]

    /// The unexplained ones with everything that is said about them.
    private(set) var open: [Unexplained] = []

    var isExplained: Bool { unexplained.isEmpty }

    mutating func add(_ comparison: Comparison) {
        cases += 1
        for peer in Peer.allCases {
            let verdict = comparison.verdict(beside: peer)
            let theirs = comparison.isAccepted(by: peer)
            if verdict.isTrusted { acceptedByBelay[peer, default: 0] += 1 }
            if theirs { acceptedByPeer[peer, default: 0] += 1 }
            if verdict.isTrusted == theirs {
                agreements[peer, default: 0] += 1
            } else {
                classify(comparison, peer, verdict)
            }
        }
    }

    private mutating func classify(_ comparison: Comparison, _ peer: Peer, _ verdict: Verdict) {
        let classes = DifferenceClass.all.filter { $0.peers.contains(peer) }
        guard !verdict.isTrusted else {
            let words = comparison.refusal(by: peer)
            let known = classes.first { $0.explains(words, comparison) }
            record(comparison, peer, known.map { [$0] }, "only \(peer.rawValue) refuses: \(words)")
            return
        }
        // Every reason that Belay has must be one that the peer does not know.
        let findings = verdict.findings(.error)
        let found = findings.map { finding in classes.first { $0.explains(finding, comparison) } }
        let open = zip(findings, found).filter { $0.1 == nil }.map(\.0.rule.identifier)
        record(
            comparison, peer, open.isEmpty && !found.isEmpty ? found.compactMap(\.self) : nil,
            "only Belay refuses: \(Set(open).sorted().joined(separator: " + "))")
    }

    private mutating func record(
        _ comparison: Comparison, _ peer: Peer, _ classes: [DifferenceClass]?, _ words: String
    ) {
        guard let classes else {
            let key = Key(peer: peer, name: words)
            unexplained[key, default: []].append("\(comparison.id) (\(comparison.note))")
            open.append(Unexplained(comparison, peer, words))
            return
        }
        for identifier in Set(classes.map(\.identifier)) {
            explained[Key(peer: peer, name: identifier), default: 0] += 1
        }
    }

    var text: String {
        var lines = ["\(cases) cases"]
        for peer in Peer.allCases {
            lines.append(
                "\(peer.rawValue) beside \(peer.rules.name): Belay accepts \(acceptedByBelay[peer, default: 0]), "
                    + "\(peer.rawValue) \(acceptedByPeer[peer, default: 0]), they agree on \(agreements[peer, default: 0])"
            )
            for (key, count) in explained.filter({ $0.key.peer == peer }).sorted(by: { $0.value > $1.value }) {
                lines.append("    \(count)  \(key.name)")
            }
            for (key, examples) in unexplained.filter({ $0.key.peer == peer }).sorted(by: {
                $0.value.count > $1.value.count
            }) {
                lines.append("    UNEXPLAINED \(examples.count)  \(key.name)")
                for example in examples.prefix(3) { lines.append("        case \(example)") }
            }
        }
        return lines.joined(separator: "\n")
    }
}

/// A disagreement that no class explains, for whoever looks into it.
struct Unexplained: Encodable {
    let id: String
    let note: String
    let peer: String
    let words: String
    let findings: [String]

    init(_ comparison: Comparison, _ peer: Peer, _ words: String) {
        id = comparison.id
        note = comparison.note
        self.peer = peer.rawValue
        self.words = words
        findings = comparison.verdict(beside: peer).findings(.error).map { finding in
            "\(finding.rule) \(finding.depth.map(String.init) ?? "-"): \(finding.message)"
        }
    }
}
