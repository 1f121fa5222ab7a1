import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// A file with everything corrected that has one certain correction; every other byte is as it was.
///
/// ```swift
/// let fix = try LintFix(bytes, file: "Info.plist")
/// for correction in fix.corrected { print(correction) }
/// ```
///
/// Corrected are names of keys and of domains, values of a wrong type, keys in a wrong place, and what has no effect: keys that are
/// repeated, overruled or obsolete. Only lines that a finding names are touched (``LintFinding/line`` to ``LintFinding/endLine``); a
/// key that moves stands in new lines of its own.
///
/// **Nothing is eased that the file does not name.** A key that counts at last does what it says, which may be to allow something: that
/// is done for the hosts that its entry is for, and told in ``effects``. A correction that would ease any other host
/// (as NSAllowsArbitraryLoads does for all of them), or hosts of strangers below a public suffix, is left to a person and stands in
/// ``left``. Decisions before and after are compared to know, on all systems that the app runs on.
public struct LintFix: Sendable, Hashable {
    /// The file, corrected.
    public let bytes: [UInt8]
    /// What was corrected, in the order of the file.
    public let corrected: [LintCorrection]
    /// What could be corrected and was not, with the reasons.
    public let left: [LintCorrection]
    /// What is different for connections, host by host, on systems of today unless others are named; empty where nothing is.
    public let effects: [String]

    /// Corrects a file.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - file: its name, for findings.
    ///   - linter: says what is wrong; certificates that it has tell more of pins.
    ///   - mayEase: whether corrections that ease hosts beyond those they name are made as well.
    /// - Throws: ``LintFixError`` where files of its form cannot be corrected.
    public init(
        _ bytes: [UInt8], file: String, linter: Linter = Linter(), mayEase: Bool = false
    ) throws(LintFixError) {
        let document: PlistDocument
        do throws(PlistError) { document = try PlistReader(limits: linter.limits).read(bytes) } catch {
            throw LintFixError(file: file, reason: .notReadable)
        }
        guard document.format == .xml else { throw LintFixError(file: file, reason: .form(document.format)) }
        // Without them the file is in another encoding than UTF-8.
        guard document.root.range != nil else { throw LintFixError(file: file, reason: .encoding) }
        var run = LintRun(document, file: file, certificates: linter.certificates)
        let findings = run.findAll()
        let maker = CorrectionMaker(
            document: document, configuration: run.configuration, deployment: run.deployment, map: run.map, bytes: bytes
        )
        var check = FixCheck(bytes, document: document, linter: linter, file: file, mayEase: mayEase)
        check.add(maker.corrections(of: findings))
        self.bytes = check.result
        corrected = check.accepted.sorted { $0.start < $1.start }.map(\.told)
        effects = check.effects
        left = check.left.sorted { $0.start < $1.start }.map(\.told)
    }
}

/// Something that was corrected, or could be.
public struct LintCorrection: Sendable, Hashable, CustomStringConvertible {
    /// What was found.
    public let finding: LintFinding
    /// What is done about it, for example `NSAllowArbitraryLoads becomes NSAllowsArbitraryLoads`.
    public let change: String
    /// Why it was not done; nil where it was.
    public internal(set) var obstacle: String?
    /// Whether it was not done because it would ease hosts that it does not name.
    public internal(set) var isEasing = false

    init(finding: LintFinding, change: String) {
        self.finding = finding
        self.change = change
    }

    /// The place, the change, and why it was not made.
    public var description: String {
        let place = finding.line.map { "line \($0): " } ?? ""
        if let obstacle { return "\(place)not corrected (\(change)): \(obstacle)" }
        return place + change
    }
}

/// Why a file cannot be corrected.
public struct LintFixError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// It is no property list: its linting says where it is broken.
        case notReadable
        /// It is in a form that is not written.
        case form(PlistFormat)
        /// It is XML in another encoding than UTF-8.
        case encoding
    }

    /// The file.
    public let file: String
    /// What is wrong.
    public let reason: Reason

    /// The file, what is wrong, and what to do.
    public var description: String {
        let what =
            switch reason {
            case .notReadable: "it is no property list that can be read; correct that by hand first"
            case .form(.binary):
                "it is a binary property list, which has no lines to correct in place; correct the source that the app is built "
                    + "from, or convert it to XML first ('plutil -convert xml1', 'plistutil')"
            case .form(let form):
                "it is an \(form) property list, whose form has no Booleans; convert it to XML first ('plutil -convert xml1', "
                    + "'plistutil')"
            case .encoding:
                "it is XML in another encoding than UTF-8; convert it first ('iconv -t UTF-8', and its first line)"
            }
        return "\(printable(file)): not corrected, \(what)"
    }
}
