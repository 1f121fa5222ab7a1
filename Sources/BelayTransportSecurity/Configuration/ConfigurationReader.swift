import BelayCertificates
import BelayTrust

/// Makes a configuration of a document, in one pass, and notes everything that is wrong on the way.
struct ConfigurationReader {
    let document: PlistDocument
    let file: String
    let contents: TransportSecurityConfiguration.Contents
    var configuration: TransportSecurityConfiguration

    init(document: PlistDocument, file: String, contents: TransportSecurityConfiguration.Contents) {
        self.document = document
        self.file = file
        self.contents = contents
        configuration = TransportSecurityConfiguration(file: file, keyPath: [], isPresent: false)
    }

    mutating func read() -> TransportSecurityConfiguration {
        guard isInfoPlist else {
            configuration = TransportSecurityConfiguration(file: file, keyPath: [], isPresent: true)
            readConfiguration(document.root, [])
            return configuration
        }
        let path = [TransportSecurityKey.root]
        guard let root = document.root.members else {
            configuration = TransportSecurityConfiguration(file: file, keyPath: path, isPresent: false)
            note(
                .wrongType, [], document.root.position,
                "an Info.plist is a dictionary, this is \(document.root.kind.withArticle)",
                expected: "dictionary", found: document.root.kind)
            return configuration
        }
        let same = root.filter { LiteralKey($0.key) == LiteralKey(TransportSecurityKey.root) }
        configuration = TransportSecurityConfiguration(file: file, keyPath: path, isPresent: !same.isEmpty)
        let counting = document.format.firstDuplicateCounts ? same.first : same.last
        for repeated in document.format.firstDuplicateCounts ? same.dropFirst() : same.dropLast() {
            noteDuplicate(repeated, counting: counting, [])
        }
        noteMisplaced(root, [], depth: 0)
        if let member = counting {
            readConfiguration(member.node, path, keyPosition: member.keyPosition)
        }
        return configuration
    }

    /// A dictionary is taken for the value of NSAppTransportSecurity where one of its keys says so and none says otherwise.
    private var isInfoPlist: Bool {
        switch contents {
        case .infoPlist: return true
        case .dictionary: return false
        case .automatic:
            guard let members = document.root.members else { return true }
            let keys = members.lazy.map(\.key)
            if keys.contains(where: {
                $0 == TransportSecurityKey.root || $0.hasPrefix("CFBundle") || PlatformKey($0) != nil
            }) {
                return true
            }
            return !keys.contains { key in
                TransportSecurityKey.levels(of: LiteralKey(key)).contains(.configuration)
                    || Spelling.nearest(to: key, among: TransportSecurityKey.Level.configuration.keys) != nil
            }
        }
    }

    /// Keys of App Transport Security, and the whole dictionary, where nothing reads them.
    private mutating func noteMisplaced(_ members: [PlistMember], _ path: [String], depth: Int) {
        for member in members {
            let key = LiteralKey(member.key)
            if key == LiteralKey(TransportSecurityKey.root) {
                guard depth > 0 else { continue }
                note(
                    .configurationMisplaced, path + [member.key], member.keyPosition,
                    "NSAppTransportSecurity is not at the top level, where alone it counts",
                    expected: "NSAppTransportSecurity at the top level",
                    found: "it in \(path.last.map { "'\(printable($0))'" } ?? "a list")")
            } else if depth == 0, let platform = PlatformKey(member.key) {
                note(
                    .platformKey, [member.key], member.keyPosition,
                    "on \(platform.systems) '\(printable(member.key))' replaces NSAppTransportSecurity before anybody reads it; "
                        + "Belay decides by the plain key only",
                    expected: TransportSecurityKey.root, found: member.key)
            } else if depth == 0, TransportSecurityKey.levels(of: key).contains(.configuration) {
                note(
                    .configurationMisplaced, [member.key], member.keyPosition,
                    "\(member.key) stands at the top level of Info.plist, where it is ignored",
                    expected: "it in NSAppTransportSecurity", found: "it at the top level")
            } else if depth == 0,
                Spelling.nearest(to: member.key, among: [TransportSecurityKey.root, "AppTransportSecuritySettings"])
                    != nil
            {
                note(
                    .unknownKey, [member.key], member.keyPosition, "'\(printable(member.key))' is no key of Info.plist",
                    expected: TransportSecurityKey.root, found: member.key)
            }
            switch member.node.value {
            case .dictionary(let inner):
                if key != LiteralKey(TransportSecurityKey.root) {
                    noteMisplaced(inner, path + [member.key], depth: depth + 1)
                }
            case .array(let elements):
                for case .dictionary(let inner) in elements.map(\.value) {
                    noteMisplaced(inner, path + [member.key], depth: depth + 1)
                }
            default: break
            }
        }
    }

