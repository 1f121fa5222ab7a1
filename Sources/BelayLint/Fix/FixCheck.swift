import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// Takes corrections of which the decisions say that they ease nothing that the file does not name.
///
/// All are tried at once; where that is too much, halves of them, so that few corrections that cannot be made cost little beside
/// many that can.
struct FixCheck {
    private(set) var accepted: [Correction] = []
    private(set) var left: [Correction] = []
    /// What is different for connections.
    private(set) var effects: [String] = []
    /// The file with what was accepted.
    private(set) var result: [UInt8]

    private let original: [UInt8]
    private let linter: Linter
    private let file: String
    private let mayEase: Bool
    private let systems: [SystemVersion]
    private let domains = SharedDomains()
    private var configuration: TransportSecurityConfiguration
    private var attempts = 0

    /// More attempts are not made; a file of an app needs few.
    private static let mostAttempts = 256

    init(_ bytes: [UInt8], document: PlistDocument, linter: Linter, file: String, mayEase: Bool) {
        original = bytes
        result = bytes
        self.linter = linter
        self.file = file
        self.mayEase = mayEase
        configuration = TransportSecurityConfiguration(document, file: file)
        systems = DeploymentTarget(document).map(\.milestones) ?? SystemVersion.milestones
    }

    /// Tries corrections, and sorts them into those that are made and those that are not.
    mutating func add(_ corrections: [Correction]) {
        var ranges: [Range<Int>] = []
        var made: Set<Correction.Key> = []
        var wanted: [Correction] = []
        // The wide ones last: what a deletion takes away needs no other correction, but may have one that is certain.
        for correction in corrections.sorted(by: { $0.start < $1.start }) {
            let overlaps = correction.edits.contains { edit in ranges.contains { $0.overlaps(edit.range) } }
            let isRepeated = correction.made.map { made.contains($0) } ?? false
            guard !overlaps, !isRepeated else {
                leave(correction, isRepeated ? "another key would get the same name" : "it overlaps another correction")
                continue
            }
            ranges += correction.edits.map(\.range)
            if let key = correction.made { made.insert(key) }
            wanted.append(correction)
        }
        take(wanted)
    }

    private mutating func leave(_ correction: Correction, _ obstacle: String, isEasing: Bool = false) {
        var correction = correction
        correction.told.isEasing = isEasing
        correction.told.obstacle = obstacle
        left.append(correction)
    }

    private mutating func take(_ batch: [Correction]) {
        guard !batch.isEmpty else { return }
        guard attempts < Self.mostAttempts else {
            for correction in batch { leave(correction, "the file has too many corrections that cannot be made") }
            return
        }
        attempts += 1
        let bytes = XMLEdit.apply((accepted + batch).flatMap(\.edits), to: original)
        guard let document = try? PlistReader(limits: linter.limits).read(bytes) else {
            return divide(batch, "the file could not be read afterwards")
        }
        let after = TransportSecurityConfiguration(document, file: file)
        switch outcome(batch, after) {
        case .obstacle(let obstacle): return divide(batch, obstacle, isEasing: true)
        case .effects(let new):
            let known = Set(effects)
            effects += new.filter { !known.contains($0) }
        }
        accepted += batch
        configuration = after
        result = bytes
    }

    private mutating func divide(_ batch: [Correction], _ obstacle: String, isEasing: Bool = false) {
        if let only = batch.first, batch.count == 1 { return leave(only, obstacle, isEasing: isEasing) }
        let middle = batch.count / 2
        take(Array(batch[..<middle]))
        take(Array(batch[middle...]))
    }

    // MARK: Decisions

    /// Why corrections cannot be made, or what they change for connections.
    private enum Outcome {
        case obstacle(String)
        case effects([String])
    }

    private func outcome(_ batch: [Correction], _ after: TransportSecurityConfiguration) -> Outcome {
        let entries = batch.reduce(into: Set<Correction.Entry>()) { $0.formUnion($1.entries) }
        let words = batch.filter(\.isWord).reduce(into: Set<Correction.Entry>()) { $0.formUnion($1.entries) }
        var effects: [String] = []
        // A key that is corrected around entries changes what holds for hosts that it does not name.
        let changed = EntryMeaning.changed(from: configuration, to: after)
        for probe in FixProbe.all(for: Set(entries.map(\.key)).union(changed)) {
            var told: Set<String> = []
            // The newest first: what is so today is said without a system.
            for system in systems.reversed() {
                for context in TransportSecurityContext.allCases {
                    let old = configuration.decision(for: probe.url, in: context, on: system, as: .simulation)
                    let new = after.decision(for: probe.url, in: context, on: system, as: .simulation)
                    let change = DecisionChange(old, new)
                    let isNamed = isNamed(words, new, probe, after)
                    if change.easesConnection && !isNamed.connection || change.easesPins && !isNamed.pins, !mayEase {
                        let text = change.texts.first?.replacing("%", with: probe.name) ?? probe.name
                        return .obstacle("it would ease what the key does not name: \(text)\(suffix(context, system))")
                    }
                    effects += change.texts.filter { told.insert($0).inserted }.map {
                        $0.replacing("%", with: probe.name) + suffix(context, system)
                    }
                }
            }
        }
        return .effects(Self.joined(effects))
    }

