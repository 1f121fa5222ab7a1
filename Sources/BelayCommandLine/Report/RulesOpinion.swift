import BelayCertificates
import BelayTrust
import FoundationEssentials

/// What a set of rules says of the certificates of a file, whoever may trust them.
struct RulesOpinion: Encodable {
    /// The name of the set.
    let rules: String
    /// What the first certificate was judged as: `server`, `client`, `authority`.
    let purpose: String
    /// Whether they lead to an authority that the machine trusts; otherwise they are judged as those of an authority of one's own.
    let publicAuthority: Bool
    let findings: [Finding]

    init?(_ certificates: [Certificate], rules: RuleSet, systemAnchors: AnchorStore?, at moment: Date) {
        guard let leaf = certificates.first else { return nil }
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

    /// The opinion for people.
    func text(_ console: Console) -> String {
        let style = console.style
        let head =
            "by the rules '\(rules)', as \(purpose == "authority" ? "an authority" : "a \(purpose)")"
            + (publicAuthority
                ? ", issued by a public authority"
                : ", issued by an authority of your own (none that this machine trusts)")
        var body: [String] = []
        if findings.allSatisfy({ $0.severity == .note }) { body.append(style.good("nothing to complain of")) }
        if !findings.isEmpty { body.append(FindingText.text(findings, console)) }
        return ([style.bold(head)] + body).joined(separator: "\n")
    }
}
