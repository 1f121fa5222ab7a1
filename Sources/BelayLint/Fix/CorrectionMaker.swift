import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// Knows for each finding whether it has one certain correction, and which bytes that changes.
struct CorrectionMaker {
    let document: PlistDocument
    let configuration: TransportSecurityConfiguration
    let deployment: DeploymentTarget?
    let map: PlistMap
    let editing: XMLEditing
    private let domains = SharedDomains()

    init(
        document: PlistDocument, configuration: TransportSecurityConfiguration, deployment: DeploymentTarget?,
        map: PlistMap, bytes: [UInt8]
    ) {
        self.document = document
        self.configuration = configuration
        self.deployment = deployment
        self.map = map
        editing = XMLEditing(bytes: bytes)
    }

    /// The corrections of some findings, in their order.
    func corrections(of findings: [LintFinding]) -> [Correction] {
        var renames: [Correction.Entry: String] = [:]
        var corrections: [Correction] = []
        for finding in findings {
            guard let place = map.place(at: finding.position), var correction = correction(finding, place) else {
                continue
            }
            if correction.entries.isEmpty, let entry = entry(place.path) {
                if place.path.count == configuration.keyPath.count + 2, let made = correction.made {
                    renames[entry] = made.key
                }
                correction.entries = [entry]
            }
            corrections.append(correction)
        }
        // Entries count by the names that they get.
        for index in corrections.indices {
            corrections[index].entries = Set(
                corrections[index].entries.map { entry in
                    Correction.Entry(isPinned: entry.isPinned, key: renames[entry] ?? entry.key)
                })
        }
        return corrections
    }

    /// The entry that a path leads to or into.
    private func entry(_ path: [String]) -> Correction.Entry? {
        let inside = path.dropFirst(configuration.keyPath.count)
        guard path.starts(with: configuration.keyPath), inside.count >= 2, let dictionary = inside.first else {
            return nil
        }
        switch dictionary {
        case TransportSecurityKey.exceptionDomains:
            return Correction.Entry(isPinned: false, key: inside[inside.startIndex + 1])
        case TransportSecurityKey.pinnedDomains:
            return Correction.Entry(isPinned: true, key: inside[inside.startIndex + 1])
        default: return nil
        }
    }

    private func correction(_ finding: LintFinding, _ place: PlistMap.Place) -> Correction? {
        switch finding.rule.identifier {
        case "ats.unknown-key": unknownKey(finding, place)
        case "ats.legacy-key": legacyKey(finding, place)
        case "ats.domain-key", "ats.address-block": domain(finding, place)
        case "ats.duplicate-key": deletion(finding, place, "it is the one that does not count")
        case "ats.obsolete-key": deletion(finding, place, "it is obsolete")
        case "lint.address-subdomains": deletion(finding, place, "addresses have no subdomains")
        case "lint.empty": deletion(finding, place, "it is empty")
        case "lint.arbitrary-loads-ignored": ignored(finding, place)
        case "lint.duplicate-pin": repeatedPin(finding, place)
        case "ats.wrong-type", "ats.minimum-tls-version", "ats.niap-package", "lint.pin-encoding",
            "lint.certificate-hash":
            value(finding, place)
        case "ats.misplaced-key", "ats.not-at-top-level": moved(finding, place)
        default: nil
        }
    }

    // MARK: Keys

    private func unknownKey(_ finding: LintFinding, _ place: PlistMap.Place) -> Correction? {
        guard let key = finding.finding.expected, isKey(key, at: place.path) else { return nil }
        return renamed(finding, place, key)
    }

    /// Whether a key belongs into the dictionary that a path leads into.
    private func isKey(_ key: String, at path: [String]) -> Bool {
        if path.count == 1, !configuration.keyPath.isEmpty { return key == TransportSecurityKey.root }
        guard path.starts(with: configuration.keyPath) else { return false }
        let inside = path.dropFirst(configuration.keyPath.count)
        let level: TransportSecurityKey.Level? =
            switch (inside.first, inside.count) {
            case (_, 1): .configuration
            case (TransportSecurityKey.exceptionDomains, 3): .exception
            case (TransportSecurityKey.pinnedDomains, 3): .pinnedDomain
            case (TransportSecurityKey.pinnedDomains, 5): .pinnedIdentity
            default: nil
            }
        return level.map { TransportSecurityKey.levels(of: key).contains($0) } ?? false
    }

