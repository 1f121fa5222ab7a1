import BelayCertificates
import BelayTrust

extension ConfigurationReader {
    // MARK: NSExceptionDomains

    mutating func readExceptions(_ member: PlistMember, _ path: [String]) {
        guard let members = member.node.members else {
            return noteType(member, path, "dictionary", "no exception counts, the other keys do")
        }
        for entry in effective(members, path) {
            let here = path + [entry.key]
            checkDomain(entry, here, in: member.key)
            guard let settings = entry.node.members else {
                noteType(entry, here, "dictionary", "the entry is dropped")
                continue
            }
            let domain = exception(entry, settings, here)
            if let other = configuration.exceptionDomains.add(domain) {
                note(
                    .duplicateKey, here, entry.keyPosition,
                    "'\(printable(entry.key))' and '\(printable(other))' are the same block of addresses; which of them counts is undefined, and here it is the first",
                    expected: "the block once", found: "it twice")
            }
        }
    }

    private mutating func exception(_ entry: PlistMember, _ settings: [PlistMember], _ path: [String])
        -> ExceptionDomain
    {
        var domain = ExceptionDomain(key: entry.key, position: entry.keyPosition)
        for member in effective(settings, path) {
            let here = path + [member.key]
            if isUnknown(member, .exception, path) { continue }
            switch member.key {
            case TransportSecurityKey.includesSubdomains:
                domain.includesSubdomains = flag(member, here, default: false)
            case TransportSecurityKey.transparency:
                domain.requiresCertificateTransparency = flag(member, here, default: false)
                note(
                    .obsoleteKey, here, member.keyPosition,
                    "NSRequiresCertificateTransparency is obsolete: systems require Certificate Transparency of public "
                        + "authorities by themselves since iOS 12.1, and no longer read the key since iOS 18.4")
            case TransportSecurityKey.exceptionNIAPPackage:
                domain.niapPackage = ExceptionSetting(
                    key: member.key, value: package(member, here), position: member.node.position)
            default: readRenamed(member, into: &domain, here)
            }
        }
        return domain
    }

    private mutating func readRenamed(_ member: PlistMember, into domain: inout ExceptionDomain, _ path: [String]) {
        for key in TransportSecurityKey.Exception.allCases {
            let rank = ([key.current] + key.legacy).firstIndex { LiteralKey($0) == LiteralKey(member.key) }
            guard let rank else { continue }
            if rank > 0 {
                note(
                    .legacyKey, path, member.keyPosition,
                    "\(member.key) is the spelling of 2015; iOS 18.4 and macOS 15.4 no longer read it (verify on a device), "
                        + "older systems do",
                    expected: key.current, found: member.key)
            }
            switch key {
            case .allowsInsecureHTTPLoads:
                domain.allowsInsecureHTTPLoads.add(flag(member, path, default: false), rank)
            case .minimumTLSVersion: domain.minimumTLSVersion.add(version(member, path), rank)
            case .requiresForwardSecrecy:
                domain.requiresForwardSecrecy.add(flag(member, path, default: true), rank)
            }
            return
        }
    }

    /// A Boolean of an entry: what is no number leaves the default of the key, and a number is true where it equals 1.
    private mutating func flag(_ member: PlistMember, _ path: [String], default usual: Bool) -> ExceptionSetting<Bool> {
        let value = member.node.truth
        if !member.node.isBoolean {
            noteType(member, path, "Boolean", value.map { "it is read as \($0)" } ?? "the default, \(usual), holds")
        }
        return ExceptionSetting(key: member.key, value: value, position: member.node.position)
    }

    private mutating func version(_ member: PlistMember, _ path: [String]) -> ExceptionSetting<TLSVersion> {
        var value: TLSVersion?
        if let text = member.node.string {
            value = Self.versions[LiteralKey(text)]
            if value == nil {
                let isDatagram = text.hasPrefix("DTLSv1.")
                note(
                    .minimumTLSVersion, path, member.node.position,
                    isDatagram
                        ? "'\(printable(text))' is a version of DTLS, which no HTTPS connection has; TLS 1.2 holds"
                        : "'\(printable(text))' is no version that is recognised, and is not applied: TLS 1.2 holds",
                    expected: "TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3", found: text)
            }
        } else {
            noteType(member, path, "string", "TLS 1.2 holds")
        }
        return ExceptionSetting(key: member.key, value: value, position: member.node.position)
    }

    private static let versions: [LiteralKey: TLSVersion] = [
        LiteralKey("TLSv1.0"): .tls10, LiteralKey("TLSv1.1"): .tls11, LiteralKey("TLSv1.2"): .tls12,
        LiteralKey("TLSv1.3"): .tls13,
    ]

