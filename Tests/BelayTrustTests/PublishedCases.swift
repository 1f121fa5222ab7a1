import BelayTrust
import Foundation
import Testing

/// Suites of trust cases made by other projects. They are not part of this one: they are read from a folder beside the
/// checkout, or from the one that `BELAY_CASES` names.
enum PublishedCases {
    struct Case: CustomTestStringConvertible, Sendable {
        let line: [UInt8]
        let id: String
        let expectsAcceptance: Bool
        let note: String
        let features: [String]

        /// The note of a case on whose answer its own project allows two opinions.
        static let debatable = "another answer is a warning"

        var testDescription: String { id }

        init(line: [UInt8]) {
            let fields = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any] ?? [:]
            self.line = line
            id = fields["id"] as? String ?? "?"
            expectsAcceptance = fields["expect"] as? String == "accept"
            note = fields["note"] as? String ?? ""
            features = fields["features"] as? [String] ?? []
        }
    }

    static let folder: String = {
        if let named = ProcessInfo.processInfo.environment["BELAY_CASES"] { return named }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.appendingPathComponent("../shared/cases").standardized.path
    }()

    static var arePresent: Bool { FileManager.default.fileExists(atPath: folder) }

    /// The cases of a suite; none where the suites are absent.
    static func load(_ suite: String) -> [Case] {
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(suite).ndjson") else { return [] }
        return data.split(separator: 0x0A).map { Case(line: Array($0)) }
    }

    static func evaluate(_ testCase: Case) throws -> Verdict {
        let noSystem = { () throws(SystemAnchorsError) -> AnchorStore in AnchorStore.empty }
        return try TrustCase(json: testCase.line, systemAnchors: noSystem).evaluate().verdict
    }
}
