import BelayCertificates

/// Extensions that only point somewhere are not critical, and can be read (RFC 5280, sections 4.2.1.13 and 4.2.2.1).
struct AccessFormRule: PathRule {
    static let catalogue: [Rule] = [.accessForm]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        let certificate = path[depth].certificate
        if certificate.isCritical(.authorityInformationAccess) == true {
            log.report(
                .accessForm, at: depth, of: path, "its authority information access is critical",
                expected: "not critical", found: "critical")
        }
        do throws(DERError) {
            _ = try certificate.authorityInformationAccess
            _ = try certificate.revocationListDistributionPoints
        } catch {
            log.report(
                .accessForm, at: depth, of: path, "where it says things are published cannot be read: \(error)",
                expected: "the form of RFC 5280", found: error.description)
        }
    }
}

extension Rule {
    static let accessForm = Rule(
        "rfc5280.access", "What only points somewhere is not critical and can be read.", .fatal,
        remedy: "Have the certificate issued with the extension in proper form.",
        source: "RFC 5280, sections 4.2.1.13 and 4.2.2.1")
}
