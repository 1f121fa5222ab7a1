import BelayCertificates
import Testing

@Suite("Distinguished names: matching")
struct DistinguishedNameTests {
    private static let commonName: [UInt8] = [0x55, 4, 3]
    private static let organization: [UInt8] = [0x55, 4, 10]

    /// A name of relative names of (type, tag, octets).
    private func name(_ relative: [([UInt8], DERTag, [UInt8])]...) throws -> DistinguishedName {
        try DistinguishedName(
            der: DERWriter.element(
                .sequence,
                relative.flatMap { attributes in
                    DERWriter.set(
                        of: attributes.map {
                            DERWriter.sequence(
                                DERWriter.element(.objectIdentifier, $0.0), DERWriter.element($0.1, $0.2))
                        })
                }))
    }

    private func commonName(_ tag: DERTag, _ text: String) throws -> DistinguishedName {
        try name([(Self.commonName, tag, Array(text.utf8))])
    }

    @Test("case, kind of string and runs of spaces do not matter, and equal names have equal hashes")
    func equal() throws {
        let names = try [
            commonName(.utf8String, "Example Root"), commonName(.printableString, "example ROOT"),
            commonName(.ia5String, " Example  Root "), commonName(.teletexString, "EXAMPLE   root"),
        ]
        for left in names {
            for right in names {
                #expect(left == right)
                #expect(left.hashValue == right.hashValue)
                #expect(left.canonicalHash == right.canonicalHash)
            }
        }
    }

    @Test("anything else matters")
    func different() throws {
        let base = try commonName(.utf8String, "ab")
        let others = try [
            commonName(.utf8String, "a b"), commonName(.utf8String, "abc"), commonName(.utf8String, ""),
            commonName(.utf8String, "a\u{A0}b"), commonName(.bmpString, "ab"), commonName(.octetString, "ab"),
            name([(Self.organization, .utf8String, [0x61, 0x62])]), name(),
            name([(Self.commonName, .utf8String, [0x61, 0x62])], [(Self.commonName, .utf8String, [0x61, 0x62])]),
            name([(Self.commonName, .utf8String, [0x61]), (Self.organization, .utf8String, [0x62])]),
        ]
        for other in others { #expect(base != other && other != base, "\(other)") }
        // Two attributes in one relative name, and in two.
        let a = (Self.commonName, DERTag.utf8String, [UInt8(0x61)])
        let b = (Self.organization, DERTag.utf8String, [UInt8(0x62)])
        #expect(try name([a, b]) != name([a], [b]))
        #expect(try name([a], [b]) != name([b], [a]))
    }

    @Test("kinds of strings that are not text never equal text, nor each other, of the same octets")
    func kindsOfStrings() throws {
        let octets: [UInt8] = [0x1E, 0x61, 0x62]
        let names =
            try [DERTag.utf8String, .bmpString, .universalString, .octetString, .bitString].map {
                try name([(Self.commonName, $0, octets)])
            } + [try name([(Self.commonName, .bmpString, [0x61, 0x62])])]
        for (index, left) in names.enumerated() {
            for (other, right) in names.enumerated() {
                #expect((left == right) == (index == other), "\(index) \(other)")
            }
        }
    }

    @Test("equality and hashes agree for a thousand names out of few parts")
    func hashes() throws {
        let tags: [DERTag] = [.utf8String, .printableString, .bmpString]
        let texts = ["a", "A", " a", "a a", "a  A", "\u{1E}a"]
        var names: [DistinguishedName] = []
        for tag in tags {
            for text in texts {
                for type in [Self.commonName, Self.organization] {
                    let single = (type, tag, Array(text.utf8))
                    names.append(try name([single]))
                    names.append(try name([single], [(Self.commonName, .utf8String, [0x61])]))
                }
            }
        }
        for left in names {
            for right in names where left == right {
                #expect(right == left)
                #expect(left.canonicalHash == right.canonicalHash)
            }
        }
    }

    @Test("a name lies within those that it begins with, by whole relative names")
    func within() throws {
        let a = (Self.organization, DERTag.utf8String, [UInt8(0x61)])
        let b = (Self.commonName, DERTag.utf8String, [UInt8(0x62)])
        let long = try name([a], [b])
        for base in try [name(), name([a]), long] { #expect(long.isWithin(base) && long.mightBeWithin(base)) }
        for base in try [name([b]), name([a], [b], [b]), name([a, b]), name([b], [a])] {
            #expect(!long.isWithin(base) && !long.mightBeWithin(base))
        }
        #expect(try !name([a, b]).isWithin(name([a])))
    }

    @Test("malformed names are refused")
    func malformed() {
        for bytes: [UInt8] in [
            [], [0x31, 0], [0x30, 2, 0x31, 0], [0x30, 4, 0x31, 2, 0x30, 0], [0x30, 1], [0x30, 0, 0],
            [0x30, 9, 0x31, 7, 0x30, 5, 6, 3, 0x55, 4, 3],
        ] {
            #expect(throws: DERError.self, "\(bytes)") { try DistinguishedName(der: bytes) }
        }
    }

    @Test("text is printed as RFC 4514 has it, and cannot steer a terminal")
    func printing() throws {
        #expect(try commonName(.utf8String, "a,b+c\"d\\e<f>;g").description == "CN=a\\,b\\+c\\\"d\\\\e\\<f\\>\\;g")
        #expect(try commonName(.utf8String, " #a ").description == "CN=\\ #a\\ ")
        #expect(try commonName(.utf8String, "#a").description == "CN=\\#a")
        #expect(try commonName(.utf8String, "a\u{1B}[31m\0").description == "CN=a\\1b[31m\\00")
        #expect(try commonName(.utf8String, "\u{202E}x").description == "CN=\\e2\\80\\aex")
        #expect(try name([(Self.commonName, .utf8String, [0xFF])]).description == "CN=#0c01ff")
        #expect(try name([(Self.commonName, .bmpString, [0, 0x61])]).description == "CN=a")
    }
}
