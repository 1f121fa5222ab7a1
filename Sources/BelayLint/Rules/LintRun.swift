import BelayCertificates
import BelayTransportSecurity
import BelayTrust

/// One look at one document: the configuration that it is, and what was found.
struct LintRun {
    let document: PlistDocument
    let configuration: TransportSecurityConfiguration
    let file: String
    let deployment: DeploymentTarget?
    let sdk: LinkedSDK?
    let certificates: [Certificate]
    let domains = SharedDomains()
    private(set) var findings: [LintFinding] = []
    private let places: PlistPlaces
    let map: PlistMap
    private let faulty: Set<[String]>

    init(_ document: PlistDocument, file: String, certificates: [Certificate]) {
        self.document = document
        self.file = file
        self.certificates = certificates
        configuration = TransportSecurityConfiguration(document, file: file)
        deployment = DeploymentTarget(document)
        sdk = LinkedSDK(document)
        places = PlistPlaces(document)
        map = PlistMap(document.root)
        let depth = configuration.keyPath.count
        faulty = Set(
            configuration.findings.compactMap { finding in
                guard finding.severity == .error, case .file(_, let path, _) = finding.place else { return nil }
                return Array(path.dropFirst(depth))
            })
    }

    /// Everything, in the order of the file.
    mutating func findAll() -> [LintFinding] {
        for finding in configuration.findings { add(finding) }
        if configuration.findings.count >= TransportSecurityConfiguration.mostFindings {
            note(
                .moreFindings, severity: configuration.isMalformed ? .error : .warning, [], nil,
                "the file has more faults than the first \(TransportSecurityConfiguration.mostFindings), which are listed",
                meaning: "More may be wrong with the connections of the app than is said here.")
        }
        // A key that is no domain need not have the value of one.
        let misplaced = findings.filter { $0.rule.identifier == "ats.misplaced-key" }
        for finding in misplaced {
            findings.removeAll { $0.rule.identifier == "ats.wrong-type" && $0.keyPath == finding.keyPath }
        }
        checkSDK()
        checkGlobalKeys()
        checkExceptions()
        checkPins()
        return findings.enumerated().sorted { left, right in
            let (first, second) = (left.element.position, right.element.position)
            return (first.line ?? 0, first.column ?? 0, left.offset)
                < (second.line ?? 0, second.column ?? 0, right.offset)
        }.map { withEnd($0.element) }
    }

    /// With the last line of what a finding is about: the whole of a short value, and of what should not stand there at all.
    private func withEnd(_ finding: LintFinding) -> LintFinding {
        guard let line = finding.line, let place = map.place(at: finding.position) else { return finding }
        let isWhole =
            switch (place.node.value, finding.rule.identifier) {
            case (_, "ats.duplicate-key"), (_, "ats.misplaced-key"), (_, "ats.not-at-top-level"), (_, "lint.empty"),
                (_, "lint.duplicate-pin"), (_, "ats.legacy-key"):
                true
            case (.dictionary, _), (.array, _): false
            default: true
            }
        var finding = finding
        finding.endLine = max(line, (isWhole ? place.node.endLine : place.node.position.line) ?? line)
        return finding
    }

    /// Whether the configuration has an error at a place, so that nothing more need be said about it.
    func isFaulty(_ path: [String]) -> Bool {
        faulty.contains(path)
    }

    /// What `NSAllowsArbitraryLoads` does on systems of today.
    var isOpenToAll: Bool { configuration.allowsArbitraryLoads == true && newerKeys.isEmpty }

    /// The keys whose presence switches `NSAllowsArbitraryLoads` off.
    var newerKeys: [String] {
        [
            (TransportSecurityKey.arbitraryLoadsForMedia, configuration.allowsArbitraryLoadsForMedia),
            (TransportSecurityKey.arbitraryLoadsInWebContent, configuration.allowsArbitraryLoadsInWebContent),
            (TransportSecurityKey.localNetworking, configuration.allowsLocalNetworking),
        ].filter { $0.1 != nil }.map(\.0)
    }