    /// A key by its right name; where a key of that name is there already and says the same, without it.
    private func renamed(_ finding: LintFinding, _ place: PlistMap.Place, _ key: String) -> Correction? {
        guard let member = place.member else { return nil }
        if let other = place.sibling(key) {
            // A dictionary goes beyond the lines that are reported of its key.
            guard other.node.means(member.node), !member.node.isContainer else { return nil }
            return deletion(finding, place, "\(key) says the same")
        }
        guard let edit = editing.renamed(member, key) else { return nil }
        return Correction(
            finding, "\(printable(member.key)) becomes \(key)", [edit],
            made: Correction.Key(dictionary: place.parent?.position.offset, key: key))
    }

    private func legacyKey(_ finding: LintFinding, _ place: PlistMap.Place) -> Correction? {
        guard let member = place.member, let key = finding.finding.expected else { return nil }
        // The key of today wins on every system that reads both, and of the old ones the documented spelling does.
        if place.hasSibling(key) { return deletion(finding, place, "\(key) stands beside it and wins") }
        let temporary = "NSTemporary" + key.dropFirst(2)
        let documented = "NSThirdParty" + key.dropFirst(2)
        if member.key == temporary, place.hasSibling(documented) {
            return deletion(finding, place, "\(documented) stands beside it and wins")
        }
        return renamed(finding, place, key)
    }

    private func domain(_ finding: LintFinding, _ place: PlistMap.Place) -> Correction? {
        guard let member = place.member, let wanted = DomainKeyCorrection(member.key) else { return nil }
        guard wanted.coversSubdomains else { return renamed(finding, place, wanted.key) }
        guard !domains.isShared(wanted.key), !place.hasSibling(wanted.key), let settings = member.node.members,
            let rename = editing.renamed(member, wanted.key)
        else { return nil }
        let change = "\(printable(member.key)) becomes \(wanted.key) with \(TransportSecurityKey.includesSubdomains)"
        let made = Correction.Key(dictionary: place.parent?.position.offset, key: wanted.key)
        let subdomains = settings.filter { $0.key == TransportSecurityKey.includesSubdomains }
        if let first = subdomains.first {
            guard subdomains.count == 1, first.node.value == .boolean(true) else { return nil }
            return Correction(finding, change, [rename], made: made)
        }
        let setting = (key: TransportSecurityKey.includesSubdomains, value: "<true/>")
        guard let insertion = editing.inserted(first: setting, into: member.node) else { return nil }
        return Correction(finding, change, [rename, insertion], made: made)
    }

    // MARK: What has no effect

    private func deletion(_ finding: LintFinding, _ place: PlistMap.Place, _ reason: String) -> Correction? {
        guard let member = place.member, let edit = editing.deleted(member) else { return nil }
        var correction = Correction(finding, "\(printable(member.key)) is deleted, \(reason)", [edit])
        correction.isWord = false
        return correction
    }

    private func ignored(_ finding: LintFinding, _ place: PlistMap.Place) -> Correction? {
        // iOS 9 and macOS 10.11 follow the key; an app that does not say what it runs on may run there.
        guard let deployment, !deployment.includesFirstSystems else { return nil }
        return deletion(finding, place, "no system follows it that the app runs on")
    }

    private func repeatedPin(_ finding: LintFinding, _ place: PlistMap.Place) -> Correction? {
        guard place.member == nil, let edit = editing.deleted(place.node) else { return nil }
        return Correction(finding, "a repeated pin is deleted", [edit])
    }

    // MARK: Values

    private func value(_ finding: LintFinding, _ place: PlistMap.Place) -> Correction? {
        guard let member = place.member, let text = meant(finding, member),
            let edit = editing.replaced(member.node, text)
        else { return nil }
        return Correction(finding, "\(printable(member.key)) becomes \(text)", [edit])
    }

