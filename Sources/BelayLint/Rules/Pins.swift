import BelayCertificates
import BelayTransportSecurity
import BelayTrust

extension LintRun {
    /// `NSPinnedDomains`.
    mutating func checkPins() {
        let root = [TransportSecurityKey.pinnedDomains]
        let known = KnownCertificates(certificates)
        for entry in members(root) {
            guard entry.node.members != nil else { continue }
            let path = root + [entry.key]
            let settings = effective(entry.node)
            checkPinnedDomain(entry, settings, path)
            for key in [TransportSecurityKey.leafIdentities, TransportSecurityKey.authorityIdentities] {
                guard let list = settings.last(where: { $0.key == key }) else { continue }
                checkList(list, path + [key], known)
            }
            checkShortLived(settings, path, known)
        }
    }

    private mutating func checkPinnedDomain(_ entry: PlistMember, _ settings: [PlistMember], _ path: [String]) {
        let host = printable(entry.key)
        let subdomains = settings.last { $0.key == TransportSecurityKey.includesSubdomains }
        let coversSubdomains = subdomains?.node.value == .boolean(true)
        if let subdomains, coversSubdomains {
            note(
                .pinnedOneLabel, path + [subdomains.key], subdomains.keyPosition,
                "in NSPinnedDomains NSIncludesSubdomains covers exactly one extra label",
                meaning: "a.\(host) is pinned, b.a.\(host) is not.")
        }
        if let subdomains, subdomains.node.value == .boolean(false) {
            noteDefault(path + [subdomains.key], subdomains.key, "false", subdomains.node.position)
        }
        if domains.isShared(lowercased(entry.key)), IPAddress(entry.key) == nil,
            coversSubdomains || entry.key.contains(".")
        {
            note(
                .pinnedSharedDomain, path, entry.keyPosition,
                "\(host) is a public suffix or a shared hosting domain: the pins are for hosts that you do not control",
                meaning: "Connections to hosts of strangers under \(host) fail.")
        }
        if IPAddress(entry.key) != nil {
            note(
                .pinnedAddress, path, entry.keyPosition,
                "\(host) is an address; Apple documents NSPinnedDomains for names only",
                meaning:
                    "The published engine compares texts, so that the pins may hold; rely on it only after a test on a device."
            )
        }
    }

    // MARK: The pins of a list

    private mutating func checkList(_ list: PlistMember, _ path: [String], _ known: KnownCertificates) {
        guard case .array(let elements) = list.node.value else { return }
        var seen: [SHA256Digest: Int] = [:]
        for (index, element) in elements.enumerated() {
            let here = path + ["\(index)", TransportSecurityKey.digest]
            let member = element.members?.last { $0.key == TransportSecurityKey.digest }
            guard let member, let text = member.node.string else { continue }
            guard let digest = PinText.digest(text) else {
                checkMalformed(text, here, member.node.position)
                continue
            }
            seen[digest, default: 0] += 1
            if seen[digest] == 2 {
                note(
                    .duplicatePin, path, element.position, "\(list.key) has a duplicate digest: \(digest.base64Text)",
                    meaning: "The repetition is no backup: connections are judged by the one pin.")
            }
            checkDigest(
                digest, isAuthority: list.key == TransportSecurityKey.authorityIdentities, here, member.node.position,
                known)
        }
        if seen.count == 1, seen.values.first == 1 {
            note(
                .singlePin, path, list.keyPosition, "\(list.key) has a single pin, and no backup",
                meaning:
                    "When the server's key changes, every connection fails until users have a new version of the app.")
        }
    }

    private mutating func checkMalformed(_ text: String, _ path: [String], _ position: PlistPosition) {
        guard let problem = PinText.problem(text) else { return }
        replace("ats.pin-malformed", at: path)
        note(
            problem.isOtherHash ? .pinNotSHA256 : .pinEncoding, path, position,
            "'\(printable(String(text.prefix(100))))' \(problem.text)", meaning: "No key matches the pin.",
            expected: problem.expected ?? "44 characters of base64, 32 bytes", found: problem.found,
            remedy: problem.expected.map { "Write \($0)." })
    }

    private mutating func checkDigest(
        _ digest: SHA256Digest, isAuthority: Bool, _ path: [String], _ position: PlistPosition,
        _ known: KnownCertificates
    ) {
        for fault in PinFault.all(of: digest, known) {
            note(
                fault.rule, path, position, fault.message, meaning: fault.meaning, expected: fault.expected,
                found: digest.base64Text, remedy: fault.remedy)
        }
        if isAuthority, known.isLeafKey(digest) {
            note(
                .leafAsAuthority, path, position,
                "that key is the leaf's: NSPinnedCAIdentities is matched by every certificate of the path but the leaf",
                meaning: "Every TLS connection to the host fails, unless another pin of the list matches.",
                found: digest.base64Text)
        }
    }

    private mutating func checkShortLived(_ settings: [PlistMember], _ path: [String], _ known: KnownCertificates) {
        guard !settings.contains(where: { $0.key == TransportSecurityKey.authorityIdentities }),
            let list = settings.last(where: { $0.key == TransportSecurityKey.leafIdentities }),
            case .array(let elements) = list.node.value
        else { return }
        let digests = elements.compactMap { element in
            element.members?.last { $0.key == TransportSecurityKey.digest }?.node.string.flatMap(PinText.digest)
        }
        guard let days = digests.compactMap({ known.shortLife(ofLeafWith: $0) }).min() else { return }
        note(
            .shortLivedLeafPin, path + [list.key], list.keyPosition,
            "only leaves are pinned, and the certificate of one is valid for \(days) days",
            meaning: "Connections fail at the next renewal, unless it keeps the key.")
    }

    private func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
