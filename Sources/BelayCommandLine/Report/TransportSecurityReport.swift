import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// The answer of `belay ats decide` for one URL.
struct TransportSecurityReport {
    let url: TransportSecurityURL
    let context: TransportSecurityOptions.Context
    /// The Info.plist.
    let file: String
    let answer: TransportSecurityAnswer
    /// What is wrong with the Info.plist, whatever the URL.
    let findings: [Finding]
    /// Which keys were looked at, for each system of the range from which on they are others; nil where nobody asked.
    let explanations: [TransportSecurityExplanation]?

    /// The decision, what it demands, which keys decided, and what is wrong with the file.
    func text(_ console: Console) -> String {
        let style = console.style
        var blocks = [headline(style), Layout.wrap(answer.why, columns: console.columns)]
        blocks.append(answer.parts.count == 1 || isUniform ? demands(style) : changes(style))
        if !answer.decidedBy.isEmpty {
            blocks.append(
                ([style.bold("Decided by")] + answer.decidedBy.map { "  " + Self.text($0) }).joined(separator: "\n"))
        }
        for explanation in explanations ?? [] {
            blocks.append(story(explanation, isOnly: explanations?.count == 1, console))
        }
        if !findings.isEmpty { blocks.append(FindingText.text(findings, console)) }
        return blocks.joined(separator: "\n\n")
    }

    private func headline(_ style: Style) -> String {
        let word =
            switch answer.isAllowed {
            case true?: style.good("allowed")
            case false?: style.bad("refused")
            case nil: style.warning("depends on the system")
            }
        let code = refusal.map { " (\($0))" } ?? ""
        let host = url.address?.octets.count == 16 ? "[\(url.host)]" : url.host
        return
            "\(word)\(code)  \(printable(url.scheme))://\(printable(host))  \(style.dim("\(answer.systems), \(context.rawValue)"))"
    }

    /// Apple's code, where it is the same on all systems.
    private var refusal: Int? {
        guard let code = answer.parts.first?.decision.errorCode,
            answer.parts.allSatisfy({ $0.decision.errorCode == code })
        else { return nil }
        return code
    }

    /// Whether the systems differ in nothing but what they demand by themselves.
    private var isUniform: Bool { answer.changes.allSatisfy { $0.field == "system_ct" } }

    private func demands(_ style: Style) -> String {
        guard let decision = answer.parts.last?.decision else { return "" }
        return rows(of: decision).map { style.dim(Layout.pad($0.0, 18)) + $0.1 }.joined(separator: "\n")
    }

    private func rows(of decision: TransportSecurityDecision) -> [(String, String)] {
        let demands = decision.demands
        var rows = [
            ("HTTPS", decision.requiresHTTPS ? "required" : "not required"),
            ("TLS", demands.minimumVersion.map { "\($0) or newer" } ?? "as the system's default"),
            ("forward secrecy", demands.requiresForwardSecrecy ? "required" : "not required"),
            ("suites", demands.suites.rawValue),
            ("keys", demands.limitsKeySizes ? "RSA 2048 bits, EC 256 bits or more" : "as trust demands"),
            ("signatures", demands.minimumHash.map { "\($0) or better" } ?? "as trust demands"),
            ("server trust", decision.isTrustRelaxed ? "a delegate may overrule it" : "nobody may overrule it"),
        ]
        if decision.requiresCertificateTransparency { rows.append(("transparency", "demanded by the app")) }
        if let package = decision.niapPackage { rows.append(("NIAP package", package.rawValue)) }
        for (name, pins) in [("pinned leaf", decision.pins?.leaf), ("pinned CA", decision.pins?.authority)] {
            guard let pins else { continue }
            rows.append(
                (
                    name,
                    pins.isEmpty
                        ? "nothing: no certificate matches" : pins.map(\.description).sorted().joined(separator: ", ")
                ))
        }
        return rows
    }

    /// What differs between the systems, a line for each version.
    private func changes(_ style: Style) -> String {
        var lines: [String] = []
        for change in answer.changes where change.field != "system_ct" {
            lines.append(
                "  \(Layout.pad(change.field, 18))from \(Layout.pad("\(change.system)", 12))\(change.value.text)")
        }
        return ([style.bold("Differs between the systems")] + lines).joined(separator: "\n")
    }

    private func story(
        _ explanation: TransportSecurityExplanation, isOnly: Bool, _ console: Console
    ) -> String {
        let lines = explanation.steps.enumerated().map { index, step in
            let number = Layout.pad("\(index + 1).", 4)
            let key = step.keyPath.isEmpty ? "" : Self.text(step.keyPath) + ": "
            return Layout.wrap(key + printable(step.outcome), indent: 6, first: "  " + number, columns: console.columns)
        }
        return ([console.style.bold("Looked at, on \(explanation.system)\(isOnly ? "" : " and later")")] + lines)
            .joined(separator: "\n")
    }

    private static func text(_ keyPath: [String]) -> String { keyPath.map(printable).joined(separator: " > ") }
}

extension TransportSecurityAnswer.Field {
    /// For people.
    fileprivate var text: String {
        switch self {
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): number.map(String.init) ?? "none"
        case .text(let text): text.map(printable) ?? "none"
        case .pins(let pins): pins == nil ? "none" : "pinned"
        }
    }
}

extension TransportSecurityReport: Encodable {
    private struct Explanation: Encodable {
        let system: String
        let steps: [Step]

        init(_ story: TransportSecurityExplanation) {
            system = story.system.description
            steps = story.steps.map { Step(keyPath: $0.keyPath, outcome: $0.outcome) }
        }
    }

    private struct Step: Encodable {
        let keyPath: [String]
        let outcome: String
    }

    /// The URL's parts, the fields of an answer, and what is wrong with the file.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        try container.encode(url.scheme, forKey: JSONKey("scheme"))
        try container.encode(url.host, forKey: JSONKey("host"))
        try container.encode(context.context.rawValue, forKey: JSONKey("context"))
        try container.encode(answer.systems.description, forKey: JSONKey("os"))
        try answer.encode(into: &container)
        try container.encode(findings, forKey: JSONKey("findings"))
        let stories = explanations.map { $0.map(Explanation.init) }
        // The newest system's, and all.
        try container.encode(stories?.last, forKey: JSONKey("explanation"))
        try container.encode(stories, forKey: JSONKey("explanations"))
        try container.encodeNil(forKey: JSONKey("read_error"))
    }

    /// The document where the file could not be read: no answer.
    struct Unread: Encodable {
        let error: InputError

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: JSONKey.self)
            try container.encodeNil(forKey: JSONKey("allowed"))
            try container.encode(FailureReport(error), forKey: JSONKey("read_error"))
        }
    }
}
