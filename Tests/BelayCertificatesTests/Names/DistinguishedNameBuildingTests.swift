import BelayCertificates
import Testing

@Suite("Making distinguished names")
struct DistinguishedNameBuildingTests {
    @Test("A name is encoded as RFC 5280 has it, byte for byte")
    func encodes() {
        let name = DistinguishedName(commonName: "A", organization: "Bé", country: "DE")
        #expect(
            name.der
                == [0x30, 0x27]
                + [0x31, 0x0B, 0x30, 0x09, 0x06, 3, 0x55, 4, 6, 0x13, 2, 0x44, 0x45]
                + [0x31, 0x0C, 0x30, 0x0A, 0x06, 3, 0x55, 4, 10, 0x0C, 3, 0x42, 0xC3, 0xA9]
                + [0x31, 0x0A, 0x30, 0x08, 0x06, 3, 0x55, 4, 3, 0x0C, 1, 0x41])
        #expect(name.description == "CN=A,O=Bé,C=DE")
        #expect(name.commonName == "A")
    }

    @Test("A name without attributes is empty")
    func encodesEmpty() {
        #expect(DistinguishedName.empty.der == [0x30, 0])
        #expect(DistinguishedName(commonName: nil) == .empty)
        #expect(DistinguishedName.empty.isEmpty)
    }

    @Test("Attributes of one relative name are sorted as DER demands")
    func sortsSet() throws {
        let name = DistinguishedName(relativeNames: [
            [
                .init(type: .organizationalUnit, text: "b"), .init(type: .commonName, text: "a"),
            ]
        ])
        #expect(name.description == "CN=a+OU=b")
        #expect(try DistinguishedName(der: name.der) == name)
    }
}
