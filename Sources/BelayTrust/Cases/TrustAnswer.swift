import BelayCertificates
import FoundationEssentials

/// The answer to a trust case, as one line of NDJSON.
public struct TrustAnswer: Sendable, Encodable {
    /// The case's name.
    public let id: String
    /// The verdict.
    public let verdict: Verdict

    /// Names a verdict.
    public init(id: String, verdict: Verdict) {
        self.id = id
        self.verdict = verdict
    }

    private enum Key: String, CodingKey {
        case id, trusted, result, reasons, path, pathComplete
    }

    /// Writes the fields that the format has.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(verdict.isTrusted, forKey: .trusted)
        try container.encode(verdict.result.rawValue, forKey: .result)
        try container.encode(verdict.findings, forKey: .reasons)
        var path = container.nestedUnkeyedContainer(forKey: .path)
        for certificate in verdict.path { try path.encode(certificate.fingerprint.hexadecimalText) }
        try container.encode(verdict.isPathComplete, forKey: .pathComplete)
    }
}

extension Finding: Encodable {
    private enum Key: String, CodingKey {
        case rule, severity, depth, subject, file, keyPath, line, message, expected, found, remedy, source
    }

    /// Writes the finding in the form that all JSON of Belay has; absent values are null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(rule.identifier, forKey: .rule)
        try container.encode(severity.rawValue, forKey: .severity)
        if case .file(let file, let keyPath, let line) = place {
            try container.encode(file, forKey: .file)
            try container.encode(keyPath, forKey: .keyPath)
            try container.encode(line, forKey: .line)
        } else {
            try container.encode(depth, forKey: .depth)
            try container.encode(subject, forKey: .subject)
        }
        try container.encode(message, forKey: .message)
        try container.encode(expected, forKey: .expected)
        try container.encode(found, forKey: .found)
        try container.encode(remedy, forKey: .remedy)
        try container.encode(source, forKey: .source)
    }
}
