import BelayCertificates
import BelayTrust

/// The search for a path as a graph: a row for each place, the leaf's first, and in it everybody who was tried for the
/// place. A certificate that was reached along several ways is one node.
struct ExplanationGraph {
    /// Somebody tried for a place, or somebody missing.
    struct Node {
        /// The number that the drawing and the list share, from 1.
        let number: Int
        /// The place: 0 for the leaf.
        let depth: Int
        /// Its column: 0 for what is on the path, else below one that it was tried for where there is room.
        let column: Int
        /// The certificate; nil for one that is missing.
        let certificate: Certificate?
        /// The common name, or the whole subject.
        let name: String
        /// The whole subject.
        let subject: String
        /// Where it came from, in words.
        let place: String
        /// What came of it.
        let state: State
        /// What the rules have against it, without notes.
        let findings: [Finding]
        /// Whether it is on the path of the verdict.
        let isOnPath: Bool
    }

    /// What came of a node.
    enum State: Hashable {
        /// A path ends here.
        case anchor
        /// Nothing is wrong with it, and it has issuers.
        case fits
        /// A rule refuses it.
        case refused
        /// Nobody who could have issued it is known.
        case deadEnd
        /// Self-signed, and no anchor.
        case selfSigned
        /// Right name, wrong key.
        case impostor
        /// The budget was spent.
        case notFollowed
        /// Not a certificate but the lack of one; where it is published, if the one below says so.
        case missing(location: String?)
    }

    /// From a certificate to one that was tried as its issuer.
    struct Edge: Hashable {
        let child: Int
        let issuer: Int
        /// Whether the issuer's key made the signature; nil where the issuer is missing.
        let isSigned: Bool?
        var isOnPath: Bool
    }

    /// The nodes in the order of their numbers.
    private(set) var nodes: [Node] = []
    private(set) var edges: [Edge] = []
    /// How many places there are.
    private(set) var rows = 0
    /// How many columns the fullest place takes.
    private(set) var columns = 1
    /// How many attempts are not drawn, since nobody would read them.
    private(set) var omitted = 0

    /// How many nodes are drawn at most.
    static let mostNodes = 40

    init(_ explanation: Explanation) {
        var tables: [[SHA256Digest: Draft]] = []
        var drafts: [Draft] = []
        Self.collect(explanation.leaf, below: nil, into: &tables, &drafts)
        let drawn = drafts.prefix(Self.mostNodes)
        omitted = drafts.count - drawn.count
        // Row by row, so that numbers can be read off from the top.
        let sorted = drawn.sorted {
            ($0.depth, $0.isOnPath ? 0 : 1, $0.order) < ($1.depth, $1.isOnPath ? 0 : 1, $1.order)
        }
        var taken: Set<[Int]> = []
        for (index, draft) in sorted.enumerated() {
            draft.number = index + 1
            draft.column = draft.children.first?.0.column ?? 0
            if draft.isOnPath { draft.column = 0 }
            while !taken.insert([draft.depth, draft.column]).inserted { draft.column += 1 }
            rows = max(rows, draft.depth + 1)
            columns = max(columns, draft.column + 1)
            nodes.append(draft.node)
        }
        for draft in sorted {
            for (child, isSigned) in draft.children where child.number > 0 {
                edges.append(
                    Edge(
                        child: child.number, issuer: draft.number, isSigned: draft.isMissing ? nil : isSigned,
                        isOnPath: isSigned && child.isOnPath && draft.isOnPath))
            }
        }
    }

    /// A node in the making.
    private final class Draft {
        let order: Int
        let depth: Int
        var attempts: [Explanation.Attempt]
        /// For one that is missing: the certificate whose issuer it is.
        let orphan: Certificate?
        var children: [(Draft, isSigned: Bool)] = []
        var number = 0
        var column = 0

        init(_ attempt: Explanation.Attempt?, depth: Int, orphan: Certificate? = nil, order: Int) {
            attempts = attempt.map { [$0] } ?? []
            self.depth = depth
            self.orphan = orphan
            self.order = order
        }

