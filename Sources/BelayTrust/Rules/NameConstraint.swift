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
        case .directory(let name): name.byteCount
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

    /// Whether a name certainly lies in a subtree: what a permitted subtree must show. What cannot be read does not.
    static func mustLie(_ name: GeneralName, in subtree: GeneralName) -> Bool {
        compare(name, subtree, undecided: false)
    }

    /// Whether a name lies in a subtree or might: what an excluded subtree must rule out. What cannot be read might.
    static func couldLie(_ name: GeneralName, in subtree: GeneralName) -> Bool {
        compare(name, subtree, undecided: true)
    }

    private static func compare(_ name: GeneralName, _ subtree: GeneralName, undecided: Bool) -> Bool {
        switch (name, subtree) {
        case (.dns(let name), .dns(let base)):
            return dns(name, base, undecided: undecided)
        case (.ipAddress(let address), .ipAddress(let block)):
            return ip(address, block, undecided: undecided)
        case (.email(let address), .email(let base)):
            return email(address, base, undecided: undecided)
        case (.uri(let uri), .uri(let base)):
            return self.uri(uri, base, undecided: undecided)
        case (.directory(let name), .directory(let base)):
            return undecided ? name.mightBeWithin(base) : name.isWithin(base)
        default:
            return undecided
        }
    }

    /// A name lies below a base when labels, and possibly none, put in front of the base give the name.
    private static func dns(_ name: String, _ base: String, undecided: Bool) -> Bool {
        if base.isEmpty { return true }
        let name = lowercaseASCII(name)
        let base = lowercaseASCII(base)
        if name.hasPrefix("*.") {
            let parent = name.dropFirst(2)
            guard isHost(parent) else { return undecided }
            // A base with a dot in front has everything that the wildcard stands for when the parent is the base itself.
            if base.hasPrefix(".") { return ("." + parent).hasSuffix(base) }
            if isBelow(parent, base) { return true }
            // The wildcard stands for every name directly under its parent, so that it might stand for the base.
            guard undecided, let dot = base.firstIndex(of: ".") else { return false }
            return base[base.index(after: dot)...] == parent
        }
        guard isHost(name[...]) else { return undecided }
        return isBelow(name[...], base)
    }

    private static func isBelow(_ name: Substring, _ base: String) -> Bool {
        // A base with a dot in front is not in RFC 5280 for DNS names, but certificates have it and mean names below.
        if base.hasPrefix(".") { return name.hasSuffix(base) && name.utf8.count > base.utf8.count }
        return name == base || name.hasSuffix("." + base)
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
    private static func email(_ address: String, _ base: String, undecided: Bool) -> Bool {
        guard let at = address.lastIndex(of: "@"), at != address.startIndex else { return undecided }
        let local = address[..<at]
        let host = lowercaseASCII(address[address.index(after: at)...])
        guard isHost(host[...]), isLocalPart(local) else { return undecided }
        if let baseAt = base.lastIndex(of: "@") {
            return local == base[..<baseAt] && host == lowercaseASCII(base[base.index(after: baseAt)...])
        }
        let base = lowercaseASCII(base)
        return base.hasPrefix(".") ? host.hasSuffix(base) && host.utf8.count > base.utf8.count : host == base
    }

    /// Whether a text is what may stand before the `@` of a mailbox: words with single dots between, or a quoted string
    /// (RFC 5321, section 4.1.2). Nobody could say whose mailbox anything else is.
    private static func isLocalPart(_ text: Substring) -> Bool {
        let units = Array(text.utf8)
        if units.first == 0x22 { return isQuoted(units) }
        var wasDot = true
        for unit in units {
            if unit == 0x2E {
                if wasDot { return false }
                wasDot = true
            } else {
                guard isAtomCharacter(unit) else { return false }
                wasDot = false
            }
        }
        return !wasDot
    }

    /// Whether octets are a string in quotation marks, with a backslash before each mark and backslash inside.
    private static func isQuoted(_ units: [UInt8]) -> Bool {
        guard units.count >= 2, units.last == 0x22 else { return false }
        var isEscaped = false
        for unit in units.dropFirst().dropLast() {
            guard (0x20...0x7E).contains(unit) else { return false }
            if isEscaped {
                isEscaped = false
            } else if unit == 0x5C {
                isEscaped = true
            } else if unit == 0x22 {
                return false
            }
        }
        return !isEscaped
    }

    /// atext of RFC 5322, section 3.2.3: printable, without the characters that structure addresses.
    private static func isAtomCharacter(_ unit: UInt8) -> Bool {
        (0x21...0x7E).contains(unit) && !#""(),.:;<>@[\]"#.utf8.contains(unit)
    }

    /// A base is a host, or with a dot in front the hosts below it; the URI must name a host that is no address.
    private static func uri(_ uri: String, _ base: String, undecided: Bool) -> Bool {
        guard let host = uriHost(uri), IPAddress(host) == nil, isHost(host[...]) else { return undecided }
        let base = lowercaseASCII(base)
        return base.hasPrefix(".") ? host.hasSuffix(base) && host.utf8.count > base.utf8.count : host == base
    }

    /// The host of the authority of a URI (RFC 3986, section 3.2), in lower case.
    private static func uriHost(_ uri: String) -> String? {
        guard uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let colon = uri.firstIndex(of: ":"),
            isScheme(uri[..<colon]), uri[colon...].hasPrefix("://")
        else { return nil }
        var authority = uri[uri.index(colon, offsetBy: 3)...]
        if let end = authority.firstIndex(where: { $0 == "/" || $0 == "?" || $0 == "#" }) {
            authority = authority[..<end]
        }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { return nil }
            return String(authority[...close])
        }
        if let port = authority.firstIndex(of: ":") { authority = authority[..<port] }
        return authority.isEmpty ? nil : lowercaseASCII(authority)
    }

    /// Whether a text is the scheme of a URI (RFC 3986, section 3.1).
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (0x41...0x5A).contains(first & 0xDF) else { return false }
        return text.utf8.allSatisfy { unit in
            (0x41...0x5A).contains(unit & 0xDF) || (0x30...0x39).contains(unit) || [0x2B, 0x2D, 0x2E].contains(unit)
        }
    }

    /// Whether a text has the form of a host name: labels of letters, digits, hyphens and underscores, one dot between.
    private static func isHost(_ text: some StringProtocol) -> Bool {
        var length = 0
        for unit in text.utf8 {
            if unit == 0x2E {
                guard length > 0 else { return false }
                length = 0
            } else {
                guard unit.isHostCharacter else { return false }
                length += 1
                if length > 63 { return false }
            }
        }
        return length > 0
    }

    /// Whether a mask is ones followed by zeros (RFC 4632, as RFC 5280 demands).
    private static func isContiguous(_ mask: ArraySlice<UInt8>) -> Bool {
        var ended = false
        for octet in mask {
            if ended {
                guard octet == 0 else { return false }
            } else if octet != 0xFF {
                guard ~octet & (~octet &+ 1) == 0 else { return false }
                ended = true
            }
        }
        return true
    }
}
