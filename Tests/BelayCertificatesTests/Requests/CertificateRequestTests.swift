import BelayCertificates
import TestSupport
import Testing

@Suite("Certificate signing requests")
struct CertificateRequestTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let keys: [PrivateKey.Specification] = [
        .p256, .p384, .p521, .rsa(bits: 2_048), .rsaPSS(bits: 2_048), .ed25519, .ed448,
    ]

    @Test("A request made here verifies with OpenSSL, which reads the same names", arguments: keys)
    func opensslReads(specification: PrivateKey.Specification) throws {
        let key = try PrivateKey.generate(specification)
        let request = try CertificateRequest.make(
            subject: DistinguishedName(text: "CN=www.example.com,O=Ex\\,ample,C=DE"),
            extensions: [.subjectAlternativeNames([.dns("www.example.com"), .ipAddress([192, 0, 2, 1])])], key: key)
        let seen = try Tool.openssl(
            "req", "-verify", "-noout", "-text", "-nameopt", "RFC2253,utf8", input: Array(request.pem.utf8))
        #expect(seen.all.contains("verify OK"))
        #expect(seen.text.contains("DNS:www.example.com, IP Address:192.0.2.1"))
        #expect(seen.text.contains("Subject: CN=www.example.com,O=Ex\\,ample,C=DE"))
        let publicKey = try Tool.openssl("req", "-noout", "-pubkey", input: Array(request.pem.utf8)).text
        #expect(publicKey == PEM.encode(label: "PUBLIC KEY", der: key.publicKey.der))
        #expect(request.pin == key.publicKey.pin)
    }

    @Test("GnuTLS reads it and finds the signature good")
    func gnutlsReads() throws {
        let request = try CertificateRequest.make(
            subject: DistinguishedName(commonName: "ada"), extensions: [.subjectAlternativeNames([.email("a@b.test")])],
            key: .generate(.p256))
        let seen = try Tool.succeed("certtool", ["--crq-info"], input: Array(request.pem.utf8))
        #expect(seen.text.contains("Self signature: verified") && seen.text.contains("RFC822Name: a@b.test"))
    }

    @Test("An authority of OpenSSL's issues a certificate for it that keeps the pin")
    func opensslIssues() throws {
        let key = try PrivateKey.generate(.p256)
        let request = try CertificateRequest.make(
            subject: DistinguishedName(commonName: "www.example.com"),
            extensions: [.subjectAlternativeNames([.dns("www.example.com")])], key: key)
        let file = try folder.write("request.pem", request.pem)
        try Tool.openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder("ca.key"), "-subj", "/CN=CA", "-out",
            folder("ca.pem"))
        try Tool.openssl(
            "x509", "-req", "-in", file, "-CA", folder("ca.pem"), "-CAkey", folder("ca.key"), "-CAcreateserial",
            "-copy_extensions", "copy", "-days", "30", "-out", folder("cert.pem"))
        let certificate = try #require(try Certificate.read(contentsOf: folder("cert.pem")).first)
        #expect(certificate.pin == request.pin)
        #expect(try certificate.subjectAlternativeNames == [.dns("www.example.com")])
    }

    @Test("Requests of OpenSSL and GnuTLS are read, in PEM and DER")
    func readsForeign() throws {
        try Tool.openssl(
            "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", folder("key"), "-subj", "/O=Ex/CN=host.test",
            "-addext", "subjectAltName=DNS:host.test,IP:::1", "-out", folder("openssl.pem"))
        try Tool.openssl("req", "-in", folder("openssl.pem"), "-outform", "DER", "-out", folder("openssl.der"))
        for name in ["openssl.pem", "openssl.der"] {
            let request = try CertificateRequest.read(contentsOf: folder(name))
            #expect(request.subject.description == "CN=host.test,O=Ex")
            #expect(
                request.subjectAlternativeNames == [
                    .dns("host.test"), .ipAddress([UInt8](repeating: 0, count: 15) + [1]),
                ])
            #expect(request.publicKey == (try PrivateKey.read(contentsOf: folder("key")).publicKey))
        }
        try folder.write("template", "cn = \"gnu.test\"\ndns_name = \"gnu.test\"\nchallenge_password = \"x\"\n")
        try Tool.succeed(
            "certtool", ["--generate-privkey", "--key-type", "ecdsa", "--outfile", folder("gnu.key")])
        try Tool.succeed(
            "certtool",
            [
                "--generate-request", "--load-privkey", folder("gnu.key"), "--template", folder("template"),
                "--outfile",
                folder("gnu.pem"),
            ])
        let request = try CertificateRequest.read(contentsOf: folder("gnu.pem"))
        #expect(request.subjectAlternativeNames == [.dns("gnu.test")] && request.attributes.count == 2)
    }

    @Test("A request that renews a certificate has its names and usages, and nothing that is the authority's to say")
    func renewing() throws {
        let world = try World.ecdsa.get()
        let old = world.server.certificate
        let request = try CertificateRequest.make(renewing: old, key: world.server.privateKey)
        #expect(request.subject == old.subject && request.pin == old.pin)
        #expect(request.subjectAlternativeNames == (try old.subjectAlternativeNames))
        let identifiers = request.extensions.map(\.identifier.description)
        #expect(Set(identifiers) == ["2.5.29.17", "2.5.29.15", "2.5.29.37"])
    }

    @Test("A changed byte anywhere makes it malformed or its signature wrong, and never another request")
    func refusesChanges() throws {
        let request = try CertificateRequest.make(
            subject: DistinguishedName(commonName: "www.example.com"),
            extensions: [.subjectAlternativeNames([.dns("www.example.com")])], key: .generate(.p256))
        for index in request.der.indices {
            for bit in [UInt8(0x01), 0x20, 0x80] {
                var changed = request.der
                changed[index] ^= bit
                #expect(throws: CertificateRequestError.self, "byte \(index)") { try CertificateRequest(der: changed) }
            }
        }
        #expect(throws: CertificateRequestError.self) { try CertificateRequest(der: request.der + [0]) }
        for count in 0..<request.der.count {
            #expect(throws: CertificateRequestError.self) {
                try CertificateRequest(bytes: Array(request.der.prefix(count)))
            }
        }
    }

    @Test("A key of somebody else's in a request is found out")
    func refusesForeignKey() throws {
        let mine = try PrivateKey.generate(.p256)
        let theirs = try PrivateKey.generate(.p256)
        let request = try CertificateRequest.make(subject: DistinguishedName(commonName: "x"), key: mine)
        let place = try #require(
            request.der.indices.first { request.der[$0...].starts(with: mine.publicKey.der) })
        var forged = request.der
        forged.replaceSubrange(place..<(place + mine.publicKey.der.count), with: theirs.publicKey.der)
        #expect(throws: CertificateRequestError.wrongSignature) { try CertificateRequest(der: forged) }
    }

    @Test("Other files are named for what they are")
    func refusesOthers() throws {
        let world = try World.ecdsa.get()
        #expect(throws: CertificateRequestError.notARequest(found: "a certificate")) {
            try CertificateRequest(bytes: world.server.certificate.der)
        }
        #expect(throws: CertificateRequestError.notARequest(found: "a private key")) {
            try CertificateRequest(bytes: world.server.privateKey.pkcs8PEM().bytes)
        }
        #expect(throws: CertificateRequestError.notARequest(found: "an empty file")) {
            try CertificateRequest(bytes: [])
        }
    }

    @Test(
        "Names are read as people write them, and refused with the reason",
        arguments: [
            ("CN=a", "CN=a"), ("cn = a , o=b", "CN=a,O=b"), ("CN=a\\,b+OU=c,DC=test", nil), ("2.5.4.3=x", "CN=x"),
        ])
    func readsNames(text: String, expected: String?) throws {
        let name = try DistinguishedName(text: text)
        if let expected { #expect(name.description == expected) }
        #expect(try DistinguishedName(text: name.description) == name)
    }

    @Test(
        "What is no name is refused",
        arguments: [
            ("", DistinguishedNameTextError.noEquals("")), ("www.example.com", .noEquals("www.example.com")),
            ("CN=", .noValue("CN")), ("X=1", .unknownType("X")), ("C=Germany", .country("Germany")),
            ("CN=" + String(repeating: "x", count: 65), .tooLong("CN")), ("DC=ü", .notASCII("DC")),
        ])
    func refusesNames(text: String, error: DistinguishedNameTextError) {
        #expect(throws: error) { try DistinguishedName(text: text) }
    }
}