    // MARK: NSPinnedDomains

    mutating func readPins(_ member: PlistMember, _ path: [String]) {
        guard let members = member.node.members else {
            return noteType(member, path, "dictionary", "nothing is pinned")
        }
        for entry in effective(members, path) {
            let here = path + [entry.key]
            checkDomain(entry, here, in: member.key)
            guard let settings = entry.node.members else {
                noteType(entry, here, "dictionary", "the host is not pinned")
                continue
            }
            readPins(of: entry, settings, here)
        }
    }

    private mutating func readPins(of entry: PlistMember, _ settings: [PlistMember], _ path: [String]) {
        var includesSubdomains = false
        var identities = PinnedIdentities()
        for member in effective(settings, path) {
            let here = path + [member.key]
            if isUnknown(member, .pinnedDomain, path) { continue }
            switch member.key {
            case TransportSecurityKey.includesSubdomains:
                // Here a number does not do.
                if case .boolean(let flag) = member.node.value {
                    includesSubdomains = flag
                } else {
                    noteType(member, here, "Boolean", "subdomains are not covered")
                }
            case TransportSecurityKey.leafIdentities: identities.leaf = pins(member, here)
            default: identities.authority = pins(member, here)
            }
        }
        guard identities != PinnedIdentities() else {
            return note(
                .pinsMissing, path, entry.keyPosition,
                "the entry '\(printable(entry.key))' has neither of the lists, so that the host is not pinned",
                expected: "NSPinnedCAIdentities or NSPinnedLeafIdentities", found: "neither")
        }
        configuration.pinnedDomains.add(
            PinnedDomain(
                key: entry.key, position: entry.keyPosition, includesSubdomains: includesSubdomains,
                identities: identities))
    }

    /// The pins of a list that a certificate can match. A list of anything else pins to nothing.
    private mutating func pins(_ member: PlistMember, _ path: [String]) -> Set<SPKIPin> {
        var pins: Set<SPKIPin> = []
        if case .array(let elements) = member.node.value {
            for (index, element) in elements.enumerated() {
                if let pin = pin(element, path + ["\(index)"]) { pins.insert(pin) }
            }
        } else {
            noteType(member, path, "array", "the host is pinned to nothing")
        }
        if pins.isEmpty {
            note(
                .pinsToNothing, path, member.keyPosition,
                "\(member.key) has no identity that a certificate can have: every TLS connection to the host fails",
                expected: "at least one digest", found: "none")
        }
        return pins
    }

    private mutating func pin(_ element: PlistNode, _ path: [String]) -> SPKIPin? {
        guard let members = element.members else {
            note(
                .pinMalformed, path, element.position,
                "a pinned identity is a dictionary, this is \(element.kind.withArticle)",
                expected: "dictionary", found: element.kind)
            return nil
        }
        var pin: SPKIPin?
        var hasDigest = false
        for member in effective(members, path) {
            if isUnknown(member, .pinnedIdentity, path) { continue }
            hasDigest = true
            guard let text = member.node.string else {
                noteType(member, path + [member.key], "string", "the identity is dropped")
                continue
            }
            let bytes = Self.decoded(text)
            pin = bytes.flatMap { SHA256Digest(bytes: $0) }.map(SPKIPin.init)
            if pin == nil {
                note(
                    .pinMalformed, path + [member.key], member.node.position,
                    "'\(printable(text))' is not the base64 of a SHA-256 digest, so that no key matches it",
                    expected: "44 characters of base64, 32 bytes",
                    found: bytes.map { "\($0.count) bytes" } ?? "no base64")
            }
        }
        if !hasDigest {
            note(
                .pinMalformed, path, element.position, "the identity has no SPKI-SHA256-BASE64",
                expected: TransportSecurityKey.digest, found: "none")
        }
        return pin
    }

    /// Base64 as Apple's decoder takes it: bits of the last character that belong to no byte do not matter.
    private static func decoded(_ text: String) -> [UInt8]? {
        if let bytes = Base64.decode(text) { return bytes }
        guard text.utf8.count == 44, text.utf8.last == UInt8(ascii: "=") else { return nil }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var units = Array(text.utf8)
        guard let value = alphabet.firstIndex(of: units[42]) else { return nil }
        units[42] = alphabet[value & ~3]
        return Base64.decode(String(decoding: units, as: UTF8.self))
    }
}

extension RenamedSetting {
    /// Takes a value of the spelling with a rank: 0 is that of today, 1 the documented old one, which wins over the other.
    fileprivate mutating func add(
        _ setting: ExceptionSetting<Value>, _ rank: Int
    ) {
        if rank == 0 {
            current = setting
        } else if rank == 1 || legacy == nil {
            legacy = setting
        }
    }
}
