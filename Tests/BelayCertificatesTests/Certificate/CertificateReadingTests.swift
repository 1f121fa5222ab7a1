import BelayCertificates
import Foundation
import Testing

@Suite("Reading certificates")
struct CertificateReadingTests {
    private let world: World.Members
    init() throws { world = try World.ecdsa.get() }

    @Test("every field is what OpenSSL reads")
    func fields() throws {
        let certificate = world.server.certificate
        let folder = try TemporaryFolder()
        let file = try folder.write("leaf.pem", certificate.pem)
        func openssl(_ arguments: String...) throws -> String {
            try Tool.run("openssl", ["x509", "-in", file, "-noout"] + arguments).text
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        #expect(
            try openssl("-serial") == "serial=" + certificate.serialNumber.map { String(format: "%02X", $0) }.joined())
        #expect(try openssl("-subject", "-nameopt", "rfc2253") == "subject=\(certificate.subject)")
        #expect(try openssl("-issuer", "-nameopt", "rfc2253") == "issuer=\(certificate.issuer)")
        #expect(
            try openssl("-fingerprint", "-sha256")
                == "sha256 Fingerprint="
                + certificate.fingerprint.bytes.map { String(format: "%02X", $0) }.joined(separator: ":"))
        let end = try openssl("-enddate", "-dateopt", "iso_8601")
        #expect(
            end == "notAfter=" + CivilTime.text(certificate.validity.notAfter).replacingOccurrences(of: "T", with: " "))
        #expect(certificate.version == 3)
        #expect(certificate.signatureAlgorithm == .ecdsa(.sha256))
        #expect(certificate.publicKey.kind.description == "EC P-256")
        #expect(certificate.pin == certificate.publicKey.pin)
        #expect(!certificate.isSelfIssued && world.root.certificate.isSelfIssued)
    }

    @Test("the typed extensions are those that were issued")
    func extensions() throws {
        let certificate = world.server.certificate
        #expect(try certificate.keyUsage == .digitalSignature)
        #expect(try certificate.extendedKeyUsage?.purposes == [.serverAuthentication])
        #expect(try certificate.basicConstraints == BasicConstraints(isAuthority: false))
        #expect(
            try certificate.subjectAlternativeNames?.map(\.description)
                == ["DNS:www.host.test", "DNS:*.host.test", "IP:192.0.2.7", "IP:2001:db8::7"])
        #expect(try certificate.nameConstraints == nil)
        #expect(
            try certificate.authorityKeyIdentifier?.keyIdentifier == world.intermediate.certificate.subjectKeyIdentifier
        )
        #expect(
            try world.intermediate.certificate.basicConstraints == BasicConstraints(isAuthority: true, pathLength: 0))
        #expect(certificate.unhandledCriticalExtensions.isEmpty)
    }

    /// The failure of reading a certificate in whose template something was bent.
    private func failure(_ bend: (inout CertificateTemplate) -> Void) throws -> DERError? {
        var template = CertificateTemplate.server(names: ["host.test"])
        bend(&template)
        let der = try world.root.encode(template, for: world.server.certificate.publicKey)
        do throws(DERError) {
            _ = try Certificate(der: der)
            return nil
        } catch {
            #expect(error.offset > 0 && error.offset < der.count)
            return error
        }
    }

    @Test("what the profile forbids is refused: extensions before version 3, an extension twice, two algorithms")
    func refused() throws {
        #expect(try failure { _ in } == nil)
        #expect(try failure { $0.flaws.version = 1 } == nil)
        #expect(try failure { $0.flaws.version = 2 } == nil)
        for version in [1, 2] {
            let error = try failure {
                $0.flaws.version = version
                $0.flaws.extensionsInAnyVersion = true
            }
            #expect(error?.description.contains("version \(version) certificate has extensions") == true)
        }
        let twice = try failure { $0.extensions.append(.keyUsage(.digitalSignature)) }
        #expect(twice?.description.contains("occurs twice") == true)
        let manyAndTwice = try failure { template in
            for arc in 0..<70 {
                guard let identifier = OID(dotted: "1.3.6.1.4.1.99999.\(arc % 69)") else { return }
                template.extensions.append(
                    CertificateExtension(identifier: identifier, isCritical: false, value: [5, 0]))
            }
        }
        #expect(manyAndTwice?.description.contains("occurs twice") == true)
        #expect(try failure { $0.flaws.innerAlgorithm = .ecdsa(.sha384) }?.description.contains("differs") == true)
        #expect(try failure { $0.flaws.rawSerialNumber = [] }?.reason == .nonMinimalInteger)
        #expect(try failure { $0.flaws.rawSerialNumber = [0, 1] }?.reason == .nonMinimalInteger)
        // Negative and long serial numbers are matters of the profile, not of the encoding.
        #expect(try failure { $0.flaws.rawSerialNumber = [0x80] } == nil)
        #expect(try failure { $0.flaws.rawSerialNumber = [UInt8](repeating: 1, count: 30) } == nil)
    }

    @Test("bytes that are cut, lengthened or of another kind are refused where they go wrong")
    func damaged() {
        let der = world.server.certificate.der
        for count in 0..<der.count {
            #expect(throws: DERError.self) { try Certificate(der: Array(der.prefix(count))) }
        }
        #expect(throws: DERError(.trailingData, at: der.count)) { try Certificate(der: der + [0]) }
        #expect(throws: DERError(.unexpectedTag(expected: .sequence, found: 0x31), at: 0)) {
            try Certificate(der: [0x31] + der.dropFirst())
        }
    }

    @Test("certificates are equal when their bytes are")
    func equality() throws {
        let certificate = world.server.certificate
        let copy = try Certificate(der: certificate.der)
        #expect(copy == certificate && copy.hashValue == certificate.hashValue)
        let other = try world.intermediate.issue(.server(names: ["www.host.test"]), for: certificate.publicKey)
        #expect(other != certificate)
        #expect(Set([copy, certificate, other]).count == 2)
    }
}

