import BelayCertificates

/// Comparing names with the subtrees of name constraints (RFC 5280, section 4.2.1.10).
enum NameConstraint {
    /// The kinds of names, as constraints tell them apart.
    enum Kind: Equatable {
        case dns, ip, email, uri, directory
        case registeredID, other(OID), unsupported(UInt8)

        init(_ name: GeneralName) {
            switch name {
            case .dns: self = .dns
            case .ipAddress: self = .ip
            case .email: self = .email
            case .uri: self = .uri
            case .directory: self = .directory
            case .registeredID: self = .registeredID
            case .other(let type, _): self = .other(type)
            case .unsupported(let tag, _): self = .unsupported(tag)
            }
        }

        /// Whether Belay can compare names of this kind.
        var isSupported: Bool {
            switch self {
            case .dns, .ip, .email, .uri, .directory: true
            case .registeredID, .other, .unsupported: false
            }
        }
    }

    /// How many bytes a comparison may have to look at.
    static func byteCount(_ name: GeneralName) -> Int {
        switch name {
        case .dns(let text), .email(let text), .uri(let text): text.utf8.count
        case .ipAddress(let octets), .other(_, let octets), .unsupported(_, let octets): octets.count
        // Attributes are decoded and folded, which takes longer than comparing bytes.
        case .directory(let name): name.byteCount * 4
        case .registeredID: 0
        }
    }

    /// Whether a subtree makes sense.
    static func isWellFormed(_ subtree: GeneralName) -> Bool {
        switch subtree {
        case .ipAddress(let octets):
            guard octets.count == 8 || octets.count == 32 else { return false }
            return isContiguous(octets.suffix(octets.count / 2))
        case .dns(let base):
            return base.isEmpty || isHost(base.hasPrefix(".") ? base.dropFirst() : base[...])
        case .uri(let base):
            return isHost(base.hasPrefix(".") ? base.dropFirst() : base[...])
        case .email(let base):
            if let at = base.lastIndex(of: "@") {
                return isLocalPart(base[..<at]) && isHost(base[base.index(after: at)...])
            }
            return isHost(base.hasPrefix(".") ? base.dropFirst() : base[...])
        case .directory, .registeredID, .other, .unsupported:
            return true
        }
    }

    /// A name, or the base of a subtree, made ready: what every comparison would otherwise work out again.
    struct Prepared {
        let name: GeneralName
        let kind: Kind
        /// The host in lower case: of a DNS name or URI all of it, of a mailbox what is behind the `@`; nil where there is
        /// none that can be read.
        fileprivate let host: [UInt8]?
        /// What stands before the `@` of a mailbox.
        fileprivate let localPart: [UInt8]?

        /// Makes a name of a certificate ready.
        init(name: GeneralName) {
            self.name = name
            kind = Kind(name)
            var localPart: [UInt8]?
            switch name {
            case .dns(let text):
                let parent = text.hasPrefix("*.") ? text.dropFirst(2) : text[...]
                host = isHost(parent) ? Array(lowercaseASCII(text).utf8) : nil
            case .email(let text):
                let parts = NameConstraint.mailbox(text)
                host = parts.map { Array(lowercaseASCII($0.host).utf8) }
                localPart = parts.map { Array($0.local.utf8) }
            case .uri(let text):
                let found = uriHost(text).flatMap { IPAddress($0) == nil && isHost($0[...]) ? $0 : nil }
                host = found.map { Array($0.utf8) }
            case .ipAddress, .directory, .registeredID, .other, .unsupported:
                host = nil
            }
            self.localPart = localPart
        }

        /// Makes the base of a subtree ready.
        init(base: GeneralName) {
            name = base
            kind = Kind(base)
            var localPart: [UInt8]?
            switch base {
            case .dns(let text), .uri(let text):
                host = Array(lowercaseASCII(text).utf8)
            case .email(let text):
                let at = text.lastIndex(of: "@")
                localPart = at.map { Array(text[..<$0].utf8) }
                host = Array(lowercaseASCII(at.map { text[text.index(after: $0)...] } ?? text[...]).utf8)
            case .ipAddress, .directory, .registeredID, .other, .unsupported:
                host = nil
            }
            self.localPart = localPart
        }
    }

