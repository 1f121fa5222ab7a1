import BelayTrust

/// What was found in some files.
public struct LintReport: Sendable, Hashable {
    /// The files, in their order.
    public private(set) var files: [LintedFile]
    /// How many findings were left out because a baseline has them.
    public private(set) var baselined = 0

    /// Puts a report together.
    public init(files: [LintedFile] = []) { self.files = files }

    /// Adds a file.
    public mutating func add(_ file: LintedFile) { files.append(file) }

    /// All findings, file by file.
    public var findings: [LintFinding] { files.flatMap(\.findings) }

    /// How many findings have a severity.
    public func count(_ severity: Finding.Severity) -> Int {
        files.reduce(0) { $0 + $1.findings.count { $0.severity == severity } }
    }

    /// Whether there is a finding as grave as `severity`, or graver.
    public func fails(on severity: Finding.Severity) -> Bool {
        files.contains { $0.findings.contains { $0.severity >= severity } }
    }

    /// Leaves out what a baseline has: each of its findings covers one.
    public mutating func leaveOut(_ baseline: LintBaseline) {
        var known = baseline.counts
        for index in files.indices {
            files[index].findings.removeAll { finding in
                let key = LintBaseline.Key(finding)
                guard let count = known[key], count > 0 else { return false }
                known[key] = count - 1
                baselined += 1
                return true
            }
        }
    }
}
