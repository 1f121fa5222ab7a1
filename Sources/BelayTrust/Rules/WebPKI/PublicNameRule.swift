import BelayCertificates

/// A public server's names are names that the public name system has: no wildcard over a public suffix, labels of letters,
/// digits and hyphens, and a common name that repeats one of the alternative names
/// (Baseline Requirements, sections 3.2.2.6, 7.1.2.7.12 and 7.1.4.3).
struct PublicNameRule: PathRule {
    static let catalogue: [Rule] = [
        .publicSuffixWildcard, .nonpublicNameForm, .commonNameNotListed, .criticalNames,
    ]

    private let suffixes = PublicSuffixList()

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard depth == 0, context.purposes.contains(.serverAuthentication) else { return }
        let names = path[0].alternativeNames.value ?? []
        for case .dns(let name) in names {
            let host = lowercaseASCII(name)
            let parent = host.hasPrefix("*.") ? String(host.dropFirst(2)) : nil
            if let parent, suffixes.isPublicSuffix(parent) {
                log.report(
                    .publicSuffixWildcard, at: 0, of: path,
                    "its name '\(printable(name))' covers every host of the public suffix '\(printable(parent))'",
                    expected: "a wildcard below a registered domain", found: printable(name))
            }
            if (parent ?? host).utf8.contains(0x5F) {
                log.report(
                    .nonpublicNameForm, at: 0, of: path, "its name '\(printable(name))' has an underscore",
                    expected: "letters, digits and hyphens", found: printable(name))
            }
        }
        if !path[0].subject.isEmpty, path[0].certificate.isCritical(.subjectAlternativeName) == true {
            log.report(
                .criticalNames, at: 0, of: path, "its alternative names are critical beside a subject",
                expected: "not critical", found: "critical")
        }
        checkCommonName(path, names, &log)
    }

    private func checkCommonName(_ path: [PathCertificate], _ names: [GeneralName], _ log: inout FindingLog) {
        for attribute in path[0].subject.relativeNames.joined() where attribute.type.octets == [0x55, 4, 3] {
            let text = attribute.text ?? ""
            let isListed = names.contains { name in
                switch name {
                case .dns(let listed): listed == text
                // The canonical text: dotted decimal, or RFC 5952.
                case .ipAddress(let octets): IPAddress(octets: octets)?.description == text
                default: false
                }
            }
            // Authorities validate the domain for its wildcard; repeating the domain alone misleads nobody.
            let isDomainOfWildcard = names.contains(.dns("*." + text))
            if !isListed {
                log.report(
                    .commonNameNotListed, at: 0, of: path, severity: isDomainOfWildcard ? .warning : nil,
                    "its common name '\(printable(text))' is not, character by character, among its alternative names",
                    expected: names.prefix(5).map(\.description).joined(separator: ", "), found: printable(text))
            }
        }
    }
}

extension Rule {
    static let criticalNames = Rule(
        "webpki.critical-names", "Alternative names are critical only where there is no subject beside them.", .fatal,
        remedy: "Have the certificate issued with alternative names that are not critical.",
        source: "CA/Browser Forum Baseline Requirements, section 7.1.2.7.12")
    static let publicSuffixWildcard = Rule(
        "webpki.public-suffix-wildcard", "No wildcard covers a public suffix.", .fatal,
        remedy: "Have the certificate issued for the hosts themselves.",
        source: "CA/Browser Forum Baseline Requirements, section 3.2.2.6; publicsuffix.org")
    static let nonpublicNameForm = Rule(
        "webpki.name-form", "Public DNS names consist of letters, digits and hyphens.", .fatal,
        remedy: "Have the certificate issued for a name without underscores.",
        source: "CA/Browser Forum Baseline Requirements, section 7.1.2.7.12")
    static let commonNameNotListed = Rule(
        "webpki.common-name", "A common name repeats one of the alternative names.", .recoverable,
        remedy: "Have the certificate issued without a common name, or with one that is among its alternative names.",
        source: "CA/Browser Forum Baseline Requirements, section 7.1.4.3")
}
