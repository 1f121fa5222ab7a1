import BelayCertificates
import BelayTrust

/// Positions by pattern, found for a host from the most specific to the least, at a cost that does not grow with their
/// number.
struct HostPatternIndex: Sendable {
    private struct Block: Sendable, Hashable {
        let base: IPAddress
        let prefixLength: Int
    }

    private var exact: [String: Int] = [:]
    private var oneLabel: [String: Int] = [:]
    private var anyDepth: [String: Int] = [:]
    private var addresses: [IPAddress: Int] = [:]
    private var blocks: [Block: Int] = [:]
    /// The lengths of prefixes that there are, by the number of octets of an address, the longest first.
    private var prefixLengths: [Int: [Int]] = [:]

    /// Puts a position under a pattern; false where there is one already.
    mutating func insert(_ position: Int, for pattern: HostPattern) -> Bool {
        switch pattern.kind {
        case .exact(let name): return Self.put(position, under: name, in: &exact)
        case .oneLabel(let name): return Self.put(position, under: name, in: &oneLabel)
        case .anyDepth(let name): return Self.put(position, under: name, in: &anyDepth)
        case .address(let address): return Self.put(position, under: address, in: &addresses)
        case .block(let base, let length):
            guard Self.put(position, under: Block(base: base, prefixLength: length), in: &blocks) else { return false }
            var lengths = prefixLengths[base.octets.count] ?? []
            if !lengths.contains(length) { lengths.append(length) }
            prefixLengths[base.octets.count] = lengths.sorted(by: >)
            return true
        }
    }

    /// The first answer to a position whose pattern is for the host, the most specific pattern first.
    func first<Answer>(for host: ServerName, where answer: (Int) -> Answer?) -> Answer? {
        switch host {
        case .dns(let name): firstByName(name, answer)
        case .ip(let address): firstByAddress(address, answer)
        }
    }

    private func firstByName<Answer>(_ name: String, _ answer: (Int) -> Answer?) -> Answer? {
        if let found = exact[name].flatMap(answer) { return found }
        var rest = name[...]
        let parent = name.firstIndex(of: ".").map { name[name.index(after: $0)...] }
        if !oneLabel.isEmpty, let parent, let found = oneLabel[String(parent)].flatMap(answer) { return found }
        guard !anyDepth.isEmpty else { return nil }
        while true {
            if let found = anyDepth[String(rest)].flatMap(answer) { return found }
            guard let dot = rest.firstIndex(of: ".") else { return nil }
            rest = rest[rest.index(after: dot)...]
        }
    }

    private func firstByAddress<Answer>(_ address: IPAddress, _ answer: (Int) -> Answer?) -> Answer? {
        if let found = addresses[address].flatMap(answer) { return found }
        for length in prefixLengths[address.octets.count] ?? [] {
            guard let base = address.prefix(length) else { continue }
            if let found = blocks[Block(base: base, prefixLength: length)].flatMap(answer) { return found }
        }
        return nil
    }

    private static func put<Key: Hashable>(_ position: Int, under key: Key, in table: inout [Key: Int]) -> Bool {
        guard table[key] == nil else { return false }
        table[key] = position
        return true
    }
}

extension IPAddress {
    /// The address with all but the first bits zero.
    fileprivate func prefix(_ bits: Int) -> IPAddress? {
        IPAddress(
            octets: octets.enumerated().map { index, octet in
                let rest = bits - index * 8
                return rest >= 8 ? octet : rest <= 0 ? 0 : octet & ~(0xFF >> UInt8(rest))
            })
    }
}
