import BelayLint
import BelayTransportSecurity
import BelayTrust
import Foundation
import Testing

/// Random numbers that are the same in every run (SplitMix64).
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}

/// Property lists with mistakes of every kind at random, and bytes changed at random.
private struct RandomPlist {
    var dice: Dice

    private static let hosts = [
        "a.test", "b.a.test", "A.test", "*.a.test", "https://a.test/", "a.test:443", " a.test", "a.test.", "localhost",
        "10.0.0.1", "192.168.100.10/24", "10/8", "github.io", "*.github.io", "[::1]", "b\u{FC}cher.test", "$(HOST)",
        "NSAllowsArbitraryLoads", "www.b.a.test", "apple.com",
    ]
    private static let settings = [
        "NSExceptionAllowsInsecureHTTPLoads", "NSExceptionAllowInsecureHTTPLoads", "NSIncludesSubdomains",
        "NSIncludeSubdomains", "NSExceptionMinimumTLSVersion", "NSTemporaryExceptionMinimumTLSVersion",
        "NSThirdPartyExceptionAllowsInsecureHTTPLoads", "NSTemporaryExceptionAllowsInsecureHTTPLoads",
        "NSExceptionRequiresForwardSecrecy", "NSRequiresCertificateTransparency", "NSAllowsArbitraryLoads",
        "NSExceptionRequiresNIAPTLSPackageVersion", "NSColour",
    ]
    private static let globals = [
        "NSAllowsArbitraryLoads", "NSAllowArbitraryLoads", "NSAllowsLocalNetworking", "NSAllowsArbitraryLoadsInMedia",
        "NSAllowsArbitraryLoadsInWebContent", "NSRequiresNIAPTLSPackageVersion", "NSExceptionAllowsInsecureHTTPLoads",
    ]
    private static let flags = [
        "<true/>", "<false/>", "<string>YES</string>", "<string>no</string>", "<integer>1</integer>",
        "<integer>2</integer>",
        "<real>1.0</real>", "<array/>",
    ]
    private static let versions = [
        "<string>TLSv1.0</string>", "<string>TLSv1.2</string>", "<string>TLSV1.1</string>", "<string>1.3</string>",
        "<real>1.2</real>", "<string>SSLv3</string>",
    ]
    private static let pins = [
        Plist.one, Plist.two, "sha256/" + Plist.one, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
        "x", String(Plist.two.dropLast()),
    ]
    /// What stands between elements.
    private static let gaps = ["", "\n", "\n\t", " ", "\n<!-- a comment -->\n", "\r\n"]

    mutating func text() -> String {
        var parts: [String] = []
        for _ in 0..<Int.random(in: 0...2, using: &dice) { parts.append(setting(Self.globals)) }
        if Bool.random(using: &dice) { parts.append(key("NSExceptionDomains") + domains { $0.entry() }) }
        if Int.random(in: 0..<3, using: &dice) == 0 { parts.append(key("NSPinnedDomains") + domains { $0.pinned() }) }
        let inside = parts.shuffled(using: &dice).joined(separator: dice.pick(Self.gaps))
        let beside = dice.pick(["", Plist.text("MinimumOSVersion", "15.0"), Plist.text("MinimumOSVersion", "18.4")])
        return Plist.infoPlist(inside, beside: beside)
    }

    private mutating func key(_ name: String) -> String { "<key>\(name)</key>\(dice.pick(Self.gaps))" }

    private mutating func setting(_ names: [String]) -> String {
        let name = dice.pick(names)
        let value =
            name.hasSuffix("TLSVersion")
            ? dice.pick(Self.versions)
            : name.contains("NIAP")
                ? dice.pick(["<string>none</string>", "<string>fcp_v2.1</string>", "<true/>"]) : dice.pick(Self.flags)
        return key(name) + value
    }

    private mutating func dictionary(_ members: [String]) -> String {
        guard !members.isEmpty else { return dice.pick(["<dict/>", "<dict></dict>", "<dict>\n</dict>"]) }
        let gap = dice.pick(Self.gaps)
        return "<dict>\(gap)\(members.joined(separator: gap))\(dice.pick(Self.gaps))</dict>"
    }

    private mutating func domains(_ value: (inout Self) -> String) -> String {
        var members: [String] = []
        for _ in 0..<Int.random(in: 0...3, using: &dice) { members.append(key(dice.pick(Self.hosts)) + value(&self)) }
        return dictionary(members)
    }

    private mutating func entry() -> String {
        var members: [String] = []
        for _ in 0..<Int.random(in: 0...3, using: &dice) { members.append(setting(Self.settings)) }
        return dictionary(members)
    }

    private mutating func pinned() -> String {
        var members: [String] = []
        if Bool.random(using: &dice) { members.append(key("NSIncludesSubdomains") + dice.pick(Self.flags)) }
        for name in ["NSPinnedLeafIdentities", "NSPinnedCAIdentities"] where Bool.random(using: &dice) {
            var pins: [String] = []
            for _ in 0..<Int.random(in: 0...2, using: &dice) {
                pins.append(dictionary([Plist.text("SPKI-SHA256-BASE64", dice.pick(Self.pins))]))
            }
            members.append(key(name) + "<array>\(pins.joined(separator: dice.pick(Self.gaps)))</array>")
        }
        return dictionary(members)
    }