    // MARK: The dictionary

    private mutating func readConfiguration(_ node: PlistNode, _ path: [String], keyPosition: PlistPosition? = nil) {
        guard let members = node.members else {
            note(
                .configurationNotDictionary, path, keyPosition ?? node.position,
                "NSAppTransportSecurity is \(node.kind.withArticle); what Apple's systems do then is undefined, and here it counts as empty",
                expected: "dictionary", found: node.kind)
            return
        }
        for member in effective(members, path) {
            let here = path + [member.key]
            switch member.key {
            case _ where isUnknown(member, .configuration, path): break
            case TransportSecurityKey.arbitraryLoads:
                configuration.allowsArbitraryLoads = flag(member, here)
            case TransportSecurityKey.arbitraryLoadsForMedia:
                configuration.allowsArbitraryLoadsForMedia = flag(member, here)
            case TransportSecurityKey.arbitraryLoadsInWebContent:
                configuration.allowsArbitraryLoadsInWebContent = flag(member, here)
            case TransportSecurityKey.localNetworking:
                configuration.allowsLocalNetworking = flag(member, here)
            case TransportSecurityKey.niapPackage:
                configuration.niapPackage = package(member, here)
            case TransportSecurityKey.exceptionDomains: readExceptions(member, here)
            case TransportSecurityKey.pinnedDomains: readPins(member, here)
            default: break
            }
        }
    }

    /// A global Boolean: a number equal to 1 is true, any other is false, and what is no number is not there.
    private mutating func flag(_ member: PlistMember, _ path: [String]) -> Bool? {
        let value = member.node.truth
        if member.node.isBoolean { return value }
        let reading = value.map { "it is read as \($0)" } ?? "it counts as not being there"
        noteType(member, path, "Boolean", reading)
        return value
    }

    /// A package of NIAP's rules; nil where it is none, and so not there.
    mutating func package(_ member: PlistMember, _ path: [String]) -> NIAPPackage? {
        guard let text = member.node.string else {
            noteType(member, path, "string", "it counts as not being there")
            return nil
        }
        if let package = NIAPPackage.allCases.first(where: { LiteralKey($0.rawValue) == LiteralKey(text) }) {
            return package
        }
        note(
            .niapPackage, path, member.node.position, "'\(printable(text))' is no package, and is ignored",
            expected: NIAPPackage.allCases.map(\.rawValue).joined(separator: ", "), found: text)
        return nil
    }

    // MARK: Keys

    /// The members that count, in the order of the file: of two of one name the last, in binary files the first.
    mutating func effective(_ members: [PlistMember], _ path: [String]) -> [PlistMember] {
        var places: [LiteralKey: Int] = [:]
        places.reserveCapacity(members.count)
        var counting: [PlistMember] = []
        counting.reserveCapacity(members.count)
        for member in members {
            guard let place = places.updateValue(counting.count, forKey: LiteralKey(member.key)) else {
                counting.append(member)
                continue
            }
            places[LiteralKey(member.key)] = place
            if document.format.firstDuplicateCounts {
                noteDuplicate(member, counting: counting[place], path)
            } else {
                noteDuplicate(counting[place], counting: member, path)
                counting[place] = member
            }
        }
        return counting
    }

    /// Notes the one that does not count: that is the one to delete.
    private mutating func noteDuplicate(_ member: PlistMember, counting: PlistMember?, _ path: [String]) {
        let which = document.format.firstDuplicateCounts ? "first" : "last"
        let other = counting.map { $0.keyPosition == .unknown ? "" : " in \($0.keyPosition)" } ?? ""
        note(
            .duplicateKey, path + [member.key], member.keyPosition,
            "the key '\(printable(member.key))' stands here and once more\(other); Apple's systems say nothing, and the \(which) one counts",
            expected: "the key once", found: "it twice")
    }

