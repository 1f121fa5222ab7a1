/// A distinguished name (RFC 5280, section 4.1.2.4): a value over its DER bytes.
///
/// Two names are equal when they match by the rules of RFC 5280, section 7.1, as far as ASCII goes: the attributes in
/// the same order, letters compared without case, and runs of spaces as one. The kind of string does not matter.
public struct DistinguishedName: Sendable {
    private let bytes: [UInt8]
    private let range: Range<Int>

    /// Takes a Name, tag and length included, that a walk has checked.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    /// Reads a Name.
    ///
    /// - Throws: ``DERError`` where the bytes are not one in DER.
    public init(der: [UInt8]) throws(DERError) {
        var reader = DERReader(der)
        range = try CertificateLayout.readName(&reader)
        try reader.finish()
        bytes = der
    }

    /// The Name in DER.
    public var der: [UInt8] { Array(bytes[range]) }

    /// The relative names in DER, one after the other, without what holds them together.
    var relativeNamesDER: [UInt8] {
        var reader = DERReader(bytes, in: range)
        return (try? reader.read(.sequence)).map { Array(bytes[$0]) } ?? []
    }

    /// How many bytes the Name in DER has.
    package var byteCount: Int { range.count }

    /// Whether the name has no attribute at all, as the subject of a certificate with alternative names may.
    public var isEmpty: Bool { range.count <= 2 }

    /// The attributes in order, one list for each relative distinguished name.
    public var relativeNames: [[Attribute]] { relativeNames(first: .max) }

    /// The attributes of the first so many relative distinguished names.
    func relativeNames(first count: Int) -> [[Attribute]] {
        var names: [[Attribute]] = []
        var walk = NameWalk(bytes, in: range)
        while let step = walk.next() {
            if step.startsRelativeName && names.count == count { break }
            let attribute = Attribute(
                type: OID(octets: bytes[step.type]), tag: step.tag, octets: Array(bytes[step.value]))
            if step.startsRelativeName || names.isEmpty {
                names.append([attribute])
            } else {
                names[names.count - 1].append(attribute)
            }
        }
        return names
    }

    /// The first common name, if there is one. It is for people to read and never compared with a host.
    public var commonName: String? {
        relativeNames.joined().first { $0.type.octets == [0x55, 4, 3] }?.text
    }

    /// Whether this name lies in the subtree of `base`: its first relative names are those of `base`
    /// (RFC 5280, section 4.2.1.10).
    public func isWithin(_ base: DistinguishedName) -> Bool {
        var mine = NameWalk(bytes, in: range)
        var theirs = NameWalk(base.bytes, in: base.range)
        while let wanted = theirs.next() {
            guard let found = mine.next(), found.matches(wanted, bytes, base.bytes) else { return false }
        }
        // A relative name of several attributes must be matched whole.
        guard let following = mine.next() else { return true }
        return following.startsRelativeName
    }

    /// An attribute: a type and a value.
    public struct Attribute: Sendable, Hashable {
        /// The type.
        public let type: OID
        /// The kind of string.
        public let tag: DERTag
        /// The octets of the value, not decoded.
        public let octets: [UInt8]

        /// The value as text; nil where its octets are not what the kind of string demands.
        public var text: String? {
            switch tag {
            case .utf8String:
                return String(validating: octets, as: UTF8.self)
            case .printableString, .ia5String:
                return octets.allSatisfy { $0 < 0x80 } ? String(decoding: octets, as: UTF8.self) : nil
            case .teletexString:
                // Everybody who still writes it means Latin-1.
                return String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
            case .bmpString:
                guard octets.count.isMultiple(of: 2) else { return nil }
                let units = stride(from: 0, to: octets.count, by: 2).map {
                    UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1])
                }
                return String(validating: units, as: UTF16.self)
            default:
                return nil
            }
        }
    }
}

extension DistinguishedName: Hashable {
    /// Whether the names match (RFC 5280, section 7.1).
    public static func == (left: DistinguishedName, right: DistinguishedName) -> Bool {
        if left.bytes[left.range].elementsEqual(right.bytes[right.range]) { return true }
        var mine = NameWalk(left.bytes, in: left.range)
        var theirs = NameWalk(right.bytes, in: right.range)
        while let step = mine.next() {
            guard let other = theirs.next(), step.matches(other, left.bytes, right.bytes) else { return false }
        }
        return theirs.next() == nil
    }

    /// Hashes the canonical form: names that match have the same hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(canonicalHash)
    }

    /// A hash of the canonical form: equal names have equal hashes, in every process.
    package var canonicalHash: UInt64 {
        // FNV-1a: a table's key, not a defence; equality is always checked after it.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var walk = NameWalk(bytes, in: range)
        while let step = walk.next() {
            for index in step.type { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
            var value = CanonicalValue(bytes, step)
            while let octet = value.next() { hash = (hash ^ UInt64(octet)) &* 0x100_0000_01B3 }
        }
        return hash
    }
}
