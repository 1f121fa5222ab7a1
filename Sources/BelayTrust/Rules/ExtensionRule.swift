import BelayCertificates

/// Extensions are what RFC 5280 says, and critical ones are understood (RFC 5280, section 4.2).
struct ExtensionRule: PathRule {
    static let catalogue: [Rule] = [.malformedExtension, .unknownCriticalExtension]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        let subject = path[depth]
        check(subject.keyUsage, "key usage", depth, path, &log)
        check(subject.extendedKeyUsage, "extended key usage", depth, path, &log)
        check(subject.basicConstraints, "basic constraints", depth, path, &log)
        check(subject.nameConstraints, "name constraints", depth, path, &log)
        check(subject.subjectKeyIdentifier, "subject key identifier", depth, path, &log)
        check(subject.authorityKeyIdentifier, "authority key identifier", depth, path, &log)
        check(subject.alternativeNames, "subject alternative names", depth, path, &log)
        check(subject.certificatePolicies, "certificate policies", depth, path, &log)
        check(subject.policyMappings, "policy mappings", depth, path, &log)
        check(subject.policyConstraints, "policy constraints", depth, path, &log)
        check(subject.inhibitAnyPolicy, "inhibit any-policy", depth, path, &log)
        checkDistributionPoints(subject.certificate, depth, path, &log)
        if subject.certificate.hasUnhandledCriticalExtension {
            for identifier in subject.certificate.unhandledCriticalExtensions {
                log.report(
                    .unknownCriticalExtension, at: depth, of: path,
                    "the extension \(identifier) is critical and not understood",
                    expected: "critical extensions that this verifier acts on", found: identifier.description)
            }
        }
    }

    /// Distribution points are read where a list is looked up; a critical extension must be understood by whoever accepts
    /// the certificate, and what cannot be read is not understood.
    private func checkDistributionPoints(
        _ certificate: Certificate, _ depth: Int, _ path: [PathCertificate], _ log: inout FindingLog
    ) {
        guard certificate.isCritical(.crlDistributionPoints) == true else { return }
        do throws(DERError) {
            _ = try certificate.revocationListDistributionPoints
        } catch {
            log.report(
                .malformedExtension, at: depth, of: path,
                "the extension 'distribution points of revocation lists' is critical and malformed: \(error)",
                expected: "the form of RFC 5280", found: error.description)
        }
    }

    private func check<Value>(
        _ value: PathCertificate.Decoded<Value>, _ name: String, _ depth: Int, _ path: [PathCertificate],
        _ log: inout FindingLog
    ) {
        if case .malformed(let error) = value {
            log.report(
                .malformedExtension, at: depth, of: path, "the extension '\(name)' is malformed: \(error)",
                expected: "the form of RFC 5280", found: error.description)
        }
    }
}

extension Rule {
    static let malformedExtension = Rule(
        "extension.malformed", "An extension has the form that RFC 5280 gives it.", .fatal,
        remedy: "Have the certificate issued again by software that encodes extensions correctly.",
        source: "RFC 5280, section 4.2")
    static let unknownCriticalExtension = Rule(
        "extension.unknown-critical", "Critical extensions are understood by whoever accepts the certificate.", .fatal,
        remedy: "Have the certificate issued without the extension, or with it marked as not critical.",
        source: "RFC 5280, section 4.2")
}
