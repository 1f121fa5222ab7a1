import BelayTransportSecurity
import BelayTrust

extension LintReport: Encodable {
    private enum Key: String, CodingKey { case files, errors, warnings, notes, baselined }

    /// Writes the report, its keys in the order of the documentation.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(files, forKey: .files)
        try container.encode(count(.error), forKey: .errors)
        try container.encode(count(.warning), forKey: .warnings)
        try container.encode(count(.note), forKey: .notes)
        try container.encode(baselined, forKey: .baselined)
    }
}

extension LintedFile: Encodable {
    private enum Key: String, CodingKey { case file, readable, findings, justifications, policies }

    /// Writes the file's part of a report.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(file, forKey: .file)
        try container.encode(isReadable, forKey: .readable)
        try container.encode(findings, forKey: .findings)
        try container.encode(justifications, forKey: .justifications)
        try container.encode(policies, forKey: .policies)
    }
}

extension LintFinding: Encodable {
    private enum Key: String, CodingKey {
        case rule, severity, file, keyPath, line, endLine, column, message, meaning, expected, found, remedy, source
    }

    /// Writes the finding; what is not known is null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(rule.identifier, forKey: .rule)
        try container.encode(severity.rawValue, forKey: .severity)
        try container.encode(file, forKey: .file)
        try container.encode(keyPath, forKey: .keyPath)
        try container.encode(line, forKey: .line)
        try container.encode(endLine, forKey: .endLine)
        try container.encode(column, forKey: .column)
        try container.encode(message, forKey: .message)
        try container.encode(meaning, forKey: .meaning)
        try container.encode(finding.expected, forKey: .expected)
        try container.encode(finding.found, forKey: .found)
        try container.encode(fix, forKey: .remedy)
        try container.encode(finding.source, forKey: .source)
    }
}

extension EffectivePolicy: Encodable {
    private enum Key: String, CodingKey {
        case hosts, context, subdomains, http, minimumTLSVersion, forwardSecrecy, trustRelaxed, pins, why
    }

    /// Writes the line of the table; what is not demanded is null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(hosts, forKey: .hosts)
        try container.encode(context.rawValue, forKey: .context)
        try container.encode(coversSubdomains, forKey: .subdomains)
        try container.encode(allowsHTTP, forKey: .http)
        try container.encode(minimumTLSVersion.map { "\($0)" }, forKey: .minimumTLSVersion)
        try container.encode(requiresForwardSecrecy, forKey: .forwardSecrecy)
        try container.encode(isTrustRelaxed, forKey: .trustRelaxed)
        try container.encode(pins, forKey: .pins)
        try container.encode(why, forKey: .why)
    }
}
