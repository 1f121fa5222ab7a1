import BelayCertificates
import BelayTrust
import FoundationEssentials

/// What a set of rules says of the certificates of a file, whoever may trust them.
struct RulesOpinion: Encodable {
    /// The index of the certificate that is judged; the others that count are above it.
    let certificate: Int
    /// Its name, for people.
    private let label: String
    /// The name of the set.
    let rules: String
    /// What it was judged as: `server`, `client`, `authority`.
    let purpose: String
    /// Whether they lead to an authority that the machine trusts; otherwise they are judged as those of an authority of one's own.
    let publicAuthority: Bool
    let findings: [Finding]

    private enum CodingKeys: String, CodingKey { case certificate, rules, purpose, publicAuthority, findings }

    /// Judges the certificates of a file: as one chain where they are one, else each end with those above it.
    static func all(
        _ certificates: [Certificate], _ tree: ChainTree, rules: RuleSet, systemAnchors: AnchorStore?, at moment: Date
    ) -> [RulesOpinion] {
        tree.groups.compactMap { group in
            RulesOpinion(
                group.map { certificates[$0] }, from: group[0], rules: rules, systemAnchors: systemAnchors, at: moment)
        }
    }

    private init?(
        _ certificates: [Certificate], from index: Int, rules: RuleSet, systemAnchors: AnchorStore?, at moment: Date
    ) {
        guard let leaf = certificates.first else { return nil }
        certificate = index
        label = leaf.label
        var policy = TrustPolicy.tlsServer(name: nil)
        if (try? leaf.basicConstraints)?.isAuthority == true {
            policy = .basicX509
        } else if let purposes = (try? leaf.extendedKeyUsage)?.purposes, purposes.contains(.clientAuthentication),
            !purposes.contains(.serverAuthentication)
        {
            policy = .tlsClient
        }
        self.rules = rules.name
        purpose =
            switch policy {
            case .tlsServer: "server"
            case .tlsClient: "client"
            case .basicX509: "authority"
            }
        var trust = ServerTrust(chain: certificates.map(\.der), policies: [policy])
        trust.rules = rules
        trust.evaluationTime = moment
        trust.systemAnchors = systemAnchors
        let verdict = trust.evaluate()
        publicAuthority = verdict.isPathComplete
        // Whether somebody trusts the authority is not what is asked.
        findings = verdict.findings.filter { !["anchor.unknown", "path.issuer-not-sent"].contains($0.rule.identifier) }
    }

    /// Whether the rules refuse them.
    var refuses: Bool { findings.contains { $0.severity == .error } }

    /// The opinions on a file for people: of several chains only those with something to say.
    static func text(_ opinions: [RulesOpinion], _ console: Console) -> String {
        guard opinions.count > 1, let rules = opinions.first?.rules else {
            return opinions.map { $0.text(console) }.joined()
        }
        let style = console.style
        let told = opinions.filter { !$0.findings.allSatisfy { $0.severity == .note } }
        let refused = told.count(where: \.refuses)
        let head = Layout.wrap(
            "by the rules '\(rules)': the file is not one chain, so the \(opinions.count) certificates that have signed none of "
                + "the others are judged each by itself, with those of the file above it", indent: 0,
            columns: console.columns)
        let sum =
            refused == 0
            ? style.good("none is refused")
            : style.bad("\(refused) of \(opinions.count) \(refused == 1 ? "is" : "are") refused")
        let quiet = opinions.count - told.count
        let rest =
            quiet == 0 ? [] : ["nothing to complain of in \(quiet == opinions.count ? "any" : "the other \(quiet)")"]
        return ([style.bold(head), sum] + told.map { $0.text(console, isOneOfSeveral: true) } + rest).joined(
            separator: "\n")
    }

    private func text(_ console: Console, isOneOfSeveral: Bool = false) -> String {
        let style = console.style
        let subject =
            isOneOfSeveral ? "certificate \(certificate + 1), \(Text.short(label, 80))" : "by the rules '\(rules)'"
        let head =
            "\(subject), as \(purpose == "authority" ? "an authority" : "a \(purpose)")"
            + (publicAuthority
                ? ", issued by a public authority"
                : ", issued by an authority of your own (none that this machine trusts)")
        var body: [String] = []
        if findings.allSatisfy({ $0.severity == .note }) { body.append(style.good("nothing to complain of")) }
        // Of many, only what matters.
        let shown = isOneOfSeveral ? findings.filter { $0.severity > .note } : findings
        if !shown.isEmpty { body.append(FindingText.text(shown, console)) }
        return ([style.bold(head)] + body).joined(separator: "\n")
    }
}
