import BelayCertificates
import BelayTrust
import FoundationEssentials

/// The answer of `belay trust evaluate` for a chain in files.
struct TrustReport {
    /// What was judged, for the headline.
    let subject: String
    let host: String?
    let verdict: Verdict
    let policy: SecurityPolicy
    /// Whether the moment was given with `--time`.
    let isMomentGiven: Bool
    let path: PathReport
    /// What an app demands of the host; nil where none is asked about.
    let demands: ChainDemands?

    /// The verdict, the demands, the chain and the findings.
    func text(_ console: Console) -> String {
        let style = console.style
        // A policy that refuses everything has compared nothing at all.
        let lacksName = host == nil && policy.validatesDomainName && policy.contradictions(forNamedHost: false).isEmpty
        let name = lacksName ? " (no --host, so no name was compared)" : ""
        var blocks = [
            VerdictText.headline(verdict, of: subject, policy: policy, style: style) + unchecked,
            Layout.wrap(
                PolicyText(policy).summary + name, indent: 12, first: style.dim(Layout.pad("demanded", 12)),
                columns: console.columns),
        ]
        if let demands {
            let rows = demands.rows.map { name, value in
                Layout.wrap(value, indent: 14, first: style.dim(Layout.pad(name, 14)), columns: console.columns)
            }
            blocks.append(rows.joined(separator: "\n"))
        }
        if !path.elements.isEmpty { blocks.append(path.text(style)) }
        let findings = verdict.findings + policy.weaknesses
        if !findings.isEmpty { blocks.append(FindingText.text(findings, console, isMomentGiven: isMomentGiven)) }
        if lacksName {
            let text =
                "no name was compared: the chain is judged as that of any server. "
                + "Give --host NAME to ask whether it is that server's."
            blocks.append(
                Layout.wrap(text, indent: 9, first: style.dim(Layout.pad("note", 9)), columns: console.columns))
        }
        if verdict.findings.contains(where: { $0.rule.identifier == "pin.mismatch" }) {
            blocks.append(PinsText(verdict: verdict, policy: policy, style: style).text)
        }
        if let story = verdict.explanation { blocks.append(ExplanationText(story, style: style).text) }
        return blocks.joined(separator: "\n\n")
    }

    /// That a chain is not all that an app looks at.
    private var unchecked: String {
        verdict.isTrusted && demands != nil ? "; the connection itself was not checked" : ""
    }
}

extension TrustReport: Encodable {
    private enum Key: String, CodingKey {
        case host, nameCompared, trusted, result, summary, reasons, policy, weaknesses, path, pathComplete, explanation
        case transportSecurity, error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(host, forKey: .host)
        try container.encode(!verdict.checkedNames.isEmpty, forKey: .nameCompared)
        try container.encode(verdict.isTrusted, forKey: .trusted)
        try container.encode(verdict.result.rawValue, forKey: .result)
        try container.encode(VerdictText.reason(verdict, policy) + unchecked, forKey: .summary)
        try container.encode(verdict.findings, forKey: .reasons)
        try container.encode(PolicyReport(policy), forKey: .policy)
        try container.encode(policy.weaknesses, forKey: .weaknesses)
        try container.encode(path.elements, forKey: .path)
        try container.encode(verdict.isPathComplete, forKey: .pathComplete)
        try container.encode(verdict.explanation, forKey: .explanation)
        try container.encode(demands, forKey: .transportSecurity)
        try container.encodeNil(forKey: .error)
    }

    /// The same document where something could not be read: no verdict.
    struct Unread: Encodable {
        let host: String?
        let error: InputError

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            let verdict = Verdict(refusing: [])
            try container.encode(host, forKey: .host)
            try container.encode(false, forKey: .nameCompared)
            try container.encode(false, forKey: .trusted)
            try container.encode(verdict.result.rawValue, forKey: .result)
            try container.encode(error.message, forKey: .summary)
            try container.encode([] as [Finding], forKey: .reasons)
            try container.encodeNil(forKey: .policy)
            try container.encode([] as [Finding], forKey: .weaknesses)
            try container.encode([] as [PathReport.Element], forKey: .path)
            try container.encode(false, forKey: .pathComplete)
            try container.encodeNil(forKey: .explanation)
            try container.encodeNil(forKey: .transportSecurity)
            try container.encode(FailureReport(error), forKey: .error)
        }
    }
}
