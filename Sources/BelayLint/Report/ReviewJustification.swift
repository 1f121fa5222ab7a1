import BelayTransportSecurity
import BelayTrust

/// A key that makes App Review ask for a justification, and a draft of one.
public struct ReviewJustification: Sendable, Hashable, Encodable {
    /// The way to the key.
    public let keyPath: [String]
    /// What to complete and to put into the notes for the reviewer.
    public let draft: String

    /// The keys of a file, by what the linter found.
    static func all(of findings: [LintFinding]) -> [ReviewJustification] {
        var seen: Set<[String]> = []
        return findings.compactMap { finding in
            guard let draft = draft(finding), seen.insert(finding.keyPath).inserted else { return nil }
            return ReviewJustification(keyPath: finding.keyPath, draft: draft)
        }
    }

    private static func draft(_ finding: LintFinding) -> String? {
        let host = finding.keyPath.dropLast().last ?? "the host"
        switch finding.rule.identifier {
        case "lint.arbitrary-loads":
            return
                "The app connects to [which hosts, chosen by whom] that cannot all be listed as exceptions, because [reason]. "
                + "Hosts of our own are held to App Transport Security by [entries of NSExceptionDomains]."
        case "lint.review-justification" where finding.keyPath.last != TransportSecurityKey.arbitraryLoads:
            return
                "\(host) is on the device itself or on its own network; nothing leaves it, and [which feature] needs it."
        case "lint.review-justification":
            return
                "NSAllowsArbitraryLoads is for iOS 9 only, where [newer key] is not known; on later systems it has no effect."
        case "lint.media-loads":
            return
                "The app plays media from [providers] that are served over HTTP only; they hold no personal data, and [reason why "
                + "they cannot be served over HTTPS]."
        case "lint.web-content":
            return
                "The app shows web pages that its users choose ([which feature]); the app's own connections stay under App Transport "
                + "Security."
        case "lint.cleartext-allowed":
            return
                "\(host) is run by [whom] and does not support HTTPS, because [reason]. The app gets [what] from it, which is [not "
                + "personal, verified by …]. It is expected to move to HTTPS by [date]."
        case "lint.old-tls-version":
            return
                "\(host) is run by [whom] and supports no newer version of TLS, because [reason]. It is expected to support TLS 1.2 "
                + "by [date]."
        default: return nil
        }
    }
}