@Suite("Keys in certificates")
struct PublicKeyKindTests {
    private func kind(_ algorithm: [UInt8], _ parameters: [UInt8], _ key: [UInt8]) throws -> PublicKey.Kind {
        try PublicKey(
            der: DERWriter.sequence(
                DERWriter.sequence(DERWriter.element(.objectIdentifier, algorithm), parameters),
                DERWriter.bitString(key))
        ).kind
    }

    private static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
    private static let pss: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10]
    private static let curves: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]

    private func isMalformed(_ kind: PublicKey.Kind) -> Bool {
        if case .malformed = kind { true } else { false }
    }

    @Test("an RSA key has an odd modulus and an odd exponent between 1 and 2^256, for PSS too")
    func rsa() throws {
        let modulus: [UInt8] = [UInt8](repeating: 0xFF, count: 256)
        func key(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
            DERWriter.sequence(DERWriter.integer(modulus), DERWriter.integer(exponent))
        }
        let null: [UInt8] = [5, 0]
        #expect(try kind(Self.rsa, null, key(modulus, [1, 0, 1])) == .rsa(bits: 2_048, exponent: [1, 0, 1]))
        #expect(try kind(Self.rsa, null, key([0x7F] + modulus.dropFirst(), [3])) == .rsa(bits: 2_047, exponent: [3]))
        #expect(try kind(Self.pss, [], key(modulus, [1, 0, 1])) == .rsaPSS(bits: 2_048))
        for exponent: [UInt8] in [[1], [0], [2], [1, 0, 0], [UInt8](repeating: 1, count: 33)] {
            #expect(isMalformed(try kind(Self.rsa, null, key(modulus, exponent))), "\(exponent)")
            #expect(isMalformed(try kind(Self.pss, [], key(modulus, exponent))), "\(exponent)")
        }
        #expect(isMalformed(try kind(Self.rsa, null, key([0], [3]))))
        #expect(isMalformed(try kind(Self.rsa, null, key(modulus.dropLast() + [0xFE], [3]))))
        #expect(isMalformed(try kind(Self.rsa, [], key(modulus, [3]))))
        #expect(isMalformed(try kind(Self.rsa, null, key(modulus, [3]) + [0])))
        // Negative numbers.
        let negative = DERWriter.sequence(DERWriter.element(.integer, [0x81]), DERWriter.integer(3))
        #expect(isMalformed(try kind(Self.rsa, null, negative)))
    }

    @Test("a point has the form of its curve: not infinity, not hybrid, not of another length")
    func points() throws {
        let p256 = DERWriter.element(.objectIdentifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7])
        let p521 = DERWriter.element(.objectIdentifier, [0x2B, 0x81, 4, 0, 0x23])
        func point(_ form: UInt8, _ count: Int) -> [UInt8] { [form] + [UInt8](repeating: 1, count: count) }
        #expect(try kind(Self.curves, p256, point(4, 64)).description == "EC P-256")
        #expect(try kind(Self.curves, p256, point(2, 32)).description == "EC P-256")
        #expect(try kind(Self.curves, p256, point(3, 32)).description == "EC P-256")
        #expect(try kind(Self.curves, p521, point(4, 132)).description == "EC P-521")
        for bad in [
            [0], [], point(4, 63), point(4, 65), point(2, 64), point(6, 64), point(7, 64), point(5, 64), point(0, 64),
        ] {
            #expect(isMalformed(try kind(Self.curves, p256, bad)), "\(bad.count) \(bad.first ?? 0)")
        }
        #expect(try kind(Self.curves, DERWriter.sequence(), point(4, 64)) == .explicitEllipticCurve)
        let unknown = DERWriter.element(.objectIdentifier, [0x2B, 0x81, 4, 0, 1])
        #expect(try kind(Self.curves, unknown, point(4, 28)).description == "EC curve 1.3.132.0.1")
    }

    @Test("keys of Edwards curves have their length and no parameters")
    func edwards() throws {
        let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
        #expect(try kind(ed25519, [], [UInt8](repeating: 1, count: 32)) == .ed25519)
        #expect(isMalformed(try kind(ed25519, [5, 0], [UInt8](repeating: 1, count: 32))))
        #expect(isMalformed(try kind(ed25519, [], [UInt8](repeating: 1, count: 33))))
        #expect(try kind([0x2B, 0x65, 0x71], [], [UInt8](repeating: 1, count: 57)) == .ed448)
    }
}
