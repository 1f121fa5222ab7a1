import BelayCertificates

/// The moment lies in the validity period, both ends included (RFC 5280, section 6.1.3, a.2).
struct ValidityRule: PathRule {
    static let catalogue: [Rule] = [.expired, .notYetValid]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        let validity = path[depth].certificate.validity
        if context.time > validity.notAfterSeconds {
            let end = CivilTime.text(validity.notAfterSeconds)
            log.report(
                .expired, at: depth, of: path,
                "it expired on \(end), \(Duration.text(context.time - validity.notAfterSeconds)) before the moment judged",
                expected: "valid at \(CivilTime.text(context.time))", found: "valid until \(end)",
                remedy: Self.remedy(depth, path))
        }
        if context.time < validity.notBeforeSeconds {
            let start = CivilTime.text(validity.notBeforeSeconds)
            log.report(
                .notYetValid, at: depth, of: path,
                "it becomes valid on \(start), \(Duration.text(validity.notBeforeSeconds - context.time)) after the moment judged",
                expected: "valid at \(CivilTime.text(context.time))", found: "valid from \(start)")
        }
    }

    /// Who has to act when a certificate of a path has expired; nil for the leaf, for which the rule's own remedy holds.
    private static func remedy(_ depth: Int, _ path: [PathCertificate]) -> String? {
        if depth == 0 { return nil }
        return path[depth].isAnchor
            ? "Install the authority's current certificate as an anchor, "
                + "or have the server's certificate issued by an authority that is still valid."
            : "Configure the server to send the current certificate of this intermediate."
    }
}

extension Rule {
    static let expired = Rule(
        "validity.expired", "A certificate is not used after the end of its validity.", .recoverable, forgivable: true,
        remedy: "Renew the certificate on the server; if it was renewed, restart the server so that it presents it.",
        source: "RFC 5280, section 4.1.2.5")
    static let notYetValid = Rule(
        "validity.not-yet-valid", "A certificate is not used before the start of its validity.", .recoverable,
        forgivable: true,
        remedy: "Check the clock of this machine; if it is right, wait, or have the certificate issued anew.",
        source: "RFC 5280, section 4.1.2.5")
}

/// Lengths of time for people.
enum Duration {
    /// A number of seconds in its largest sensible unit, for example `3 days`.
    static func text(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        for (size, name) in units where seconds >= size {
            let count = seconds / size
            return "\(count) \(name)\(count == 1 ? "" : "s")"
        }
        return "\(seconds) second\(seconds == 1 ? "" : "s")"
    }
}
