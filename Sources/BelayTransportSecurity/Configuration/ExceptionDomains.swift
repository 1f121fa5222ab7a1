import BelayCertificates

/// The exceptions of an app, found by hash: the number of entries does not slow a look-up.
public struct ExceptionDomains: Sendable {
    /// The app's own entries that count, in the order of the file. Values that are no dictionaries are none.
    public private(set) var entries: [ExceptionDomain] = []
    private var byKey: [LiteralKey: ExceptionDomain]
    private var blocks: [AddressBlock: ExceptionDomain] = [:]
    /// The lengths of the prefixes that blocks have, the longest first: of IPv4, and of IPv6.
    private var prefixLengths: (short: [Int], long: [Int]) = ([], [])

    init() { byKey = Self.builtIn }

    private static let builtIn: [LiteralKey: ExceptionDomain] = Dictionary(
        ExceptionDomain.builtIn.map { (LiteralKey($0.key), $0) }, uniquingKeysWith: { first, _ in first })

    /// Adds an entry.
    ///
    /// - Returns: the key of the entry whose block of addresses it repeats in another spelling; that one stays.
    mutating func add(_ domain: ExceptionDomain) -> String? {
        entries.append(domain)
        guard domain.key.utf8.contains(UInt8(ascii: "/")) else {
            byKey[LiteralKey(domain.key)] = domain
            return nil
        }
        guard let block = AddressBlockKey(domain.key)?.block else { return nil }
        if let known = blocks[block] { return known.key }
        blocks[block] = domain
        if block.octets.count == 4 {
            Self.insert(block.prefixLength, into: &prefixLengths.short)
        } else {
            Self.insert(block.prefixLength, into: &prefixLengths.long)
        }
        return nil
    }

    private static func insert(_ length: Int, into lengths: inout [Int]) {
        guard !lengths.contains(length) else { return }
        lengths.insert(length, at: lengths.firstIndex { $0 < length } ?? lengths.endIndex)
    }

    /// The entry with a key.
    func entry(_ key: some StringProtocol) -> ExceptionDomain? { byKey[LiteralKey(key)] }

    /// The entry for the smallest block that an address is in.
    func entry(around address: IPAddress) -> ExceptionDomain? {
        for length in address.octets.count == 4 ? prefixLengths.short : prefixLengths.long {
            if let found = blocks[AddressBlock(of: address, prefixLength: length)] { return found }
        }
        return nil
    }
}