    /// Whether a key is none of the dictionary's; that is noted.
    mutating func isUnknown(_ member: PlistMember, _ level: TransportSecurityKey.Level, _ path: [String]) -> Bool {
        let levels = TransportSecurityKey.levels(of: LiteralKey(member.key))
        guard !levels.contains(level) else { return false }
        if let other = levels.first {
            note(
                .misplacedKey, path + [member.key], member.keyPosition,
                "\(member.key) belongs \(other.text); here it is ignored", expected: "it \(other.text)",
                found: "it \(level.text)")
            return true
        }
        let suggestion =
            configuration.findings.count < TransportSecurityConfiguration.mostFindings
            ? Spelling.suggestion(for: member.key, at: level) : nil
        note(
            .unknownKey, path + [member.key], member.keyPosition,
            "'\(printable(member.key))' is no key of App Transport Security, and is ignored"
                + (suggestion.map { "; did you mean \($0)?" } ?? ""),
            expected: suggestion, found: member.key)
        return true
    }

    /// Notes what is wrong with the key of an entry, if anything is.
    ///
    /// - Parameter parent: the dictionary that the entry is in.
    mutating func checkDomain(_ member: PlistMember, _ path: [String], in parent: String) {
        if let level = TransportSecurityKey.levels(of: LiteralKey(member.key)).first {
            return note(
                .misplacedKey, path, member.keyPosition,
                "\(member.key) belongs \(level.text); here it is taken for a domain", expected: "it \(level.text)",
                found: "it among the domains of \(parent)")
        }
        if parent == TransportSecurityKey.pinnedDomains { return checkPinnedHost(member, path) }
        guard let fault = DomainKeyFault(member.key) else { return }
        note(
            fault.rule, severity: fault.isPossible ? .warning : .error, path, member.keyPosition,
            "the key '\(printable(member.key))' \(fault.text)", expected: fault.expected(member.key), found: member.key)
    }

    /// Keys of pins are compared without regard to case and with hosts that have no dot at their end, and never stand for a block: one
    /// that no host matches pins nothing.
    private mutating func checkPinnedHost(_ member: PlistMember, _ path: [String]) {
        let fault = DomainKeyFault(lowercasedASCII(member.key))
        let text: String
        switch fault {
        case .trailingDot?: text = "ends in a dot, which hosts are compared without here: no host matches it"
        case .hostBits?, .unusualBlock?: text = "is a block of addresses, which pins cannot be for: no host matches it"
        case nil where member.key.utf8.contains(0x2F):
            text = "is a block of addresses, which pins cannot be for: no host matches it"
        case let fault?: text = fault.text
        case nil: return
        }
        let isBlock = member.key.utf8.contains(0x2F) && AddressBlockKey(member.key) != nil
        note(
            .domainKey, path, member.keyPosition, "the key '\(printable(member.key))' \(text)",
            expected: isBlock ? "a name" : fault?.expected(member.key), found: member.key)
    }

    // MARK: Findings

    /// Notes a value of a wrong type and what becomes of it.
    mutating func noteType(_ member: PlistMember, _ path: [String], _ expected: String, _ reading: String) {
        note(
            .wrongType, path, member.node.position,
            "\(printable(member.key)) is \(member.node.kind.withArticle), not \(expected.withArticle): \(reading)",
            expected: expected, found: member.node.summary)
    }

    mutating func note(
        _ rule: Rule, severity: Finding.Severity? = nil, _ path: [String], _ position: PlistPosition, _ message: String,
        expected: String? = nil, found: String? = nil, remedy: String? = nil
    ) {
        if (severity ?? rule.severity) == .error { configuration.isMalformed = true }
        guard configuration.findings.count < TransportSecurityConfiguration.mostFindings else { return }
        // Binary files have no lines.
        let place = position.line == nil && position.offset != nil ? " (\(position))" : ""
        configuration.findings.append(
            Finding(
                rule, severity: severity, at: .file(file, keyPath: path, line: position.line), message + place,
                expected: expected, found: found.map(printable), remedy: remedy))
    }
}

extension PlistNode {
    /// Whether it is a Boolean, and no number that is read as one.
    var isBoolean: Bool { if case .boolean = value { true } else { false } }

    /// What Apple's systems read it as where they want a Boolean: a number is true where it equals 1. nil for everything else.
    var truth: Bool? {
        switch value {
        case .boolean(let flag): flag
        case .integer(let number): number == 1
        case .real(let number): number == 1
        default: nil
        }
    }

    /// The kind, and the value where it is short.
    fileprivate var summary: String {
        switch value {
        case .string(let text): "the string '\(text.prefix(80))'"
        case .integer(let number): "the integer \(number)"
        case .real(let number): "the number \(number)"
        case .boolean(let flag): "the Boolean \(flag)"
        default: kind
        }
    }
}

extension String {
    /// The noun with its article.
    var withArticle: String { (first.map { "aeiou".contains($0) } == true ? "an " : "a ") + self }
}
