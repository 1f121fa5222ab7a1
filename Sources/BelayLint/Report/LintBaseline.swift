import BelayCertificates
import BelayTrust
import FoundationEssentials

/// Findings that are known and accepted: an earlier report in JSON (`belay lint --format json > baseline.json`).
///
/// A finding is the same where rule, file and key path are; lines may move.
public struct LintBaseline: Sendable {
    let counts: [Key: Int]

    struct Key: Hashable, Sendable {
        let rule: String
        let file: String
        let keyPath: [String]

        init(_ finding: LintFinding) {
            rule = finding.rule.identifier
            file = finding.file
            keyPath = finding.keyPath
        }

        fileprivate init(_ finding: Document.Finding) {
            rule = finding.rule
            file = finding.file
            keyPath = finding.keyPath
        }
    }

    fileprivate struct Document: Decodable {
        struct File: Decodable { let findings: [Finding] }
        struct Finding: Decodable {
            let rule: String
            let file: String
            let keyPath: [String]
        }
        let files: [File]
    }

    /// Reads a report.
    ///
    /// - Throws: ``LintBaselineError`` where it is none.
    public init(json: [UInt8]) throws(LintBaselineError) {
        do {
            let document = try JSONDecoder().decode(Document.self, from: Data(json))
            counts = document.files.flatMap(\.findings).reduce(into: [:]) { $0[Key($1), default: 0] += 1 }
        } catch let error as DecodingError {
            throw LintBaselineError(reason: Self.reason(error))
        } catch {
            throw LintBaselineError(reason: "it is no JSON")
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        func place(_ path: [any CodingKey]) -> String {
            path.isEmpty
                ? "its root" : path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
        }
        return switch error {
        case .keyNotFound(let key, let context): "\(place(context.codingPath)) has no '\(printable(key.stringValue))'"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(printable(place(context.codingPath))) has another type than in a report"
        default: "it is no JSON"
        }
    }
}

/// Why a file is no baseline.
public struct LintBaselineError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public let reason: String
    /// What is wrong, and what to do.
    public var description: String {
        "\(reason). A baseline is a report of the linter in JSON; write one with 'belay lint FILE --format json'"
    }
}
