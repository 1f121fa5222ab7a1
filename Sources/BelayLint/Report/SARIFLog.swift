import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// A report in SARIF 2.1.0, the form that code scanning reads (OASIS, Static Analysis Results Interchange Format). Encode it with any
/// encoder of JSON.
public struct SARIFLog: Encodable, Sendable {
    private let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    private let version = "2.1.0"
    private let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    /// Writes a report in the form of SARIF.
    ///
    /// - Parameters:
    ///   - report: what was found.
    ///   - toolVersion: the version of the program that found it.
    public init(_ report: LintReport, toolVersion: String) {
        let rules = (TransportSecurityRules.all + LintRules.all).sorted { $0.identifier < $1.identifier }
        let indexes = Dictionary(
            rules.enumerated().map { ($0.element.identifier, $0.offset) }, uniquingKeysWith: { first, _ in first })
        let driver = Driver(name: "Belay", version: toolVersion, rules: rules.map(ReportingDescriptor.init))
        var occurrences: [String: Int] = [:]
        let results = report.findings.map { finding in
            let identity = ([finding.rule.identifier, finding.file] + finding.keyPath).joined(separator: "\u{0}")
            occurrences[identity, default: 0] += 1
            return Result(finding, ruleIndex: indexes[finding.rule.identifier], identity, occurrences[identity] ?? 1)
        }
        runs = [Run(tool: Tool(driver: driver), results: results)]
    }

    private struct Run: Encodable {
        let tool: Tool
        /// How columns are counted here.
        let columnKind = "unicodeCodePoints"
        let results: [Result]

        private enum CodingKeys: String, CodingKey { case tool, columnKind, results }
    }

    private struct Tool: Encodable { let driver: Driver }

    private struct Driver: Encodable {
        let name: String
        let version: String
        let rules: [ReportingDescriptor]
    }

    private struct Message: Encodable { let text: String }

    private struct ReportingDescriptor: Encodable {
        let id: String
        let shortDescription: Message
        let help: Message
        let defaultConfiguration: Configuration

        struct Configuration: Encodable { let level: String }

        init(_ rule: Rule) {
            id = rule.identifier
            shortDescription = Message(text: rule.summary)
            help = Message(text: "\(rule.remedy) (\(rule.source))")
            defaultConfiguration = Configuration(level: rule.severity.rawValue)
        }
    }

    private struct Result: Encodable {
        let ruleId: String
        let ruleIndex: Int?
        let level: String
        let message: Message
        let locations: [Location]
        let partialFingerprints: [String: String]

        private enum CodingKeys: String, CodingKey {
            case ruleId, ruleIndex, level, message, locations, partialFingerprints
        }

        init(_ finding: LintFinding, ruleIndex: Int?, _ identity: String, _ occurrence: Int) {
            ruleId = finding.rule.identifier
            self.ruleIndex = ruleIndex
            // SARIF's levels have the names of the severities.
            level = finding.severity.rawValue
            message = Message(
                text: "\(sentence(finding.message)) For connections: \(finding.meaning) Fix: \(finding.fix)")
            locations = [Location(finding)]
            partialFingerprints = [
                "belayFinding/v1": "\(SHA256Digest(of: Array(identity.utf8)).hexadecimalText):\(occurrence)"
            ]
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(ruleId, forKey: .ruleId)
            // The schema knows no null.
            if let ruleIndex { try container.encode(ruleIndex, forKey: .ruleIndex) }
            try container.encode(level, forKey: .level)
            try container.encode(message, forKey: .message)
            try container.encode(locations, forKey: .locations)
            try container.encode(partialFingerprints, forKey: .partialFingerprints)
        }
    }

    private struct Location: Encodable {
        let physicalLocation: PhysicalLocation
        let logicalLocations: [LogicalLocation]

        init(_ finding: LintFinding) {
            physicalLocation = PhysicalLocation(
                artifactLocation: Artifact(uri: SARIFLog.uri(finding.file)), region: Region(finding))
            logicalLocations =
                finding.keyPath.isEmpty
                ? []
                : [LogicalLocation(fullyQualifiedName: finding.keyPath.joined(separator: "/"), kind: "member")]
        }
    }

    private struct Artifact: Encodable { let uri: String }

    private struct LogicalLocation: Encodable {
        let fullyQualifiedName: String
        let kind: String
    }

    private struct PhysicalLocation: Encodable {
        let artifactLocation: Artifact
        let region: Region?

        private enum CodingKeys: String, CodingKey { case artifactLocation, region }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(artifactLocation, forKey: .artifactLocation)
            if let region { try container.encode(region, forKey: .region) }
        }
    }

    private struct Region: Encodable {
        let place: PlistPosition
        let endLine: Int?

        private enum CodingKeys: String, CodingKey { case startLine, startColumn, endLine, byteOffset }

        /// nil where the place is not known.
        init?(_ finding: LintFinding) {
            place = finding.position
            endLine = finding.endLine
            guard place.line != nil || place.offset != nil else { return nil }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if let line = place.line {
                try container.encode(line, forKey: .startLine)
                if let column = place.column { try container.encode(column, forKey: .startColumn) }
                if let endLine, endLine > line { try container.encode(endLine, forKey: .endLine) }
            } else if let offset = place.offset {
                try container.encode(offset, forKey: .byteOffset)
            }
        }
    }

    /// A path as a URI reference (RFC 3986): absolute ones with the scheme `file`.
    static func uri(_ path: String) -> String {
        var text = path.hasPrefix("/") ? "file://" : ""
        for unit in path.utf8 {
            switch unit {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x2F, 0x21:
                text.unicodeScalars.append(UnicodeScalar(unit))
            default:
                let digits = Array("0123456789ABCDEF")
                text += "%\(digits[Int(unit >> 4)])\(digits[Int(unit & 15)])"
            }
        }
        return text
    }
}

/// A text as a sentence: a capital at its beginning where it begins with a plain word, and a full stop.
func sentence(_ text: String) -> String {
    text.hasSuffix(".") ? text : text + "."
}
