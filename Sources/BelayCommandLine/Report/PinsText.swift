import BelayCertificates
import BelayTrust

/// The pins that were served beside those that were configured, the served ones ready to be put into a file.
struct PinsText {
    let verdict: Verdict
    let policy: SecurityPolicy
    let style: Style

    var text: String {
        ([style.bold("Configured")] + configured + [style.bold("Served, as a pin file") + caution] + served)
            .joined(separator: "\n")
    }

    /// The options that name such a file.
    var options: String { policy.pinningMode == .certificate ? "--pins FILE --pinning certificate" : "--pins FILE" }

    private var caution: String { style.dim("  (only if you know that this server is the right one)") }

    private var configured: [String] {
        let certificates = policy.pinnedCertificates.map { certificate in
            policy.pinningMode == .certificate
                ? "  \(certificate.fingerprint)  \(certificate.label)"
                : "  sha256/\(certificate.pin)  \(certificate.label)"
        }
        let lines = certificates + policy.pinnedKeys.map { "  sha256/\($0)" }.sorted()
        return Array(lines.prefix(20)) + (lines.count > 20 ? ["  and \(lines.count - 20) more"] : [])
    }

    private var served: [String] {
        guard policy.pinningMode == .certificate else {
            return verdict.path.flatMap { ["  # \($0.label)", "  sha256/\($0.pin)"] }
        }
        guard let leaf = verdict.path.first else { return [] }
        // Lines of PEM without an indent, so that they can be copied as they are.
        return ["# \(leaf.fingerprint)  \(leaf.label)"]
            + leaf.pem.split(separator: "\n").map(String.init)
    }
}