    /// The value that must have been meant, in XML.
    private func meant(_ finding: LintFinding, _ member: PlistMember) -> String? {
        let isVersion = member.key.hasSuffix("MinimumTLSVersion")
        switch finding.rule.identifier {
        case "ats.wrong-type" where finding.finding.expected == "Boolean":
            return MeantValue.boolean(member.node).map { $0 ? "<true/>" : "<false/>" }
        case "ats.wrong-type" where finding.finding.expected == "string" && isVersion:
            guard case .real(let number) = member.node.value else { return nil }
            return MeantValue.version("\(number)").map { "<string>\($0)</string>" }
        case "ats.minimum-tls-version":
            return member.node.string.flatMap(MeantValue.version).map { "<string>\($0)</string>" }
        case "ats.niap-package":
            return member.node.string.flatMap(MeantValue.package).map { "<string>\($0)</string>" }
        case "lint.pin-encoding", "lint.certificate-hash":
            guard let digest = finding.finding.expected.flatMap(PinText.digest) else { return nil }
            return "<string>\(digest.base64Text)</string>"
        default: return nil
        }
    }

    // MARK: Places

    private func moved(_ finding: LintFinding, _ place: PlistMap.Place) -> Correction? {
        guard let member = place.member, let delete = editing.deleted(member) else { return nil }
        if member.key == TransportSecurityKey.root { return movedToTop(finding, member, delete) }
        // Keys of entries could belong to any of them, and who put a key for the whole app into one meant that host.
        let isInEntry = entry(place.path) != nil && place.path.count > configuration.keyPath.count + 2
        guard TransportSecurityKey.levels(of: member.key) == [.configuration], !isInEntry else { return nil }
        // A Boolean with the settings of an entry may have been meant as one.
        let isOfDomains = [TransportSecurityKey.exceptionDomains, TransportSecurityKey.pinnedDomains].contains(
            member.key)
        guard isOfDomains == (member.node.members != nil) else { return nil }
        let target = root(TransportSecurityKey.root)?.node ?? (configuration.keyPath.isEmpty ? document.root : nil)
        guard let target else {
            // Nothing to move it into: it gets a dictionary where it stands.
            guard place.path.count == 1, let key = member.keyRange, let value = member.node.range else { return nil }
            let opening = "<key>\(TransportSecurityKey.root)</key><dict>"
            return Correction(
                finding, "\(member.key) gets a \(TransportSecurityKey.root) around it",
                [
                    XMLEdit(key.lowerBound..<key.lowerBound, opening),
                    XMLEdit(value.upperBound..<value.upperBound, "</dict>"),
                ], made: Correction.Key(dictionary: document.root.position.offset, key: TransportSecurityKey.root))
        }
        guard let siblings = target.members, !siblings.contains(where: { $0.key == member.key }),
            let insert = editing.inserted(member, into: target)
        else { return nil }
        var correction = Correction(
            finding, "\(member.key) moves directly into \(TransportSecurityKey.root)", [delete, insert],
            made: Correction.Key(dictionary: target.position.offset, key: member.key))
        correction.entries = Self.entries(ofKey: member)
        return correction
    }

    private func movedToTop(_ finding: LintFinding, _ member: PlistMember, _ delete: XMLEdit) -> Correction? {
        guard root(TransportSecurityKey.root) == nil, let insert = editing.inserted(member, into: document.root) else {
            return nil
        }
        var correction = Correction(
            finding, "\(member.key) moves to the top level", [delete, insert],
            made: Correction.Key(dictionary: document.root.position.offset, key: member.key))
        for inner in member.node.members ?? [] { correction.entries.formUnion(Self.entries(ofKey: inner)) }
        return correction
    }

    private func root(_ key: String) -> PlistMember? { document.root.members?.last { $0.key == key } }

    /// The entries of a dictionary of domains.
    private static func entries(ofKey member: PlistMember) -> Set<Correction.Entry> {
        let isPinned = member.key == TransportSecurityKey.pinnedDomains
        guard isPinned || member.key == TransportSecurityKey.exceptionDomains else { return [] }
        return Set((member.node.members ?? []).map { Correction.Entry(isPinned: isPinned, key: $0.key) })
    }
}

extension PlistNode {
    fileprivate var isContainer: Bool {
        switch value {
        case .dictionary, .array: true
        default: false
        }
    }

    /// Whether two values are the same, wherever they stand.
    fileprivate func means(_ other: PlistNode) -> Bool {
        switch (value, other.value) {
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.key == $1.key && $0.node.means($1.node) }
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.means($1) }
        default: value == other.value
        }
    }
}
