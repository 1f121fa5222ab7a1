import BelayCertificates

/// Alternative names are in the forms that the profile has, and critical where they are the only name
/// (RFC 5280, section 4.2.1.6).
struct AlternativeNameFormRule: PathRule {
    static let catalogue: [Rule] = [.alternativeNamesForm]

    func examine(_ depth: Int, of path: [PathCertificate], in context: EvaluationContext, log: inout FindingLog) {
        let subject = path[depth]
        if subject.subject.isEmpty {
            switch subject.certificate.isCritical(.subjectAlternativeName) {
            case nil:
                report("it has neither a subject nor alternative names", "a name", "none", depth, path, &log)
            case false?:
                report(
                    "its alternative names are its only names, and are not critical", "critical", "not critical", depth,
                    path, &log)
            case true?:
                break
            }
        }
        for name in subject.alternativeNames.value ?? [] {
            if let wanted = Self.fault(in: name) {
                report("its name '\(name)' is malformed", wanted, name.description, depth, path, &log)
            }
        }
    }

    private func report(
        _ message: String, _ expected: String, _ found: String, _ depth: Int, _ path: [PathCertificate],
        _ log: inout FindingLog
    ) {
        log.report(.alternativeNamesForm, at: depth, of: path, message, expected: expected, found: found)
    }

    /// What would be right instead of a malformed name; nil for one in proper form.
    private static func fault(in name: GeneralName) -> String? {
        switch name {
        case .dns(let text):
            let host = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
            guard isPreferredSyntax(host) else { return "a host name, perhaps with '*' as its first label" }
            // An address is no host name, whatever its spelling.
            return IPAddress(host) == nil ? nil : "a host name; addresses are names of a kind of their own"
        case .ipAddress(let octets):
            return octets.count == 4 || octets.count == 16 ? nil : "4 or 16 octets"
        case .email(let address):
            guard let at = address.lastIndex(of: "@"), at != address.startIndex,
                isPreferredSyntax(String(address[address.index(after: at)...]))
            else { return "local-part@domain" }
            return nil
        case .uri(let uri):
            guard let colon = uri.firstIndex(of: ":"), colon != uri.startIndex,
                uri[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
            else { return "an absolute URI" }
            return nil
        case .directory(let name):
            return name.isEmpty ? "a name with an attribute" : nil
        case .registeredID, .other, .unsupported:
            return nil
        }
    }

    /// Preferred name syntax (RFC 1034, section 3.5, as RFC 1123 relaxes it); the underscore is what practice adds.
    private static func isPreferredSyntax(_ host: String) -> Bool {
        guard !host.isEmpty, host.utf8.count <= 253 else { return false }
        return host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.utf8.count <= 63 && label.utf8.allSatisfy { $0.isHostCharacter }
                && label.first != "-" && label.last != "-"
        }
    }
}

extension Rule {
    static let alternativeNamesForm = Rule(
        "rfc5280.alternative-names",
        "Alternative names are in the form of their kind, and critical where there is no subject.", .fatal,
        remedy: "Have the certificate issued with alternative names in proper form.",
        source: "RFC 5280, sections 4.1.2.6 and 4.2.1.6")
}
