import BelayCertificates

/// The forms of the parts of names.
extension NameConstraint {
    /// The two parts of a mailbox; nil for what is none.
    static func mailbox(_ text: String) -> (local: Substring, host: Substring)? {
        guard let at = text.lastIndex(of: "@"), isLocalPart(text[..<at]) else { return nil }
        let host = text[text.index(after: at)...]
        return isHost(host) ? (text[..<at], host) : nil
    }

    /// Whether a text is what may stand before the `@` of a mailbox: words with single dots between, or a quoted string
    /// (RFC 5321, section 4.1.2). Nobody could say whose mailbox anything else is.
    static func isLocalPart(_ text: Substring) -> Bool {
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

    /// The host of the authority of a URI (RFC 3986, section 3.2), in lower case.
    static func uriHost(_ uri: String) -> String? {
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
    static func isHost(_ text: some StringProtocol) -> Bool {
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
    static func isContiguous(_ mask: ArraySlice<UInt8>) -> Bool {
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