    /// The members of a dictionary of the configuration that count; none where there is no such dictionary.
    func members(_ path: [String]) -> [PlistMember] {
        var node = document.root
        for key in configuration.keyPath + path {
            guard let next = effective(node).last(where: { $0.key == key }) else { return [] }
            node = next.node
        }
        return effective(node)
    }

    /// The members of a dictionary that count.
    func effective(_ node: PlistNode) -> [PlistMember] {
        let members = node.members ?? []
        var keys: Set<String> = []
        if document.format.firstDuplicateCounts { return members.filter { keys.insert($0.key).inserted } }
        return members.reversed().filter { keys.insert($0.key).inserted }.reversed()
    }

    // MARK: Notes

    /// Notes a finding at a key path within the configuration.
    mutating func note(
        _ rule: Rule, severity: Finding.Severity? = nil, _ path: [String], _ position: PlistPosition?,
        _ message: String, meaning: String, expected: String? = nil, found: String? = nil, remedy: String? = nil
    ) {
        let whole = configuration.keyPath + path
        let position = position ?? places.position(of: whole, line: nil)
        let finding = Finding(
            rule, severity: severity, at: .file(file, keyPath: whole, line: position.line), message, expected: expected,
            found: found, remedy: remedy)
        findings.append(LintFinding(finding, at: position, meaning: meaning))
    }

    /// Notes a finding at a key beside the configuration.
    mutating func noteBeside(
        _ rule: Rule, _ key: String, _ position: PlistPosition?, _ message: String, meaning: String
    ) {
        let position = position ?? document.root.position
        let finding = Finding(rule, at: .file(file, keyPath: [key], line: position.line), message)
        findings.append(LintFinding(finding, at: position, meaning: meaning))
    }

    /// Notes a finding at the place of a key.
    mutating func note(_ rule: Rule, _ path: [String], _ message: String, meaning: String) {
        note(rule, path, nil, message, meaning: meaning)
    }

    /// Takes over a finding of the reader.
    private mutating func add(_ finding: Finding) {
        guard case .file(_, let path, let line) = finding.place else { return }
        let position = places.position(of: path, line: line)
        let (finding, meaning) = LintMeaning.ofTemplate(finding) ?? (finding, LintMeaning.text(of: finding.rule))
        findings.append(LintFinding(finding, at: position, meaning: meaning))
    }

    /// Removes what a more exact finding replaces.
    mutating func replace(_ rule: String, at path: [String]) {
        let whole = configuration.keyPath + path
        findings.removeAll { $0.rule.identifier == rule && $0.keyPath == whole }
    }
}

/// Finds the places of keys.
struct PlistPlaces {
    private let root: PlistNode
    private let firstCounts: Bool

    init(_ document: PlistDocument) {
        root = document.root
        firstCounts = document.format.firstDuplicateCounts
    }

    /// The place of the key at the end of a path, or of its value where that is on the line that is wanted; the line alone where the path
    /// leads nowhere.
    func position(of path: [String], line: Int?) -> PlistPosition {
        var found: [PlistPosition] = []
        collect(root, path[...], into: &found)
        if let line { return found.first { $0.line == line } ?? PlistPosition(line: line) }
        return found.first ?? root.position
    }

    private func collect(_ node: PlistNode, _ path: ArraySlice<String>, into found: inout [PlistPosition]) {
        guard found.count < 64, let key = path.first else { return }
        let rest = path.dropFirst()
        switch node.value {
        case .dictionary(let members):
            let same = members.filter { $0.key == key }
            for member in firstCounts ? same : same.reversed() {
                if rest.isEmpty { found += [member.keyPosition, member.node.position] }
                collect(member.node, rest, into: &found)
            }
        case .array(let elements):
            if let index = Int(key) {
                guard elements.indices.contains(index) else { return }
                if rest.isEmpty { found.append(elements[index].position) }
                collect(elements[index], rest, into: &found)
            } else {
                // Ways that do not count elements lead through any of them.
                for element in elements { collect(element, path, into: &found) }
            }
        default: return
        }
    }
}
