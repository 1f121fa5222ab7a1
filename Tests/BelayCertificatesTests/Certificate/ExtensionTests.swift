import BelayCertificates
import Testing

@Suite("Extensions")
struct ExtensionTests {
    /// A certificate with an extension of these contents.
    private func certificate(_ arc: Int, _ value: [UInt8], isCritical: Bool = false) throws -> Certificate {
        let identifier = try #require(OID(dotted: "2.5.29.\(arc)"))
        return try certificate(CertificateExtension(identifier: identifier, isCritical: isCritical, value: value))
    }

    private func certificate(_ added: CertificateExtension) throws -> Certificate {
        let world = try World.ecdsa.get()
        var template = CertificateTemplate(subject: DistinguishedName(commonName: "x"), validity: .days(1))
        template.addsKeyIdentifiers = false
        template.extensions = [added]
        return try Certificate(der: world.root.encode(template, for: world.server.certificate.publicKey))
    }

    @Test("key usage is read bit by bit; zeros at its end, which trusted roots have, mean nothing")
    func keyUsage() throws {
        #expect(try certificate(15, [3, 2, 5, 0xA0]).keyUsage == [.digitalSignature, .keyEncipherment])
        #expect(try certificate(15, [3, 2, 1, 6]).keyUsage == [.keyCertSign, .cRLSign])
        #expect(try certificate(15, [3, 3, 7, 0, 0x80]).keyUsage == .decipherOnly)
        #expect(try certificate(15, [3, 3, 7, 6, 0]).keyUsage == [.keyCertSign, .cRLSign])
        #expect(try certificate(15, [3, 1, 0]).keyUsage == [])
        for bad: [UInt8] in [[3, 0], [3, 2, 1, 7], [3, 4, 0, 6, 0, 0], [4, 1, 6], [3, 2, 1, 6, 0], []] {
            let certificate = try certificate(15, bad)
            #expect(throws: DERError.self, "\(bad)") { try certificate.keyUsage }
        }
    }

    @Test("basic constraints leave out what is default")
    func basicConstraints() throws {
        #expect(try certificate(19, [0x30, 0]).basicConstraints == BasicConstraints(isAuthority: false))
        #expect(try certificate(19, [0x30, 3, 1, 1, 0xFF]).basicConstraints == BasicConstraints(isAuthority: true))
        #expect(
            try certificate(19, [0x30, 6, 1, 1, 0xFF, 2, 1, 3]).basicConstraints
                == BasicConstraints(isAuthority: true, pathLength: 3))
        for bad: [UInt8] in [
            [0x30, 3, 1, 1, 0], [0x30, 3, 1, 1, 1], [0x30, 6, 1, 1, 0xFF, 2, 1, 0xFF], [0x30, 4, 1, 1, 0xFF, 0],
            [0x30, 11, 1, 1, 0xFF, 2, 6, 1, 0, 0, 0, 0, 0], [0x30, 0, 0], [],
        ] {
            let certificate = try certificate(19, bad)
            #expect(throws: DERError.self, "\(bad)") { try certificate.basicConstraints }
        }
    }

    @Test("lists must not be empty, and must end where they end")
    func lists() throws {
        let empty: [UInt8] = [0x30, 0]
        let names = try certificate(17, empty)
        #expect(throws: DERError.self) { try names.subjectAlternativeNames }
        let purposes = try certificate(37, empty)
        #expect(throws: DERError.self) { try purposes.extendedKeyUsage }
        let points = try certificate(31, empty)
        #expect(throws: DERError.self) { try points.revocationListDistributionPoints }
        for bad: [UInt8] in [empty, [0x30, 2, 0xA0, 0], [0x30, 2, 0xA1, 0], [0x30, 4, 0xA0, 2, 0x30, 0]] {
            let constraints = try certificate(30, bad)
            #expect(throws: DERError.self, "\(bad)") { try constraints.nameConstraints }
        }
        // A minimum distance, which RFC 5280 fixes at its default.
        let distance = try certificate(30, [0x30, 10, 0xA0, 8, 0x30, 6, 0x82, 1, 0x61, 0x80, 1, 1])
        #expect(throws: DERError.self) { try distance.nameConstraints }
        let trailing = try certificate(17, [0x30, 3, 0x82, 1, 0x61, 0])
        #expect(throws: DERError.self) { try trailing.subjectAlternativeNames }
    }

    @Test("alternative names of every kind are read, and bytes beyond ASCII in text are not")
    func alternativeNames() throws {
        let type = try #require(OID(dotted: "1.3.6.1.4.1.311.20.2.3"))
        let names: [GeneralName] = [
            .dns("a.test"), .email("a@b.test"), .uri("https://a.test/"), .ipAddress([192, 0, 2, 1]),
            .directory(DistinguishedName(commonName: "x")), .registeredID(.serverAuthentication),
            .other(type: type, value: [0x0C, 1, 0x61]), .unsupported(tag: 5, value: []), .ipAddress([1, 2, 3, 4, 5]),
            .dns("a\0b"), .dns(""),
        ]
        #expect(try certificate(.subjectAlternativeNames(names)).subjectAlternativeNames == names)
        for bad: [UInt8] in [
            [0x82, 1, 0x80], [0x81, 1, 0xFF], [0x86, 1, 0xC3], [0x89, 0], [0x02, 1, 1], [0xA2, 0],
        ] {
            let certificate = try certificate(17, DERWriter.element(.sequence, bad))
            #expect(throws: DERError.self, "\(bad)") { try certificate.subjectAlternativeNames }
        }
        #expect(GeneralName.dns("a\u{1B}[2J").description == "DNS:a\\u{1b}[2J")
    }

    @Test("critical extensions that nobody acts on are listed, others not")
    func critical() throws {
        let unknown = try certificate(99, [5, 0], isCritical: true)
        #expect(unknown.unhandledCriticalExtensions.map(\.description) == ["2.5.29.99"])
        #expect(try certificate(99, [5, 0]).unhandledCriticalExtensions.isEmpty)
        #expect(try certificate(15, [3, 2, 7, 0x80], isCritical: true).unhandledCriticalExtensions.isEmpty)
        // The poison of a precertificate (RFC 6962, section 3.1).
        let poison = try #require(OID(dotted: "1.3.6.1.4.1.11129.2.4.3"))
        let precertificate = try certificate(CertificateExtension(identifier: poison, isCritical: true, value: [5, 0]))
        #expect(precertificate.unhandledCriticalExtensions == [poison])
    }
}
