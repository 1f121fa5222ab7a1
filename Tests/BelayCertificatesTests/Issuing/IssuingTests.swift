import BelayCertificates
import Foundation
import Testing

@Suite("Issuing certificates")
struct IssuingTests {
    @Test(
        "OpenSSL verifies a chain of three, name and purpose included, for each kind of key",
        arguments: [
            PrivateKey.Specification.p256, .p384, .p521, .rsa(bits: 2_048), .rsaPSS(bits: 2_048), .ed25519, .ed448,
            .ellipticCurve("brainpoolP256r1"),
        ])
    func opensslVerifiesChain(key: PrivateKey.Specification) throws {
        let world = try World.make(key)
        let folder = try TemporaryFolder()
        let root = try folder.write("root.pem", world.root.certificate.pem)
        let chain = try folder.write("chain.pem", world.server.chain.map(\.pem).joined())
        let leaf = try folder.write("leaf.pem", world.server.certificate.pem)
        let names = [
            ("-verify_hostname", "www.host.test"), ("-verify_hostname", "a.host.test"), ("-verify_ip", "192.0.2.7"),
            ("-verify_ip", "2001:db8::7"),
        ]
        for (option, name) in names {
            try Tool.openssl(
                "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", root, "-untrusted", chain, option, name,
                leaf)
        }
        let wrong = try Tool.run(
            "openssl", ["verify", "-CAfile", root, "-untrusted", chain, "-verify_hostname", "other.test", leaf])
        #expect(wrong.status != 0)
    }

    @Test("OpenSSL prints every field and extension as it was asked for")
    func opensslPrintsFields() throws {
        let issuer = try World.ecdsa.get().intermediate
        var template = CertificateTemplate(
            subject: DistinguishedName(commonName: "Jürgen", organization: "Example, Ltd", country: "DE"),
            // 2025-12-31T23:59:59Z, and 2050-01-01T00:00:00Z, the first moment that needs GeneralizedTime.
            validity: Validity(
                from: Date(timeIntervalSince1970: 1_767_225_599), through: Date(timeIntervalSince1970: 2_524_608_000)),
            extensions: [
                .basicConstraints(BasicConstraints(isAuthority: true, pathLength: 2)),
                .keyUsage([.digitalSignature, .keyCertSign, .decipherOnly]),
                .extendedKeyUsage([.serverAuthentication, .clientAuthentication]),
                .nameConstraints(
                    NameConstraints(
                        permitted: [.dns("host.test"), .ipAddress([192, 0, 2, 0, 255, 255, 255, 0])],
                        excluded: [.email("host.test")])),
                .revocationLists(at: ["http://crl.host.test/a.crl", "http://crl.host.test/b.crl"]),
                .informationAccess(issuers: ["http://host.test/ca.cer"], onlineStatus: ["http://ocsp.host.test"]),
            ])
        template.serialNumber = [0xFE, 0x01]
        template.extensions.append(
            .subjectAlternativeNames([
                .dns("host.test"), .email("a@host.test"), .uri("https://host.test/"), .ipAddress([192, 0, 2, 1]),
                .directory(DistinguishedName(commonName: "x")), .registeredID(.serverAuthentication),
                .other(type: .clientAuthentication, value: DERWriter.element(.utf8String, "u".bytes)),
            ]))
        let certificate = try issuer.issue(template, for: PrivateKey.generate(.p256).publicKey)
        let text = try Tool.openssl(
            "x509", "-inform", "DER", "-text", "-noout", "-nameopt", "RFC2253,utf8,-esc_msb", input: certificate.der
        ).text
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        for expected in [
            "Version: 3 (0x2)", "Serial Number: 65025 (0xfe01)", "Signature Algorithm: ecdsa-with-SHA256",
            "Issuer: CN=Test Intermediate", "Subject: CN=Jürgen,O=Example\\, Ltd,C=DE",
            "Not Before: Dec 31 23:59:59 2025 GMT", "Not After : Jan  1 00:00:00 2050 GMT",
            "X509v3 Basic Constraints: critical", "CA:TRUE, pathlen:2", "X509v3 Key Usage: critical",
            "Digital Signature, Certificate Sign, Decipher Only", "X509v3 Extended Key Usage:",
            "TLS Web Server Authentication, TLS Web Client Authentication", "X509v3 Name Constraints: critical",
            "DNS:host.test", "IP:192.0.2.0/255.255.255.0", "email:host.test", "URI:http://crl.host.test/a.crl",
            "URI:http://crl.host.test/b.crl", "CA Issuers - URI:http://host.test/ca.cer",
            "OCSP - URI:http://ocsp.host.test",
            "DNS:host.test, email:a@host.test, URI:https://host.test/, IP Address:192.0.2.1, "
                + "DirName:/CN=x, Registered ID:TLS Web Server Authentication, "
                + "othername: TLS Web Client Authentication::u",
        ] {
            #expect(lines.contains(expected), "\(expected) is not in\n\(text)")
        }
        // And read again by ourselves, with the strict reader.
        #expect(certificate.subject == template.subject)
        #expect(certificate.validity == template.validity)
        #expect(certificate.serialNumber == [0, 0xFE, 0x01])
        #expect(try certificate.keyUsage == [.digitalSignature, .keyCertSign, .decipherOnly])
        #expect(try certificate.basicConstraints == BasicConstraints(isAuthority: true, pathLength: 2))
        #expect(try certificate.nameConstraints?.excluded == [.email("host.test")])
    }

