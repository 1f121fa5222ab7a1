import BelayTransportSecurity
import BelayTrust

/// Corrects what has one certain correction, and leaves every other byte of the file as it is.
///
/// Corrected are the names of keys: misspelt ones, those in the spelling of 2015, and domains in upper case. Values are never touched, and
/// nothing is deleted or moved: what was meant by these only their author knows. Note that a key that counts at last may ease what was strict
/// as long as it was ignored.
public struct LintFix: Sendable, Hashable {
    /// The corrected file.
    public let bytes: [UInt8]
    /// The findings that were corrected, in the order of the file.
    public let corrected: [LintFinding]

    /// Corrects a file; nil where it is no XML property list in UTF-8, or has nothing to correct.
    public init?(_ bytes: [UInt8], file: String, limits: PlistLimits = PlistLimits()) {
        let linter = Linter(limits: limits)
        guard let document = try? PlistReader(limits: limits).read(bytes), document.format == .xml else { return nil }
        var keys: [PlistPosition: Place] = [:]
        Self.collect(document.root, into: &keys)
        var edits: [(range: Range<Int>, key: String, finding: LintFinding)] = []
        for finding in linter.lint(document, file: file).findings {
            guard let key = Self.correction(finding), let place = keys[finding.position],
                // A second key of the name would be a new fault.
                !place.siblings.contains(key), let range = place.member.keyRange, range.upperBound <= bytes.count,
                place.member.key == finding.keyPath.last
            else { continue }
            edits.append((range, key, finding))
        }
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        var result: [UInt8] = []
        var end = 0
        var corrected: [LintFinding] = []
        for edit in edits where edit.range.lowerBound >= end {
            result += bytes[end..<edit.range.lowerBound]
            result += Array("<key>\(edit.key)</key>".utf8)
            end = edit.range.upperBound
            corrected.append(edit.finding)
        }
        guard !corrected.isEmpty else { return nil }
        self.bytes = result + bytes[end...]
        self.corrected = corrected
    }

    private struct Place {
        let member: PlistMember
        let siblings: Set<String>
    }

    private static func collect(_ node: PlistNode, into keys: inout [PlistPosition: Place]) {
        switch node.value {
        case .dictionary(let members):
            let siblings = Set(members.map(\.key))
            for member in members {
                keys[member.keyPosition] = Place(member: member, siblings: siblings)
                collect(member.node, into: &keys)
            }
        case .array(let elements): for element in elements { collect(element, into: &keys) }
        default: break
        }
    }

    /// The key that must have been meant.
    private static func correction(_ finding: LintFinding) -> String? {
        guard let expected = finding.finding.expected, let found = finding.keyPath.last else { return nil }
        switch finding.rule.identifier {
        case "ats.unknown-key", "ats.legacy-key":
            // What is put into XML has nothing that XML would read.
            let isPlain = expected.utf8.allSatisfy { unit in
                switch unit {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
                default: false
                }
            }
            return isPlain ? expected : nil
        case "ats.domain-key":
            let isCase = expected != found && expected == found.lowercased() && found.utf8.allSatisfy { $0 < 0x80 }
            return isCase && !expected.contains("<") && !expected.contains("&") ? expected : nil
        default: return nil
        }
    }
}