    /// The same, a few bytes later.
    mutating func changed(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...2, using: &dice) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &dice)
            switch Int.random(in: 0...2, using: &dice) {
            case 0: bytes[place] = UInt8.random(in: 0x20...0x7E, using: &dice)
            case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &dice)))
            default:
                let end = min(bytes.count, place + Int.random(in: 1...60, using: &dice))
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite("Lint: corrections of files with mistakes at random")
struct MutationTests {
    private static let hosts = [
        "a.test", "b.a.test", "www.b.a.test", "x.www.b.a.test", "a.test.", "other.test", "localhost", "10.0.0.1",
        "10.1.2.3",
        "192.168.100.7", "x.github.io", "github.io", "[::1]", "xn--bcher-kva.test", "www.apple.com", "[2001:db8::1]",
    ]

    @Test(
        "corrected, a file differs in reported lines alone, is looser for no host that is not named and told, and has no more faults",
        arguments: 0..<6)
    func corrections(seed: UInt64) throws {
        var random = RandomPlist(dice: Dice(state: seed))
        let urls = try Self.hosts.map { host throws in try TransportSecurityURL("https://\(host)/") }
        var count = 0
        for _ in 0..<80 {
            var text = random.text()
            if Int.random(in: 0..<4, using: &random.dice) == 0 { text = random.changed(text) }
            guard let fix = try? LintFix(Array(text.utf8), file: "x") else { continue }
            guard !fix.corrected.isEmpty else {
                #expect(fix.bytes == Array(text.utf8) && fix.effects.isEmpty)
                continue
            }
            count += 1
            try PublishedPlists.checkLines(text, fix, file: "x")
            try checkDecisions(text, fix, urls, &random.dice)
            checkFaults(text, fix)
        }
        #expect(count > 30)
    }

    /// No host is eased but by an entry of its own, and that is told.
    private func checkDecisions(
        _ text: String, _ fix: LintFix, _ urls: [TransportSecurityURL], _ dice: inout Dice
    ) throws {
        let before = TransportSecurityConfiguration(try PlistReader().read(Array(text.utf8)), file: "x")
        let after = TransportSecurityConfiguration(try PlistReader().read(fix.bytes), file: "x")
        for url in urls {
            let context = dice.pick(TransportSecurityContext.allCases)
            let old = before.decision(for: url, in: context, as: .simulation)
            let new = after.decision(for: url, in: context, as: .simulation)
            if new.isLooser(than: old) {
                let key = new.matched ?? "nothing"
                #expect(fix.effects.contains { $0.contains(key) }, "\(url.host) \(context)\n\(text)\n\(fix.effects)")
            }
            guard let pins = old.pins else { continue }
            let isEased = [(pins.leaf, new.pins?.leaf), (pins.authority, new.pins?.authority)].contains { old, new in
                old.map { old in !(new?.isSubset(of: old) ?? false) } ?? false
            }
            guard isEased else { continue }
            let keys = after.pinnedDomains.entries.map { $0.key.lowercased() }.filter { url.host.contains($0) }
            #expect(
                fix.effects.contains { effect in keys.contains { effect.contains($0) } && effect.contains("pin") },
                "pins of \(url.host)\n\(text)\n\(fix.effects)")
        }
    }

    /// The keys that corrections make, or make count.
    private func made(by fix: LintFix) -> Set<String> {
        var made: Set<String> = []
        for correction in fix.corrected {
            if let key = correction.finding.keyPath.last { made.insert(key) }
            let change = correction.change
            made.formUnion(change.components(separatedBy: " becomes ").last?.components(separatedBy: " with ") ?? [])
        }
        return made
    }

    /// Nothing is wrong afterwards that was not before, but in what counts at last: nobody has looked at that before.
    private func checkFaults(_ text: String, _ fix: LintFix) {
        let old = Linter().lint(Array(text.utf8), file: "x").findings
        let new = Linter().lint(fix.bytes, file: "x").findings
        let made = made(by: fix)
        func errors(_ findings: [LintFinding], _ counts: (LintFinding) -> Bool) -> Int {
            findings.count { $0.severity == .error && counts($0) }
        }
        let kept = errors(new) { made.isDisjoint(with: $0.keyPath) }
        let expected = errors(old) { _ in true } - errors(fix.corrected.map(\.finding)) { _ in true }
        #expect(kept <= expected, "\(text)\n\(new)\n\(fix.corrected)")
        // What was corrected is gone, whatever has come to light.
        let grave = fix.corrected.map(\.finding).filter { $0.severity == .error }
        for (rule, corrected) in Dictionary(grouping: grave, by: \.rule.identifier) {
            let before = old.count { $0.rule.identifier == rule }
            let after = new.count { $0.rule.identifier == rule && made.isDisjoint(with: $0.keyPath) }
            #expect(after <= before - corrected.count, "\(rule)\n\(text)\n\(new)\n\(fix.corrected)")
        }
        // Corrections come to an end.
        var (bytes, rounds) = (fix.bytes, 0)
        while rounds < 8, let again = try? LintFix(bytes, file: "x"), !again.corrected.isEmpty {
            (bytes, rounds) = (again.bytes, rounds + 1)
        }
        #expect(rounds < 8, "\(text)")
    }
}

extension TransportSecurityDecision {
    /// Whether anything but pins is demanded less strictly.
    fileprivate func isLooser(than other: TransportSecurityDecision) -> Bool {
        func rank(_ version: TLSVersion?) -> Int { version.map { Int($0.rawValue) } ?? -1 }
        return other.requiresHTTPS && !requiresHTTPS || !other.isTrustRelaxed && isTrustRelaxed
            || other.demands.requiresForwardSecrecy && !demands.requiresForwardSecrecy
            || other.demands.limitsKeySizes && !demands.limitsKeySizes
            || other.demands.limitsHashes && !demands.limitsHashes
            || rank(demands.minimumVersion) < rank(other.demands.minimumVersion)
            || other.niapPackage != nil && niapPackage == nil
    }
}