    /// Whether a name certainly lies in a subtree: what a permitted subtree must show. What cannot be read does not.
    static func mustLie(_ name: Prepared, in subtree: Prepared) -> Bool {
        compare(name, subtree, undecided: false)
    }

    /// Whether a name lies in a subtree or might: what an excluded subtree must rule out. What cannot be read might.
    static func couldLie(_ name: Prepared, in subtree: Prepared) -> Bool {
        compare(name, subtree, undecided: true)
    }

    private static func compare(_ name: Prepared, _ subtree: Prepared, undecided: Bool) -> Bool {
        switch (name.name, subtree.name) {
        case (.dns, .dns):
            return dns(name, subtree, undecided: undecided)
        case (.ipAddress(let address), .ipAddress(let block)):
            return ip(address, block, undecided: undecided)
        case (.email, .email):
            return email(name, subtree, undecided: undecided)
        case (.uri, .uri):
            guard let host = name.host, let base = subtree.host else { return undecided }
            return isHostOrBelow(host, base)
        case (.directory(let name), .directory(let base)):
            return undecided ? name.mightBeWithin(base) : name.isWithin(base)
        default:
            return undecided
        }
    }

    /// A name lies below a base when labels, and possibly none, put in front of the base give the name.
    private static func dns(_ name: Prepared, _ subtree: Prepared, undecided: Bool) -> Bool {
        guard let base = subtree.host else { return undecided }
        if base.isEmpty { return true }
        guard let host = name.host else { return undecided }
        guard host.starts(with: [0x2A, 0x2E]) else { return isBelow(host[...], base) }
        // A base with a dot in front has everything that the wildcard stands for when the parent is the base itself.
        if base.first == 0x2E { return isSuffix(base, of: host.dropFirst()) }
        let parent = host.dropFirst(2)
        if isBelow(parent, base) { return true }
        // The wildcard stands for every name directly under its parent, so that it might stand for the base.
        guard undecided, let dot = base.firstIndex(of: 0x2E) else { return false }
        return base[(dot + 1)...].elementsEqual(parent)
    }

    private static func isBelow(_ name: ArraySlice<UInt8>, _ base: [UInt8]) -> Bool {
        guard isSuffix(base, of: name) else { return false }
        // A base with a dot in front is not in RFC 5280 for DNS names, but certificates have it and mean names below.
        if base.first == 0x2E { return name.count > base.count }
        return name.count == base.count || name[name.endIndex - base.count - 1] == 0x2E
    }

    private static func isSuffix(_ end: [UInt8], of text: ArraySlice<UInt8>) -> Bool {
        text.count >= end.count && text.suffix(end.count).elementsEqual(end)
    }

    /// A base is a host, or with a dot in front the hosts below it.
    private static func isHostOrBelow(_ host: [UInt8], _ base: [UInt8]) -> Bool {
        base.first == 0x2E ? host.count > base.count && isSuffix(base, of: host[...]) : host == base
    }

    private static func ip(_ address: [UInt8], _ block: [UInt8], undecided: Bool) -> Bool {
        guard address.count == 4 || address.count == 16 else { return undecided }
        guard block.count == address.count * 2 else { return false }
        for index in address.indices {
            let mask = block[address.count + index]
            if address[index] & mask != block[index] & mask { return false }
        }
        return true
    }

    /// A base is a mailbox, a host, or with a dot in front a domain.
    private static func email(_ address: Prepared, _ subtree: Prepared, undecided: Bool) -> Bool {
        guard let host = address.host, let base = subtree.host else { return undecided }
        // The local part minds its case (RFC 5280, section 7.5).
        if let wanted = subtree.localPart { return address.localPart == wanted && host == base }
        return isHostOrBelow(host, base)
    }
}

extension NameConstraint {
    /// All names of a certificate that constraints are about.
    static func names(of subject: PathCertificate) -> [Prepared] {
        var names = subject.alternativeNames.value ?? []
        if !subject.subject.isEmpty { names.append(.directory(subject.subject)) }
        let hasEmail = names.contains { if case .email = $0 { true } else { false } }
        if !hasEmail {
            // RFC 5280, section 4.2.1.10: without an alternative name of the kind, the attribute of old counts.
            for attribute in subject.subject.relativeNames.joined()
            where attribute.type.octets == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1] {
                names.append(.email(attribute.text ?? ""))
            }
        }
        return names.map(Prepared.init(name:))
    }
}