    /// What is said of a host and of those below it is said once.
    private static func joined(_ effects: [String]) -> [String] {
        var all: [String] = []
        var places: [String: Int] = [:]
        for effect in effects where places[effect] == nil {
            let host = effect.replacing(FixProbe.below, with: "")
            let whole = effect.replacing(FixProbe.below, with: "all of ")
            if host != effect, let index = places.removeValue(forKey: host) {
                all[index] = whole
                places[whole] = index
            } else if host == effect || places[whole] == nil {
                places[effect] = all.count
                all.append(effect)
            }
        }
        return all
    }

    /// Whether an entry that is corrected decides about a host now, so that what it says is wanted.
    private func isNamed(
        _ entries: Set<Correction.Entry>, _ decision: TransportSecurityDecision, _ probe: FixProbe,
        _ configuration: TransportSecurityConfiguration
    ) -> (connection: Bool, pins: Bool) {
        let isPinned = entries.contains { $0.isPinned && probe.isFor($0.key) }
        guard let key = decision.matched, entries.contains(Correction.Entry(isPinned: false, key: key)) else {
            return (false, isPinned)
        }
        let covers = configuration.exceptionDomains.entries.last { $0.key == key }?.coversSubdomains ?? false
        return (!(covers && key != "localhost" && domains.isShared(key)), isPinned)
    }

    /// When and for what something is so, where that is not always.
    private func suffix(_ context: TransportSecurityContext, _ system: SystemVersion) -> String {
        let place =
            switch context {
            case .default: ""
            case .web: " in web views"
            case .media: " for media"
            case .localNetworking: " on the local network"
            }
        let next = systems.drop { $0 != system }.dropFirst().first
        return place + (next.map { " before \($0)" } ?? "")
    }
}

/// A host that decisions are compared about.
struct FixProbe {
    let url: TransportSecurityURL
    let name: String
    private let host: String

    init?(_ host: String, _ name: String) {
        let isIPv6 = host.contains(":")
        guard let url = try? TransportSecurityURL("http://\(isIPv6 ? "[\(host)]" : host)/") else { return nil }
        self.url = url
        self.host = host
        self.name = name
    }

    /// What stands before the name of a host to mean those below it.
    static let below = "hosts below "

    /// Whether pins of a key are for the host.
    func isFor(_ key: String) -> Bool {
        let key = key.lowercased()
        // Pins are for a host with and without its dot.
        let host = host.hasSuffix(".") ? host.dropLast() : host[...]
        return host == key || host.hasSuffix("." + key)
    }

    /// The hosts that keys of entries are for and those below them, and one of each kind that no entry is for.
    static func all(for keys: Set<String>) -> [FixProbe] {
        let name = "belay-probe"
        var probes: [FixProbe?] = [
            FixProbe("\(name).host.invalid", "every other host"), FixProbe("localhost", "localhost"),
            FixProbe("\(name).local", "local hosts"), FixProbe(name, "local hosts"),
            FixProbe("127.0.0.1", "this device's address"), FixProbe("192.0.2.219", "addresses"),
            FixProbe("192.168.219.77", "private addresses"), FixProbe("2001:db8::dead", "addresses"),
        ]
        for key in keys.sorted() {
            if let slash = key.firstIndex(of: "/") {
                probes.append(FixProbe(String(key[..<slash]), printable(key)))
                continue
            }
            let host = key.lowercased()
            guard IPAddress(host) == nil else {
                probes.append(FixProbe(host, printable(host)))
                continue
            }
            probes += [
                FixProbe(host, printable(host)), FixProbe("\(name).\(host)", below + printable(host)),
                FixProbe("a.\(name).\(host)", below + printable(host)),
                FixProbe(host + ".", "\(printable(host))."),
            ]
        }
        return probes.compactMap(\.self)
    }
}

extension DeploymentTarget {
    /// The systems that the app runs on and whose rules differ.
    fileprivate var milestones: [SystemVersion] {
        guard let range = try? SystemRange("\(isMac ? "macos" : "ios")\(major).\(minor)+") else {
            return SystemVersion.milestones
        }
        return range.milestones
    }
}
