import BelayCertificates

/// The leaf is valid for the name that was asked for: subject alternative names only, wildcards as the whole left-most
/// label only (RFC 9525, section 6). The common name plays no part.
struct ServerNameRule: PathRule {
    static let catalogue: [Rule] = [.nameMismatch, .noAlternativeNames]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        guard depth == 0 else { return }
        let names = path[0].alternativeNames.value ?? []
        for wanted in context.names where !Self.isListed(wanted, among: names) {
            report(wanted, names, path, &log)
        }
    }

    /// Whether a name is among the alternative names of a certificate.
    static func isListed(_ wanted: ServerName, among names: [GeneralName]) -> Bool {
        for name in names {
            switch (name, wanted) {
            case (.dns(let presented), .dns(let host)):
                if PresentedName.match(presented, host) == nil { return true }
            case (.ipAddress(let octets), .ip(let address)):
                if octets == address.octets { return true }
            default:
                continue
            }
        }
        return false
    }

    private func report(
        _ wanted: ServerName, _ names: [GeneralName], _ path: [PathCertificate], _ log: inout FindingLog
    ) {
        let relevant = names.filter { name in
            switch name {
            case .dns, .ipAddress: true
            default: false
            }
        }
        guard !relevant.isEmpty else {
            log.report(
                .noAlternativeNames, at: 0, of: path,
                "it names no host at all\(commonNameHint(path))", expected: wanted.description,
                found: names.isEmpty
                    ? "no subject alternative names" : names.prefix(5).map(\.description).joined(separator: ", "))
            return
        }
        log.report(
            .nameMismatch, at: 0, of: path,
            "it is not valid for \(wanted)\(hint(wanted, relevant))", expected: wanted.description,
            found: Self.list(relevant), remedy: remedy(wanted, relevant))
    }

    private func commonNameHint(_ path: [PathCertificate]) -> String {
        guard let name = path[0].certificate.subject.commonName else { return "" }
        return " (the common name '\(printable(name))' does not count)"
    }

    /// Why the name that looks right is not.
    private func hint(_ wanted: ServerName, _ names: [GeneralName]) -> String {
        guard case .dns(let host) = wanted else {
            let hasAddress = names.contains { if case .ipAddress = $0 { true } else { false } }
            return hasAddress ? "" : ": it lists no IP address, and DNS names do not stand for addresses"
        }
        for case .dns(let presented) in names {
            switch PresentedName.match(presented, host) {
            case .wildcardTooBroad?:
                return ": '\(printable(presented))' is a wildcard over a single label, which stands for nothing"
            case .partialWildcard? where presented.contains("*"):
                return ": in '\(printable(presented))' the wildcard is not the whole left-most label"
            case .different?, .partialWildcard?, .malformed?, nil:
                continue
            }
        }
        return ""
    }

    private func remedy(_ wanted: ServerName, _ names: [GeneralName]) -> String? {
        guard case .ip = wanted,
            let name = names.lazy.compactMap({ if case .dns(let name) = $0 { name } else { nil } }).first
        else { return nil }
        return "Connect by name, or keep the address and expect the name \(printable(name))."
    }

    private static func list(_ names: [GeneralName]) -> String {
        let shown = names.prefix(8).map(\.description).joined(separator: ", ")
        return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
    }
}

extension Rule {
    static let nameMismatch = Rule(
        "name.mismatch", "The leaf lists the name or address that was asked for.", .recoverable, forgivable: true,
        remedy: "Ask for a name that the certificate lists, or have one issued that lists this name.",
        source: "RFC 9525, section 6")
    static let noAlternativeNames = Rule(
        "name.no-alternative-names", "The leaf lists host names as subject alternative names.", .recoverable,
        forgivable: true,
        remedy: "Have the certificate issued with a subject alternative name; common names are not looked at.",
        source: "RFC 9525, sections 2 and 6.3; RFC 2818, section 3.1")
}
