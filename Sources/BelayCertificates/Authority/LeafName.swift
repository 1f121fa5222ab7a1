/// The names that an authority writes into certificates, checked one by one: what an argument may not say a request may
/// not say either, and what is issued can be put into any configuration.
enum LeafName {
    /// A host as people or programs give it: a DNS name, a wildcard or an address.
    static func host(_ text: String) throws(PrivateAuthorityError) -> GeneralName {
        try checked(GeneralName(host: text))
    }

    /// A DNS name in lower case, or an address.
    static func checked(_ name: GeneralName) throws(PrivateAuthorityError) -> GeneralName {
        switch name {
        case .dns(let text):
            let host = String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
            if let fault = fault(host) {
                throw .unacceptable(
                    "'\(shortened(text))' is no name for a server: \(fault). Leave it out, or correct it")
            }
            return .dns(host)
        case .ipAddress(let octets):
            guard IPAddress(octets: octets) != nil else {
                throw .unacceptable("an address of \(octets.count) octets is none. Leave it out, or correct it")
            }
            return name
        default: throw .unacceptable("\(name) is no name for a server. Leave it out")
        }
    }

    /// Names with none of them twice, in their order.
    static func distinct(_ names: [GeneralName]) -> [GeneralName] {
        var seen: Set<GeneralName> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// An e-mail address that certificates can have (RFC 5280, section 4.2.1.6: a Mailbox without comment or name).
    static func email(_ text: String) throws(PrivateAuthorityError) -> GeneralName {
        let at = text.lastIndex(of: "@")
        let local = at.map { text[..<$0] } ?? ""
        let host = at.map { String(text[text.index(after: $0)...]) } ?? ""
        let isPlain = local.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),:;<>@[\\]".utf8.contains($0) }
        guard !local.isEmpty, isPlain, local.utf8.count <= 64, !host.hasPrefix("*"), fault(host.lowercased()) == nil
        else {
            throw .unacceptable("'\(shortened(text))' is no e-mail address. Write one such as ada@example.com")
        }
        return .email(text)
    }

    /// A text that people see, such as a common name; its kind is for the error.
    static func text(_ text: String, _ kind: String) throws(PrivateAuthorityError) {
        guard !text.isEmpty, text.unicodeScalars.count <= 64 else {
            // ub-common-name, ub-organization-name (RFC 5280, appendix A.1)
            throw .unacceptable("\(kind) has 1 to 64 characters. Give another")
        }
        guard !text.unicodeScalars.contains(where: \.isUnsafeToPrint) else {
            throw .unacceptable(
                "\(kind) '\(printable(text))' has a control character, which whoever reads it would not see. Give another"
            )
        }
    }

    /// Whether OpenSSL takes a common name for a host where a certificate has no DNS name, and so holds it to the
    /// constraints on DNS names (since 1.1.1; two labels or more of letters, digits, hyphens and underscores).
    static func looksLikeHost(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        return labels.count > 1
            && labels.allSatisfy { label in
                label.first != nil && label.first != 0x2D && label.last != 0x2D && label.allSatisfy(isHostOctet)
            }
    }

    /// What is wrong with a name in lower case (RFC 1123, section 2.1; RFC 9525, section 6.3); nil for nothing.
    private static func fault(_ host: String) -> String? {
        let isWildcard = host.hasPrefix("*.")
        let bare = isWildcard ? host.dropFirst(2) : host[...]
        guard !bare.isEmpty else { return "it is empty" }
        guard host.utf8.count <= 253 else { return "it is longer than 253 characters" }
        let labels = bare.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        for label in labels {
            if label.isEmpty { return "it has an empty label (two dots in a row, or a dot at an end)" }
            if label.count > 63 { return "a label is longer than 63 characters" }
            if label.contains(0x2A) { return "a wildcard stands for the whole first label, as in *.example.com" }
            guard label.allSatisfy(isHostOctet), label.first != 0x2D, label.last != 0x2D else {
                return
                    "the label '\(shortened(String(Substring(label))))' has a character that host names do not have, "
                    + "or a hyphen at an end"
            }
        }
        // A resolver would read a name that ends in a number as an address.
        if let last = labels.last, isNumber(last) { return "it looks like an address but is none" }
        if isWildcard, labels.count < 2 {
            return
                "a wildcard for all of '\(bare)' is refused everywhere; name two labels at least, as in *.example.com"
        }
        return nil
    }

    private static func isHostOctet(_ octet: UInt8) -> Bool {
        switch octet {
        // Underscores are no letters of host names, but the hosts of real services have them.
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }

    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.starts(with: [0x30, 0x78]) {
            return label.dropFirst(2).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        return label.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func shortened(_ text: String) -> String {
        printable(text.count > 80 ? text.prefix(60) + "…" : text)
    }
}
