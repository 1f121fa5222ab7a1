import BelayCertificates
import BelayTrust

/// The key that somebody meant who wrote one that no host matches, where only one can be meant.
package struct DomainKeyCorrection: Sendable, Hashable {
    /// The key as it has to be.
    package let key: String
    /// Whether what was written was for the names below it, which NSIncludesSubdomains says.
    package let coversSubdomains: Bool

    /// nil where nothing is wrong with the key, or where it is not certain what was meant.
    package init?(_ written: String) {
        guard let fault = DomainKeyFault(written) else { return nil }
        if fault == .empty || fault == .variable || written.utf8.count > 512 { return nil }
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        var text = String(written.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        guard !text.contains(where: isSpace) else { return nil }
        if let block = Self.block(text) {
            (key, coversSubdomains) = (block, false)
            return
        }
        // What is an address and no block is not a host with a path.
        if let slash = text.firstIndex(of: "/"), IPAddress(text[..<slash]) != nil { return nil }
        text = Self.host(text)
        if text.utf8.first == 0x5B, text.utf8.last == 0x5D { text = String(text.dropFirst().dropLast()) }
        if let address = IPAddress(text) {
            (key, coversSubdomains) = (address.description, false)
            return
        }
        let isWildcard = text.hasPrefix("*.")
        if isWildcard { text = String(text.dropFirst(2)) }
        if text.utf8.last == 0x2E { text = String(text.dropLast()) }
        // A host is in lower case and in A-labels where it is compared with keys.
        guard let name = try? ServerName(text).description, IPAddress(name) == nil, DomainKeyFault(name) == nil else {
            return nil
        }
        (key, coversSubdomains) = (name, isWildcard)
    }

    /// Without scheme, path and port: none of them ever counts.
    private static func host(_ text: String) -> String {
        var rest = text[...]
        if let colon = rest.firstIndex(of: ":"), rest[colon...].hasPrefix("://") {
            rest = rest[rest.index(colon, offsetBy: 3)...]
        }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let colon = rest.lastIndex(of: ":") else { return String(rest) }
        let port = rest[rest.index(after: colon)...]
        let host = rest[..<colon]
        let isPort = port.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } && (!host.contains(":") || host.hasSuffix("]"))
        return String(isPort ? host : rest)
    }

    /// A block of addresses in its usual form. A prefix that begins with a zero may be meant as it looks or as it is read.
    private static func block(_ text: String) -> String? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.first != 0x30 || parts[1] == "0" else { return nil }
        if let read = AddressBlockKey(text) { return read.block.text }
        guard let address = IPAddress(parts[0]), let length = Int(parts[1]), length >= 0,
            length <= address.octets.count * 8
        else { return nil }
        let block = AddressBlock(of: address, prefixLength: length).text
        return DomainKeyFault(block) == nil ? block : nil
    }
}