        var isMissing: Bool { orphan != nil }
        var isOnPath: Bool { attempts.contains(where: \.isOnPath) }

        /// The attempt that says most: the one on the path, or one whose signature held.
        private var best: Explanation.Attempt? {
            attempts.first(where: \.isOnPath) ?? attempts.first { $0.outcome != .signatureInvalid } ?? attempts.first
        }

        var node: Node {
            guard let best else {
                let issuer = orphan?.issuer
                return Node(
                    number: number, depth: depth, column: column, certificate: nil,
                    name: issuer.map(ExplanationGraph.shortName) ?? "", subject: issuer?.description ?? "",
                    place: "not sent, no anchor", state: .missing(location: orphan?.issuerLocations.first),
                    findings: [],
                    isOnPath: false)
            }
            var seen = Set<Finding>()
            let findings = attempts.flatMap(\.findings).filter { $0.severity != .note && seen.insert($0).inserted }
            return Node(
                number: number, depth: depth, column: column, certificate: best.certificate,
                name: ExplanationGraph.shortName(best.certificate.subject), subject: best.name, place: best.place,
                state: state(of: best), findings: findings, isOnPath: isOnPath)
        }

        private func state(of best: Explanation.Attempt) -> State {
            if best.outcome == .signatureInvalid { return .impostor }
            if best.isRefused { return .refused }
            return switch best.outcome {
            case .anchor: .anchor
            case .extended: .fits
            case .issuerUnknown: best.certificate.isSelfIssued ? .selfSigned : .deadEnd
            case .signatureInvalid: .impostor
            case .notFollowed: .notFollowed
            }
        }
    }

    private static func collect(
        _ attempt: Explanation.Attempt, below child: Draft?, into tables: inout [[SHA256Digest: Draft]],
        _ drafts: inout [Draft]
    ) {
        while tables.count <= attempt.depth { tables.append([:]) }
        let draft: Draft
        if let known = tables[attempt.depth][attempt.certificate.fingerprint] {
            known.attempts.append(attempt)
            draft = known
        } else {
            draft = Draft(attempt, depth: attempt.depth, order: drafts.count)
            tables[attempt.depth][attempt.certificate.fingerprint] = draft
            drafts.append(draft)
        }
        if let child, !draft.children.contains(where: { $0.0 === child }) {
            draft.children.append((child, isSigned: attempt.outcome != .signatureInvalid))
        }
        for issuer in attempt.issuers { collect(issuer, below: draft, into: &tables, &drafts) }
        guard attempt.outcome == .issuerUnknown, !attempt.certificate.isSelfIssued,
            !drafts.contains(where: { $0.orphan == attempt.certificate && $0.depth == attempt.depth + 1 })
        else { return }
        let missing = Draft(nil, depth: attempt.depth + 1, orphan: attempt.certificate, order: drafts.count)
        missing.children.append((draft, isSigned: false))
        drafts.append(missing)
    }

    private static func shortName(_ name: DistinguishedName) -> String {
        let text = name.commonName ?? name.description
        return text.isEmpty ? "(no subject)" : text
    }
}

extension ExplanationGraph.Node {
    /// What came of it, in a few words.
    var verdict: String {
        switch state {
        case .anchor: "✓ a path ends here"
        case .fits: "✓ fits"
        case .refused:
            "✗ " + (firstError?.rule.identifier ?? "refused") + (errors.count > 1 ? " +\(errors.count - 1)" : "")
        case .deadEnd: "? issuer unknown"
        case .selfSigned: "✗ self-signed"
        case .impostor: "✗ did not sign"
        case .notFollowed: "… not followed"
        case .missing: "? missing"
        }
    }

    /// What is wrong with it: the findings that refuse.
    var errors: [Finding] { findings.filter { $0.severity == .error } }

    private var firstError: Finding? { errors.first }
}
