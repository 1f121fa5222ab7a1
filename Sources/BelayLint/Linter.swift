import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// Says what the App Transport Security of an app really means, and what of it is probably not meant.
///
/// ```swift
/// let report = Linter().lint(bytes, file: "Info.plist")
/// for finding in report.findings { print(finding) }
/// ```
///
/// Findings are about what Apple's systems do (*simulation*), on systems of today where they differ.
public struct Linter: Sendable {
    /// Certificates that pins are compared with: hashes of whole certificates, leaves among authorities, and leaves that are
    /// replaced often can only be told with them.
    public var certificates: [Certificate]
    /// What a file may cost.
    public var limits: PlistLimits

    /// Makes a linter.
    public init(certificates: [Certificate] = [], limits: PlistLimits = PlistLimits()) {
        self.certificates = certificates
        self.limits = limits
    }

    /// Looks at a file: a whole Info.plist, or the dictionary that belongs under `NSAppTransportSecurity`.
    ///
    /// - Parameters:
    ///   - bytes: what is in it.
    ///   - file: its name, for findings.
    public func lint(_ bytes: [UInt8], file: String) -> LintedFile {
        do throws(PlistError) {
            return lint(try PlistReader(limits: limits).read(bytes), file: file)
        } catch {
            let finding = Finding(
                .unreadable,
                at: .file(
                    file, keyPath: XMLKeyPath.keys(in: bytes, before: error.position.offset), line: error.position.line),
                "\(error)")
            return LintedFile(
                file: file, isReadable: false,
                findings: [
                    LintFinding(
                        finding, at: error.position,
                        meaning: "What App Transport Security demands of the app's connections cannot be told.")
                ], justifications: [], policies: [])
        }
    }

    /// Looks at a document.
    public func lint(_ document: PlistDocument, file: String) -> LintedFile {
        var run = LintRun(document, file: file, certificates: certificates)
        let findings = run.findAll()
        return LintedFile(
            file: file, isReadable: true, findings: findings, justifications: ReviewJustification.all(of: findings),
            policies: EffectivePolicy.table(run.configuration))
    }
}

/// What was found in a file.
///
/// Of a file of pins there are findings only.
public struct LintedFile: Sendable, Hashable {
    /// The file; a member of an archive by its path behind `!/`.
    public let file: String
    /// Whether it is a property list.
    public let isReadable: Bool
    /// What was found, in the order of the file.
    public internal(set) var findings: [LintFinding]
    /// What App Review will ask about.
    public let justifications: [ReviewJustification]
    /// What holds for which hosts, exceptions first; none where the file cannot be read.
    public let policies: [EffectivePolicy]
}
