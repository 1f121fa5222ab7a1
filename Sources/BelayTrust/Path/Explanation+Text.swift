import BelayCertificates

extension Explanation: CustomStringConvertible {
    /// The story as an indented tree, one line for each certificate that was tried and one for each thing wrong with it,
    /// followed by the ways to make it work.
    public var description: String { lines().joined(separator: "\n") }

    /// The lines of ``description``.
    public func lines() -> [String] {
        var lines: [String] = []
        Self.tell(leaf, prefix: "", isLast: true, into: &lines)
        if !ways.isEmpty {
            lines.append("")
            lines.append(ways.count == 1 ? "What would make it work:" : "What would make it work, one of:")
            for way in ways {
                lines.append("  - \(way.obstacle)")
                lines.append("    \(way.remedy)")
            }
        }
        if !remarks.isEmpty {
            lines.append("")
            lines += remarks.map { "Beside it: \($0)." }
        }
        return lines
    }

    private static func tell(_ attempt: Attempt, prefix: String, isLast: Bool, into lines: inout [String]) {
        let branch = attempt.depth == 0 ? "" : isLast ? "└─ " : "├─ "
        lines.append("\(prefix)\(branch)\(attempt.summary)")
        let inner = attempt.depth == 0 ? "" : prefix + (isLast ? "   " : "│  ")
        for finding in attempt.findings where finding.severity != .note {
            lines.append("\(inner)\(attempt.issuers.isEmpty ? " " : "│") \(finding.rule): \(finding.message)")
        }
        for (index, issuer) in attempt.issuers.enumerated() {
            tell(issuer, prefix: inner, isLast: index == attempt.issuers.count - 1, into: &lines)
        }
    }
}

extension Explanation.Attempt {
    /// The certificate, where it came from and what came of it, in a line.
    public var summary: String { "\(isOnPath ? "●" : "○") \(name) [\(place)] \(result)" }

    /// The subject, or that there is none.
    public var name: String {
        let subject = certificate.subject.description
        return subject.isEmpty ? "(no subject)" : subject
    }

    /// Where the certificate came from, in words.
    public var place: String {
        switch origin {
        case .sent(let index): depth == 0 ? "leaf, sent first" : "sent at place \(index)"
        case .anchor: "anchor"
        case .known: "pinned, not sent"
        }
    }

    /// What came of it, in words.
    public var result: String {
        switch outcome {
        case .anchor: isRefused ? "a path ends here, refused" : "a path ends here"
        case .extended: isRefused ? "refused here" : "fits"
        case .issuerUnknown where certificate.isSelfIssued: "self-signed, and not among the anchors"
        case .issuerUnknown: "its issuer \(certificate.issuer) was neither sent nor is it trusted"
        case .signatureInvalid: "right name, but its key did not sign the certificate below"
        case .notFollowed: "not followed: the budget is spent"
        }
    }

    /// Whether a rule refuses the certificate in its place.
    public var isRefused: Bool { findings.contains { $0.severity == .error } }
}

extension Explanation.Attempt: Encodable {
    private enum Key: String, CodingKey {
        case fingerprint, subject, issuer, origin, sentIndex, depth, outcome, onPath, reasons, issuers
    }

    /// Writes the attempt with everything that was tried above it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(certificate.fingerprint.hexadecimalText, forKey: .fingerprint)
        try container.encode(certificate.subject.description, forKey: .subject)
        try container.encode(certificate.issuer.description, forKey: .issuer)
        let (name, index): (String, Int?) =
            switch origin {
            case .sent(let index): ("sent", index)
            case .anchor: ("anchor", nil)
            case .known: ("pinned", nil)
            }
        try container.encode(name, forKey: .origin)
        try container.encode(index, forKey: .sentIndex)
        try container.encode(depth, forKey: .depth)
        try container.encode(outcome.name, forKey: .outcome)
        try container.encode(isOnPath, forKey: .onPath)
        try container.encode(findings, forKey: .reasons)
        try container.encode(issuers, forKey: .issuers)
    }
}

extension Explanation.Outcome {
    /// The name that JSON has.
    var name: String {
        switch self {
        case .anchor: "anchor"
        case .extended: "extended"
        case .issuerUnknown: "issuer-unknown"
        case .signatureInvalid: "signature-invalid"
        case .notFollowed: "not-followed"
        }
    }
}
