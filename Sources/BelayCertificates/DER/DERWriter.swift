/// Writes DER: elements made from the inside out.
public enum DERWriter {
    /// An element: tag, shortest length, contents.
    public static func element(_ tag: DERTag, _ contents: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = [tag.rawValue]
        let count = contents.count
        if count < 0x80 {
            result.append(UInt8(count))
        } else {
            var octets: [UInt8] = []
            var rest = count
            while rest > 0 {
                octets.insert(UInt8(rest & 0xFF), at: 0)
                rest >>= 8
            }
            result.append(0x80 | UInt8(octets.count))
            result += octets
        }
        result += contents
        return result
    }

    /// A SEQUENCE of finished elements.
    public static func sequence(_ elements: [UInt8]...) -> [UInt8] {
        element(.sequence, elements.flatMap { $0 })
    }

    /// A SET OF finished elements, in the order that DER demands (X.690, 11.6).
    public static func set(of elements: [[UInt8]]) -> [UInt8] {
        element(.set, elements.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 })
    }

    /// An INTEGER from big-endian octets of a number that is not negative.
    public static func integer(_ magnitude: some Collection<UInt8>) -> [UInt8] {
        var octets = Array(magnitude.drop { $0 == 0 })
        if octets.first.map({ $0 & 0x80 != 0 }) ?? true { octets.insert(0, at: 0) }
        return element(.integer, octets)
    }

    /// An INTEGER that is not negative; a negative value is written as zero.
    public static func integer(_ value: Int) -> [UInt8] {
        let magnitude = UInt64(max(value, 0))
        return integer((0..<8).map { UInt8(truncatingIfNeeded: magnitude >> (56 - $0 * 8)) })
    }

    /// A BOOLEAN.
    public static func boolean(_ value: Bool) -> [UInt8] {
        element(.boolean, [value ? 0xFF : 0x00])
    }

    /// An OBJECT IDENTIFIER.
    public static func objectIdentifier(_ identifier: OID) -> [UInt8] {
        element(.objectIdentifier, identifier.octets)
    }

    /// A BIT STRING of whole octets.
    public static func bitString(_ octets: [UInt8]) -> [UInt8] {
        element(.bitString, [0] + octets)
    }

    /// A named bit list of at most 16 bits, bit 0 the most significant, without trailing zeros (X.690, 11.2.2).
    public static func namedBits(_ bits: UInt16, _ tag: DERTag = .bitString) -> [UInt8] {
        guard bits != 0 else { return element(tag, [0]) }
        let octets = [UInt8(bits >> 8), UInt8(bits & 0xFF)]
        let used = bits & 0xFF != 0 ? octets : [octets[0]]
        return element(tag, [UInt8(used[used.count - 1].trailingZeroBitCount)] + used)
    }

    /// A time in the form of RFC 5280, section 4.1.2.5: UTCTime from 1950 through 2049, GeneralizedTime otherwise.
    public static func time(_ seconds: Int64) -> [UInt8] { time(seconds, isAlwaysGeneralized: false) }

    /// The same, or as GeneralizedTime whatever the year.
    static func time(_ seconds: Int64, isAlwaysGeneralized: Bool) -> [UInt8] {
        let parts = CivilTime.components(of: seconds)
        func digits(_ value: Int, _ width: Int) -> [UInt8] {
            let text = Array(String(value).utf8)
            return [UInt8](repeating: 0x30, count: max(0, width - text.count)) + text
        }
        let isUTC = !isAlwaysGeneralized && (1950...2049).contains(parts.year)
        let year = isUTC ? digits(parts.year % 100, 2) : digits(parts.year, 4)
        let rest = [parts.month, parts.day, parts.hour, parts.minute, parts.second].flatMap { digits($0, 2) }
        return element(isUTC ? .utcTime : .generalizedTime, year + rest + [0x5A])
    }
}
