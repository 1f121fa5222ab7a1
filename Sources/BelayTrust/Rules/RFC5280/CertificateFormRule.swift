import BelayCertificates

/// The basic fields are as the profile wants them (RFC 5280, section 4.1).
struct CertificateFormRule: PathRule {
    static let catalogue: [Rule] = [
        .versionNotThree, .serialNumberForm, .emptyAuthorityName, .uniqueIdentifier, .algorithmsDiffer, .timeForm,
    ]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        let subject = path[depth]
        let certificate = subject.certificate
        if certificate.version != 3 && (depth > 0 || !certificate.extensions.isEmpty) {
            log.report(
                .versionNotThree, at: depth, of: path, "it is of version \(certificate.version)",
                expected: "version 3", found: "version \(certificate.version)")
        }
        checkSerialNumber(certificate.serialNumber, depth, path, &log)
        if subject.issuer.isEmpty {
            log.report(
                .emptyAuthorityName, at: depth, of: path, "its issuer has no name", expected: "a name", found: "nothing"
            )
        }
        let isAuthority = subject.basicConstraints.value?.isAuthority ?? false
        if (isAuthority || depth > 0) && subject.subject.isEmpty {
            log.report(
                .emptyAuthorityName, at: depth, of: path, "it is an authority without a name", expected: "a subject",
                found: "an empty subject")
        }
        if certificate.hasUniqueIdentifiers {
            log.report(.uniqueIdentifier, at: depth, of: path, "it has a unique identifier beside its names")
        }
        if !certificate.writesTimesByProfile {
            log.report(
                .timeForm, at: depth, of: path, "a year through 2049 is written as GeneralizedTime",
                expected: "UTCTime through 2049, GeneralizedTime from 2050", found: "\(certificate.validity)")
        }
        if !certificate.writesAlgorithmTwiceAlike {
            log.report(
                .algorithmsDiffer, at: depth, of: path,
                "the algorithm of its signature is written in two ways",
                expected: "the same AlgorithmIdentifier inside and outside of the signed part",
                found: "parameters in one place only")
        }
    }

    private func checkSerialNumber(
        _ serial: [UInt8], _ depth: Int, _ path: [PathCertificate], _ log: inout FindingLog
    ) {
        let fault: String? =
            if serial.first.map({ $0 & 0x80 != 0 }) ?? true {
                "is negative"
            } else if serial.allSatisfy({ $0 == 0 }) {
                "is zero"
            } else if serial.count > 20 {
                "has \(serial.count) octets"
            } else {
                nil
            }
        guard let fault else { return }
        log.report(
            .serialNumberForm, at: depth, of: path, "its serial number \(fault)",
            expected: "a positive number of at most 20 octets", found: hexadecimal(serial))
    }
}

extension Rule {
    static let versionNotThree = Rule(
        "rfc5280.version", "Authorities, and certificates with extensions, are of version 3.", .fatal,
        remedy: "Have the certificate issued as version 3.", source: "RFC 5280, section 4.1.2.1")
    static let serialNumberForm = Rule(
        "rfc5280.serial-number", "Serial numbers are positive and have at most 20 octets.", .fatal,
        remedy: "Have the certificate issued with a proper serial number.", source: "RFC 5280, section 4.1.2.2")
    static let emptyAuthorityName = Rule(
        "rfc5280.authority-name", "Issuers have a name, in their own certificates and in those they issue.", .fatal,
        remedy: "Set the authority up anew, with a subject.", source: "RFC 5280, sections 4.1.2.4 and 4.1.2.6")
    static let uniqueIdentifier = Rule(
        "rfc5280.unique-identifier", "Certificates have no unique identifiers.", .fatal,
        remedy: "Have the certificate issued without issuerUniqueID and subjectUniqueID.",
        source: "RFC 5280, section 4.1.2.8")
    static let timeForm = Rule(
        "rfc5280.time-form", "Years through 2049 are written as UTCTime, later ones as GeneralizedTime.", .fatal,
        remedy: "Have the certificate issued by software that writes times by the profile.",
        source: "RFC 5280, section 4.1.2.5")
    static let algorithmsDiffer = Rule(
        "rfc5280.algorithm", "The algorithm is written the same in both places.", .fatal,
        remedy: "Have the certificate issued by software that writes the parameters in both places.",
        source: "RFC 5280, sections 4.1.1.2 and 4.1.2.3")
}
