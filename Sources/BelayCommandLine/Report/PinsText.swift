import BelayCertificates
import BelayTrust

/// The pins that were served beside those that were configured, the served ones ready to be put into a file.
struct PinsText {
    let verdict: Verdict
    let policy: SecurityPolicy
    let style: Style

    var text: String {
        var lines = [style.bold("Configured")] + configured
        // Where all of the path must be pinned, some of it may be: which are missing has to be said.
        if policy.chainMatching == .all {
            lines += [style.bold("Not pinned")] + missing.map { "  \($0.label)" }
        }
        return (lines + [style.bold("Served, as a pin file") + caution] + served).joined(separator: "\n")
    }

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
            return needed.flatMap { ["  # \($0.label)", "  sha256/\($0.pin)"] }
        }
        // One certificate is enough where any will do. Lines of PEM have no indent, so that they can be copied as they are.
        return needed.prefix(policy.chainMatching == .any ? 1 : needed.count).flatMap { certificate in
            ["# \(certificate.fingerprint)  \(certificate.label)"]
                + certificate.pem.split(separator: "\n").map(String.init)
        }
    }

    /// The certificates of the path of which pins could be wanted: all of them, or those below the root where all must be
    /// pinned.
    private var needed: ArraySlice<Certificate> {
        guard policy.chainMatching == .all, let last = verdict.path.last, verdict.path.count > 1 else {
            return verdict.path[...]
        }
        return verdict.isPathComplete || last.isSelfIssued ? verdict.path.dropLast() : verdict.path[...]
    }

    private var missing: [Certificate] {
        let pins = policy.effectivePins
        return needed.filter {
            policy.pinningMode == .certificate ? !policy.pinnedCertificates.contains($0) : !pins.contains($0.pin)
        }
    }
}
