import BelayCertificates

/// A block of addresses (RFC 4632): those that share a prefix.
struct AddressBlock: Hashable, Sendable {
    /// The first address.
    let octets: [UInt8]
    /// How many bits count.
    let prefixLength: Int

    /// The block of a prefix that an address is in.
    init(of address: IPAddress, prefixLength: Int) {
        octets = address.octets.enumerated().map { index, octet in
            let rest = prefixLength - index * 8
            return rest >= 8 ? octet : rest <= 0 ? 0 : octet & ~(0xFF >> UInt8(rest))
        }
        self.prefixLength = prefixLength
    }

    /// The block in its usual form, for example `192.0.2.0/24`.
    var text: String { (IPAddress(octets: octets)?.description ?? "") + "/\(prefixLength)" }
}

/// A key of NSExceptionDomains that is a block of addresses, read as Apple's systems read it (`cidr_string_to_subnet_and_mask`).
///
/// Theirs is a reader of its own: short forms of IPv4 are filled up with zeros (`192.168/16`), IPv6 without `::` gets one at its end,
/// addresses that fill its buffer are refused (`192.168.100.10/24` with its 14 characters), and the prefix is a number as C's
/// `strtol` reads them, so that `/024` is 20.
struct AddressBlockKey {
    let block: AddressBlock
    /// Whether it is written in the usual form: whole address, decimal prefix.
    let isUsual: Bool
    /// Whether bits behind the prefix are set; they are masked.
    let hasHostBits: Bool

    /// nil where it is a block to nobody.
    init?(_ key: String) {
        guard let slash = key.firstIndex(of: "/") else { return nil }
        let base = key[..<slash]
        let prefix = key[key.index(after: slash)...]
        let isIPv6 = base.utf8.contains(0x3A)
        // The longest texts that its buffers hold.
        guard base.utf8.count < (isIPv6 ? 38 : 14), Self.isOfAddresses(base, isIPv6),
            let length = Self.prefixLength(prefix), length <= (isIPv6 ? 128 : 32),
            let address = IPAddress(isIPv6 ? Self.filledIPv6(base) : Self.filledIPv4(base))
        else { return nil }
        block = AddressBlock(of: address, prefixLength: length)
        hasHostBits = block.octets != address.octets
        isUsual = key == "\(address)/\(length)"
    }

    private static func isOfAddresses(_ base: Substring, _ isIPv6: Bool) -> Bool {
        !base.isEmpty
            && base.utf8.allSatisfy { unit in
                switch unit {
                case 0x30...0x39, 0x2E: true
                case 0x41...0x46, 0x61...0x66, 0x3A: isIPv6
                default: false
                }
            }
    }

    /// A number as `strtol` with base 0 reads it: octal after a zero, up to the first character that is no digit of it.
    private static func prefixLength(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 16, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return nil
        }
        guard text.utf8.first == 0x30 else { return Int(text) }
        let octal = text.prefix { $0.isWholeNumber && $0 < "8" }
        return Int(octal, radix: 8)
    }

    private static func filledIPv4(_ base: Substring) -> String {
        let missing = max(0, 3 - base.utf8.count(where: { $0 == 0x2E }))
        return base + String(repeating: ".0", count: missing)
    }

    private static func filledIPv6(_ base: Substring) -> String {
        let colons = base.utf8.count(where: { $0 == 0x3A })
        let isShort = !zip(base.utf8, base.utf8.dropFirst()).contains { $0 == 0x3A && $1 == 0x3A } && colons < 7
        // One at the end is the first half of it.
        return isShort ? base + (base.utf8.last == 0x3A ? ":" : "::") : String(base)
    }
}
