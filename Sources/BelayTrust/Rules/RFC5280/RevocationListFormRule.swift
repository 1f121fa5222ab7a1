import BelayCertificates

/// Revocation lists that apply are made by the profile (RFC 5280, sections 5.1 and 5.2).
struct RevocationListFormRule: PathRule {
    static let catalogue: [Rule] = [.revocationListForm]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard depth > 0 else { return }
        let child = path[depth - 1]
        for list in context.revocationLists where list.issuer == child.issuer {
            for departure in list.profileDepartures {
                log.report(
                    .revocationListForm, at: depth - 1, of: path, "its revocation list \(departure)",
                    expected: "a list of version 2 with the issuer's key identifier and a number",
                    found: "a list that \(departure)")
            }
        }
    }
}

extension Rule {
    static let revocationListForm = Rule(
        "rfc5280.revocation-list",
        "Revocation lists are of version 2, name their issuer's key, have a number, and say what they cover as critical.",
        .fatal, remedy: "Have the authority make its list by the profile.",
        source: "RFC 5280, sections 5.1.2.1 and 5.2.1 to 5.2.5")
}
