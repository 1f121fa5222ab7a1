import BelayCertificates

/// An IPv6 address with the zone that a link-local one has (RFC 4007, section 11).
package struct ScopedAddress {
    /// The address, without the zone.
    package let address: IPAddress
    /// The interface, by name or number; nil for an address without a zone.
    package let zone: String?

    /// Reads an IPv6 address with or without brackets, and behind a link-local one a zone: `fe80::1%eth0`, or `%25eth0` as
    /// URLs write it (RFC 6874). Other addresses have none.
    package init?(_ text: String) {
        guard let mark = text.utf8.firstIndex(of: 0x25) else {
            guard let address = IPAddress(text), address.octets.count == 16 else { return nil }
            (self.address, zone) = (address, nil)
            return
        }
        let isBracketed = text.utf8.first == 0x5B
        guard !isBracketed || text.utf8.last == 0x5D else { return nil }
        var name = text[text.utf8.index(after: mark)...]
        if isBracketed { name = name.dropLast() }
        if name.hasPrefix("25"), name.utf8.count > 2 { name = name.dropFirst(2) }
        guard let address = IPAddress(text[..<mark].drop { $0 == "[" }), address.octets.count == 16,
            address.octets[0] == 0xFE, address.octets[1] & 0xC0 == 0x80, !name.isEmpty,
            name.utf8.allSatisfy({ $0.isHostCharacter || $0 == 0x2E || $0 == 0x7E })
        else { return nil }
        (self.address, zone) = (address, String(name))
    }
}