    @Test("Key identifiers are those that OpenSSL computes, and link a certificate to its issuer")
    func addsKeyIdentifiers() throws {
        let world = try World.ecdsa.get()
        let folder = try TemporaryFolder()
        let keyFile = try folder.write("key.pem", world.root.privateKey.pkcs8PEM())
        let made = try Tool.openssl(
            "req", "-x509", "-new", "-key", keyFile, "-subj", "/CN=x", "-addext", "subjectKeyIdentifier=hash",
            "-outform",
            "DER"
        ).output
        let expected = try Certificate(der: made).subjectKeyIdentifier
        #expect(try world.root.certificate.subjectKeyIdentifier == expected)
        #expect(try world.intermediate.certificate.authorityKeyIdentifier?.keyIdentifier == expected)
        #expect(
            try world.server.certificate.authorityKeyIdentifier?.keyIdentifier
                == world.intermediate.certificate.subjectKeyIdentifier)
    }

    @Test("An issuer with an identifier of its own hands that one on, and identifiers can be left out")
    func handsOnKeyIdentifier() throws {
        var template = CertificateTemplate.authority(named: "Own")
        template.extensions.append(.subjectKeyIdentifier([1, 2, 3]))
        let issuer = try CertificateIssuer.selfSigned(template, key: .generate(.p256))
        let leaf = try issuer.issue(.client(named: "me"), for: PrivateKey.generate(.p256).publicKey)
        #expect(try issuer.certificate.authorityKeyIdentifier?.keyIdentifier == [1, 2, 3])
        #expect(try leaf.authorityKeyIdentifier?.keyIdentifier == [1, 2, 3])
        var without = CertificateTemplate.client(named: "me")
        without.addsKeyIdentifiers = false
        let bare = try issuer.issue(without, for: PrivateKey.generate(.p256).publicKey)
        #expect(try bare.subjectKeyIdentifier == nil)
        #expect(try bare.authorityKeyIdentifier == nil)
    }

    @Test("Serial numbers are 16 bytes, positive and never the same")
    func drawsSerialNumbers() throws {
        let issuer = try World.ecdsa.get().root
        let key = try PrivateKey.generate(.p256).publicKey
        let numbers = try (0..<50).map { _ in try issuer.issue(.client(named: "me"), for: key).serialNumber }
        #expect(Set(numbers).count == 50)
        #expect(numbers.allSatisfy { $0.count == 16 && $0[0] & 0x80 == 0 })
    }

    @Test("A client certificate is one for clients only")
    func issuesClient() throws {
        let world = try World.ecdsa.get()
        let folder = try TemporaryFolder()
        let identity = try world.root.issueIdentity(
            .client(named: "Me", email: "me@host.test"), key: .generate(.p256))
        let root = try folder.write("root.pem", world.root.certificate.pem)
        let leaf = try folder.write("leaf.pem", identity.certificate.pem)
        try Tool.openssl(
            "verify", "-x509_strict", "-purpose", "sslclient", "-verify_email", "me@host.test", "-CAfile", root, leaf)
        let asServer = try Tool.run("openssl", ["verify", "-purpose", "sslserver", "-CAfile", root, leaf])
        #expect(asServer.status != 0)
        #expect(identity.chain.isEmpty)
    }

    @Test("OpenSSL refuses what name constraints and path lengths forbid")
    func constrains() throws {
        let folder = try TemporaryFolder()
        let root = try CertificateIssuer.selfSigned(
            .authority(
                named: "Narrow", pathLength: 0, nameConstraints: NameConstraints(permitted: [.dns("host.test")])),
            key: .generate(.p256))
        let rootFile = try folder.write("root.pem", root.certificate.pem)
        func verify(_ certificates: [Certificate]) throws -> String {
            let leaf = try folder.write("leaf.pem", certificates[0].pem)
            let rest = try folder.write("rest.pem", (certificates.dropFirst() + [root.certificate]).map(\.pem).joined())
            return try Tool.run("openssl", ["verify", "-CAfile", rootFile, "-untrusted", rest, leaf]).errors
        }
        let inside = try root.issueIdentity(.server(names: ["a.host.test"]), key: .generate(.p256))
        #expect(try verify(inside.certificates) == "")
        let outside = try root.issueIdentity(.server(names: ["a.other.test"]), key: .generate(.p256))
        #expect(try verify(outside.certificates).contains("permitted subtree violation"))
        let below = try root.issueAuthority(.authority(named: "Below"), key: .generate(.p256))
        let deep = try below.issueIdentity(.server(names: ["a.host.test"]), key: .generate(.p256))
        #expect(try verify(deep.certificates).contains("path length constraint exceeded"))
    }

    @Test("An issuer needs the key of its certificate")
    func refusesForeignKey() throws {
        let root = try World.ecdsa.get().root.certificate
        #expect(throws: IdentityError.keyMismatch(certificate: root.subject.description)) {
            try CertificateIssuer(certificate: root, privateKey: .generate(.p256))
        }
    }

    @Test("A long first name leaves the common name to a shorter one, or empty")
    func choosesCommonName() throws {
        let long = String(repeating: "a", count: 60) + ".host.test"
        #expect(CertificateTemplate.server(names: [long, "b.test"]).subject.commonName == "b.test")
        let template = CertificateTemplate.server(names: [long])
        #expect(template.subject.isEmpty)
        let world = try World.ecdsa.get()
        let certificate = try world.root.issue(template, for: world.server.privateKey.publicKey)
        let folder = try TemporaryFolder()
        let root = try folder.write("root.pem", world.root.certificate.pem)
        let leaf = try folder.write("leaf.pem", certificate.pem)
        try Tool.openssl("verify", "-x509_strict", "-verify_hostname", long, "-CAfile", root, leaf)
    }
}
